/* Out-of-memory handling. The first failed allocation releases a reserve, and the current job is
 * cancelled. */
#ifndef PORTOLAN_BASE_SHORTAGE_H
#define PORTOLAN_BASE_SHORTAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SHORTAGE_KEPT ((size_t)32 << 20)   /* size in bytes of the reserve for the job that is
                                            * cancelled */
/* size in bytes of the reserve for saving the session before the program ends */
#define SHORTAGE_LAST ((size_t)8 << 20)

/* Memory state of a job or command, shared by its threads; valid if initialised to zero */
struct shortage {
    /* number of bytes of the first request that needed the reserve; 0: none */
    atomic_size_t needed;
    atomic_bool cut;        /* whether the work was cancelled */
    atomic_bool lost;       /* whether a part of the output is missing; no file may then be
                             * written */
};

/* Sets the job for which this thread works (NULL: none). For a job, fills the reserve if possible.
 * Returns the previous job, for shortage_restore, which always refills the reserve. */
struct shortage *shortage_begin(struct shortage *of);
void shortage_restore(struct shortage *before);
/* Returns the job of this thread; NULL: none. */
struct shortage *shortage_current(void);

/* Returns whether this thread's work must end for lack of memory. The caller must then return at
 * once, and the work fails. Any thread. */
bool shortage_met(void);
/* Records that @bytes of this thread's output are missing. Returns false if the thread has no
 * job. */
bool shortage_lose(size_t bytes);
/* Allocate memory for callers that cannot fail, such as the values of a table. The caller frees it.
 * If memory is exhausted, these functions return NULL and make this thread's work fail. Incomplete
 * results are therefore never shown. Any thread. */
void *shortage_alloc(size_t size);
void *shortage_zero(size_t count, size_t size);
/* Reserves @bytes of address space for many small allocations that cannot fail, such as the tables
 * of an analysis. The first allocation that fails releases the space, which allows the work to end.
 * Returns false if there is not that much memory; the work must then not begin. Nested calls count
 * once. Each call that returned true needs a call of shortage_reserve, which releases the space. */
bool shortage_need(size_t bytes);
void shortage_reserve(void);
/* Returns whether output of this work is missing. */
bool shortage_lost(void);
/* Ends work named @what with result @ok. Returns @ok if memory sufficed. Returns false with err if
 * the work was cancelled, or if it failed after memory was exhausted. Does not replace an
 * ERR_MEMORY in @err, which is more precise. */
bool shortage_end(const struct shortage *of, bool ok, const char *what, struct err *err);

/* Releases a reserve after a failed request for @bytes. Returns whether the caller should try
 * again. Any thread. */
bool shortage_yield(size_t bytes);
/* Releases the last reserve, before the program ends. */
void shortage_yield_last(void);
/* Refills the reserves. Returns false if memory is still short. Any thread. */
bool shortage_keep(void);
/* Returns whether, since the last call, memory was exhausted for work without a job. */
bool shortage_unclaimed(void);

#endif
