/* What inference works on: measured experiments over a set of forms, laid out for incremental evaluation. Immutable once made. */
#ifndef PORTOLAN_INFER_PROBLEM_H
#define PORTOLAN_INFER_PROBLEM_H

#include "model/experiments.h"

#define PROBLEM_PORTS_MAX 16
#define PROBLEM_LANES 16    /* columns of a table are padded to a multiple of this: the widest vector */

/* One experiment seen from one of its forms: the other forms are others[first .. first + count). */
struct problem_link {
    uint32_t experiment, first, count;
    float own;              /* how often the form itself occurs */
};

struct problem_term {
    uint32_t form;
    float count;
};

struct problem {
    size_t forms, experiments;
    char **names;                  /* of the forms, owned */
    uint32_t *term_start;          /* experiments + 1 offsets into terms */
    struct problem_term *terms;
    float *cycles;                 /* measured; never NaN */
    float *inverse;                /* weight / cycles */
    float *weight;                 /* 1 unless the experiment was measured several times */
    double weights;                /* their sum */
    uint32_t *link_start;          /* forms + 1 offsets into links: shortest experiments first */
    struct problem_link *links;
    struct problem_term *others;
    float *single;                 /* cycles of the form alone; NaN when it was not measured alone */
    uint64_t fingerprint;          /* of forms and cycles: a checkpoint says which problem it belongs to */
};

/* From the measured rows of @t for which @keep (NULL: all) is true; equal experiments are merged into their mean. Only forms that occur
 * in a measured row are in it. NULL with err when nothing is measured. The caller frees. */
struct problem *problem_new(const struct experiments *t, const bool *keep, struct err *err);
void problem_free(struct problem *p);
/* Index of a form, or SIZE_MAX. */
size_t problem_form(const struct problem *p, const char *name);

#endif
