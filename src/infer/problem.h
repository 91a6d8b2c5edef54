/* Input of inference: measured experiments over a set of forms, laid out for incremental
 * evaluation. Immutable; any thread with a reference may read it. */
#ifndef PORTOLAN_INFER_PROBLEM_H
#define PORTOLAN_INFER_PROBLEM_H

#include "base/pack.h"
#include "model/experiments.h"
#include "throughput/tables.h"

#define PROBLEM_PORTS_MAX COLUMNS_DIRECT_PORTS
struct problem {
    size_t forms, experiments;
    char **names;                  /* names of the forms, owned */
    uint32_t *term_start;          /* experiments + 1 offsets into terms */
    struct table_term *terms;
    float *cycles;                 /* measured cycles; not NaN */
    float *inverse;                /* weight / cycles, per experiment */
    /* weight per experiment: number of its measurements */
    float *weight;
    double weights;
    /* forms + 1 offsets into links; the links of a form list the shortest experiments first */
    uint32_t *link_start;
    struct table_link *links;
    struct table_term *others;
    uint8_t *kind;                 /* kind of each form (problem_form_kind) */
    /* cycles of the form in isolation; NaN: not measured */
    float *single;
    /* hash of forms and cycles, which identifies the problem of a checkpoint */
    uint64_t fingerprint;
    _Atomic unsigned holders;      /* number of references in addition to the creator's */
};

/* Returns the kind of the form @name, for example "ADD (R64, M64)". Forms of one kind are more
 * likely to share a usage. The kind depends on the position of the memory operand (first or later),
 * vectors and scalar floating-point registers. It also depends on general registers in forms with
 * either of these, and on other operands, such as a shift or mask. The kind does not depend on
 * widths, immediates and branch targets. AArch64 names the stored register first, so its stores
 * have the same kind as loads. */
unsigned problem_form_kind(const char *name);
/* Makes a problem of the measured rows of @t for which @keep is true (NULL: all rows), with the
 * forms of these rows. Equal experiments are averaged. Returns NULL with err if nothing is
 * measured, if the experiments are too large, if memory is exhausted, or when cancelled
 * (ERR_LIMIT). The caller frees the problem. */
struct problem *problem_new(const struct experiments *t, const bool *keep, struct err *err);
/* Copies @p with @count more experiments, of the forms terms[term_start[i] .. term_start[i + 1]).
 * They have no cycles, and are ignored until problem_set sets them. Returns NULL with err if
 * memory is exhausted. The caller frees the copy. */
struct problem *problem_extend(const struct problem *p, size_t count, const uint32_t *term_start,
                               const struct table_term *terms, struct err *err);
/* Sets the cycles of experiment @e, which has several forms, to @cycles, a positive number. Call
 * it before another thread reads @p. */
void problem_set(struct problem *p, size_t e, double cycles);
/* Adds a reference, which problem_free releases. */
struct problem *problem_hold(struct problem *p);
/* Releases a reference. The last release frees the problem. */
void problem_free(struct problem *p);
/* Serialises the data from which all other members are computed (base/pack.h). */
void problem_pack(const struct problem *p, struct str *out);
/* Rebuilds a packed problem. Returns NULL with err for invalid bytes or if memory is exhausted. The
 * caller frees the result. */
struct problem *problem_unpack(struct unpacking *from, struct err *err);
/* Returns the problem's experiments as tables over @columns for the forms' @genes. If @stride is
 * not 0, allocates storage for the tables, and the caller frees its member values. */
struct tables problem_tables(const struct problem *p, const struct columns *columns,
                             const struct gene *genes, size_t stride);
/* Returns the index of form @name, or SIZE_MAX if there is none. Searches linearly. */
size_t problem_form(const struct problem *p, const char *name);

#endif
