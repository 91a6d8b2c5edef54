/* Curves and points as pictures for documents, drawn by gnuplot. */
#ifndef PORTOLAN_REPORT_FIGURE_H
#define PORTOLAN_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define FIGURE_SERIES 6

struct figure_series {
    const char *label;
    const double *x, *y;   /* n of each; a value that is not finite is a gap */
    size_t n;
    bool points;           /* not joined */
};

struct figure {
    const char *name;      /* one word, other than that of any figure in the same document */
    const char *title, *x_label, *y_label;
    bool log_x, log_y;     /* values from 0 down are gaps there */
    bool diagonal;         /* a line where y = x, and both axes from 0 to the same end */
    struct figure_series series[FIGURE_SERIES];
    size_t series_count;
};

enum figure_format { FIGURE_SVG, FIGURE_PNG };

/* The bytes of a file in @out, cleared before. Its colours suit the colour-blind, and its curves
 * differ without colour. False with err (ERR_MISSING: gnuplot is not installed). Any thread. */
bool figure_draw(const struct figure *f, enum figure_format format, struct str *out,
                 struct err *err);

#endif
