/* Limits of a loop, in parts that the kernel and reasons views draw: the instruction under the
 * cursor, bounds, machines, sentences. UI thread. */
#ifndef PORTOLAN_VIEW_REASONS_H
#define PORTOLAN_VIEW_REASONS_H

#include "analysis/analysis.h"
#include "cmd/session.h"
#include "simulate/simulate.h"
#include "view/grid.h"

/* Draws form, ports, latency and marks of the instruction at @row, on row @y. */
void reasons_detail(const struct analysis *a, size_t row, struct grid *g, int y);
/* Draws all bounds from row @y on, with bars if @width permits, then the simulation (@sim NULL:
 * none) and @measured (NaN: none). Returns the row below them. */
int reasons_bounds(const struct analysis *a, const struct simulation *sim, double measured,
                   struct grid *g, int x, int y, unsigned width);
/* The same in at most @rows rows of text; returns the rows used. */
int reasons_bounds_short(const struct analysis *a, const struct simulation *sim, double measured,
                         struct grid *g, int y, unsigned rows);
/* Least columns for reasons_machines. */
unsigned reasons_machines_width(struct analysis *const *a, size_t n);
/* Draws a row per machine, up to row @end. */
void reasons_machines(struct analysis *const *a, size_t n, size_t in_view, struct grid *g, int x,
                      int y, int end);
/* Names instructions that only other machines have; else measured and predicted time if they
 * differ, with a known reason. */
void reasons_explain(struct session *s, const struct analysis *a, struct str *out);
/* Rows that @text takes at the width of @g, at most @most; 0 for none. */
unsigned reasons_rows(const struct grid *g, const char *text, unsigned most);

#endif
