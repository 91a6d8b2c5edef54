/* The demo: commands with captions, played in sequence in a session of its own. UI thread. */
#ifndef PORTOLAN_VIEW_DEMO_H
#define PORTOLAN_VIEW_DEMO_H

#include "cmd/session.h"
#include "view/guide.h"

struct demo {
    bool on, ending;
    size_t step, command;        /* the next to be run */
    double pace;                 /* seconds of the demo per second of its table */
    /* clock_seconds(): the step's end, and that of waiting for its job */
    double until, patience;
    struct document kept;        /* the user's */
    char line[256];              /* the command that was given last */
};

/* Begins; no job may run. It takes about @seconds. */
void demo_start(struct demo *d, struct session *s, double seconds);
/* Cancels the demo's jobs, and ends it as soon as these have ended. */
void demo_stop(struct demo *d, struct session *s);
/* To be called often: the next command to be run, borrowed, or NULL. Shows @g the captions. At the
 * end the user's session is back and @d is off. */
const char *demo_next(struct demo *d, struct session *s, struct guide *g);
/* Ends it at once, when no job runs any more: the user's session is back. */
void demo_done(struct demo *d, struct session *s);

#endif
