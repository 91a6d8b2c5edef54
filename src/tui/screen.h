/* The terminal as a grid of cells and a source of keys. No other file uses curses. UI thread. */
#ifndef PORTOLAN_TUI_SCREEN_H
#define PORTOLAN_TUI_SCREEN_H

#include <stdbool.h>

#include "cmd/settings.h"
#include "view/grid.h"
#include "cmd/key.h"

/* Opens the terminal. Returns false if curses does not support it. */
bool screen_open(bool color);
/* Sets the background for which colours are chosen. BACKGROUND_AUTO: the background that the
 * terminal reports, otherwise that in COLORFGBG, otherwise dark. */
void screen_set_background(enum background background);
void screen_close(void);
/* Returns whether the terminal has colours and they are enabled. */
bool screen_has_colors(void);
/* Adapts curses to the current size of the terminal. Does nothing if the size is unknown or
 * unchanged. */
void screen_resize(void);
void screen_size(unsigned *width, unsigned *height);
/* Shows @g, with the cursor at (x, y) or hidden if x < 0. */
void screen_show(const struct grid *g, int x, int y);
/* Shows @text in the last row of the screen, until the next screen_show. */
void screen_say(const char *text);
/* Returns the next available key, or KEYCODE_NONE. */
int screen_key(void);
/* Returns the cell of the last KEYCODE_CLICK. The cell is (*@x, *@y). */
void screen_click(int *x, int *y);
/* Returns the text of the last KEYCODE_PASTE, valid until the next paste. */
const struct str *screen_pasted(void);
/* Sets the terminal's clipboard to @length bytes. */
void screen_copy(const char *text, size_t length);
/* Makes the next screen_show redraw everything. */
void screen_redraw(void);
/* Leaves the terminal to another program until screen_return. */
void screen_leave(void);
void screen_return(void);
/* Handles Ctrl-Z: leaves curses mode and stops the process; restores the screen when it
 * continues. */
void screen_suspend(void);

#endif
