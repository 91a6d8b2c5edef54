/* Terminal input and bracketed pastes; nothing else reads the terminal. Input after the end of a
 * line or paste goes to the next consumer. A paste is complete however slowly it arrives. UI
 * thread. */
#ifndef PORTOLAN_TUI_INPUT_H
#define PORTOLAN_TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"

/* Appends the terminal's input, waiting at most @seconds; true when there was some. */
bool input_fill(int milliseconds);
/* Number of buffered bytes; *@bytes: their address, NUL-terminated, valid until the next
 * input_fill. */
size_t input_waiting(const char **bytes);
/* Removes @count buffered bytes. */
void input_take(size_t count);
/* Number of buffered bytes that complete a paste's begin mark, 0: none. Earlier bytes may have been
 * consumed: the Esc of a split mark has become a key. *@partly: all buffered bytes may be an
 * incomplete mark. */
size_t input_mark(bool *partly);
/* Call it after the begin mark was removed: further input is paste text. */
void input_paste_begin(void);
/* Returns whether a paste has begun and not ended. */
bool input_pasting(void);
/* Reads more of the paste; true after its end mark, with the text in @out and
 * line feeds for carriage returns. */
bool input_paste(struct str *out);
/* Call it when a paste stalls: until more input, Ctrl-C ends the paste. Returns the bytes so
 * far. */
size_t input_paste_stalls(void);
/* Whether the waiting input is pasted text without marks (view/clipboard.h); all of it is in @out
 * then, '\n' for '\r', once nothing has come for a moment. Not during a paste. */
bool input_unmarked(struct str *out);
/* Returns whether the last paste was truncated at 32 MiB. */
bool input_paste_cut(void);
void input_done(void);

#endif
