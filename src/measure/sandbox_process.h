/* The parent's side of a sandbox child: starts it, waits for messages, ends it. Internal to
 * measure/. One thread, which started the child. */
#ifndef PORTOLAN_MEASURE_SANDBOX_PROCESS_H
#define PORTOLAN_MEASURE_SANDBOX_PROCESS_H

#include <sys/types.h>

#include "measure/sandbox_child.h"

struct sandbox_process {
    pid_t pid;       /* process id of the child; 0: none */
    int link;        /* this process's end of the socket pair */
};

/* Result of waiting for a child. */
enum sandbox_watch { WATCH_DONE, WATCH_DIED, WATCH_CANCELLED };

struct sandbox_watching {
    bool (*cancelled)(void *state);   /* polled about ten times per second; may be NULL */
    void *state;
    /* Own code: the batch shows progress and can be stopped. NULL: one task, and cancelling kills
     * its child. */
    struct sandbox_batch *batch;
    /* wall-clock seconds without progress after which the child is killed */
    double patience;
    /* counts tenths of a second without a message; may be NULL */
    unsigned *waits;
};

/* Starts a child with @given, sets its link, and waits for its first message. False with err.
 * *@early: the child ended without a message, because something outside killed it; retry. */
bool sandbox_process_start(struct sandbox_process *p, struct sandbox_child *given,
                           struct sandbox_hello *hello, bool *early, struct err *err);
/* Kills and reaps the child, if any. */
void sandbox_process_stop(struct sandbox_process *p);
/* Sends @size bytes. If the child is dead the next wait detects it. */
void sandbox_process_send(const struct sandbox_process *p, const void *bytes, size_t size);
/* Waits for a message of exactly @size bytes. WATCH_DIED: the child was reaped, and *@fault (enum
 * sandbox_fault) is the cause. Stops and then kills a child in an endless run, or without a message
 * within its patience; FAULT_STARVED if it was not scheduled. */
enum sandbox_watch sandbox_process_wait(struct sandbox_process *p,
                                        const struct sandbox_watching *how, void *bytes,
                                        size_t size, unsigned *fault);
/* Raises the child's CPU time limit, which ends the child even if the parent hangs. */
void sandbox_process_allow(const struct sandbox_process *p, double seconds);
/* Finds the memory of this program, which the child keeps mapped. */
void sandbox_process_image(struct sandbox_child *given);

#endif
