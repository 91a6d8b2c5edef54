/* Finds the ports of a core exactly: forms join one after the other, and each may use any part of
 * the known ports, and further ones. Ports have no names, so only the number that each set shares
 * with the others counts. The states that explain the measurements best are kept. */
#ifndef PORTOLAN_CHART_VENN_H
#define PORTOLAN_CHART_VENN_H

#include "chart/chart.h"
#include "model/experiments.h"
#include "model/mapping.h"

struct venn_options {
    double width;            /* issue slots per cycle */
    /* mean squared deviation, in units of the noise, up to which a form counts as explained */
    double fits;
    /* returning false ends it; called on the caller's thread */
    bool (*goes_on)(void *state, size_t done, size_t total);
    void *state;
    const struct chart_hooks *hooks;   /* whose team shares the work (chart/chart.h); NULL: none */
};

/* A mapping of those of the @n @forms that can be explained, from the rows of @t with no other
 * forms. @forms is in the order of joining, the simplest first. Forms whose usage needs more than
 * two sets are left out. When @goes_on returns false, the result so far is returned; NULL when
 * nothing is explained. Otherwise deterministic, with any number of threads. */
struct mapping *venn_find(const struct experiments *t, const uint32_t *forms, size_t n,
                          const struct venn_options *o);

#endif
