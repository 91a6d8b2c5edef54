/* From view to view, and back to where one was with its cursor. UI thread. */
#ifndef PORTOLAN_VIEW_JUMPS_H
#define PORTOLAN_VIEW_JUMPS_H

#include "base/err.h"
#include "view/frame_state.h"

#define JUMPS_MOST 100   /* places; the oldest goes for one more */

void jumps_done(struct jumps *j);
/* Shows view @to in its pane, or over the place, and records the previous one for going back. */
void frame_show(struct frame *f, size_t to);
/* Shows place @to with the pane that had the focus there last: back to it, where one came from
 * it. */
void frame_show_place(struct frame *f, unsigned to);
/* Goes back; false when there is nothing to go back to. */
bool jumps_back(struct frame *f);
/* The command `jump @where`: "back", "forward", a view that has rows or lines of forms ("mapping",
 * "experiments", "kernel"), or "" for the one that fits: from forms to the experiments with the one
 * under the cursor, from elsewhere to its form. False with err, and nothing has changed. */
bool jumps_go(struct frame *f, const char *where, struct err *err);

#endif
