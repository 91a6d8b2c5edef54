/* Input of inference: measured experiments over a set of forms, laid out for incremental
 * evaluation. Immutable; holders read it on any thread. */
#ifndef PORTOLAN_INFER_PROBLEM_H
#define PORTOLAN_INFER_PROBLEM_H

#include "base/pack.h"
#include "model/experiments.h"
#include "throughput/tables.h"

#define PROBLEM_PORTS_MAX COLUMNS_DIRECT_PORTS
struct problem {
    size_t forms, experiments;
    char **names;                  /* of the forms, owned */
    uint32_t *term_start;          /* experiments + 1 offsets into terms */
    struct table_term *terms;
    float *cycles;                 /* measured; not NaN */
    float *inverse;                /* weight / cycles */
    float *weight;                 /* 1 unless measured several times */
    double weights;                /* their sum */
    uint32_t *link_start;          /* forms + 1 offsets into links: shortest experiments first */
    struct table_link *links;
    struct table_term *others;
    uint8_t *kind;                 /* of the forms: problem_form_kind */
    /* cycles of the form alone; NaN: not measured */
    float *single;
    /* hash of forms and cycles: identifies the problem of a checkpoint */
    uint64_t fingerprint;
    _Atomic unsigned holders;      /* besides the creator */
};

/* Kind of the form @name, as "ADD (R64, M64)": forms of one kind more likely share a usage. By
 * memory operand, first or later; vectors; scalar floating-point registers; general registers next
 * to these; other operands, such as a shift or mask. Widths, immediates and branch targets do not
 * count. AArch64 names the stored register first, so its stores have the kind of loads. */
unsigned problem_form_kind(const char *name);
/* Makes a problem of the measured rows of @t for which @keep (NULL: all) is true; equal experiments
 * are averaged. It has only forms of measured rows. NULL with err when nothing is measured, or
 * cancelled (ERR_LIMIT). The caller frees. */
struct problem *problem_new(const struct experiments *t, const bool *keep, struct err *err);
/* Copies @p with @count more experiments, of the forms terms[term_start[i] .. term_start[i + 1]).
 * They have no cycles and do not count until problem_set. NULL with err without memory; the caller
 * frees. */
struct problem *problem_extend(const struct problem *p, size_t count, const uint32_t *term_start,
                               const struct table_term *terms, struct err *err);
/* Sets positive @cycles of experiment @e of several forms, before anybody else reads @p. */
void problem_set(struct problem *p, size_t e, double cycles);
/* Adds a holder, which calls problem_free. */
struct problem *problem_hold(struct problem *p);
/* Frees the problem when its last holder calls it. */
void problem_free(struct problem *p);
/* Serialises the data from which the rest is computed (base/pack.h). */
void problem_pack(const struct problem *p, struct str *out);
/* Rebuilds a packed problem. NULL with err for invalid bytes or without memory. */
struct problem *problem_unpack(struct unpacking *from, struct err *err);
/* Returns its experiments over @columns for the forms' @genes, with storage for the tables unless
 * @stride is 0: the caller frees values. */
struct tables problem_tables(const struct problem *p, const struct columns *columns,
                             const struct gene *genes, size_t stride);
/* Index of a form, or SIZE_MAX; linear search. */
size_t problem_form(const struct problem *p, const char *name);

#endif
