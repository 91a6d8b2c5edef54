/* Data of an atlas as scripts: each calls a function of atlas.js with one JSON value. */
#ifndef PORTOLAN_ATLAS_ATLAS_DATA_H
#define PORTOLAN_ATLAS_ATLAS_DATA_H

#include "base/names.h"
#include "isa/forms.h"
#include "model/experiments.h"
#include "model/machine.h"

#define ATLAS_EXPERIMENTS 60   /* maximum number of experiments per form and machine; the smallest
                                * experiments are shown */
#define ATLAS_CHUNK 512   /* number of forms whose experiments share a script */

struct atlas_machine {
    const struct machine *machine;
    const struct experiments *experiments;   /* experiments measured on the machine; NULL: none */
    const char *experiments_source;          /* name of the experiments' file */
};

/* Data about an instruction set */
struct atlas_set {
    const struct forms *forms;   /* form table; NULL: no machine has this instruction set */
    const char *const *used;     /* forms that programs use, most frequent first */
    const double *uses;          /* number of occurrences of each used form */
    size_t used_count;
};

struct atlas_options {
    const struct atlas_machine *machines;
    size_t count;
    const struct atlas_set *sets;   /* sets, indexed by enum isa */
    const char *version;            /* version of the program */
};

/* Forms of one instruction set: first the forms of the form table, then further forms of the
 * machines */
struct atlas_forms {
    struct names names;
    struct experiments *singles;   /* one experiment per form, with a single execution of the form,
                                    * in the same order */
};

void atlas_forms_init(const struct atlas_options *o, enum isa isa, struct atlas_forms *out);
void atlas_forms_done(struct atlas_forms *f);

/* Appends the index script. Text from files is written as ASCII JSON without markup. */
void atlas_data_index(const struct atlas_options *o, const struct atlas_forms *forms,
                      struct str *out);
void atlas_data_forms(const struct atlas_options *o, enum isa isa, const struct atlas_forms *f,
                      struct str *out);
void atlas_data_machine(const struct atlas_options *o, size_t index, const struct atlas_forms *f,
                        struct str *out);

/* Experiments of machine @index by form. atlas_evidence_new returns NULL if the machine has no
 * experiments. */
struct atlas_evidence;
struct atlas_evidence *atlas_evidence_new(const struct atlas_options *o, size_t index,
                                          const struct atlas_forms *f);
void atlas_evidence_free(struct atlas_evidence *e);
/* Returns the number of measured experiments with a form that the list of forms lacks. */
size_t atlas_evidence_left_out(const struct atlas_evidence *e);
/* Appends the script of chunk @chunk: ATLAS_CHUNK forms from index @chunk * ATLAS_CHUNK. */
void atlas_data_experiments(const struct atlas_evidence *e, size_t chunk, struct str *out);

#endif
