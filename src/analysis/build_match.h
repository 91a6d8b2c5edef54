/* Which loop of one build is which of another: by their functions, the source lines that they were
 * compiled from, and the instructions that they are made of. */
#ifndef PORTOLAN_ANALYSIS_BUILD_MATCH_H
#define PORTOLAN_ANALYSIS_BUILD_MATCH_H

#include "analysis/build_loops.h"

#define MATCH_NONE UINT32_MAX

enum match_way {
    MATCH_FUNCTION,   /* in functions of one name */
    /* of one place in the source, in functions of other names: inlined or renamed */
    MATCH_LINES,
    /* in functions that have other names, or none, and the same or nearly the same loops */
    MATCH_SHAPE,
    MATCH_WAYS
};

enum match_times {
    /* by the step of each in memory, or because both have the same code */
    MATCH_TIMES_KNOWN,
    /* both are taken to do one iteration of the source in one of their own */
    MATCH_TIMES_ASSUMED,
    /* one may do more of the source in an iteration than the other: their cycles cannot be
     * compared */
    MATCH_TIMES_UNKNOWN,
};

struct loop_match {
    uint32_t a, b;         /* of the builds' loops; MATCH_NONE: the other alone has it */
    enum match_way way;
    enum match_times known;
    /* not known since the loops within differ: one is unrolled, or does more at once */
    bool within;
    /* iterations of the source in one of each, 1 for the smaller; if neither is a multiple, the
     * smallest whole numbers */
    double times_a, times_b;
};

struct loop_matches { VEC(struct loop_match) list; };

/* Every loop of both builds, each once: those of A in its order, then those that only B has. Polls
 * watch_steps; false with err when that ends it. vec_done frees the list in either case. Any
 * thread. */
bool build_match(const struct binary *a, const struct binary *b, struct loop_matches *out,
                 struct err *err);
/* "function", "lines" or "shape". */
const char *match_way_name(enum match_way way);

#endif
