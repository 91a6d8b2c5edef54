/* The demo: commands with captions, run one after the other in a separate session. UI thread. */
#ifndef PORTOLAN_VIEW_DEMO_H
#define PORTOLAN_VIEW_DEMO_H

#include "cmd/session.h"
#include "view/guide.h"

struct demo {
    bool on, ending;
    size_t step, command;        /* indices of the next command */
    double pace;                 /* demo seconds per second of its table */
    /* clock_seconds() at the end of the step, and of waiting for its job */
    double until, patience;
    struct document kept;        /* the user's session */
    char line[256];              /* the last command */
};

/* Starts the demo, for about @seconds; no job may run. */
void demo_start(struct demo *d, struct session *s, double seconds);
/* Cancels the demo's jobs, and ends it after them. */
void demo_stop(struct demo *d, struct session *s);
/* Called regularly: returns the next command to run, borrowed, or NULL. Shows captions in @g. After
 * the end restores the user's session and clears @d. */
const char *demo_next(struct demo *d, struct session *s, struct guide *g);
/* Ends it at once, when no job runs, and restores the user's session. */
void demo_done(struct demo *d, struct session *s);

#endif
