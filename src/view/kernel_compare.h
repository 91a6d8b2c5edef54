/* KERNEL with a column per machine instead of per port, and how it shows a row of either. */
#ifndef PORTOLAN_VIEW_KERNEL_COMPARE_H
#define PORTOLAN_VIEW_KERNEL_COMPARE_H

#include "analysis/analysis.h"
#include "view/view.h"

struct kernel_rows {
    size_t *cursor, *top;    /* row under the cursor; first row shown */
    size_t *body;            /* rows of this drawing */
};

/* Draws bounds, simulation and each instruction's usage of the @n analyses @a of one loop; places
 * @rows. UI thread. */
void kernel_compare_draw(struct session *s, struct analysis *const *a, size_t n, struct grid *g,
                         const struct kernel_rows *rows);

/* The sign of what is special in @row: "?" an unknown form, "^" fused into the one before. */
const char *kernel_row_mark(const struct analysis_row *row);
/* Appends @text with single blanks. */
void kernel_row_tidy(const char *text, struct str *out);

#endif
