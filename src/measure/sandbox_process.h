/* The parent's side of a sandbox child: starts it, waits for answers, ends it. Internal to
 * measure/; one thread, the one that started it. */
#ifndef PORTOLAN_MEASURE_SANDBOX_PROCESS_H
#define PORTOLAN_MEASURE_SANDBOX_PROCESS_H

#include <sys/types.h>

#include "measure/sandbox_child.h"

struct sandbox_process {
    pid_t pid;       /* 0: none */
    int link;        /* our end */
};

/* Result of a wait. */
enum sandbox_watch { WATCH_DONE, WATCH_DIED, WATCH_CANCELLED };

struct sandbox_watching {
    bool (*cancelled)(void *state);   /* polled about ten times a second; may be NULL */
    void *state;
    /* own code: reports progress and can be stopped; NULL: one task, whose child is killed when
     * cancelled */
    struct sandbox_batch *batch;
    /* wall-clock seconds without progress after which it is killed */
    double patience;
    /* counts tenths of a second without answer; may be NULL */
    unsigned *waits;
};

/* Starts a child with @given, sets its link, and waits for its report. False with err; *early is
 * set when it ended without a report (killed from outside: retry). */
bool sandbox_process_start(struct sandbox_process *p, struct sandbox_child *given,
                           struct sandbox_hello *hello, bool *early, struct err *err);
/* Kills and reaps the child, if any. */
void sandbox_process_stop(struct sandbox_process *p);
/* Sends @size bytes; a dead child is detected by the wait. */
void sandbox_process_send(const struct sandbox_process *p, const void *bytes, size_t size);
/* Waits for a message of exactly @size bytes. WATCH_DIED: it is reaped, and *fault (enum
 * sandbox_fault) is the cause. An endless run is stopped, then killed; so is one without an answer
 * within its patience, with FAULT_STARVED if it was not scheduled. */
enum sandbox_watch sandbox_process_wait(struct sandbox_process *p,
                                        const struct sandbox_watching *how, void *bytes,
                                        size_t size, unsigned *fault);
/* Raises its CPU time limit, which also ends it without its watcher. */
void sandbox_process_allow(const struct sandbox_process *p, double seconds);
/* Finds the program's own memory, which the child keeps. */
void sandbox_process_image(struct sandbox_child *given);

#endif
