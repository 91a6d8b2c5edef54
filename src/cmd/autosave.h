/* Saves the workbench's session in the background whenever it has changed. UI thread. */
#ifndef PORTOLAN_CMD_AUTOSAVE_H
#define PORTOLAN_CMD_AUTOSAVE_H

#include "cmd/session.h"

struct autosave;

/* @named: the opened session is the user's, and is saved as it is; else only later changes are. */
struct autosave *autosave_new(struct session *s, bool named);
/* Looks, and begins to save when something has changed; @hold: not now. Returns within how many
 * seconds it wants to be called again, INFINITY: after the next change. */
double autosave_tick(struct autosave *a, bool hold);
/* The last changes, while their jobs still run, are saved before this returns. Called before the
 * jobs are ended. */
void autosave_end(struct autosave *a);
void autosave_free(struct autosave *a);

#endif
