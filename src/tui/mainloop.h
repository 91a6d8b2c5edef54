/* The main loop of the screen, over terminal and signals; every change of the session goes through
 * command_run. */
#ifndef PORTOLAN_TUI_MAINLOOP_H
#define PORTOLAN_TUI_MAINLOOP_H

#include "cmd/session.h"

/* Runs until the user quits, then restores the terminal. @bare: no file was named. @notice: an
 * error to show first, "" for none. Returns the exit status. UI thread. */
int mainloop_run(struct session *s, bool bare, const char *notice);

#endif
