/* Sets the clipboard of the user's terminal, which may run on another computer. */
#ifndef PORTOLAN_VIEW_CLIPBOARD_H
#define PORTOLAN_VIEW_CLIPBOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Appends the sequence that sets a terminal's clipboard to @length bytes (OSC 52 of xterm's control
 * sequences). If @tmux is true, also appends it wrapped for tmux, whose option allow-passthrough
 * must be set. */
void clipboard_sequence(const char *text, size_t length, bool tmux, struct str *out);


/* Returns whether @length bytes that arrived together are pasted text: two lines of words, or an
 * instruction with operands. Typed command lines (":view why") and text with control characters
 * other than blanks and line ends are keys. Terminals that mark pastes do not need this test. */
bool pasted_text(const char *bytes, size_t length);

#endif
