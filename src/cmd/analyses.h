/* Analyses of a loop on several machines, with simulations beside them: what views show. They hold
 * what they are of, so they are right for as long as the session has that kernel, that loop and
 * those machines. One thread, but for analyses_make. */
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
    struct analysis **items;            /* beside the machines, once made */
    struct simulation **simulations;    /* beside them; NULL: not asked for */
    size_t count;
    /* where a machine does not know all of the loop: those that do */
    struct machine_names coverage;
    bool made;
    /* the session's revision at which they were found to be neither made nor under way; 0: not
     * so */
    unsigned long given_up;
    unsigned job;                       /* that makes them; 0: none does */
    _Atomic unsigned holders;           /* besides the one that asked for them */
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
