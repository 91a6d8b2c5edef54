/* The kernel view with a column per machine instead of per port, and shared functions for rows. */
#ifndef PORTOLAN_VIEW_KERNEL_COMPARE_H
#define PORTOLAN_VIEW_KERNEL_COMPARE_H

#include "analysis/analysis.h"
#include "view/view.h"

struct kernel_rows {
    size_t *cursor, *top;    /* row under the cursor; first visible row */
    size_t *body;            /* rows of the current drawing */
};

/* Draws bounds, simulation and each instruction's usage for the @n analyses @a of one loop; sets
 * @rows. UI thread. */
void kernel_compare_draw(struct session *s, struct analysis *const *a, size_t n, struct grid *g,
                         const struct kernel_rows *rows);

/* Mark of @row: "?" an unknown form, "^" fused into the previous one. */
const char *kernel_row_mark(const struct analysis_row *row);
/* Appends @text with repeated blanks collapsed. */
void kernel_row_tidy(const char *text, struct str *out);

#endif
