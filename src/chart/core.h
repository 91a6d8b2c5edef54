/* Selects the core of a chart: forms that behave differently from each other in pairs. Candidates
 * are measured with the forms found so far. */
#ifndef PORTOLAN_CHART_CORE_H
#define PORTOLAN_CHART_CORE_H

#include "chart/lab.h"

#define CORE_QUICK 2.2       /* cycles alone: slower forms are placed with the core */

struct core_class {
    uint32_t form;      /* its first member, as index into the lab's table */
    size_t members;
};

struct chart_core {
    VEC(struct core_class) classes;
    VEC(uint32_t) candidates;
    VEC(uint32_t) class_of;      /* class index per candidate */
};

/* Returns whether form @f, of @n forms with times @alone, fuses with its neighbours at rename (nops
 * on Zen 4: twelve per cycle in six slots). It has no operands and is far quicker than all forms
 * with operands. It does not show the issue width and is not in the core. */
bool core_is_joined(const struct lab *lab, const double *alone, size_t n, size_t f);
/* Chooses candidates among the @n quick forms with cycles @alone (NaN: not measured or no
 * candidate; per form of the table) and classifies them by pairs. All experiments stay in the lab's
 * table, with triples and quadruples of the classes. False with err. */
bool core_find(struct lab *lab, const double *alone, size_t n, struct chart_core *out,
               struct err *err);
void core_done(struct chart_core *c);

/* Returns counts, at most @most each, by which @a and @b take nearly equal time alone. */
void core_balance(double a, double b, unsigned most, uint32_t counts[2]);

#endif
