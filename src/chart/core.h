/* Selects the core of a chart: forms that measurements of pairs distinguish. */
#ifndef PORTOLAN_CHART_CORE_H
#define PORTOLAN_CHART_CORE_H

#include "chart/lab.h"

/* maximum cycles in isolation of a form of the core */
#define CORE_QUICK 2.2

struct core_class {
    uint32_t form;      /* index in the lab's table of the first member of the class */
    size_t members;
};

struct chart_core {
    VEC(struct core_class) classes;
    VEC(uint32_t) candidates;
    VEC(uint32_t) class_of;      /* per candidate: index of its class; UINT32_MAX: none */
};

/* Returns whether several executions of form @f share a slot at rename (nops on Zen 4: twelve per
 * cycle in six slots). @alone has the cycles in isolation of the @n forms. Such a form has no
 * operands and is far faster than all forms with operands. It cannot be part of the core, because
 * it does not show the issue width. */
bool core_is_joined(const struct lab *lab, const double *alone, size_t n, size_t f);
/* Chooses candidates among the @n forms and classifies them by pairs. @alone has the cycles of
 * each form in isolation; NaN: the form cannot be a candidate. The lab's table receives all
 * experiments, including triples and quadruples of the classes. Returns false with err on
 * failure. */
bool core_find(struct lab *lab, const double *alone, size_t n, struct chart_core *out,
               struct err *err);
/* Makes a class of each form of @known with a time in isolation, instead of classifying forms.
 * Otherwise does the same as core_find. */
bool core_take(struct lab *lab, const double *alone, const struct mapping *known,
               struct chart_core *out, struct err *err);
void core_done(struct chart_core *c);

/* Sets @counts to numbers of executions, at most @most each, with which two forms take nearly equal
 * time. @a and @b: cycles of the two forms in isolation. If one of these is unknown, both numbers
 * are 1. */
void core_balance(double a, double b, unsigned most, uint32_t counts[2]);

#endif
