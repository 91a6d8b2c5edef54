/* The kernel: instruction rows by port columns as a heat map, totals, bounds, machines side by side. */
#ifndef PORTOLAN_VIEW_KERNEL_VIEW_H
#define PORTOLAN_VIEW_KERNEL_VIEW_H

#include "analysis/analysis.h"
#include "view/grid.h"

struct kernel_view {
    size_t cursor, top;     /* row under the cursor; first row shown */
    size_t machine;         /* of the analyses, the one whose table is shown */
    unsigned left;          /* first port column shown */
};

/* Draws @n analyses of one kernel on the whole of @g, from 40x8 up; no kernel: how to get one. Keeps the cursor in range. */
void kernel_view_draw(struct kernel_view *v, const struct kernel *k, struct analysis *const *a, size_t n, struct grid *g);

#endif
