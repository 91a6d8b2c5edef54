/* Finds forms that no measurement distinguishes (PMEvo 4.3): |t1 - t2| / (|t1 + t2| / 2) < epsilon,
 * for the times in isolation and with every common partner. The relation is not transitive. A form
 * joins a class only if it is congruent to all members, so any two members are congruent. */
#ifndef PORTOLAN_INFER_CONGRUENCE_H
#define PORTOLAN_INFER_CONGRUENCE_H

#include "model/experiments.h"

#define CONGRUENCE_EPSILON 0.05

struct congruence {
    size_t forms;           /* number of forms in the table of experiments */
    /* per form of the table: index of its class; UINT32_MAX: not measured in isolation */
    uint32_t *class_of;
    size_t classes;
    uint32_t *representative;   /* per class: its first member */
    uint32_t *size;
    /* per class: number of pairs of members that are compared only by their times in isolation */
    uint64_t *untested;
    /* per form: whether it is the first member of its class, or was measured together with this
     * member, with one execution of each */
    bool *compared_to_first;
};

/* Finds the classes. Two forms must share at least @shared experiments (0: even forms without a
 * common partner can be congruent, as in the paper). If @itself is true, an experiment of the two
 * forms also compares them: if congruent, they take twice the time of one form in isolation. If
 * @itself is false, only experiments with a third form compare them, as in the paper.
 * Deterministic: forms in table order, oldest class first. If memory is exhausted, @out is zero and
 * this thread's work fails. congruence_done frees @out. */
void congruence_find(const struct experiments *t, double epsilon, unsigned shared, bool itself,
                     struct congruence *out);
/* Returns whether @f should be measured with the first member of its class. The experiments of all
 * members with the first one compare all members. */
bool congruence_undistinguished(const struct congruence *c, uint32_t f);
void congruence_done(struct congruence *c);

#endif
