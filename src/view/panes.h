/* Layout of the panes of a place. On a small screen only panes around the focused one are shown, at
 * the smallest only that one. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_PANES_H
#define PORTOLAN_VIEW_PANES_H

#include "view/place.h"

struct pane {
    size_t view;               /* index into views[] */
    unsigned number;           /* number in its place, from 0 */
    int x, y;                  /* including its title and left border */
    unsigned width, height;
    bool bordered;             /* has a left border */
    bool titled;               /* has a title; the only pane of a low screen has none */
    bool alone;                /* no other pane of its place is shown */
};

/* Zero-initialised is empty. */
struct panes {
    struct pane items[PLACE_PANES];
    size_t count, focus;       /* focus: index of the pane that gets keys */
};

/* Divides @width columns and @height rows among the panes of place @number in @state; opens @states
 * as needed. With @single only the focused pane. */
void panes_lay(struct panes *p, unsigned number, const struct place_state *state, void **states,
               struct session *s, unsigned width, unsigned height, bool single);
/* Draws all panes at the top left of @g. */
void panes_draw(const struct panes *p, unsigned number, const struct place_state *state,
                void **states, struct session *s, struct grid *g);
/* Returns the pane at (@x, @y), and whether that is in its view's area; p->count when there is
 * none. */
size_t panes_at(const struct panes *p, int x, int y, int *within_x, int *within_y);

#endif
