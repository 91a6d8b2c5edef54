/* Threads that persist between tasks, for work tied to a thread, such as a child process that ends
 * with it (see also pool.h). */
#ifndef PORTOLAN_WORK_CREW_H
#define PORTOLAN_WORK_CREW_H

#include "base/err.h"
#include "measure/source.h"

struct crew;

/* Creates @members, at least 1; member 0 is the thread that calls crew_call, always the same. NULL
 * with err when no thread can be started. */
struct crew *crew_new(unsigned members, struct err *err);
void crew_free(struct crew *c);
/* Calls work(state, i) for each i of 0 .. members - 1 concurrently, each on its own thread, and
 * returns after all. Meanwhile calls @waiting (may be NULL) on the calling thread, about ten times
 * a second. */
void crew_call(struct crew *c, void (*work)(void *state, unsigned member), void *state,
               void (*waiting)(void *state));

/* Adapter for a source. */
extern const struct source_threads crew_threads;

#endif
