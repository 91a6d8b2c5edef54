/* Terminal input and bracketed pastes. No other code reads the terminal. Input after the end of a
 * line or paste remains for the next reader. A paste is read completely, even if its text arrives
 * slowly. UI thread. */
#ifndef PORTOLAN_TUI_INPUT_H
#define PORTOLAN_TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"

/* Reads terminal input into the buffer. Waits for input for at most @milliseconds. Returns whether
 * there was input. */
bool input_fill(int milliseconds);
/* Returns the number of buffered bytes. *@bytes: their address, NUL-terminated, valid until the
 * next input_fill. */
size_t input_waiting(const char **bytes);
/* Removes @count bytes from the buffer. */
void input_take(size_t count);
/* Returns the number of buffered bytes that complete a paste's begin mark; 0: none. Earlier bytes
 * of the mark may have been removed, such as an Esc that was handled as a key. *@partly: whether
 * all buffered bytes may be part of a mark. */
size_t input_mark(bool *partly);
/* Begins a paste. Call it after removing the begin mark. All input after it is paste text. */
void input_paste_begin(void);
/* Returns whether a paste has begun but not ended. */
bool input_pasting(void);
/* Reads more of the paste. Returns true after its end mark; @out then contains the text, with line
 * feeds instead of carriage returns. */
bool input_paste(struct str *out);
/* Call it if a paste stalls. Ctrl-C then ends the paste unless more input arrives. Returns the
 * number of bytes read until then. */
size_t input_paste_stalls(void);
/* Returns whether the buffered input is a paste without marks (view/clipboard.h). Waits for a short
 * pause in the input, then moves it to @out, with line feeds instead of carriage returns. Must not
 * be called during a paste. */
bool input_unmarked(struct str *out);
/* Returns whether the last paste was truncated at 32 MiB. */
bool input_paste_cut(void);
void input_done(void);

#endif
