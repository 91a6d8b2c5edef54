/* The mappings of a run that no other beats in both error and number of distinct µops, drawn as the
 * steps of their front. No curses. */
#ifndef PORTOLAN_VIEW_PARETO_H
#define PORTOLAN_VIEW_PARETO_H

#include "view/grid.h"
#include "work/evolve_job.h"

/* Draws the front of @n mappings, whose order changes, into the rectangle: steps from two on, words
 * where there are fewer. */
void pareto_draw(struct evolve_point *points, size_t n, struct grid *g, int x, int y,
                 unsigned width, unsigned height);

#endif
