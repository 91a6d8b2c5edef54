/* Threads that persist from task to task, for work tied to a thread, such as a child process
 * that ends with it (compare pool.h). */
#ifndef PORTOLAN_WORK_CREW_H
#define PORTOLAN_WORK_CREW_H

#include "base/err.h"
#include "measure/source.h"

struct crew;

/* @members in all, at least 1; member 0 is whoever calls crew_call, which is always the same
 * thread. NULL with err when the system refuses a thread. */
struct crew *crew_new(unsigned members, struct err *err);
void crew_free(struct crew *c);
/* Calls work(state, i) for each i of 0 .. members - 1 at the same time, each on its own thread, and
 * returns when all have returned. While it waits for others, @waiting (may be NULL) is called on
 * the calling thread, about ten times a second. */
void crew_call(struct crew *c, void (*work)(void *state, unsigned member), void *state,
               void (*waiting)(void *state));

/* A crew for a source. */
extern const struct source_threads crew_threads;

#endif
