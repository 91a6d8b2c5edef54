/* Rows above the status line for new users: an offer to resume the last session, hints, tutorial
 * steps, demo captions. An action of the user ends a hint or step. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_GUIDE_H
#define PORTOLAN_VIEW_GUIDE_H

#include "cmd/session.h"
#include "view/grid.h"

enum guide_kind { GUIDE_NONE, GUIDE_OFFER, GUIDE_HINTS, GUIDE_TUTORIAL, GUIDE_DEMO };

struct guide {
    enum guide_kind kind;
    unsigned done;                  /* set of completed hints */
    size_t step;                    /* step of the tutorial, from 0 */
    bool went_on;                   /* whether the previous step was completed; otherwise it was
                                     * skipped */
    /* serial number of the kernel at the start of the hints or of the step; 0: none */
    uint64_t before;
    struct str title, caption;      /* title and caption of an offer or of the demo */
    struct str command;             /* command that Enter runs on an offer */
};

void guide_done(struct guide *g);
/* Starts the guide. Call it if no file was named. Loads an example, then shows hints. With @caption
 * (NULL: none) offers to run @command by Enter instead. */
void guide_welcome(struct guide *g, struct session *s, const char *caption, const char *command);
/* Begins the tutorial at step @step, from 1, with the example. Returns false with err for an
 * invalid step. */
bool guide_teach(struct guide *g, struct session *s, size_t step, struct err *err);
/* Shows @title and @caption until guide_end is called. */
void guide_tell(struct guide *g, const char *title, const char *caption);
void guide_end(struct guide *g);
/* Records an action: key @key (0: none) in @view, or command @name (NULL: none). If there is
 * neither, records the current screen. Does nothing unless hints are shown. */
void guide_notice(struct guide *g, const struct session *s, const char *view, int key,
                  const char *name);
/* Returns whether the guide uses @key, pressed in @view. The caller must then run *@command (NULL:
 * none), which is borrowed until the next call. */
bool guide_key(struct guide *g, const struct session *s, const char *view, int key,
               const char **command);
/* Returns the number of rows of the guide on a screen of this size; 0: none. */
unsigned guide_rows(const struct guide *g, unsigned width, unsigned height);
/* Draws the guide from row @y. Omits hints that were followed. */
void guide_draw(const struct guide *g, struct grid *grid, int y);

#endif
