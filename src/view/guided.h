/* The frame while it guides who is new: what the hints, the tutorial and the demo see of it, and do to it. UI thread. */
#ifndef PORTOLAN_VIEW_GUIDED_H
#define PORTOLAN_VIEW_GUIDED_H

#include "view/frame.h"

/* What was done, or is shown, may be what the guide has asked for: @key (0: none) was pressed, @command (NULL: none) ran. */
void guided_notice(struct frame *f, int key, const char *command);
/* Whether @key is the guide's, or ends the demo; then it was used. */
bool guided_key(struct frame *f, int key);
/* Goes on with the demo, which is on; false when that was its end. */
bool guided_play(struct frame *f);

#endif
