/* Saves the session before the program ends by a fault or lack of memory. */
#ifndef PORTOLAN_CMD_RESCUE_H
#define PORTOLAN_CMD_RESCUE_H

#include "cmd/session.h"

/* Makes die() save @s, if changed by a command, to $XDG_STATE_HOME/portolan/rescued-TIME-PROCESS
 * and report that; NULL: disables it. UI thread. */
void rescue_set(struct session *s);

#endif
