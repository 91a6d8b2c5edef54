/* Where one was: one stack of the views that others took the place of, with their cursors, to go back to and forward again. UI thread. */
#ifndef PORTOLAN_VIEW_JUMPS_H
#define PORTOLAN_VIEW_JUMPS_H

#include "base/err.h"
#include "base/vec.h"

#define JUMPS_MOST 100   /* places; the oldest goes for one more */

struct frame;

struct jump_place {
    size_t view;
    char *mark;     /* of its cursor (view_ops.mark); NULL: it has none */
    char *filter;   /* that its rows were under; NULL: it has none */
};
struct jump_places { VEC(struct jump_place) list; };
/* Zero-initialised is empty and valid. */
struct jumps {
    struct jump_places back, forward;   /* newest last */
};

void jumps_done(struct jumps *j);
/* The view of @f below any overlay is about to be left for another: it is where one goes back to. */
void jumps_leave(struct frame *f);
/* Goes back; false when there is nothing to go back to. */
bool jumps_back(struct frame *f);
/* Goes back as far as the view of @place that is on the stack last; false when none is. */
bool jumps_unwind(struct frame *f, unsigned place);
/* The command `jump @where`: "back", "forward", a view that has rows or lines of forms ("mapping", "experiments", "kernel"), or "" for the one that fits: from forms to the experiments with the
 * one under the cursor, from elsewhere to its form. False with err, and nothing has changed. */
bool jumps_go(struct frame *f, const char *where, struct err *err);

#endif
