/* Lines of text with scrolling and search, for the output, log and help views. */
#ifndef PORTOLAN_VIEW_PAGER_H
#define PORTOLAN_VIEW_PAGER_H

#include "base/vec.h"
#include "cmd/action.h"
#include "view/grid.h"

/* steps (base/steps.h) of reading or searching per drawing: some milliseconds */
#define PAGER_STEPS 100000

struct pager {
    /* lines read so far, NUL-terminated */
    VEC(struct pager_line { const char *text; size_t length; enum role role; }) lines;
    VEC(char *) texts;    /* storage of the lines */
    char *unread;         /* rest of the text; NULL: all read */
    enum role role;       /* of the rest */
    bool cut;             /* memory ran out: lines are missing */
    size_t top, left;     /* first visible line and column */
    size_t height;        /* of the last drawing */
    size_t shown, last;   /* lines shown, and the first line when the last one is visible */
    size_t widest;        /* columns of the longest visible line that was not wrapped */
    bool follow;          /* stays at the end */
    char match[128];      /* search text, "" none */
    /* direction of a search that continues with the next drawing, 0: none */
    int finding;
    size_t find_from, find_step;
    bool missed;          /* the last search found nothing */
};

void pager_clear(struct pager *p);
void pager_done(struct pager *p);
/* Adds @text, line by line. */
void pager_add(struct pager *p, enum role role, const char *text);
/* As pager_add for a text of any size, read incrementally per drawing; nothing may be added after
 * it. Takes @take_text. */
void pager_take(struct pager *p, enum role role, char *take_text);
/* Returns whether reading or searching continues with the next drawing. */
bool pager_busy(const struct pager *p);
/* Appends the lines from number @first on, including unread ones. */
void pager_text(const struct pager *p, size_t first, struct str *out);
/* Draws the lines. Prose wraps below its beginning or its only gap; lines of tables, with several
 * gaps, are cut and scroll sideways. */
void pager_draw(struct pager *p, struct grid *g);
/* Handles arrows, hjkl, g G, pages, F (follow), wheel; Esc ends a search. */
bool pager_act(struct pager *p, enum action action);
/* Searches; false when no line has @text; true when one does, or while unknown (pager_busy). */
bool pager_find(struct pager *p, const char *text, int direction);
/* "12-40/200". */
void pager_status(const struct pager *p, struct str *out);

#endif
