/* The main loop of the screen, over terminal and signals; every change of the session goes through
 * command_run. */
#ifndef PORTOLAN_TUI_MAINLOOP_H
#define PORTOLAN_TUI_MAINLOOP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/session.h"

/* Runs until the user quits, then restores the terminal. @bare: no file was named. @notice: an
 * error to show first, "" for none. Returns the exit status. UI thread. */
int mainloop_run(struct session *s, bool bare, const char *notice);

/* external.c: the user's own editor. */

/* Opens @path at @line (0: the first) in $VISUAL, $EDITOR or a default editor on the terminal, and
 * waits for its end. False with err when there is none, or it failed. UI thread. */
bool editor_run(const char *path, size_t line, struct err *err);

#endif
