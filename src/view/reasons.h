/* Why a loop takes its time, in parts that the kernel view and the view of its own draw: the
 * instruction under the cursor, bounds, machines, sentences. UI thread. */
#ifndef PORTOLAN_VIEW_REASONS_H
#define PORTOLAN_VIEW_REASONS_H

#include "analysis/analysis.h"
#include "cmd/session.h"
#include "simulate/simulate.h"
#include "view/grid.h"

/* The form of the instruction at @row, its ports, latency and marks, on row @y. */
void reasons_detail(const struct analysis *a, size_t row, struct grid *g, int y);
/* All bounds from row @y on, with bars where @width allows, then what was simulated (@sim NULL:
 * not) and @measured (NaN: not). Returns the row below them. */
int reasons_bounds(const struct analysis *a, const struct simulation *sim, double measured,
                   struct grid *g, int x, int y, unsigned width);
/* The same in at most @rows rows of text; returns the rows used. */
int reasons_bounds_short(const struct analysis *a, const struct simulation *sim, double measured,
                         struct grid *g, int y, unsigned rows);
/* The columns that reasons_machines needs at least. */
unsigned reasons_machines_width(struct analysis *const *a, size_t n);
/* A row for each machine, up to row @end. */
void reasons_machines(struct analysis *const *a, size_t n, size_t in_view, struct grid *g, int x,
                      int y, int end);
/* Instructions that only other machines know; else measured and predicted time when they differ,
 * and the reason if known; nothing otherwise. */
void reasons_explain(struct session *s, const struct analysis *a, struct str *out);
/* Rows that @text takes at the width of @g, at most @most; 0 for none. */
unsigned reasons_rows(const struct grid *g, const char *text, unsigned most);

#endif
