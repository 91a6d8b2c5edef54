/* Tests the system's facilities for watching a program on a known loop in a child process, since
 * some systems accept a call and do something else. Called on the tracer's thread. x86-64 Linux. */
#ifndef PORTOLAN_INSITU_TRIAL_H
#define PORTOLAN_INSITU_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TRIAL_PASSES 1000u                        /* of the known loop */
#define TRIAL_EACH 3u                             /* increments of a word by each pass */
#define TRIAL_VECTOR UINT64_C(0x1122334455667788) /* final value of xmm7 */

/* Observations of the child, and of a copy that ran the loop first. */
struct trial_seen {
    bool stopped;        /* it stopped at its wait */
    bool stepped;        /* a single step executed one instruction */
    bool written;        /* a write to its memory could be read back */
    bool copied;         /* the copy reached its int3 */
    uint64_t copy_words; /* the loop's word in the copy afterwards */
    uint64_t between;    /* and in the child, which had not run yet */
    bool state;          /* vector registers of the copy were readable */
    uint64_t vector;     /* low half of its xmm7 */
    bool trapped;        /* the child reached its int3 */
    uint64_t words;      /* the loop's word then */
};

struct system_trial {
    /* what fails; static; NULL: nothing. Without tracing no program can be watched, without copies
     * none timed or replayed, without state none replayed. */
    const char *tracing, *copies, *state;
};

/* Evaluates the observations. Pure. */
struct system_trial trial_judge(const struct trial_seen *seen);
/* Runs the known loop. False with err when no child can be created or traced. */
bool trial_run(struct trial_seen *out, struct err *err);

#endif
