/* Repeats iterations of a loop in copies of its process. First all iterations run in order, with
 * all lines in the cache. Then a few of them run until the branch predictor has learned them. The
 * differences from the times in the program are the costs of cache misses and of mispredictions.
 * Runs on the tracer's thread. x86-64 Linux. */
#ifndef PORTOLAN_INSITU_REPLAY_H
#define PORTOLAN_INSITU_REPLAY_H

#include "insitu/placed.h"
#include "insitu/split.h"

/* Results of one moment, in cycles per iteration */
struct replayed {
    double warm;               /* cycles with all lines in the cache, and with branches as
                                * recorded */
    double trained;            /* cycles with all lines in the cache, and with learned branches */
    double before;             /* @trained, from an earlier quarter of the repeats */
    double edge;               /* uncertainty due to the ends of a timed block */
    bool leaves;               /* whether iterations include code between visits of the loop */
};

struct replayed_all {
    VEC(struct replayed) list;
    size_t tried;
    /* static reason why the last failed replay failed or was omitted; NULL: none */
    const char *why;
};

/* Returns whether iterations of the region can be repeated: the addresses of all its accesses,
 * except those of stack instructions, are recorded. Returns false for string instructions and for
 * loops of computed gotos. */
bool replay_possible(const struct region *r);
/* Replays the next iterations of thread @t, which must be stopped and settled. Adds the result to
 * @out. @overhead: ticks by which the clock measurement of a stamp exceeds the time of its
 * instructions. */
void replay_moment(struct placed *x, struct traced *t, double overhead, struct replayed_all *out);
/* replay_patch measures the cycles per iteration of the pivot's patch, and adds them to
 * placed.patches. It uses two copies of the process, in one of which the path through the patch is
 * twice as long. @t must be stopped outside system calls. Returns false if the cost cannot be
 * measured. replay_original times the original code of the loop in copies of the process from
 * thread @t, and adds blocks to @x. Only a place that few iterations execute is patched. */
bool replay_patch(struct placed *x, struct traced *t);
void replay_original(struct placed *x, struct traced *t);
/* Combines the results of all moments into @out, except out->live. Returns false, with a static
 * reason in *@why, if the results are too few or disagree. Sets *@leaves to whether iterations
 * include code between visits. */
bool replay_sum(const struct replayed_all *r, struct split_replays *out, bool *leaves,
                const char **why);
void replayed_done(struct replayed_all *r);

#endif
