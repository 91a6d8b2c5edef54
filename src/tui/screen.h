/* The terminal as a grid of cells and a source of keys: with input.c the only place that knows curses. UI thread. */
#ifndef PORTOLAN_TUI_SCREEN_H
#define PORTOLAN_TUI_SCREEN_H

#include <stdbool.h>

#include "view/grid.h"

enum screen_key { SCREEN_NONE = -1, SCREEN_UP = 0x110000, SCREEN_DOWN, SCREEN_LEFT, SCREEN_RIGHT, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME,
                  SCREEN_END, SCREEN_BACKSPACE, SCREEN_DELETE, SCREEN_PASTE, SCREEN_RESIZE, SCREEN_WHEEL_UP, SCREEN_WHEEL_DOWN, SCREEN_CLICK,
                  SCREEN_F1 = 0x110100 };

bool screen_open(bool color);
void screen_close(void);
/* Adapts to the terminal's size now. */
void screen_resize(void);
void screen_size(unsigned *width, unsigned *height);
/* Shows @g; the cursor at (x, y) when x >= 0, else hidden. */
void screen_show(const struct grid *g, int x, int y);
/* Next key that is there already, SCREEN_NONE when none: a character code, or enum screen_key. */
int screen_key(void);
/* Cell of the last SCREEN_CLICK. */
void screen_click(int *x, int *y);
/* Text of the last SCREEN_PASTE; valid until the next. */
const struct str *screen_pasted(void);
/* For Ctrl-Z: leaves curses mode, stops the process, comes back. */
void screen_suspend(void);

#endif
