/* The user's own start: commands that run before the workbench opens. */
#ifndef PORTOLAN_CMD_RC_H
#define PORTOLAN_CMD_RC_H

#include "cmd/session.h"

/* Runs $XDG_CONFIG_HOME/portolan/rc, or ~/.config/portolan/rc, where it is there: a command line on
 * each line, '#' begins a comment. What the commands say is dropped. What goes wrong, also with the
 * file itself, goes to the log as "file:line: what; what to do", and the rest goes on; the first of
 * it, and how many more there are, to @told. UI thread, no screen open. */
void rc_run(struct session *s, struct str *told);
/* The same with @text, which file @name holds. */
void rc_run_text(struct session *s, const char *name, const char *text, struct str *told);

#endif
