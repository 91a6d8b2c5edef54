/* Of the frame, what its own parts share. */
#ifndef PORTOLAN_VIEW_FRAME_PARTS_H
#define PORTOLAN_VIEW_FRAME_PARTS_H

#include "cmd/action.h"
#include "view/frame.h"

/* What commands ask of it: session.views, with the frame as view_state. */
extern const struct session_views frame_views;

/* Esc and Ctrl-C: what a command began for itself ends with the wait for it. False when nothing is waited for. */
bool frame_stop_waiting(struct frame *f);
/* Has the view that has the focus, or the frame, do @action; false when neither has a use for it now. */
bool frame_act(struct frame *f, enum action action);

#endif
