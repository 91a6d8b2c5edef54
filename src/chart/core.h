/* Selects the core of a chart: forms that behave differently from each other in pairs. Measures
 * candidates with the forms selected before. */
#ifndef PORTOLAN_CHART_CORE_H
#define PORTOLAN_CHART_CORE_H

#include "chart/lab.h"

/* most cycles alone of a core form; slower forms are placed with saturators of the core */
#define CORE_QUICK 2.2

struct core_class {
    uint32_t form;      /* first member of the class, as index into the lab's table */
    size_t members;
};

struct chart_core {
    VEC(struct core_class) classes;
    VEC(uint32_t) candidates;
    VEC(uint32_t) class_of;      /* index of its class, per candidate */
};

/* Returns whether form @f, of @n forms with times @alone, fuses with its neighbours at rename (nops
 * on Zen 4: twelve per cycle in six slots). Such a form has no operands and is far faster than all
 * forms with operands. It does not reveal the issue width and is not part of the core. */
bool core_is_joined(const struct lab *lab, const double *alone, size_t n, size_t f);
/* Chooses candidates among the @n fast forms with cycles @alone (per form of the table; NaN: not
 * measured or no candidate) and classifies them by pairs. The lab's table receives all experiments,
 * including triples and quadruples of the classes. False with err. */
bool core_find(struct lab *lab, const double *alone, size_t n, struct chart_core *out,
               struct err *err);
void core_done(struct chart_core *c);

/* Returns counts, at most @most each, with which @a and @b take nearly equal time alone; 1
 * and 1 if a time is unknown. */
void core_balance(double a, double b, unsigned most, uint32_t counts[2]);

#endif
