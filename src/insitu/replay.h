/* Repeats iterations of a loop in copies of its process: first in order, with all lines in the
 * cache, then a few of them repeatedly until the branch predictor has learnt them. The differences
 * to the times in the program are the cost of cache misses and of mispredictions. Runs on the
 * tracer's thread. x86-64 Linux. */
#ifndef PORTOLAN_INSITU_REPLAY_H
#define PORTOLAN_INSITU_REPLAY_H

#include "insitu/placed.h"
#include "insitu/split.h"

/* Results of one moment, in cycles per iteration. */
struct replayed {
    double warm;               /* lines in the cache, branches as recorded */
    double trained;            /* lines in the cache, branches learnt */
    double before;             /* @trained in an earlier quarter of the repeats */
    double edge;               /* uncertainty due to the ends of a timed block */
    bool leaves;               /* iterations include code between visits of the loop */
};

struct replayed_all {
    VEC(struct replayed) list;
    size_t tried;
    /* reason why the last failed replay failed; static; NULL: none failed */
    const char *why;
    double seconds;            /* total time, in which the program was stopped */
};

/* Returns whether the region can be repeated: the addresses of all its stores are known. */
bool replay_possible(const struct region *r);
/* Replays the next iterations of thread @t, which is stopped and settled, and adds the result to
 * @out. @overhead: ticks of a stamp's clock reads in excess of its instructions. */
void replay_moment(struct placed *x, struct traced *t, double overhead, struct replayed_all *out);
/* replay_patch: Measures the cycles of the pivot's patch per iteration, for placed.patches, in two
 * copies of the process. In one of them the path through the patch is twice as long. @t is stopped
 * outside of system calls. Returns false if it cannot be measured. replay_original: Times the
 * loop's original code in copies of the process from thread @t, with a patch only at a place that
 * few iterations execute. Adds blocks to @x. */
bool replay_patch(struct placed *x, struct traced *t, double *seconds);
void replay_original(struct placed *x, struct traced *t, double *seconds);
/* Combines the results of all moments, except live. Returns false if they are too few or disagree;
 * *@why gets the reason, static. */
bool replay_sum(const struct replayed_all *r, struct split_replays *out, bool *leaves,
                const char **why);
void replayed_done(struct replayed_all *r);

#endif
