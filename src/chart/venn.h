/* Finds the ports of a core exactly: forms join one after the other, and each may use any part of
 * the known ports and new ones. Ports are interchangeable, so only the sizes of intersections count
 * (regions of a Venn diagram). The states that explain the measurements best are kept. */
#ifndef PORTOLAN_CHART_VENN_H
#define PORTOLAN_CHART_VENN_H

#include "chart/chart.h"
#include "model/experiments.h"
#include "model/mapping.h"

struct venn_options {
    double width;            /* per cycle */
    /* mean squared deviation, in units of the noise, within which a form is explained */
    double fits;
    /* polled on the caller's thread; false ends the search */
    bool (*goes_on)(void *state, size_t done, size_t total);
    void *state;
    const struct chart_hooks *hooks;   /* their team shares the work (chart/chart.h); NULL: none */
};

/* Returns a mapping of the @n @forms that can be explained, from the rows of @t with no other
 * forms. @forms is in joining order, simplest first. Forms that need more than two port sets are
 * left out. When @goes_on returns false, returns the result so far; NULL when nothing is explained.
 * Otherwise deterministic for any number of threads. */
struct mapping *venn_find(const struct experiments *t, const uint32_t *forms, size_t n,
                          const struct venn_options *o);

#endif
