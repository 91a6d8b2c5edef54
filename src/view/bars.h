/* Rows at the edges of the frame. The first row has the places, the position and jobs, the last
 * row the keys of the focused pane. Completions appear above the prompt. Independent of curses. UI
 * thread. */
#ifndef PORTOLAN_VIEW_BARS_H
#define PORTOLAN_VIEW_BARS_H

#include "view/frame_state.h"

#define BARS_TOP 1           /* number of rows above the panes */
#define BARS_ROWS 2          /* number of rows above and below the panes */

/* Draws row 0: places, the position in the focused pane, and jobs. */
void bars_places(struct frame *f, struct grid *g);
/* Returns the place whose name is at column @x of a row with @width columns; PLACE_COUNT: none. */
unsigned bars_place(struct frame *f, unsigned width, int x);
/* Draws the keys of the focused pane and those of all panes on row @y. */
void bars_keys(struct frame *f, struct grid *g, int y);
/* Returns the command of the key at column @x of a bar with @width columns. The caller frees it.
 * NULL: no key. */
char *bars_key(struct frame *f, unsigned width, int x);
/* Draws the completions of @prompt above row @bottom. */
void bars_popup(const struct frame_prompt *prompt, struct grid *g, int bottom);

#endif
