/* The kernel view with one column per machine instead of per port, and functions for rows that both
 * views share. */
#ifndef PORTOLAN_VIEW_KERNEL_COMPARE_H
#define PORTOLAN_VIEW_KERNEL_COMPARE_H

#include "analysis/analysis.h"
#include "view/view.h"

struct kernel_rows {
    size_t *cursor, *top;    /* @cursor: selected row. @top: first visible row. */
    size_t *body;            /* number of rows visible in the current drawing */
};

/* Draws bounds, simulation, and the usage of each instruction for the @n analyses @a of one loop.
 * Updates @rows. UI thread. */
void kernel_compare_draw(struct session *s, struct analysis *const *a, size_t n, struct grid *g,
                         const struct kernel_rows *rows);

/* Returns the mark of @row, such as "?" for an unknown form or "^" for an instruction fused with
 * the previous instruction; " ": none. */
const char *kernel_row_mark(const struct analysis_row *row);
/* Appends @text without leading blanks; each sequence of blanks becomes one blank. */
void kernel_row_tidy(const char *text, struct str *out);

#endif
