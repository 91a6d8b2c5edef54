/* Bytes read from the terminal and not taken yet, and the paste that is coming: nothing else reads
 * the terminal. What one read brought behind a line's or a paste's end goes to what has the focus
 * next. However late the terminal is, a paste is whole: it ends with its mark. UI thread. */
#ifndef PORTOLAN_TUI_INPUT_H
#define PORTOLAN_TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"

/* Appends the terminal's input, waiting at most @seconds for it; true when there was some. */
bool input_fill(int milliseconds);
/* Number of waiting bytes; *@bytes is their address, NUL-terminated, until the next input_fill. */
size_t input_waiting(const char **bytes);
/* Takes @count of those that wait. */
void input_take(size_t count);
/* How many of the waiting bytes end the begin mark of a paste, 0: there is none. Its first bytes
 * may have been taken before: when a mark comes in pieces its Esc has become a key. *@partly: all
 * waiting bytes may be an incomplete mark. */
size_t input_mark(bool *partly);
/* The begin mark has been taken: input from now on is the text of a paste. */
void input_paste_begin(void);
/* Whether a paste has begun and its end has not come. */
bool input_pasting(void);
/* Reads more of the paste; true when its end mark has come, with the text in @out, '\n' for
 * '\r'. */
bool input_paste(struct str *out);
/* Nothing has come for a while: until more does, a Ctrl-C ends the paste as it is. Returns the
 * bytes so far. */
size_t input_paste_stalls(void);
/* Whether the waiting input is pasted text without marks (view/pasted.h); all of it is in @out
 * then, '\n' for '\r', once nothing has come for a moment. Not during a paste. */
bool input_unmarked(struct str *out);
/* Whether the last paste was too long, and lost its text after 32 MiB. */
bool input_paste_cut(void);
void input_done(void);

#endif
