/* The main loop of the workbench: waits for the terminal, signals and jobs. Every change of the
 * session is made by command_run. */
#ifndef PORTOLAN_TUI_MAINLOOP_H
#define PORTOLAN_TUI_MAINLOOP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/session.h"

/* Runs until the user quits, then restores the terminal. @bare: no file was named. @notice: an
 * error to show first; "": none. Returns the exit status. UI thread. */
int mainloop_run(struct session *s, bool bare, const char *notice);

/* external.c: runs the user's editor. */

/* Opens @path at @line (0: the first line) in $VISUAL, $EDITOR or a default editor on the terminal,
 * and waits until it ends. Returns false with err if there is no editor or if the editor failed. UI
 * thread. */
bool editor_run(const char *path, size_t line, struct err *err);

#endif
