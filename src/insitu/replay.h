/* Iterations of a loop run again in copies of its process: first in their order with all lines in
 * the cache before they are needed, then the same few again and again until the branch predictor
 * knows them. Against the times in the program the first is without caches, the second without
 * mispredictions as well. Called on the tracer's thread. x86-64 Linux. */
#ifndef PORTOLAN_INSITU_REPLAY_H
#define PORTOLAN_INSITU_REPLAY_H

#include "insitu/placed.h"
#include "insitu/split.h"

/* Of one moment. In cycles per iteration. */
struct replayed {
    double warm;               /* lines in the cache, branches as they come */
    double trained;            /* and branches known */
    double before;             /* the same in an earlier quarter of the repeats */
    double edge;               /* that the ends of a timed block may add */
    bool leaves;               /* the iterations include code between visits of the loop */
};

struct replayed_all {
    VEC(struct replayed) list;
    size_t tried;
    const char *why;           /* the last that could not be used: the reason; static; NULL: none */
    double seconds;            /* that all took; the program was stopped meanwhile */
};

/* Whether the region's code can be run again: all that it stores to is known. */
bool replay_possible(const struct region *r);
/* Replays what thread @t, stopped and settled, would do next, and adds it to @out. @overhead: ticks
 * of a stamp's clock besides its instructions. */
void replay_moment(struct placed *x, struct traced *t, double overhead, struct replayed_all *out);
/* Times the loop's original code in copies of the process, from where thread @t is: a place of it
 * that few iterations pass is patched there, and nothing else. Adds blocks to @x. */
/* Measures the cycles that the pivot's patch takes per iteration, for placed's patches, in two
 * copies of the process: in one the way through it is twice as long. @t is stopped outside of
 * system calls. False: it cannot be measured. */
bool replay_patch(struct placed *x, struct traced *t, double *seconds);
void replay_original(struct placed *x, struct traced *t, double *seconds);
/* Combines the results of all moments except live. False: they do not agree, or are too few; *@why,
 * static, has the reason. */
bool replay_sum(const struct replayed_all *r, struct split_replays *out, bool *leaves,
                const char **why);
void replayed_done(struct replayed_all *r);

#endif
