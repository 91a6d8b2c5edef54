/* Draws curves on a grid: braille dots (or ASCII), axes with labels, logarithmic scales with a tick
 * per decade. No curses. */
#ifndef PORTOLAN_VIEW_PLOT_H
#define PORTOLAN_VIEW_PLOT_H

#include "view/grid.h"

struct plot_series {
    const char *label;
    enum role role;
    const double *x, *y;   /* n points, x ascending; NaN in y is a gap */
    size_t n;
    bool points;           /* draws points without lines */
};

struct plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;     /* values of 0 or below are gaps */
    double x_min, x_max, y_min, y_max;   /* equal: from the data */
    const struct plot_series *series;
    size_t series_count;
};

/* Draws @p into the rectangle; several points of a series in one column become a range. The title
 * row has the series' labels; without colours each follows the letter at its curve's end. */
void plot_draw(const struct plot *p, struct grid *g, int x, int y, unsigned width, unsigned height);

/* pareto.c: the mappings of a run that no other beats in both error and number of distinct µops,
 * drawn as the steps of their front. */

struct evolve_point;
/* Draws the front of @n mappings, which are reordered, into the rectangle: as steps, or as text for
 * a single one. */
void pareto_draw(struct evolve_point *points, size_t n, struct grid *g, int x, int y,
                 unsigned width, unsigned height);

#endif
