/* Text with scrolling and search, for the output, log and help views. */
#ifndef PORTOLAN_VIEW_PAGER_H
#define PORTOLAN_VIEW_PAGER_H

#include "base/vec.h"
#include "cmd/action.h"
#include "view/grid.h"

/* number of work steps (base/steps.h) of reading or searching per drawing */
#define PAGER_STEPS 100000

struct pager {
    /* lines read so far, NUL-terminated */
    VEC(struct pager_line { const char *text; size_t length; enum role role; }) lines;
    VEC(char *) texts;    /* storage of the lines */
    char *unread;         /* text that was not read yet; NULL: all text was read */
    enum role role;       /* role of the unread text */
    bool cut;             /* whether memory was exhausted, so lines are missing */
    size_t top, left;     /* first visible line and column */
    size_t height;        /* number of rows in the last drawing */
    /* @shown: number of visible lines. @last: first visible line when the end of the text is
     * shown. */
    size_t shown, last;
    size_t widest;        /* number of columns of the longest visible unwrapped line */
    bool follow;          /* whether the view remains at the end when lines are added */
    char match[128];      /* text to search for; "": none */
    /* direction of a search that the next drawing continues; 0: none */
    int finding;
    size_t find_from, find_step;
    bool missed;          /* whether the last search found nothing */
};

void pager_clear(struct pager *p);
void pager_done(struct pager *p);
/* Adds @text, split into lines. */
void pager_add(struct pager *p, enum role role, const char *text);
/* Removes all text but the @count newest pieces. The visible lines do not move unless they are
 * removed. Must not be called after pager_take. */
void pager_keep_last(struct pager *p, size_t count);
/* Adds text of any size. Each drawing reads part of it. Call this function last, because no text
 * may be added afterwards. Moves @take_text. */
void pager_take(struct pager *p, enum role role, char *take_text);
/* Returns whether the next drawing continues to read or search. */
bool pager_busy(const struct pager *p);
/* Appends the lines from index @first to the end, including unread lines. */
void pager_text(const struct pager *p, size_t first, struct str *out);
/* Draws the visible lines. Prose wraps; its next rows are aligned with its beginning or its only
 * gap. A line with several gaps belongs to a table: it is truncated, and scrolls sideways. */
void pager_draw(struct pager *p, struct grid *g);
/* Handles the actions of arrows, hjkl, g G, pages, F (follow) and the wheel; Esc ends a search.
 * Returns false for other actions. */
bool pager_act(struct pager *p, enum action action);
/* Searches for @text. Returns false if no line has it. If the search is not complete (pager_busy),
 * returns true. */
bool pager_find(struct pager *p, const char *text, int direction);
/* Appends the visible lines and the number of lines: "12-40/200". */
void pager_status(const struct pager *p, struct str *out);

#endif
