/* Draws curves on a grid with braille dots (or ASCII), labelled axes, and logarithmic scales with a
 * tick per decade. No curses. */
#ifndef PORTOLAN_VIEW_PLOT_H
#define PORTOLAN_VIEW_PLOT_H

#include "view/grid.h"

struct plot_series {
    const char *label;
    enum role role;
    const double *x, *y;   /* n points, x ascending; a NaN in y is a gap */
    size_t n;
    bool points;           /* whether only the points are drawn, without lines */
};

struct plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;     /* whether the axis is logarithmic; values of 0 or below are then
                            * gaps */
    /* ranges; equal minimum and maximum: the range of the data */
    double x_min, x_max, y_min, y_max;
    const struct plot_series *series;
    size_t series_count;
};

/* Draws @p into the rectangle. Several points of a series in one column are drawn as a range. The
 * title row has the labels of the series. Without colours, each label follows the letter that marks
 * the end of its curve. Draws nothing into a rectangle that is too small. */
void plot_draw(const struct plot *p, struct grid *g, int x, int y, unsigned width, unsigned height);


struct evolve_point;
/* Draws the Pareto front of @n mappings into the rectangle: the mappings that no other mapping
 * beats in both error and number of distinct µops. Draws steps, or text if the front is a single
 * mapping. Reorders the mappings. */
void pareto_draw(struct evolve_point *points, size_t n, struct grid *g, int x, int y,
                 unsigned width, unsigned height);

#endif
