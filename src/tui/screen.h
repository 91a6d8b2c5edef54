/* The terminal as a grid of cells and a source of keys: the only file that uses curses. UI
 * thread. */
#ifndef PORTOLAN_TUI_SCREEN_H
#define PORTOLAN_TUI_SCREEN_H

#include <stdbool.h>

#include "cmd/settings.h"
#include "view/grid.h"
#include "cmd/key.h"

/* Opens the terminal; false if curses does not support it. */
bool screen_open(bool color);
/* Sets the background for which colours are chosen; BACKGROUND_AUTO: as the terminal reports, else
 * dark. */
void screen_set_background(enum background background);
void screen_close(void);
/* Returns whether the terminal has colours and they are enabled. */
bool screen_has_colors(void);
/* Adapts to the terminal's current size. */
void screen_resize(void);
void screen_size(unsigned *width, unsigned *height);
/* Shows @g; the cursor at (x, y) if x >= 0, else hidden. */
void screen_show(const struct grid *g, int x, int y);
/* Returns the next available key, or KEYCODE_NONE. */
int screen_key(void);
/* Cell of the last KEYCODE_CLICK. */
void screen_click(int *x, int *y);
/* Text of the last KEYCODE_PASTE, valid until the next. */
const struct str *screen_pasted(void);
/* Sets the terminal's clipboard to @length bytes. */
void screen_copy(const char *text, size_t length);
/* Makes the next screen_show redraw everything. */
void screen_redraw(void);
/* Releases the terminal for another program, until screen_return. */
void screen_leave(void);
void screen_return(void);
/* For Ctrl-Z: leaves curses mode, stops the process, and returns. */
void screen_suspend(void);

#endif
