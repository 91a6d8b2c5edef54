/* Matches the loops of two builds by function, source lines and instructions. */
#ifndef PORTOLAN_ANALYSIS_BUILD_MATCH_H
#define PORTOLAN_ANALYSIS_BUILD_MATCH_H

#include "analysis/build_loops.h"

#define MATCH_NONE UINT32_MAX

enum match_way {
    MATCH_FUNCTION,   /* in functions of the same name */
    /* of the same source lines in functions of other names: inlined or renamed */
    MATCH_LINES,
    /* in unnamed or renamed functions with equal or similar loops */
    MATCH_SHAPE,
    MATCH_WAYS
};

enum match_times {
    /* from the steps of memory accesses, or because both have the same code */
    MATCH_TIMES_KNOWN,
    /* assumed: one source iteration per iteration of both */
    MATCH_TIMES_ASSUMED,
    /* may differ, so that their cycles cannot be compared */
    MATCH_TIMES_UNKNOWN,
};

struct loop_match {
    uint32_t a, b;         /* loops of each build; MATCH_NONE: exists in one build only */
    enum match_way way;
    enum match_times known;
    /* unknown since the inner loops differ by unrolling or vectorisation */
    bool within;
    /* source iterations per iteration, 1 for the smaller; smallest integers if neither is a
     * multiple */
    double times_a, times_b;
};

struct loop_matches { VEC(struct loop_match) list; };

/* Lists every loop of both builds once: those of A in order, then those of B alone. Polls
 * watch_steps; false with err when cancelled. vec_done frees the list in either case. Any
 * thread. */
bool build_match(const struct binary *a, const struct binary *b, struct loop_matches *out,
                 struct err *err);
/* "function", "lines" or "shape". */
const char *match_way_name(enum match_way way);

#endif
