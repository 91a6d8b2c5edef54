/* Analyses and simulations of a loop on several machines, for views. They hold counted references
 * to the kernel and the machines. Used by one thread, except in analyses_make. */
#ifndef PORTOLAN_CMD_ANALYSES_H
#define PORTOLAN_CMD_ANALYSES_H

#include "analysis/analysis.h"
#include "cmd/coverage.h"
#include "model/machine.h"
#include "simulate/simulate.h"

struct loop_simulation {
    struct simulation *made;            /* result; NULL: not computed yet */
    unsigned job;                       /* job that makes the simulation; 0: none */
    /* session revision at which the simulation failed; 0: it did not fail */
    unsigned long given_up;
};

struct analyses {
    const struct kernel *kernel;        /* counted reference; NULL: no kernel */
    size_t loop;
    struct machine **machines;          /* counted references */
    struct analysis **items;            /* one per machine; filled by analyses_make */
    struct loop_simulation *simulations;   /* one per machine */
    size_t count;
    /* names of machines with all forms of the loop; empty if the selected machines have them all */
    struct machine_names coverage;
    bool made;
    /* session revision at which the analyses failed; 0: they did not fail */
    unsigned long given_up;
    unsigned job;                       /* job that computes these results; 0: none */
    _Atomic unsigned holders;           /* number of references in addition to the creator's */
};

/* Creates the record for loop @loop of @k on @machines, which analyses_make fills. */
struct analyses *analyses_new(const struct kernel *k, size_t loop, struct machine *const *machines,
                              size_t count);
/* Releases a reference. The last release frees the analyses. */
void analyses_free(struct analyses *a);
/* Returns whether @a is for exactly this loop and these machines. */
bool analyses_are_of(const struct analyses *a, const struct kernel *k, size_t loop,
                     struct machine *const *machines, size_t count);
/* Returns the number of instructions to analyse, summed over the machines. */
size_t analyses_work(const struct analyses *a);
/* Computes the items. Returns false if the thread's watch cancelled it; the items are then
 * incomplete. Any thread, but only one call at a time. The thread that reads the items sets @made
 * afterwards. */
bool analyses_make(struct analyses *a);
/* Cancels the jobs of @a. */
void analyses_cancel(struct analyses *a);

#endif
