/* Out-of-memory handling: a reserve is released on the first failed allocation, and the current
 * job is cancelled. */
#ifndef PORTOLAN_BASE_SHORTAGE_H
#define PORTOLAN_BASE_SHORTAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SHORTAGE_KEPT ((size_t)32 << 20)   /* for the job that is to end */
#define SHORTAGE_LAST ((size_t)8 << 20)    /* for saving the session before the program ends */

/* Of one piece of work that can fail alone; all zero at first. Its helping threads share it. */
struct shortage {
    /* bytes of the first request that used the reserve; 0: none did */
    atomic_size_t wanted;
    atomic_bool cut;        /* it ended early */
    atomic_bool lost;       /* a text of it is not whole, so that no file may be written */
};

/* From now on this thread works for @of, and the reserve is filled if possible; NULL: for no job.
 * Returns the previous job, for shortage_restore, which refills the reserve. */
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
 * NULL when memory runs out, and then this thread's work fails, so that no incomplete result is
 * shown. Any thread. */
void *shortage_alloc(size_t size);
void *shortage_zero(size_t count, size_t size);
/* Announces that this thread's work may take up to @bytes in many pieces, none of which can fail,
 * such as the tables of an analysis. That address space is held in addition to the reserve. It is
 * released when a piece fails, so that the work can end, and fail. False without that much memory:
 * then the work must not begin, and fails. Nested calls count as one; each that was true ends by
 * shortage_spare. */
bool shortage_need(size_t bytes);
void shortage_reserve(void);
/* Whether that happened: then the output of this work is incomplete. */
bool shortage_lost(void);
/* Ends a piece of work called @what with the result @ok: false with err if it was cancelled, or
 * failed after a request had failed. An err of ERR_MEMORY stays, since it is more precise. */
bool shortage_end(const struct shortage *of, bool ok, const char *what, struct err *err);

/* A request for @bytes has failed. True: try again. Any thread. */
bool shortage_yield(size_t bytes);
/* Gives up the rest, before the program ends. */
void shortage_yield_last(void);
/* Refills the reserve; false when memory is still short. Any thread. */
bool shortage_keep(void);
/* Whether memory ran out since the last time for work that belongs to no command or job. */
bool shortage_unclaimed(void);

#endif
