/* Limits of a loop in parts, which the kernel and reasons views draw: the selected instruction,
 * bounds, machines, sentences. UI thread. */
#ifndef PORTOLAN_VIEW_REASONS_H
#define PORTOLAN_VIEW_REASONS_H

#include "analysis/analysis.h"
#include "cmd/session.h"
#include "simulate/simulate.h"
#include "view/grid.h"

/* Draws form, ports, latency and marks of instruction @row on screen row @y. */
void reasons_detail(const struct analysis *a, size_t row, struct grid *g, int y);
/* Draws all bounds from row @y, with bars if these fit, then the simulation @sim (NULL: none) and
 * @measured (NaN: none). Returns the row below. */
int reasons_bounds(const struct analysis *a, const struct simulation *sim, double measured,
                   struct grid *g, int x, int y, unsigned width);
/* Draws the values of reasons_bounds as text on at most @rows rows. Returns the number of rows
 * used. */
int reasons_bounds_short(const struct analysis *a, const struct simulation *sim, double measured,
                         struct grid *g, int y, unsigned rows);
/* Returns the minimum number of columns of reasons_machines. */
unsigned reasons_machines_width(struct analysis *const *a, size_t n);
/* Draws one row per machine, in the rows from @y to @end - 1. */
void reasons_machines(struct analysis *const *a, size_t n, size_t in_view, struct grid *g, int x,
                      int y, int end);
/* Appends the instructions that only other machines have. If there are none, appends the result of
 * the last `program explain` of this loop. If measured and predicted time differ, also appends both
 * times and the known reason. */
void reasons_explain(struct session *s, const struct analysis *a, struct str *out);
/* Returns the number of rows of @text at the width of @g, at most @most; 0 for an empty text. */
unsigned reasons_rows(const struct grid *g, const char *text, unsigned most);

#endif
