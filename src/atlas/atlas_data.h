/* Data of an atlas as scripts: each calls a function of atlas.js with one JSON value. */
#ifndef PORTOLAN_ATLAS_ATLAS_DATA_H
#define PORTOLAN_ATLAS_ATLAS_DATA_H

#include "base/names.h"
#include "isa/forms.h"
#include "model/experiments.h"
#include "model/machine.h"

#define ATLAS_EXPERIMENTS 60   /* shown per form and machine, the smallest first */
#define ATLAS_CHUNK 512   /* forms whose experiments share a script */

struct atlas_machine {
    const struct machine *machine;
    const struct experiments *experiments;   /* measured on it; NULL: none */
    const char *experiments_source;          /* name of their file */
};

/* Known facts of an instruction set. */
struct atlas_set {
    const struct forms *forms;   /* NULL: no machine of this set */
    const char *const *used;     /* forms that programs use, the most frequent first */
    const double *uses;          /* occurrences of each */
    size_t used_count;
};

struct atlas_options {
    const struct atlas_machine *machines;
    size_t count;
    const struct atlas_set *sets;   /* by enum isa */
    const char *version;            /* of the program */
};

/* Forms of one set: first those of its table, then those of its machines only. */
struct atlas_forms {
    struct names names;
    struct experiments *singles;   /* single execution of each, in the same order */
};

void atlas_forms_init(const struct atlas_options *o, enum isa isa, struct atlas_forms *out);
void atlas_forms_done(struct atlas_forms *f);

/* Appends the index script to @out. Text from files is JSON in ASCII, without markup. */
void atlas_data_index(const struct atlas_options *o, const struct atlas_forms *forms,
                      struct str *out);
void atlas_data_forms(const struct atlas_options *o, enum isa isa, const struct atlas_forms *f,
                      struct str *out);
void atlas_data_machine(const struct atlas_options *o, size_t index, const struct atlas_forms *f,
                        struct str *out);

/* Experiments of machine @index by form; NULL if it has none. */
struct atlas_evidence;
struct atlas_evidence *atlas_evidence_new(const struct atlas_options *o, size_t index,
                                          const struct atlas_forms *f);
void atlas_evidence_free(struct atlas_evidence *e);
/* Number of measured experiments with a form that @f lacks. */
size_t atlas_evidence_left_out(const struct atlas_evidence *e);
/* Appends the script of ATLAS_CHUNK forms from @chunk * ATLAS_CHUNK on. */
void atlas_data_experiments(const struct atlas_evidence *e, size_t chunk, struct str *out);

#endif
