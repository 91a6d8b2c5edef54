/* A problem over classes of congruent forms instead of forms: every form is replaced by its class, and experiments that become equal are
 * merged into their mean, so that nothing measured is thrown away. Much smaller where many pairs were measured; searched first, expanded
 * afterwards. Immutable once made. */
#ifndef PORTOLAN_INFER_QUOTIENT_H
#define PORTOLAN_INFER_QUOTIENT_H

#include "infer/genome.h"

struct quotient {
    struct problem *p;      /* its forms are the classes' representatives */
    uint32_t *class_of;     /* per form of the whole problem: form of p */
    uint32_t *first;        /* per form of p: a form of the whole problem */
};

/* NULL when that would leave more than four fifths of the forms: sparse or noisy measurements show no congruence. The caller frees. */
struct quotient *quotient_new(const struct problem *whole);
void quotient_free(struct quotient *q);
/* A genome of the whole problem in which each form has its class's usage; the caller frees. */
struct genome *quotient_expand(const struct quotient *q, const struct problem *whole, const struct genome *g);
/* The other way: each class gets its representative's usage. */
struct genome *quotient_project(const struct quotient *q, const struct genome *g);

#endif
