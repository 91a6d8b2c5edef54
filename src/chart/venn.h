/* Finds the ports of a core by a beam search over usages. Forms join one after another, and each
 * may use any of the known ports and new ports. Ports are interchangeable, so only the sizes of the
 * sets' intersections matter: the regions of a Venn diagram. The search keeps the states that best
 * explain the measurements. */
#ifndef PORTOLAN_CHART_VENN_H
#define PORTOLAN_CHART_VENN_H

#include "chart/chart.h"
#include "model/experiments.h"
#include "model/mapping.h"

struct venn_options {
    double width;            /* issue slots per cycle */
    /* largest mean squared deviation of an explained form's times, in units of the noise */
    double fits;
    /* Polled on the calling thread. Returning false ends the search. */
    bool (*goes_on)(void *state, size_t done, size_t total);
    /* Returns whether @show should be called. Called on the calling thread. NULL: @show is never
     * called. */
    bool (*show_due)(void *state);
    void (*show)(void *state, const struct mapping *so_far);
    void *state;
    /* hooks whose team runs the search (chart/chart.h); NULL: the calling thread runs it */
    const struct chart_hooks *hooks;
};

/* Returns a mapping of those of the @n forms @forms whose times it explains. Uses the rows of @t
 * that contain no other forms. @forms is in the order of joining, simplest first. Omits forms that
 * need more than two port sets. If @goes_on returns false, returns the mapping found so far.
 * Returns NULL if no form can be explained. Unless the search is stopped, the result does not
 * depend on the number of threads. The caller frees the result. */
struct mapping *venn_find(const struct experiments *t, const uint32_t *forms, size_t n,
                          const struct venn_options *o);

#endif
