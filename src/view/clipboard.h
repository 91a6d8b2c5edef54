/* Text for the clipboard of the terminal, which may be on another computer. */
#ifndef PORTOLAN_VIEW_CLIPBOARD_H
#define PORTOLAN_VIEW_CLIPBOARD_H

#include <stdbool.h>

#include "base/str.h"

/* Appends what a terminal takes @length bytes for its clipboard by (OSC 52 of xterm's control
 * sequences). @tmux: also once more, wrapped so that tmux hands it on to the terminal that it runs
 * in (where allow-passthrough is on). Any thread. */
void clipboard_sequence(const char *text, size_t length, bool tmux, struct str *out);

#endif
