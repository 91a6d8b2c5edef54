/* Tests on a known loop in a child process whether the system can watch programs, because some
 * systems accept a call and do something else. Runs on the tracer's thread. x86-64 Linux. */
#ifndef PORTOLAN_INSITU_TRIAL_H
#define PORTOLAN_INSITU_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TRIAL_PASSES 1000u                        /* passes of the known loop */
#define TRIAL_EACH 3u                             /* increments of a word in each pass */
#define TRIAL_VECTOR UINT64_C(0x1122334455667788) /* final value of xmm7 */

/* Observations of the child, and of its copy, which runs the loop first. */
struct trial_seen {
    bool stopped;        /* the child stopped while it waited */
    bool stepped;        /* a single step executed one instruction */
    bool written;        /* a write to the child's memory could be read back */
    bool copied;         /* the copy reached its int3 */
    uint64_t copy_words; /* the loop's word in the copy afterwards */
    uint64_t between;    /* the loop's word in the child at that time, before its own run */
    bool state;          /* the vector registers of the copy were readable */
    uint64_t vector;     /* low half of the copy's xmm7 */
    bool trapped;        /* the child reached its int3 */
    uint64_t words;      /* the loop's word in the child at its int3 */
};

struct system_trial {
    /* reason of each failure; static; NULL: none. Without tracing no program can be watched,
     * without copies none timed or replayed, without state none replayed. */
    const char *tracing, *copies, *state;
};

/* Evaluates the observations. Pure. */
struct system_trial trial_judge(const struct trial_seen *seen);
/* Runs the known loop. False with err if no child can be created or traced. */
bool trial_run(struct trial_seen *out, struct err *err);

#endif
