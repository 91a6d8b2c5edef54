/* A problem over classes of congruent forms instead of forms: every form is replaced by its class,
 * and experiments that become equal are merged into their mean, so that nothing measured is thrown
 * away. Much smaller where many pairs were measured; searched first, expanded afterwards. Immutable
 * once made. */
#ifndef PORTOLAN_INFER_CLASSES_H
#define PORTOLAN_INFER_CLASSES_H

#include "infer/genome.h"

struct classes {
    struct problem *p;      /* its forms are the classes' representatives */
    uint32_t *class_of;     /* per form of the whole problem: form of p */
    uint32_t *first;        /* per form of p: a form of the whole problem */
};

/* NULL when that would leave more than four fifths of the forms: sparse or noisy measurements show
 * no congruence; and when the thread's watch ended it. The caller frees. */
struct classes *classes_new(const struct problem *whole);
void classes_free(struct classes *q);
/* A genome of the whole problem with its class's usage for each form; the caller frees. */
struct genome *classes_expand(const struct classes *q, const struct problem *whole,
                              const struct genome *g);
/* The other way: each class gets its representative's usage. */
struct genome *classes_project(const struct classes *q, const struct genome *g);

#endif
