/* Bytes read from the terminal and not taken yet. The prompt sees Esc and pastes before readline does, and what one read
 * brought behind a line's or a paste's end goes to what has the focus next. UI thread. */
#ifndef PORTOLAN_TUI_INPUT_H
#define PORTOLAN_TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"

/* Appends what the terminal has, waiting at most so long for it; true when something came. */
bool input_fill(int milliseconds);
/* How many bytes wait; *@bytes is where, NUL behind them, until the next input_fill. */
size_t input_waiting(const char **bytes);
/* Takes @count of those that wait. */
void input_take(size_t count);
/* The begin mark of a paste has been taken: puts its text into @out, '\n' for '\r', and takes the end mark. A paste ends too when
 * nothing comes for a second, or at 32 MiB. */
void input_paste(struct str *out);
void input_done(void);

#endif
