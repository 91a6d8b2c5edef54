/* Lines of text that scroll and can be searched: the body of the output, log and help views. */
#ifndef PORTOLAN_VIEW_PAGER_H
#define PORTOLAN_VIEW_PAGER_H

#include "base/vec.h"
#include "cmd/action.h"
#include "view/grid.h"

/* steps (base/steps.h) of reading or searching per drawing: some milliseconds */
#define PAGER_STEPS 100000

struct pager {
    /* what was read so far; each ends with '\0' */
    VEC(struct pager_line { const char *text; size_t length; enum role role; }) lines;
    VEC(char *) texts;    /* in which the lines lie */
    char *unread;         /* unread rest of the text; NULL: it is read */
    enum role role;       /* of what is left */
    bool cut;             /* memory ran out: there are more lines than shown */
    size_t top, left;     /* first line and column shown */
    size_t height;        /* of the last drawing */
    size_t shown, last;   /* lines that it showed, and the first line when the last one is shown */
    size_t widest;        /* columns of the longest line that it showed and did not wrap */
    bool follow;          /* stays at the end */
    char match[128];      /* highlighted, "" none */
    /* direction of a search that continues with the next drawing, 0: none */
    int finding;
    size_t find_from, find_step;
    bool missed;          /* the last search went around without finding anything */
};

void pager_clear(struct pager *p);
void pager_done(struct pager *p);
/* Adds @text, one line of the pager per line of it. */
void pager_add(struct pager *p, enum role role, const char *text);
/* The same for a text of any size: its lines are read a piece with each drawing, and nothing is
 * added after it. Takes @take_text. */
void pager_take(struct pager *p, enum role role, char *take_text);
/* Whether reading or searching continues with the next drawing. */
bool pager_busy(const struct pager *p);
/* Appends the lines from number @first on, also those that are not read yet. */
void pager_text(const struct pager *p, size_t first, struct str *out);
/* Wide prose wraps into further rows, below its own beginning or its only gap; lines of tables have
 * several gaps, are cut and scroll sideways. */
void pager_draw(struct pager *p, struct grid *g);
/* Arrows, hjkl, g G, pages, F (follow), wheel; Esc ends a search. */
bool pager_act(struct pager *p, enum action action);
/* False when no line holds @text; true when one does, and also while that is not known yet
 * (pager_busy). */
bool pager_find(struct pager *p, const char *text, int direction);
/* "12-40/200". */
void pager_status(const struct pager *p, struct str *out);

#endif
