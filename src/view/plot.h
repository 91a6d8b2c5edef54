/* Curves on a grid: braille dots (or ASCII), axes with labels, log scales with a tick per decade.
 * No curses. */
#ifndef PORTOLAN_VIEW_PLOT_H
#define PORTOLAN_VIEW_PLOT_H

#include "view/grid.h"

struct plot_series {
    const char *label;
    enum role role;
    const double *x, *y;   /* n points, x ascending; NaN in y is a gap */
    size_t n;
    bool points;           /* not joined */
};

struct plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;     /* values from 0 down are gaps there */
    double x_min, x_max, y_min, y_max;   /* equal: taken from the data */
    const struct plot_series *series;
    size_t series_count;
};

/* Draws @p into the rectangle; several points of a series in one column become their range. The
 * title row has the labels of the series, without colours each after the letter that ends its
 * curve. */
void plot_draw(const struct plot *p, struct grid *g, int x, int y, unsigned width, unsigned height);

#endif
