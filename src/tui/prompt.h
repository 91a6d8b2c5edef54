/* The command prompt: readline by callbacks, drawn by the frame. The only file that knows readline.
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
    PROMPT_PASTE,     /* several lines were pasted: prompt_take has them; the prompt is closed */
};

/* History is read from and kept in @history_path; NULL keeps none. */
void prompt_init(struct session *s, const char *history_path);
void prompt_done(void);
/* Opens with @prefill; readline reads the terminal from now on. */
void prompt_open(const char *prefill);
/* The terminal has input. */
enum prompt_event prompt_read(void);
/* Text of the last PROMPT_LINE or PROMPT_PASTE; valid until the next. */
const struct str *prompt_take(void);
/* Content of the prompt's line. */
void prompt_look(struct frame_prompt *out);
/* The terminal's size changed. */
void prompt_resize(unsigned width, unsigned height);

#endif
