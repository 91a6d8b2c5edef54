/* The rows at the frame's edges: places with position and jobs above, the keys of the focused pane
 * below, the completions above the prompt. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_BARS_H
#define PORTOLAN_VIEW_BARS_H

#include "view/frame_state.h"

#define BARS_TOP 1           /* rows above the place */
#define BARS_ROWS 2          /* rows above and below it */

/* Draws row 0: the places, the position in the focused pane, and the jobs. */
void bars_places(struct frame *f, struct grid *g);
/* The place whose name is at column @x of a row of @width columns; PLACE_COUNT when none is. */
unsigned bars_place(struct frame *f, unsigned width, int x);
/* The keys of the focused pane, and those of all panes, on row @y. */
void bars_keys(struct frame *f, struct grid *g, int y);
/* The command of the key at column @x of a bar of @width columns, to be freed; NULL when there is
 * none. */
char *bars_key(struct frame *f, unsigned width, int x);
/* The completions of @prompt above row @bottom. */
void bars_popup(const struct frame_prompt *prompt, struct grid *g, int bottom);

#endif
