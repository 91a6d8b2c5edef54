/* The core of a chart: forms that behave differently from each other in pairs. Candidates are
 * measured with those found so far. */
#ifndef PORTOLAN_CHART_CORE_H
#define PORTOLAN_CHART_CORE_H

#include "chart/lab.h"

#define CORE_QUICK 2.2       /* cycles alone: forms that take longer are placed with the core */

struct core_class {
    uint32_t form;      /* its first member, of the lab's table */
    size_t members;
};

struct chart_core {
    VEC(struct core_class) classes;
    VEC(uint32_t) candidates;
    VEC(uint32_t) class_of;      /* per candidate: index of its class */
};

/* Whether form @f, of @n that take @alone cycles each, fuses with its neighbours at rename (nops on
 * Zen 4: twelve per cycle in six slots). It then has no operands and is far quicker than all forms
 * that have some. It does not show the issue width, and is not in the core. */
bool core_is_joined(const struct lab *lab, const double *alone, size_t n, size_t f);
/* Chooses candidates among the @n quick forms with cycles @alone (NaN: not measured, or no
 * candidate; per form of the table) and groups them by pairs. All experiments stay in the lab's
 * table, with triples and fours of the classes. False with err. */
bool core_find(struct lab *lab, const double *alone, size_t n, struct chart_core *out,
               struct err *err);
void core_done(struct chart_core *c);

/* Counts, at most @most each, by which @a and @b take nearly as long alone. */
void core_balance(double a, double b, unsigned most, uint32_t counts[2]);

#endif
