/* Forms that no measurement distinguishes (PMEvo 4.3): |t1 - t2| / (|t1 + t2| / 2) < epsilon alone
 * and with every common partner. The relation is not transitive; here a form joins a class only if
 * it is congruent to all of its members, so that within a class any two are. */
#ifndef PORTOLAN_INFER_CONGRUENCE_H
#define PORTOLAN_INFER_CONGRUENCE_H

#include "model/experiments.h"

#define CONGRUENCE_EPSILON 0.05

struct congruence {
    size_t forms;           /* of the table */
    /* per form of the table: class number; UINT32_MAX: not measured alone */
    uint32_t *class_of;
    size_t classes;
    uint32_t *representative;   /* form per class: its first member */
    uint32_t *size;
    /* per class: pairs of members that no experiment compares except those of each alone */
    uint64_t *untested;
    /* per form: it was measured together with its class's first member, one each, or is that
     * member */
    bool *single_input_first;
};

/* Finds classes; two forms must share at least @shared experiments (0: even those without a common
 * partner can be congruent, as in the paper). Deterministic: forms in table order, oldest class
 * first. The caller calls congruence_done. When memory runs out @out is zero, and this thread's
 * work fails. @itself: also a pair of two forms compares them, since it takes twice the time alone
 * if they are congruent; if not set, only pairs with a third form count, as in the paper. */
void congruence_find(const struct experiments *t, double epsilon, unsigned shared, bool itself,
                     struct congruence *out);
/* Returns whether @f should be measured together with the first member of its class: such pairs
 * compare all members. */
bool congruence_undistinguished(const struct congruence *c, uint32_t f);
void congruence_done(struct congruence *c);

#endif
