/* Where one was: the places that changes of view and jumps leave, to go back to and forward again. UI thread. */
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
/* The current view of @f is about to be left for another: it is where one goes back to. */
void jumps_leave(struct frame *f);
/* The command `jump @where`: "back", "forward", a view that has rows or lines of forms ("mapping", "experiments", "kernel"), or "" for the one that fits: from forms to the experiments with the
 * one under the cursor, from elsewhere to its form. False with err, and nothing has changed. */
bool jumps_go(struct frame *f, const char *where, struct err *err);

#endif
