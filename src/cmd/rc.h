/* The user's startup commands, run before the workbench opens. */
#ifndef PORTOLAN_CMD_RC_H
#define PORTOLAN_CMD_RC_H

#include "cmd/session.h"

/* Runs $XDG_CONFIG_HOME/portolan/rc, or ~/.config/portolan/rc, if it exists: a command per line,
 * '#' begins a comment. Drops output. Logs errors as "file:line: cause; remedy" and continues; the
 * first one and the number of others go to @told. UI thread, no screen open. */
void rc_run(struct session *s, struct str *told);
/* The same with @text, the contents of file @name. */
void rc_run_text(struct session *s, const char *name, const char *text, struct str *told);

#endif
