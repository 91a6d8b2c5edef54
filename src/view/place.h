/* Places: the three workspaces, each a table of panes shown side by side if there is room. No
 * curses. */
#ifndef PORTOLAN_VIEW_PLACE_H
#define PORTOLAN_VIEW_PLACE_H

#include "view/view.h"

#define PLACE_PANES 6
#define PLACE_VIEWS 5
#define PLACE_BANDS 3

struct place_pane {
    /* views of the pane, the first by default; NULL-terminated */
    const struct view_ops *views[PLACE_VIEWS];
    unsigned band;           /* row of panes */
    /* percent of the band's columns; least columns, below which it is hidden in favour of the
     * focused pane */
    unsigned share, least;
};

struct place_table {
    const char *name;        /* displayed and accepted by `view`: "LOOP" */
    const char *help;
    struct place_pane panes[PLACE_PANES];                      /* ended by a pane without views */
    /* percent of the rows; least rows, below which it is hidden in favour of the focused band */
    struct { unsigned share, least; } bands[PLACE_BANDS];
    /* Draws a line above the panes on row 0 of @g; NULL: none. */
    void (*draw_head)(struct session *s, struct grid *g);
};

/* State of a place: focused pane, and view shown by each pane. Zero-initialised is the initial
 * state. */
struct place_state {
    unsigned focus;
    unsigned char shown[PLACE_PANES];
};

#define PLACES(PLACE) PLACE(loop) PLACE(program) PLACE(lab)
#define PLACE_NUMBER(name) PLACE_##name,
enum { PLACES(PLACE_NUMBER) PLACE_COUNT };
extern const struct place_table places[PLACE_COUNT];

unsigned place_panes(const struct place_table *p);
/* Returns the view that pane @pane shows. */
const struct view_ops *place_view(const struct place_table *p, const struct place_state *state,
                                  unsigned pane);
/* Finds @view: *@place and *@pane get its place and pane, *@at its index in the pane. False for
 * overlays, which have no place. */
bool place_of(const struct view_ops *view, unsigned *place, unsigned *pane, unsigned *at);
/* Returns the place called @name, or PLACE_COUNT. */
unsigned place_find(const char *name);

#endif
