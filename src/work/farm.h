/* Many independent pieces of work over several ranks (ranks/ranks.h). Rank 0 hands out a few pieces
 * at a time and more as they are done. Each rank keeps its results until rank 0 has no more pieces,
 * and then sends all at once. So memory does not grow with the number of pieces. */
#ifndef PORTOLAN_WORK_FARM_H
#define PORTOLAN_WORK_FARM_H

#include "base/pack.h"
#include "ranks/ranks.h"

struct farm;

/* Callbacks while it works; any may be NULL. */
struct farm_taking {
    void (*answer)(void *state, struct unpacking *from);   /* of a piece */
    bool (*result)(void *state, struct unpacking *from, struct err *err);   /* of a rank */
    /* asked while results are awaited; true: nobody wants them any more, and the others stop as
     * soon as they can */
    bool (*unwanted)(void *state);
    void *state;
};

/* Rank 0: reserves the others for work of @kind, by as many @workers each, and sends them @setup.
 * NULL when there are none or they are busy. One thread at a time has it. */
struct farm *farm_new(enum rank_kind kind, unsigned workers, const struct str *setup,
                      const struct farm_taking *taking);
/* Receives results for up to @seconds; returns whether some rank has room for a piece. */
bool farm_room(struct farm *f, double seconds);
/* A piece for the rank with the most room. */
void farm_give(struct farm *f, const struct str *piece);
/* No more pieces: waits for all results, takes them and frees @f. False with err when a rank failed
 * or a result could not be taken; the others' are taken. False with err when they are not wanted
 * any more: then none is taken. */
bool farm_end(struct farm *f, struct err *err);

/* Another rank's part. */
struct farmhand;
/* Whether what @hand does is not wanted any more: for pieces that take their time. Any of its
 * threads. */
bool farm_unwanted(struct farmhand *hand);
struct farm_work {
    /* From the arguments of farm_new; @hand lives as long as the state. NULL with err. */
    void *(*open)(struct farmhand *hand, struct unpacking *setup, unsigned workers,
                  struct err *err);
    /* Does a piece, on thread @worker; @answer gets what is to be sent back at once. False with err
     * ends the rank's part. */
    bool (*work)(void *state, unsigned worker, struct unpacking *piece, struct str *answer,
                 struct err *err);
    /* Combined result of all pieces; false with err when they do not match. */
    bool (*close)(void *state, struct str *result, struct err *err);
    /* Frees @state. */
    void (*free)(void *state);
};
void farm_serve(const struct rank_message *setup, const struct farm_work *work);

#endif
