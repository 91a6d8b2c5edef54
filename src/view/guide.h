/* The rows above the status line for new users: the last session, hints, the steps of the tutorial,
 * the captions of the demo. Each advances when its action was done. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_GUIDE_H
#define PORTOLAN_VIEW_GUIDE_H

#include "cmd/session.h"
#include "view/grid.h"

enum guide_kind { GUIDE_NONE, GUIDE_OFFER, GUIDE_HINTS, GUIDE_TUTORIAL, GUIDE_DEMO };

struct guide {
    enum guide_kind kind;
    unsigned done;                  /* hints: a bit each */
    size_t step;                    /* of the tutorial */
    bool went_on;                   /* the step before was done, not skipped */
    const struct kernel *before;    /* the kernel when the hints or the step began; only compared */
    struct str title, caption;      /* of an offer and of the demo */
    struct str command;             /* that Enter runs on an offer */
};

void guide_done(struct guide *g);
/* Nothing was named to be opened: an example with hints, and with @caption (NULL: none) instead of
 * them the offer to run @command on Enter. */
void guide_welcome(struct guide *g, struct session *s, const char *caption, const char *command);
/* Begins the tutorial at step @step, from 1, with the example; false with err when there is none
 * such. */
bool guide_teach(struct guide *g, struct session *s, size_t step, struct err *err);
/* Shows @title and @caption until guide_end. */
void guide_tell(struct guide *g, const char *title, const char *caption);
void guide_end(struct guide *g);
/* Records an action: @key was pressed in @view (0: none), command @name ran (NULL: none), or
 * neither: the current screen. */
void guide_notice(struct guide *g, const struct session *s, const char *view, int key,
                  const char *name);
/* Whether @key, pressed in @view, is the guide's own; then *@command (NULL: nothing) is to be run.
 * Borrowed until the next call. */
bool guide_key(struct guide *g, const struct session *s, const char *view, int key,
               const char **command);
/* Number of rows at the end of a screen of this size; 0: none. */
unsigned guide_rows(const struct guide *g, unsigned width, unsigned height);
/* Draws them from row @y on. */
void guide_draw(const struct guide *g, struct grid *grid, int y);

#endif
