/* Switches views, and goes back with their cursors. UI thread. */
#ifndef PORTOLAN_VIEW_JUMPS_H
#define PORTOLAN_VIEW_JUMPS_H

#include "base/err.h"
#include "view/frame_state.h"

#define JUMPS_MOST 100   /* places; beyond that the oldest is dropped */

void jumps_done(struct jumps *j);
/* Shows view @to in its pane or as overlay, and records the previous one. */
void frame_show(struct frame *f, size_t to);
/* Shows place @to with its last focused pane; goes back if it was the previous one. */
void frame_show_place(struct frame *f, unsigned to);
/* Goes back; false at the start of the stack. */
bool jumps_back(struct frame *f);
/* Executes `jump @where`: "back", "forward", a view with rows of forms ("mapping", "experiments",
 * "kernel"), or "": from a form to its experiments, from elsewhere to the form. False with err,
 * with nothing changed. */
bool jumps_go(struct frame *f, const char *where, struct err *err);

#endif
