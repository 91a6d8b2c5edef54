/* The terminal as a grid of cells and a source of keys: the only place that knows curses. UI
 * thread. */
#ifndef PORTOLAN_TUI_SCREEN_H
#define PORTOLAN_TUI_SCREEN_H

#include <stdbool.h>

#include "cmd/settings.h"
#include "view/grid.h"
#include "cmd/key.h"

/* False where there is no terminal that curses knows. */
bool screen_open(bool color);
/* The background that colours are for; BACKGROUND_AUTO: as the terminal says, else a dark one. */
void screen_set_background(enum background background);
void screen_close(void);
/* Whether the terminal has colours and they are wanted. */
bool screen_has_colors(void);
/* Adapts to the terminal's size now. */
void screen_resize(void);
void screen_size(unsigned *width, unsigned *height);
/* Shows @g; the cursor at (x, y) when x >= 0, else hidden. */
void screen_show(const struct grid *g, int x, int y);
/* Next key that is there already, KEYCODE_NONE when none. */
int screen_key(void);
/* Cell of the last KEYCODE_CLICK. */
void screen_click(int *x, int *y);
/* Text of the last KEYCODE_PASTE; valid until the next. */
const struct str *screen_pasted(void);
/* Sends @length bytes to the terminal's clipboard. */
void screen_copy(const char *text, size_t length);
/* The next screen_show redraws everything. */
void screen_redraw(void);
/* Gives the terminal to another program, until screen_return. */
void screen_leave(void);
void screen_return(void);
/* For Ctrl-Z: leaves curses mode, stops the process, comes back. */
void screen_suspend(void);

#endif
