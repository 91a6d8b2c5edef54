/* Draws a chart, check or hunt in the panes of LAB: stages, curve, findings. */
#ifndef PORTOLAN_VIEW_LAB_LOG_H
#define PORTOLAN_VIEW_LAB_LOG_H

#include "chart/stage_log.h"
#include "cmd/session.h"
#include "view/grid.h"

/* Returns the last chart, check or hunt for the panes; NULL: none, or inference has started since.
 * The caller frees it. UI thread. */
struct stage_view *lab_log_shown(const struct session *s);
/* Returns whether the chart, check or hunt of lab_log_shown is running. */
bool lab_log_runs(const struct session *s);
/* Returns whether LAB shows a chart. */
bool lab_log_charts(const struct session *s);
/* Draws the title and the stages, or the progress of a run without stages, from row @y. Returns the
 * row below. */
int lab_log_draw_stages(const struct stage_view *v, struct grid *g, int y);
/* Draws the curve in @height rows from row @y. */
void lab_log_draw_curve(const struct stage_view *v, struct grid *g, int y, unsigned height);
/* Draws a list's title and rows from row @y to the bottom. Draws nothing without a title. */
void lab_log_draw_list(const struct stage_view *v, enum stage_list list, struct grid *g, int y);

#endif
