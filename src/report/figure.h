/* Draws curves and points for documents with gnuplot. */
#ifndef PORTOLAN_REPORT_FIGURE_H
#define PORTOLAN_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define FIGURE_SERIES 6

struct figure_series {
    const char *label;
    const double *x, *y;   /* n values each; a value that is not finite is a gap */
    size_t n;
    bool points;           /* whether points are drawn without lines */
};

struct figure {
    const char *name;      /* one word that is unique in the document */
    const char *title, *x_label, *y_label;
    bool log_x, log_y;     /* whether values of 0 or below are gaps */
    bool diagonal;         /* whether to draw y = x; both axes then have the same range from 0 */
    struct figure_series series[FIGURE_SERIES];
    size_t series_count;
};

enum figure_format { FIGURE_SVG, FIGURE_PNG };

/* Replaces @out with the contents of a picture file. Colour-blind readers can distinguish the
 * colours, and curves also differ in their dashes. Returns false with err (ERR_MISSING: gnuplot is
 * not installed). */
bool figure_draw(const struct figure *f, enum figure_format format, struct str *out,
                 struct err *err);

#endif
