/* Layout of the panes of a place. A small screen shows only the panes around the focused pane, and
 * the smallest screen shows only the focused pane. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_PANES_H
#define PORTOLAN_VIEW_PANES_H

#include "view/place.h"

struct pane {
    size_t view;               /* index into views[] */
    unsigned number;           /* index of the pane in its place */
    int x, y;                  /* position including title and left border */
    unsigned width, height;
    bool bordered;             /* whether the pane has a left border */
    bool titled;               /* whether the pane has a title; the only pane of a low screen has
                                * none */
    bool alone;                /* whether no other pane of its place is visible */
};

struct panes {
    struct pane items[PLACE_PANES];
    size_t count, focus;       /* @focus: index of the pane that handles keys */
    size_t fitting;            /* number of panes that fit if @single is false */
};

/* Divides @width columns and @height rows among the panes of place @number. Opens missing view
 * states in @states. If @single is true, only the focused pane is visible. */
void panes_lay(struct panes *p, unsigned number, const struct place_state *state, void **states,
               struct session *s, unsigned width, unsigned height, bool single);
/* Draws all panes on @g, from its top left corner. */
void panes_draw(const struct panes *p, unsigned number, const struct place_state *state,
                void **states, struct session *s, struct grid *g);
/* Returns the index of the pane at (@x, @y), and the position relative to its view's area. Returns
 * p->count if there is no pane. *@within_x and *@within_y receive the position. */
size_t panes_at(const struct panes *p, int x, int y, int *within_x, int *within_y);

#endif
