/* The system's facilities for watching a program, each tried on a known loop in a child of ours:
 * some systems accept a call and do something else. Called on the tracer's thread. x86-64 Linux. */
#ifndef PORTOLAN_INSITU_TRIAL_H
#define PORTOLAN_INSITU_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TRIAL_PASSES 1000u                        /* of the known loop */
#define TRIAL_EACH 3u                             /* that each adds to a word */
#define TRIAL_VECTOR UINT64_C(0x1122334455667788) /* what it leaves in xmm7 */

/* Observations of the child, and of a copy of it that ran the loop first. */
struct trial_seen {
    bool stopped;        /* it stopped where it waits */
    bool stepped;        /* a step executed one instruction */
    bool written;        /* what was written to its memory can be read there */
    bool copied;         /* the copy ran to its int3 */
    uint64_t copy_words; /* the loop's word in the copy after that */
    uint64_t between;    /* and in the child, which had not run yet */
    bool state;          /* vector registers of the copy could be read */
    uint64_t vector;     /* low half of its xmm7 */
    bool trapped;        /* the child came to its int3 */
    uint64_t words;      /* the loop's word then */
};

struct system_trial {
    /* what does not work; static; NULL: all does. Without tracing no program may be watched,
     * without copies none is timed or replayed, without state none is replayed. */
    const char *tracing, *copies, *state;
};

/* Judges what was seen. Pure. */
struct system_trial trial_judge(const struct trial_seen *seen);
/* Runs the known loop. False with err when no child can be made or traced at all. */
bool trial_run(struct trial_seen *out, struct err *err);

#endif
