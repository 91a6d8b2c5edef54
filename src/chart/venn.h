/* Ports of a core found exactly: forms join one after the other, and each may use any part of the
 * ports that are there, and further ones. As ports have no names, only how many of them each set
 * shares with the others counts, so that there are few choices; the states that explain the
 * measurements best are kept. */
#ifndef PORTOLAN_CHART_VENN_H
#define PORTOLAN_CHART_VENN_H

#include "chart/chart.h"
#include "model/experiments.h"
#include "model/mapping.h"

struct venn_options {
    double width;            /* issue slots per cycle */
    /* mean squared deviation, in units of the noise, up to which a form is explained */
    double fits;
    /* false ends it; asked on the caller's thread */
    bool (*goes_on)(void *state, size_t done, size_t total);
    void *state;
    const struct chart_hooks *hooks;   /* whose team shares the work (chart/chart.h); NULL: none */
};

/* A mapping of those of the @n @forms (of @t, in the order in which they join: the simplest first)
 * that can be explained, from the rows of @t with no other forms. Forms whose usage needs more than
 * two sets are left out. What was found until @goes_on ended it stands; NULL when nothing is
 * explained. Deterministic but for that, with any number of threads. */
struct mapping *venn_find(const struct experiments *t, const uint32_t *forms, size_t n,
                          const struct venn_options *o);

#endif
