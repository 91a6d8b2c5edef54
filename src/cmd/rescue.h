/* Saves the session before the program ends by a fault or for lack of memory. */
#ifndef PORTOLAN_CMD_RESCUE_H
#define PORTOLAN_CMD_RESCUE_H

#include "cmd/session.h"

/* From now on die() saves @s, when a command has changed it, into
 * $XDG_STATE_HOME/portolan/rescued-TIME-PROCESS and reports that; NULL: no longer. UI thread. */
void rescue_set(struct session *s);

#endif
