/* A problem in which each class of congruent forms is one form. Experiments that become equal are
 * averaged, so all measurements are used. If many pairs were measured, the problem of the classes
 * is much smaller than the whole problem. This smaller problem is searched first, and its result is
 * expanded to all forms. Immutable. */
#ifndef PORTOLAN_INFER_CLASSES_H
#define PORTOLAN_INFER_CLASSES_H

#include "infer/genome.h"

struct classes {
    struct problem *p;      /* problem whose forms are the classes' representatives */
    uint32_t *class_of;     /* per form of the whole problem: index of its form in @p */
    uint32_t *first;        /* per form of @p: index of a form of the whole problem */
};

/* Creates the classes. Returns NULL if more than four fifths of the forms would remain (sparse or
 * noisy measurements). Also returns NULL if memory is exhausted, or when cancelled. The caller
 * frees the result. */
struct classes *classes_new(const struct problem *whole);
void classes_free(struct classes *q);
/* Expands a genome to the whole problem: each form has the usage of its class. The caller frees the
 * result. */
struct genome *classes_expand(const struct classes *q, const struct problem *whole,
                              const struct genome *g);
/* Reduces a genome: each class has the usage of its representative. The caller frees the result. */
struct genome *classes_project(const struct classes *q, const struct genome *g);

#endif
