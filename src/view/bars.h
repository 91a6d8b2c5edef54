/* The rows at the frame's edges: the line of views with position and jobs, the key bar, the completions above the prompt. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_BARS_H
#define PORTOLAN_VIEW_BARS_H

#include "view/frame_state.h"

/* The line of views on row @y: their tabs, what the view with the focus says of its position, and the jobs. */
void bars_status(struct frame *f, struct grid *g, int y);
/* The view whose tab is at column @x of a line of @width columns; view_count() when none is. */
size_t bars_tab(struct frame *f, unsigned width, int x);
/* The keys that are of use now on row @y. */
void bars_keys(struct frame *f, struct grid *g, int y);
/* The command of the key at column @x of a bar of @width columns, to be freed; NULL when there is none. */
char *bars_key(struct frame *f, unsigned width, int x);
/* The completions of @prompt above row @bottom. */
void bars_popup(const struct frame_prompt *prompt, struct grid *g, int bottom);

#endif
