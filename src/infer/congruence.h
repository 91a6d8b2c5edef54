/* Forms that no measurement tells apart (PMEvo 4.3): |t1 - t2| / (|t1 + t2| / 2) < epsilon alone and beside every partner that both were
 * measured with. The relation is not transitive; here a form joins a class only if it is congruent to all of its members, so
 * that within a class any two are. */
#ifndef PORTOLAN_INFER_CONGRUENCE_H
#define PORTOLAN_INFER_CONGRUENCE_H

#include "model/experiments.h"

#define CONGRUENCE_EPSILON 0.05

struct congruence {
    size_t forms;           /* of the table */
    uint32_t *class_of;     /* per form of the table: class number; UINT32_MAX: not measured alone */
    size_t classes;
    uint32_t *representative;   /* form per class: its first member */
    uint32_t *size;
};

/* Two forms must have been compared in @shared experiments at least (0: even those that were never measured beside the same partner can be
 * congruent, as in the paper). The caller calls congruence_done. Deterministic: forms are taken in the table's order, classes oldest first. When memory runs out
 * @out is all zero, and this thread's work fails. */
void congruence_find(const struct experiments *t, double epsilon, unsigned shared, struct congruence *out);
void congruence_done(struct congruence *c);

#endif
