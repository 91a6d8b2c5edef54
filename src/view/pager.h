/* Lines of text that scroll and can be searched: the body of the output, log and help views. */
#ifndef PORTOLAN_VIEW_PAGER_H
#define PORTOLAN_VIEW_PAGER_H

#include "base/vec.h"
#include "view/grid.h"

struct pager {
    VEC(struct pager_line { char *text; enum role role; }) lines;
    size_t top, left;     /* first line and column shown */
    size_t height;        /* of the last drawing */
    size_t widest;        /* columns of the longest line that it showed */
    bool follow;          /* stays at the end */
    char match[128];      /* highlighted, "" none */
};

void pager_clear(struct pager *p);
void pager_done(struct pager *p);
/* Adds @text, one line of the pager per line of it. */
void pager_add(struct pager *p, enum role role, const char *text);
void pager_draw(struct pager *p, struct grid *g);
/* Arrows, hjkl, g G, pages, F (follow), wheel. */
bool pager_key(struct pager *p, int key);
bool pager_find(struct pager *p, const char *text, int direction);
/* "12-40/200". */
void pager_status(const struct pager *p, struct str *out);

#endif
