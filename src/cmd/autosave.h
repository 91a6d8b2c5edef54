/* Saves the workbench's session in the background after changes. UI thread. */
#ifndef PORTOLAN_CMD_AUTOSAVE_H
#define PORTOLAN_CMD_AUTOSAVE_H

#include "cmd/session.h"

struct autosave;

/* Starts autosaving. @named: the user's saved session, which counts as a change; if not, only later
 * changes are saved. */
struct autosave *autosave_new(struct session *s, bool named);
/* Starts saving if something has changed, unless @hold. Returns the seconds until the next call,
 * INFINITY: after the next change. */
double autosave_tick(struct autosave *a, bool hold);
/* Saves the last changes while their jobs still run; waits for completion. Call it before the jobs
 * are ended. */
void autosave_end(struct autosave *a);
void autosave_free(struct autosave *a);

/* rescue.c: saves the session before the program ends by a fault or for lack of memory. */

/* Makes die() save @s, if changed by a command, to $XDG_STATE_HOME/portolan/rescued-TIME-PROCESS
 * and report that; NULL: disables it. UI thread. */
void rescue_set(struct session *s);

#endif
