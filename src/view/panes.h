/* How the panes of a place share the screen. A screen too small for all of them has those around
 * the focused pane, the smallest that one alone. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_PANES_H
#define PORTOLAN_VIEW_PANES_H

#include "view/place.h"

struct pane {
    size_t view;               /* of views[] */
    unsigned number;           /* of its place, from 0 */
    int x, y;                  /* with its title and the line at its left */
    unsigned width, height;
    bool bordered;             /* it has a line at its left */
    bool titled;               /* it has a title; the only pane of a low screen has none */
    bool alone;                /* no other pane of its place is shown */
};

/* Zero-initialised is none yet. */
struct panes {
    struct pane items[PLACE_PANES];
    size_t count, focus;       /* focus: of items, the one that gets keys */
};

/* Divides @width columns and @height rows among the panes of place @number in @state, @states next
 * to views[] opened as they are needed. With @single the focused pane is alone. */
void panes_lay(struct panes *p, unsigned number, const struct place_state *state, void **states,
               struct session *s, unsigned width, unsigned height, bool single);
/* Draws all of them at the top left of @g. */
void panes_draw(const struct panes *p, unsigned number, const struct place_state *state,
                void **states, struct session *s, struct grid *g);
/* The pane at (@x, @y), and whether that is within its view's drawing; p->count when there is
 * none. */
size_t panes_at(const struct panes *p, int x, int y, int *within_x, int *within_y);

#endif
