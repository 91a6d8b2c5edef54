/* Draws the Pareto front of a run's mappings: error against number of distinct µops. No curses. */
#ifndef PORTOLAN_VIEW_PARETO_H
#define PORTOLAN_VIEW_PARETO_H

#include "view/grid.h"
#include "work/evolve_job.h"

/* Draws the front of @n mappings, which are reordered, into the rectangle: as steps, or as text for
 * a single one. */
void pareto_draw(struct evolve_point *points, size_t n, struct grid *g, int x, int y,
                 unsigned width, unsigned height);

#endif
