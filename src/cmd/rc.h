/* The user's startup commands, which run before the workbench opens */
#ifndef PORTOLAN_CMD_RC_H
#define PORTOLAN_CMD_RC_H

#include "cmd/session.h"

/* Runs $XDG_CONFIG_HOME/portolan/rc, or ~/.config/portolan/rc, if it exists. The file has one
 * command per line; '#' begins a comment. Drops the commands' output. Logs errors as "file:line:
 * cause; remedy" and continues. Appends the first error and the number of further errors to
 * @report. UI thread, before the screen opens. */
void rc_run(struct session *s, struct str *report);
/* Runs @text, the contents of file @name, like rc_run. */
void rc_run_text(struct session *s, const char *name, const char *text, struct str *report);

#endif
