/* Tests with a known loop in a child process whether programs can be watched on this system. Some
 * systems accept a system call but do not perform it correctly. Runs on the tracer's thread.
 * x86-64 Linux. */
#ifndef PORTOLAN_INSITU_TRIAL_H
#define PORTOLAN_INSITU_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TRIAL_PASSES 1000u                        /* number of passes of the known loop */
#define TRIAL_EACH 3u                             /* number of increments of a word in each pass */
#define TRIAL_VECTOR UINT64_C(0x1122334455667788) /* final value of xmm7 */

/* Observations in the child, and in a copy of the child that runs the loop first */
struct trial_seen {
    bool stopped;        /* whether the child stopped while it waited */
    bool stepped;        /* whether a single step executed one instruction */
    bool written;        /* whether a write to the child's memory could be read back */
    bool copied;         /* whether the copy reached its int3 */
    uint64_t copy_words; /* word that the loop increments, in the copy after its run */
    /* the same word in the child, between the copy's run and the child's own run */
    uint64_t between;
    bool state;          /* whether the vector registers of the copy could be read */
    uint64_t vector;     /* low half of xmm7 in the copy */
    bool trapped;        /* whether the child reached its int3 */
    uint64_t words;      /* word that the loop increments, in the child at its int3 */
    double page;         /* seconds of a first write to a page after a copy of the process */
};

struct system_trial {
    /* Static reasons why features do not work; NULL: the feature works. Without tracing, no
     * program can be watched. Without copies, no program can be timed or replayed. Without state,
     * no program can be replayed. */
    const char *tracing, *copies, *state;
};

/* Infers from the observations which features work. Pure. */
struct system_trial trial_judge(const struct trial_seen *seen);
/* Runs the known loop. Returns false with err if no child can be created or traced. */
bool trial_run(struct trial_seen *out, struct err *err);

#endif
