/* Repeats iterations of a loop in copies of its process: first in order with all lines in the
 * cache, then a few repeatedly until the branch predictor has learnt them. The difference to times
 * in the program gives the cost of caches and of mispredictions. Called on the tracer's thread.
 * x86-64 Linux. */
#ifndef PORTOLAN_INSITU_REPLAY_H
#define PORTOLAN_INSITU_REPLAY_H

#include "insitu/placed.h"
#include "insitu/split.h"

/* Results of one moment, in cycles per iteration. */
struct replayed {
    double warm;               /* lines in the cache, branches as recorded */
    double trained;            /* and branches learnt */
    double before;             /* the same for an earlier quarter of the repeats */
    double edge;               /* uncertainty by the ends of a timed block */
    bool leaves;               /* iterations include code between visits of the loop */
};

struct replayed_all {
    VEC(struct replayed) list;
    size_t tried;
    const char *why;           /* why the last unusable one failed; static; NULL: none */
    double seconds;            /* total time; the program was stopped meanwhile */
};

/* Returns whether the region can be repeated: all its stores are known. */
bool replay_possible(const struct region *r);
/* Replays what thread @t, stopped and settled, would do next, and adds it to @out. @overhead: ticks
 * of a stamp's clock besides its instructions. */
void replay_moment(struct placed *x, struct traced *t, double overhead, struct replayed_all *out);
/* Times the loop's original code in copies of the process from thread @t on: patches only a place
 * that few iterations pass. Adds blocks to @x. */
/* Measures the cycles that the pivot's patch takes per iteration, for placed's patches, in two
 * copies of the process: in one the way through it is twice as long. @t is stopped outside of
 * system calls. False: it cannot be measured. */
bool replay_patch(struct placed *x, struct traced *t, double *seconds);
void replay_original(struct placed *x, struct traced *t, double *seconds);
/* Combines the results of all moments except live. False: too few, or they disagree; *@why, static,
 * has the reason. */
bool replay_sum(const struct replayed_all *r, struct split_replays *out, bool *leaves,
                const char **why);
void replayed_done(struct replayed_all *r);

#endif
