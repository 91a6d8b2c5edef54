/* A problem over classes of congruent forms. Classes replace their forms, and experiments that
 * become equal are averaged, so no measurement is lost. The problem is much smaller if many pairs
 * were measured. It is searched first, and the result expanded. Immutable. */
#ifndef PORTOLAN_INFER_CLASSES_H
#define PORTOLAN_INFER_CLASSES_H

#include "infer/genome.h"

struct classes {
    struct problem *p;      /* problem whose forms are the classes' representatives */
    uint32_t *class_of;     /* form of p, per form of the whole problem */
    uint32_t *first;        /* a form of the whole problem, per form of p */
};

/* Creates the classes. NULL if more than four fifths of the forms would remain (sparse or noisy
 * measurements), or when cancelled. The caller frees. */
struct classes *classes_new(const struct problem *whole);
void classes_free(struct classes *q);
/* Expands a genome to the whole problem: each form gets its class's usage. The caller frees. */
struct genome *classes_expand(const struct classes *q, const struct problem *whole,
                              const struct genome *g);
/* Reduces a genome: each class gets its representative's usage. */
struct genome *classes_project(const struct classes *q, const struct genome *g);

#endif
