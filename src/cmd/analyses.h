/* Analyses of a loop on several machines, with simulations, for views. They hold their kernel, loop
 * and machines, so they are valid while the session has these. One thread, except analyses_make. */
#ifndef PORTOLAN_CMD_ANALYSES_H
#define PORTOLAN_CMD_ANALYSES_H

#include "analysis/analysis.h"
#include "cmd/coverage.h"
#include "model/machine.h"
#include "simulate/simulate.h"

struct session;

struct analyses {
    const struct kernel *kernel;        /* held; NULL: there is none, and no analysis */
    size_t loop;
    struct machine **machines;          /* held */
    struct analysis **items;            /* one per machine, once made */
    struct simulation **simulations;    /* one per machine; NULL: not requested */
    size_t count;
    /* machines that know all of the loop, if one does not */
    struct machine_names coverage;
    bool made;
    /* the session's revision at which they were found to be neither made nor in progress; 0:
     * none */
    unsigned long given_up;
    unsigned job;                       /* that makes them; 0: none does */
    _Atomic unsigned holders;           /* besides the requester */
};

/* Of loop @loop of @k on @machines, nothing made yet. */
struct analyses *analyses_new(const struct kernel *k, size_t loop, struct machine *const *machines,
                              size_t count);
/* The last holder's call frees them. Any thread. */
void analyses_free(struct analyses *a);
/* Whether they are of just these. */
bool analyses_are_of(const struct analyses *a, const struct kernel *k, size_t loop,
                     struct machine *const *machines, size_t count);
/* Instructions to be analysed, over all machines. */
size_t analyses_work(const struct analyses *a);
/* Fills items. False when it ended early since the thread's watch is over: some are missing or cut
 * short. Any thread, one at a time; `made` is for the thread that reads them to set. */
bool analyses_make(struct analyses *a);
/* Makes them in the background: `made` is set when it has ended well, `job` is 0 when it has
 * ended. */
void analyses_start(struct session *s, struct analyses *a);

#endif
