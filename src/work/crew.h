/* Threads that persist between tasks. They are for work that depends on its thread, such as a child
 * process that ends with its thread (see also pool.h). */
#ifndef PORTOLAN_WORK_CREW_H
#define PORTOLAN_WORK_CREW_H

#include "base/err.h"
#include "measure/source.h"

struct crew;

/* Creates @members members, at least 1. Member 0 is the thread that calls crew_call, which must
 * always be the same thread. Returns NULL with err if a thread cannot be started. */
struct crew *crew_new(unsigned members, struct err *err);
void crew_free(struct crew *c);
/* Calls work(state, i) concurrently for each i from 0 to members - 1, each on its own thread, and
 * waits for all of them. During the wait it calls @waiting (may be NULL) on the calling thread
 * about ten times per second. */
void crew_call(struct crew *c, void (*work)(void *state, unsigned member), void *state,
               void (*waiting)(void *state));

/* callbacks of crews for a source (struct source_threads) */
extern const struct source_threads crew_threads;

#endif
