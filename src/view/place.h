/* Places: the three workspaces of the screen, each a table of panes that are shown next to each
 * other if there is room. No curses. */
#ifndef PORTOLAN_VIEW_PLACE_H
#define PORTOLAN_VIEW_PLACE_H

#include "view/view.h"

#define PLACE_PANES 6
#define PLACE_VIEWS 5
#define PLACE_BANDS 3

struct place_pane {
    /* contents of the pane: the first unless another one was asked for; NULL ends */
    const struct view_ops *views[PLACE_VIEWS];
    unsigned band;           /* row of panes that it belongs to */
    /* percent of the band's columns; columns without which it gives way to the focused pane of its
     * band */
    unsigned share, least;
};

struct place_table {
    const char *name;        /* as the first line has it and `view` takes it: "LOOP" */
    const char *help;
    struct place_pane panes[PLACE_PANES];                      /* a pane without views ends them */
    /* percent of the rows; rows without which it gives way to the band with the focus */
    struct { unsigned share, least; } bands[PLACE_BANDS];
    /* Draws a line above the panes, on row 0 of @g; NULL: none. */
    void (*draw_head)(struct session *s, struct grid *g);
};

/* State of a place: the pane with the focus, and which of its views each pane shows.
 * Zero-initialised is the beginning. */
struct place_state {
    unsigned focus;
    unsigned char shown[PLACE_PANES];
};

#define PLACES(PLACE) PLACE(loop) PLACE(program) PLACE(lab)
#define PLACE_NUMBER(name) PLACE_##name,
enum { PLACES(PLACE_NUMBER) PLACE_COUNT };
extern const struct place_table places[PLACE_COUNT];

unsigned place_panes(const struct place_table *p);
/* The view that pane @pane shows. */
const struct view_ops *place_view(const struct place_table *p, const struct place_state *state,
                                  unsigned pane);
/* Finds @view: *@place and *@pane get the place and its pane, and *@at its number among the pane's
 * views. False for the overlays, which belong to none. */
bool place_of(const struct view_ops *view, unsigned *place, unsigned *pane, unsigned *at);
/* The place called @name; PLACE_COUNT: there is none. */
unsigned place_find(const char *name);

#endif
