/* Runs the user's editor. */
#ifndef PORTOLAN_TUI_EXTERNAL_H
#define PORTOLAN_TUI_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Opens @path at @line (0: the first) in $VISUAL, $EDITOR or a default editor on the terminal, and
 * waits for its end. False with err when there is none, or it failed. UI thread. */
bool editor_run(const char *path, size_t line, struct err *err);

#endif
