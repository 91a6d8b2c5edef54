/* The parent's side of one sandbox child: starts it, waits for its answers, ends it. Internal to
 * measure/; one thread, the one that started it. */
#ifndef PORTOLAN_MEASURE_SANDBOX_PROCESS_H
#define PORTOLAN_MEASURE_SANDBOX_PROCESS_H

#include <sys/types.h>

#include "measure/sandbox_child.h"

struct sandbox_process {
    pid_t pid;       /* 0: none runs */
    int link;        /* our end */
};

/* How a wait ended. */
enum sandbox_watch { WATCH_DONE, WATCH_DIED, WATCH_CANCELLED };

struct sandbox_watching {
    bool (*cancelled)(void *state);   /* called about ten times a second; may be NULL */
    void *state;
    /* own code: reports progress and can be stopped; NULL: one task, whose child is ended when
     * cancelled */
    struct sandbox_batch *batch;
    /* seconds of wall-clock time without progress, after which it is always ended */
    double patience;
    /* counts the tenths of a second that brought no answer; may be NULL */
    unsigned *waits;
};

/* Starts a child with @given, whose link it fills in, and waits for its report on the set-up. False
 * with err; *early is set when it ended before any report (killed from outside: worth another
 * try). */
bool sandbox_process_start(struct sandbox_process *p, struct sandbox_child *given,
                           struct sandbox_hello *hello, bool *early, struct err *err);
/* Kills and reaps it, if there is one. */
void sandbox_process_stop(struct sandbox_process *p);
/* Sends @size bytes; whether a child that has just died could read them is for the wait to find
 * out. */
void sandbox_process_send(const struct sandbox_process *p, const void *bytes, size_t size);
/* Waits for a message of exactly @size bytes. WATCH_DIED: it is reaped, and *fault (enum
 * sandbox_fault) is the cause. A run that uses processor time without an end is stopped, then
 * killed; so is one without an answer within its patience, with FAULT_STARVED if others kept the
 * processor from it. */
enum sandbox_watch sandbox_process_wait(struct sandbox_process *p,
                                        const struct sandbox_watching *how, void *bytes,
                                        size_t size, unsigned *fault);
/* Extends the limit on its processor time, so that it ends even without its watcher. */
void sandbox_process_allow(const struct sandbox_process *p, double seconds);
/* Memory of the program itself, for the child to keep. */
void sandbox_process_image(struct sandbox_child *given);

#endif
