/* Stalls of a core for independent misses: those within its buffers overlap, also with its own
 * work. */
#ifndef PORTOLAN_PROGRAM_WINDOW_H
#define PORTOLAN_PROGRAM_WINDOW_H

#include "program/memory.h"
#include "program/runs.h"

struct window {
    /* executions in flight, limited by the buffers; positive, may be below 1 */
    double reach;
    double core;       /* cycles per execution without misses */
    double parallel;   /* largest number of misses in flight */
    double walks;      /* page walker cycles per execution */
    /* cycles per execution of lines that arrive sequentially in one set of the first level */
    double crowded;
};

/* Stall cycles per execution in addition to @w->core. @served[l]: random references per execution
 * that level l serves. A miss overlaps with all within its reach: they cost the latency of the
 * farthest, or the transfer time of the lines, less the work of the same executions. Nearer misses
 * within that time are free. Page walkers and crowded sets work concurrently and count only if they
 * take longer. */
double window_waits(const struct memory *m, const struct window *w,
                    const double served[MEMORY_LEVELS + 1]);
/* Least cycles per line for random lines from level @level. */
double window_line_cycles(const struct memory *m, size_t level, double parallel);

/* A reference with long steps, and the number of its part's references with equal steps: those of
 * an unrolled loop interleave. */
struct walk_reference {
    const struct run_reference *r;
    double copies;
};

struct walks {
    VEC(struct walk_reference) list;
    /* share of the part's lines in walks that use few sets */
    double alike;
};
/* The same for a part with @executions executions and a total of @others random misses. References
 * of @walks alternate between near and far phases simultaneously: a column uses lines of the
 * previous column, or new ones. Cycles of all executions. */
double window_phases(const struct memory *m, const struct window *w, const struct walks *walks,
                     double executions, const double others[MEMORY_LEVELS + 1]);

#endif
