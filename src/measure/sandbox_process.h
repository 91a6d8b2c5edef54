/* The parent's side of a sandbox child: starts the child, waits for its messages, and ends it.
 * Internal to measure/. Only the thread that started the child may call the functions. */
#ifndef PORTOLAN_MEASURE_SANDBOX_PROCESS_H
#define PORTOLAN_MEASURE_SANDBOX_PROCESS_H

#include <sys/types.h>

#include "measure/sandbox_child.h"

struct sandbox_process {
    pid_t pid;       /* process id of the child; 0: none */
    int link;        /* the parent's end of the socket pair */
};

/* Result of waiting for a child */
enum sandbox_watch { WATCH_DONE, WATCH_DIED, WATCH_CANCELLED };

struct sandbox_watching {
    bool (*cancelled)(void *state);   /* polled about ten times per second; may be NULL */
    void *state;
    /* Memory of a batch of own code. The memory shows the progress, and the parent can stop the
     * batch through it. NULL for a task of foreign code, whose child is killed when cancelled. */
    struct sandbox_batch *batch;
    /* maximum wall-clock seconds without progress before the child is killed */
    double patience;
    /* counter of tenths of a second without a message; may be NULL */
    unsigned *waits;
};

/* Starts a child with @given, sets its link, and waits for its first message. Returns false with
 * err. Sets *@early if another process killed the child before its first message. The caller may
 * then retry. */
bool sandbox_process_start(struct sandbox_process *p, struct sandbox_child *given,
                           struct sandbox_hello *hello, bool *early, struct err *err);
/* Kills and reaps the child if there is one. */
void sandbox_process_stop(struct sandbox_process *p);
/* Sends @size bytes. If the child is dead, only the next wait reports it. */
void sandbox_process_send(const struct sandbox_process *p, const void *bytes, size_t size);
/* Waits for a message of exactly @size bytes. On WATCH_DIED the child was reaped, and *@fault (enum
 * sandbox_fault) is the reason. Stops and then kills a child that runs endlessly, or that sends no
 * message within the patience. FAULT_STARVED: the child had no CPU time. */
enum sandbox_watch sandbox_process_wait(struct sandbox_process *p,
                                        const struct sandbox_watching *how, void *bytes,
                                        size_t size, unsigned *fault);
/* Limits the child's CPU time to @seconds more than it has used. With this limit, the child ends
 * even if the parent hangs. */
void sandbox_process_allow(const struct sandbox_process *p, double seconds);
/* Sets the memory ranges of this program. The child keeps them mapped. */
void sandbox_process_image(struct sandbox_child *given);

#endif
