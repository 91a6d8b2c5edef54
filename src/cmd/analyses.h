/* Analyses and simulations of a loop on several machines, for views. They hold their kernel; the
 * session must keep its loop and machines. One thread, except analyses_make. */
#ifndef PORTOLAN_CMD_ANALYSES_H
#define PORTOLAN_CMD_ANALYSES_H

#include "analysis/analysis.h"
#include "cmd/coverage.h"
#include "model/machine.h"
#include "simulate/simulate.h"

struct session;

struct analyses {
    const struct kernel *kernel;        /* held; NULL: none, and no analysis */
    size_t loop;
    struct machine **machines;          /* held */
    struct analysis **items;            /* one per machine, once made */
    struct simulation **simulations;    /* one per machine; NULL: not requested */
    size_t count;
    /* machines that have all forms of the loop, if a selected one lacks some */
    struct machine_names coverage;
    bool made;
    /* session revision at which they were neither made nor in progress; 0: none */
    unsigned long given_up;
    unsigned job;                       /* job that makes them; 0: none */
    _Atomic unsigned holders;           /* besides the requester */
};

/* Creates analyses of loop @loop of @k on @machines, not made yet. */
struct analyses *analyses_new(const struct kernel *k, size_t loop, struct machine *const *machines,
                              size_t count);
/* Frees the analyses when their last holder calls it. */
void analyses_free(struct analyses *a);
/* Returns whether they are of exactly this loop and these machines. */
bool analyses_are_of(const struct analyses *a, const struct kernel *k, size_t loop,
                     struct machine *const *machines, size_t count);
/* Instructions to analyse, summed over the machines. */
size_t analyses_work(const struct analyses *a);
/* Fills items. False when the thread's watch cancelled it: some are missing or incomplete. Any
 * thread, one at a time; the reading thread sets `made`. */
bool analyses_make(struct analyses *a);
/* Makes them in the background: sets `made` on success; `job` is 0 once it has ended. */
void analyses_start(struct session *s, struct analyses *a);

#endif
