/* How views share a large screen: beside the one that was chosen stand those that its table names (view.h), each in a pane of its own, as far as there is room for
 * all that they show. One mechanism for all views. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_PANES_H
#define PORTOLAN_VIEW_PANES_H

#include "view/view.h"

#define PANES_MOST 6

struct pane {
    size_t view;               /* of views[] */
    int x, y;                  /* with its title and the line at its left, which all but the first have */
    unsigned width, height;
    bool bordered;             /* it has a line at its left */
    bool relieved;             /* another shows a part of what it would */
};

/* The first is the view that was chosen. Zero-initialised is none yet. */
struct panes {
    struct pane items[PANES_MOST];
    size_t count, focus;       /* focus: the one that keys go to */
};

/* Divides @width columns and @height rows among view @main and those beside it, @states beside views[] opened as they are needed. The focus stays with its view, or
 * goes to the first. */
void panes_lay(struct panes *p, size_t main, void **states, struct session *s, unsigned width, unsigned height);
/* Draws all of them at the top left of @g. */
void panes_draw(const struct panes *p, void **states, struct session *s, struct grid *g);
/* The pane at (@x, @y), and where that is within what its view draws; p->count when there is none. */
size_t panes_at(const struct panes *p, int x, int y, int *within_x, int *within_y);
/* Gives the focus to the pane of the view @name, or the next or previous one; false with err when there is none. */
bool panes_turn(struct panes *p, const char *name, struct err *err);

#endif
