/* Matches the loops of two builds by function, source lines and instructions. */
#ifndef PORTOLAN_ANALYSIS_BUILD_MATCH_H
#define PORTOLAN_ANALYSIS_BUILD_MATCH_H

#include "analysis/build_loops.h"

#define MATCH_NONE UINT32_MAX

enum match_way {
    MATCH_FUNCTION,   /* the loops' functions have the same name */
    /* the loops share source lines, but their functions have different names (inlined or
     * renamed) */
    MATCH_LINES,
    /* the functions are unnamed or renamed, and their loops are equal or similar */
    MATCH_SHAPE,
    MATCH_WAYS
};

enum match_times {
    /* known from the strides of memory accesses, or because the code is identical */
    MATCH_TIMES_KNOWN,
    /* assumed: one source iteration per iteration of each loop */
    MATCH_TIMES_ASSUMED,
    /* unknown, so the cycles per iteration of the two loops cannot be compared */
    MATCH_TIMES_UNKNOWN,
};

struct loop_match {
    uint32_t a, b;         /* index of the loop in each build; MATCH_NONE: the build lacks the
                            * loop */
    enum match_way way;
    enum match_times known;
    /* whether the work per iteration is unknown, because the inner loops differ in unrolling or
     * vectorisation */
    bool within;
    /* source iterations per iteration of the loops in A and B. The smaller number is 1. If no
     * number is a multiple of the other, both are the smallest integers with their ratio. */
    double times_a, times_b;
};

struct loop_matches { VEC(struct loop_match) list; };

/* Lists every loop of both builds once: first the loops of A in order, then the loops that only B
 * has. Polls watch_steps; returns false with err when cancelled. The caller always frees the list
 * with vec_done. Any thread. */
bool build_match(const struct binary *a, const struct binary *b, struct loop_matches *out,
                 struct err *err);
/* Returns "function", "lines" or "shape". */
const char *match_way_name(enum match_way way);

#endif
