/* Distributes many independent work items over ranks (ranks/ranks.h). Rank 0 sends a few items at a
 * time. Each rank combines its results, and sends them once after the last item. The necessary
 * memory therefore does not depend on the number of items. */
#ifndef PORTOLAN_WORK_FARM_H
#define PORTOLAN_WORK_FARM_H

#include "base/pack.h"
#include "ranks/ranks.h"

struct farm;

/* callbacks of rank 0, each of which may be NULL */
struct farm_taking {
    void (*answer)(void *state, struct unpacking *from);   /* Receives the answer to a work item. */
    /* Receives the result of a rank. Returns false with err to reject it. */
    bool (*result)(void *state, struct unpacking *from, struct err *err);
    /* Polled while results are outstanding. If it returns true, the results are discarded, and the
     * other ranks stop soon. */
    bool (*cancelled)(void *state);
    void *state;
};

/* Reserves the other ranks for work of @kind, with @workers workers each, and sends them @setup.
 * Called by rank 0. Returns NULL if there are no other ranks or they are busy. One thread at a
 * time. */
struct farm *farm_new(enum rank_kind kind, unsigned workers, const struct str *setup,
                      const struct farm_taking *taking);
/* Receives answers. Waits up to @seconds for one if no rank accepts a work item. Returns whether a
 * rank accepts a work item. */
bool farm_room(struct farm *f, double seconds);
/* Sends a work item to the rank that accepts the most further items. */
void farm_give(struct farm *f, const struct str *piece);
/* Announces the end of the work items, receives all results and frees @f. Returns false with err if
 * a rank failed or a result was rejected. The results of other ranks are still used. Also returns
 * false with err if results are discarded. */
bool farm_end(struct farm *f, struct err *err);

/* Work that a rank other than 0 does for rank 0 */
struct farmhand;
/* Returns whether rank 0 discards the work. Long work items should poll it. Any thread of @hand. */
bool farm_cancelled(struct farmhand *hand);
struct farm_work {
    /* Creates the state from the arguments of farm_new. @hand outlives the state. Returns NULL with
     * err. */
    void *(*open)(struct farmhand *hand, struct unpacking *setup, unsigned workers,
                  struct err *err);
    /* Processes a work item on thread @worker. Sends @answer back at once. If it returns false with
     * err, this rank's work ends. */
    bool (*work)(void *state, unsigned worker, struct unpacking *piece, struct str *answer,
                 struct err *err);
    /* Combines the results of all work items into @result. Returns false with err. */
    bool (*close)(void *state, struct str *result, struct err *err);
    /* Frees @state. */
    void (*free)(void *state);
};
void farm_serve(const struct rank_message *setup, const struct farm_work *work);

#endif
