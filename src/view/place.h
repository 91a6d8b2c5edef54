/* Places: the three workspaces. Each is a table of panes, shown side by side if the screen is large
 * enough. No curses. */
#ifndef PORTOLAN_VIEW_PLACE_H
#define PORTOLAN_VIEW_PLACE_H

#include "view/view.h"

#define PLACE_PANES 6
#define PLACE_VIEWS 5
#define PLACE_BANDS 3

struct place_pane {
    /* views that the pane can show, the initial one first; NULL-terminated */
    const struct view_ops *views[PLACE_VIEWS];
    unsigned band;           /* band (row of panes) of the pane */
    /* @share: percent of the band's columns. @least: number of columns below which the pane is
     * hidden unless it is focused. */
    unsigned share, least;
};

struct place_table {
    const char *name;        /* name in the status line and for `view`: "LOOP" */
    const char *help;
    /* panes; one without views ends the list */
    struct place_pane panes[PLACE_PANES];
    /* @share: percent of the rows. @least: number of rows below which the band is hidden unless it
     * is focused. */
    struct { unsigned share, least; } bands[PLACE_BANDS];
    /* Draws a line above the panes on row 0 of @g; NULL: none. */
    void (*draw_head)(struct session *s, struct grid *g);
};

/* State of a place: its focused pane, and the view that each pane shows */
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
/* Finds the place and the pane of @view, and its index *@at in the pane. Returns false for an
 * overlay, which has no place. Stores place and pane in *@place and *@pane. */
bool place_of(const struct view_ops *view, unsigned *place, unsigned *pane, unsigned *at);
/* Returns the place named @name; PLACE_COUNT: none. */
unsigned place_find(const char *name);

#endif
