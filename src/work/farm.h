/* Distributes many independent work items over ranks (ranks/ranks.h). Rank 0 sends a few at a time.
 * Each rank keeps its results until there are no more items, and then sends all at once, so that
 * memory does not grow with their number. */
#ifndef PORTOLAN_WORK_FARM_H
#define PORTOLAN_WORK_FARM_H

#include "base/pack.h"
#include "ranks/ranks.h"

struct farm;

/* Callbacks of rank 0; any may be NULL. */
struct farm_taking {
    void (*answer)(void *state, struct unpacking *from);   /* of a work item */
    bool (*result)(void *state, struct unpacking *from, struct err *err);   /* of a rank */
    /* polled while results are awaited; true: discard them, and stop the others soon */
    bool (*unwanted)(void *state);
    void *state;
};

/* Called by rank 0: reserves the others for work of @kind, with @workers each, and sends them
 * @setup. NULL when there are none or they are busy. One thread at a time. */
struct farm *farm_new(enum rank_kind kind, unsigned workers, const struct str *setup,
                      const struct farm_taking *taking);
/* Receives results for up to @seconds; returns whether a rank has room for a work item. */
bool farm_room(struct farm *f, double seconds);
/* Sends a work item to the rank with the most room. */
void farm_give(struct farm *f, const struct str *piece);
/* No more work items: waits for all results, takes them and frees @f. False with err when a rank
 * failed or a result was rejected; the others' are taken. False with err also when they are
 * discarded. */
bool farm_end(struct farm *f, struct err *err);

/* Callbacks of another rank. */
struct farmhand;
/* Returns whether the work of @hand was discarded, for long work items. Any of its threads. */
bool farm_unwanted(struct farmhand *hand);
struct farm_work {
    /* Creates the state from the arguments of farm_new; @hand lives as long. NULL with err. */
    void *(*open)(struct farmhand *hand, struct unpacking *setup, unsigned workers,
                  struct err *err);
    /* Processes a work item on thread @worker; @answer is sent back at once. False with err ends
     * the rank's part. */
    bool (*work)(void *state, unsigned worker, struct unpacking *piece, struct str *answer,
                 struct err *err);
    /* Combines the results of all work items; false with err on failure. */
    bool (*close)(void *state, struct str *result, struct err *err);
    /* Frees @state. */
    void (*free)(void *state);
};
void farm_serve(const struct rank_message *setup, const struct farm_work *work);

#endif
