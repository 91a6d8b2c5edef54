/* Out-of-memory handling: a reserve is released on the first failed allocation, and the current
 * job is cancelled. */
#ifndef PORTOLAN_BASE_SHORTAGE_H
#define PORTOLAN_BASE_SHORTAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SHORTAGE_KEPT ((size_t)32 << 20)   /* for the work that is told to end */
#define SHORTAGE_LAST ((size_t)8 << 20)    /* for saving what there is before the program ends */

/* Of one piece of work that can fail alone; all zero at first. Its helping threads share it. */
struct shortage {
    /* bytes, of the first request that got what was kept back; 0: none did */
    atomic_size_t wanted;
    atomic_bool cut;        /* it ended early */
    atomic_bool lost;       /* a text of it is not whole, so that no file may be written */
};

/* From now on this thread works for @of, and what is kept back is there if it can be; NULL: for
 * nobody in particular. Returns what held before, for shortage_restore, which takes back what was
 * given. */
struct shortage *shortage_begin(struct shortage *of);
void shortage_restore(struct shortage *before);
/* Whom this thread works for; may be NULL. */
struct shortage *shortage_current(void);

/* Whether this thread's work is to end for want of memory. True: leave at once; the work counts as
 * cut short, and fails. Any thread. */
bool shortage_met(void);
/* @bytes of this thread's work had to be left out. False when the thread works for no command or
 * job. */
bool shortage_lose(size_t bytes);
/* Storage that the caller frees, for work whose callers cannot fail, such as figures of a table:
 * NULL when memory runs out, and then this thread's work fails, so that nobody sees what is made
 * without it. Any thread. */
void *shortage_alloc(size_t size);
void *shortage_zero(size_t count, size_t size);
/* This thread's work is about to take up to @bytes in many pieces, none of which can fail, such as
 * the tables of an analysis: so much address space is held for it beside what is kept back, and is
 * given up when a piece fails, so that the work comes to its end, and fails. False when there is
 * not so much: then it must not begin, and fails. Nested calls count as one; each that was true
 * ends by shortage_spare. */
bool shortage_need(size_t bytes);
void shortage_reserve(void);
/* Whether that happened: then what this work writes is not whole. */
bool shortage_lost(void);
/* The end of a piece of work called @what that came to @ok: false with err when it was cut short,
 * and when it failed after a request had failed. An err of ERR_MEMORY stays, it says more. */
bool shortage_end(const struct shortage *of, bool ok, const char *what, struct err *err);

/* A request for @bytes has failed. True: try again. Any thread. */
bool shortage_yield(size_t bytes);
/* Gives up the rest, before the program ends. */
void shortage_yield_last(void);
/* Takes back what was given up; false when memory is still short. Any thread. */
bool shortage_keep(void);
/* Whether memory ran out since the last time for work that belongs to no command or job. */
bool shortage_unclaimed(void);

#endif
