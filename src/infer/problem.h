/* Input of inference: measured experiments over a set of forms, laid out for incremental
 * evaluation. Immutable once made; any thread reads it that holds it. */
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
    float *cycles;                 /* measured; never NaN */
    float *inverse;                /* weight / cycles */
    float *weight;                 /* 1 unless the experiment was measured several times */
    double weights;                /* their sum */
    uint32_t *link_start;          /* forms + 1 offsets into links: shortest experiments first */
    struct table_link *links;
    struct table_term *others;
    uint8_t *kind;                 /* of the forms: problem_form_kind */
    /* cycles of the form alone; NaN when it was not measured alone */
    float *single;
    /* of forms and cycles: identifies the problem of a checkpoint */
    uint64_t fingerprint;
    _Atomic unsigned holders;      /* besides the creator */
};

/* The kind of the form @name, as "ADD (R64, M64)": forms of one kind are likelier to have the same
 * usage than others. Whether it has an operand in memory, and as the first or a later one; vectors;
 * scalar registers of floating point; general registers next to these; anything else, such as a
 * shift or a mask. Widths and immediates do not count, nor does where a branch goes. AArch64 names
 * what is stored first, so that its stores have the kind of loads. Any thread. */
unsigned problem_form_kind(const char *name);
/* From the measured rows of @t for which @keep (NULL: all) is true; equal experiments are merged
 * into their mean. Only forms that occur in a measured row are in it. NULL with err when nothing is
 * measured, or the thread's watch ended it (ERR_LIMIT). The caller frees. */
struct problem *problem_new(const struct experiments *t, const bool *keep, struct err *err);
/* @p and @count experiments more, of the forms terms[term_start[i] .. term_start[i + 1]) each. They
 * have no cycles, and count nothing, until problem_set. NULL with err without memory; the caller
 * frees. */
struct problem *problem_extend(const struct problem *p, size_t count, const uint32_t *term_start,
                               const struct table_term *terms, struct err *err);
/* Experiment @e of several forms takes @cycles, above 0: only before anybody else reads @p. */
void problem_set(struct problem *p, size_t e, double cycles);
/* One more may read it, and is to problem_free it. Any thread. */
struct problem *problem_hold(struct problem *p);
/* The last holder's call frees it. Any thread. */
void problem_free(struct problem *p);
/* Serialises for another process (base/pack.h) what the rest is recomputed from. NULL with err when
 * the bytes are broken or there is no memory. */
void problem_pack(const struct problem *p, struct str *out);
struct problem *problem_unpack(struct unpacking *from, struct err *err);
/* Its experiments over @columns for the forms' @genes, with storage for the tables unless @stride
 * is 0: the caller frees values. */
struct tables problem_tables(const struct problem *p, const struct columns *columns,
                             const struct gene *genes, size_t stride);
/* Index of a form, or SIZE_MAX; looks at all. */
size_t problem_form(const struct problem *p, const char *name);

#endif
