/* The demo: runs commands with captions one after another in a separate session. UI thread. */
#ifndef PORTOLAN_VIEW_DEMO_H
#define PORTOLAN_VIEW_DEMO_H

#include "cmd/session.h"
#include "view/guide.h"

struct demo {
    bool on, ending;
    size_t step, command;        /* index of the step, and index of the step's next command */
    /* duration factor: seconds of the demo per second in the table of steps */
    double pace;
    /* @until: clock_seconds() at which the step ends. @patience: clock_seconds() at which its wait
     * for the job ends. */
    double until, patience;
    struct document kept;        /* the user's document, restored at the end */
    char line[256];              /* last command */
};

/* Starts the demo, which takes about @seconds. Call it only if no job runs. */
void demo_start(struct demo *d, struct session *s, double seconds);
/* Cancels the demo's jobs; the demo ends when they have ended. */
void demo_stop(struct demo *d, struct session *s);
/* Returns the next command to run, borrowed; NULL: none. Call it regularly. Shows captions in @g.
 * After the last step it restores the user's document and sets d->on to false. */
const char *demo_next(struct demo *d, struct session *s, struct guide *g);
/* Ends the demo at once and restores the user's document. Call it only if no job runs. */
void demo_done(struct demo *d, struct session *s);

#endif
