/* The session is saved before the program dies of a fault of its own, or of want of memory. */
#ifndef PORTOLAN_CMD_RESCUE_H
#define PORTOLAN_CMD_RESCUE_H

#include "cmd/session.h"

/* From now on die() saves @s, when a command has changed it, into $XDG_STATE_HOME/portolan/rescued-TIME-PROCESS and says so; NULL: no more. UI thread. */
void rescue_set(struct session *s);

#endif
