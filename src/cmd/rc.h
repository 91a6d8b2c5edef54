/* The user's own start: commands that run before the workbench opens. */
#ifndef PORTOLAN_CMD_RC_H
#define PORTOLAN_CMD_RC_H

#include "cmd/session.h"

/* Runs $XDG_CONFIG_HOME/portolan/rc, or ~/.config/portolan/rc, if it exists: a command line on each
 * line, '#' begins a comment. Output of the commands is dropped. Faults, also of the file itself,
 * go to the log as "file:line: what; what to do", and the rest runs; the first one, and the number
 * of others, to @told. UI thread, no screen open. */
void rc_run(struct session *s, struct str *told);
/* The same with @text, which file @name holds. */
void rc_run_text(struct session *s, const char *name, const char *text, struct str *told);

#endif
