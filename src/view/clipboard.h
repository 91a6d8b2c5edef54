/* Sets the clipboard of the terminal, which may be on another computer. */
#ifndef PORTOLAN_VIEW_CLIPBOARD_H
#define PORTOLAN_VIEW_CLIPBOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Appends the sequence that sets a terminal's clipboard to @length bytes (OSC 52 of xterm's control
 * sequences). @tmux: also wrapped for tmux to pass through (needs allow-passthrough). */
void clipboard_sequence(const char *text, size_t length, bool tmux, struct str *out);

/* pasted.c: whether bytes of the terminal are pasted text, if the terminal does not mark pastes: as
 * keys each letter would act. No curses. */

/* Returns whether @length bytes that arrived together are pasted text: two lines of words, or an
 * instruction with operands. Typed-ahead command lines (":view why") are keys, and so is text with
 * control characters other than blanks and line ends. */
bool pasted_text(const char *bytes, size_t length);

#endif
