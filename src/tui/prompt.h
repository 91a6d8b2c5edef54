/* The command prompt: readline by callbacks, drawn by us. The only file that knows readline. UI thread. */
#ifndef PORTOLAN_TUI_PROMPT_H
#define PORTOLAN_TUI_PROMPT_H

#include <stdbool.h>

#include "base/str.h"

void prompt_open(void);
void prompt_close(void);
/* Feeds one character code; true when it ended the line: *@line is the text (caller frees), NULL when cancelled. */
bool prompt_feed(int c, char **line);
/* The line as it stands and the column of the cursor in it. */
const char *prompt_text(int *cursor);

#endif
