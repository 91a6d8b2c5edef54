/* Sets the clipboard of the terminal, which may be on another computer. */
#ifndef PORTOLAN_VIEW_CLIPBOARD_H
#define PORTOLAN_VIEW_CLIPBOARD_H

#include <stdbool.h>

#include "base/str.h"

/* Appends the sequence that sets a terminal's clipboard to @length bytes (OSC 52 of xterm's control
 * sequences). @tmux: also wrapped for tmux to pass through (needs allow-passthrough). */
void clipboard_sequence(const char *text, size_t length, bool tmux, struct str *out);

#endif
