/* Out-of-memory handling: a reserve is released on the first failed allocation, and the current
 * job is cancelled. */
#ifndef PORTOLAN_BASE_SHORTAGE_H
#define PORTOLAN_BASE_SHORTAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SHORTAGE_KEPT ((size_t)32 << 20)   /* reserve for the job that is cancelled */
/* reserve for saving the session before the program ends */
#define SHORTAGE_LAST ((size_t)8 << 20)

/* Memory state of one job or command; zero at first. Its worker threads share it. */
struct shortage {
    /* bytes of the first request that used the reserve; 0: none */
    atomic_size_t wanted;
    atomic_bool cut;        /* it was cancelled */
    atomic_bool lost;       /* some of its text is missing, so no file may be written */
};

/* Sets the job that this thread works for, and fills the reserve if possible; NULL: no job. Returns
 * the previous job, for shortage_restore, which refills the reserve. */
struct shortage *shortage_begin(struct shortage *of);
void shortage_restore(struct shortage *before);
/* Returns the job of this thread; may be NULL. */
struct shortage *shortage_current(void);

/* Returns whether this thread's work must end for lack of memory. True: return at once; the work
 * fails. Any thread. */
bool shortage_met(void);
/* Marks @bytes of this thread's output as left out. False when the thread has no job. */
bool shortage_lose(size_t bytes);
/* Allocates storage for callers that cannot fail, such as a table's figures; the caller frees. NULL
 * when memory runs out; then this thread's work fails, so that no incomplete result is shown. Any
 * thread. */
void *shortage_alloc(size_t size);
void *shortage_zero(size_t count, size_t size);
/* Announces up to @bytes in many small allocations that cannot fail, such as tables of an analysis.
 * That address space is reserved in addition, and released when an allocation fails, so that the
 * work can end. False without that much memory: do not begin. Nested calls count as one; each true
 * one needs shortage_spare. */
bool shortage_need(size_t bytes);
void shortage_reserve(void);
/* Returns whether output of this work was left out. */
bool shortage_lost(void);
/* Ends work named @what with the result @ok: false with err if it was cancelled, or failed after a
 * failed request. An err of ERR_MEMORY stays, since it is more precise. */
bool shortage_end(const struct shortage *of, bool ok, const char *what, struct err *err);

/* Reacts to a failed request for @bytes. True: try again. Any thread. */
bool shortage_yield(size_t bytes);
/* Releases the last reserve before the program ends. */
void shortage_yield_last(void);
/* Refills the reserve; false when memory is still short. Any thread. */
bool shortage_keep(void);
/* Returns whether memory ran out since the last call for work without a job. */
bool shortage_unclaimed(void);

#endif
