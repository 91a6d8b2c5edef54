/* The command prompt: readline by callbacks, drawn by the frame. The only file that uses readline.
 * UI thread. */
#ifndef PORTOLAN_TUI_PROMPT_H
#define PORTOLAN_TUI_PROMPT_H

#include <stdbool.h>

#include "base/str.h"
#include "cmd/session.h"
#include "view/frame.h"

enum prompt_event {
    PROMPT_GOES_ON,
    PROMPT_LINE,      /* the line was entered: prompt_take */
    PROMPT_LEFT,      /* Esc or Ctrl-C */
    PROMPT_PASTE,     /* several lines were pasted: prompt_take returns them; the prompt is
                       * closed */
};

/* Reads and keeps history in @history_path; NULL: none. */
void prompt_init(struct session *s, const char *history_path);
void prompt_done(void);
/* Opens the prompt with @prefill; readline reads the terminal from now on. */
void prompt_open(const char *prefill);
/* Call it when the terminal has input. */
enum prompt_event prompt_read(void);
/* Returns the text of the last PROMPT_LINE or PROMPT_PASTE, valid until the next. */
const struct str *prompt_take(void);
/* Returns the state of the prompt's line. */
void prompt_look(struct frame_prompt *out);
/* Call it when the terminal's size changed. */
void prompt_resize(unsigned width, unsigned height);

#endif
