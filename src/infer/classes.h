/* A problem over classes of congruent forms: every form is replaced by its class, and experiments
 * that become equal are averaged, so that no measurement is lost. Much smaller if many pairs were
 * measured; searched first, then expanded. Immutable. */
#ifndef PORTOLAN_INFER_CLASSES_H
#define PORTOLAN_INFER_CLASSES_H

#include "infer/genome.h"

struct classes {
    struct problem *p;      /* its forms are the classes' representatives */
    uint32_t *class_of;     /* per form of the whole problem: form of p */
    uint32_t *first;        /* per form of p: a form of the whole problem */
};

/* Creates classes; NULL when more than four fifths of the forms would remain (sparse or noisy
 * measurements), or when cancelled. The caller frees. */
struct classes *classes_new(const struct problem *whole);
void classes_free(struct classes *q);
/* Expands a genome to the whole problem, with each form's class usage; the caller frees. */
struct genome *classes_expand(const struct classes *q, const struct problem *whole,
                              const struct genome *g);
/* Reduces a genome: each class gets its representative's usage. */
struct genome *classes_project(const struct classes *q, const struct genome *g);

#endif
