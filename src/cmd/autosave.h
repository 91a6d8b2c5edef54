/* Saves the workbench's session in the background after changes. UI thread. */
#ifndef PORTOLAN_CMD_AUTOSAVE_H
#define PORTOLAN_CMD_AUTOSAVE_H

#include "cmd/session.h"

struct autosave;

/* Starts autosaving. If the user saves this session under a name (@named), saves it at once;
 * otherwise the first save waits for a change. */
struct autosave *autosave_new(struct session *s, bool named);
/* Starts a save if something has changed, unless @hold is true. Returns the seconds until the next
 * call; INFINITY: no call is necessary before the next change, or while @hold is true. */
double autosave_tick(struct autosave *a, bool hold);
/* Saves the last changes, and waits until they are written. Call it before the jobs are ended,
 * because their results are saved too. */
void autosave_end(struct autosave *a);
void autosave_free(struct autosave *a);

/* rescue.c: saves the session before a fatal signal or a lack of memory ends the program */

/* Makes die() save @s to $XDG_STATE_HOME/portolan/rescued-TIME-PROCESS if a command changed it, and
 * print that path. NULL: disables the rescue. UI thread. */
void rescue_set(struct session *s);

#endif
