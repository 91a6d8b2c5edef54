/* Switches views, and goes back to earlier views with their cursors. UI thread. */
#ifndef PORTOLAN_VIEW_JUMPS_H
#define PORTOLAN_VIEW_JUMPS_H

#include "base/err.h"
#include "view/frame_state.h"

/* maximum number of recorded views; a further view replaces the oldest view */
#define JUMPS_MOST 100

void jumps_done(struct jumps *j);
/* Shows view @to in its pane or as an overlay. Records the previous view, except for an overlay or
 * an unchanged view. */
void frame_show(struct frame *f, size_t to);
/* Shows place @to: the last recorded view of the place, otherwise its last focused pane. */
void frame_show_place(struct frame *f, unsigned to);
/* Goes back to the previous view. Returns false if there is none. */
bool jumps_back(struct frame *f);
/* Executes `jump @where`: "back", "forward", "swap" (between matrix and mapping in LAB), or a
 * view with rows of forms ("mapping", "experiments", "kernel"). "" jumps from a form to its
 * experiments, or from an experiment to its form. Returns false with err on failure, and then
 * changes nothing. */
bool jumps_go(struct frame *f, const char *where, struct err *err);

#endif
