/* The command prompt: readline with callbacks; the frame draws it. No other file uses readline. UI
 * thread. */
#ifndef PORTOLAN_TUI_PROMPT_H
#define PORTOLAN_TUI_PROMPT_H

#include <stdbool.h>

#include "base/str.h"
#include "cmd/session.h"
#include "view/frame.h"

enum prompt_event {
    PROMPT_GOES_ON,
    PROMPT_LINE,      /* a line was entered (prompt_take) */
    PROMPT_LEFT,      /* the prompt was closed by Esc or Ctrl-C */
    PROMPT_PASTE,     /* the prompt was closed by a paste of several lines (prompt_take) */
};

/* Reads the history from @history_path and appends new lines to that file; NULL: no history. */
void prompt_init(struct session *s, const char *history_path);
void prompt_done(void);
/* Opens the prompt with @prefill. Until the prompt is closed, readline receives the keys. */
void prompt_open(const char *prefill);
/* Handles input. Call it when the terminal has input. */
enum prompt_event prompt_read(void);
/* Returns the text of the last PROMPT_LINE or PROMPT_PASTE, valid until the next such event. */
const struct str *prompt_take(void);
/* Fills @out with the text, cursor and matches to draw. */
void prompt_look(struct frame_prompt *out);
/* Adapts the prompt to a changed size of the terminal. */
void prompt_resize(unsigned width, unsigned height);

#endif
