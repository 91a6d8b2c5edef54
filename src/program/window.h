/* Stalls of a core for independent misses. Misses within its buffers overlap with each other and
 * with the core's work. */
#ifndef PORTOLAN_PROGRAM_WINDOW_H
#define PORTOLAN_PROGRAM_WINDOW_H

#include "program/memory.h"
#include "program/runs.h"

struct window {
    /* executions in flight, limited by the buffers; above 0, possibly below 1 */
    double reach;
    double core;       /* cycles per execution without misses */
    double parallel;   /* misses in flight, at most */
    double walks;      /* page walker cycles per execution */
    /* cycles per execution of lines that map to one set of the first level and arrive one after the
     * other */
    double crowded;
};

/* Returns the stall cycles per execution in addition to @w->core. @served[l]: random references per
 * execution that level l serves. A miss overlaps with all misses within its reach. Together they
 * cost the latency of the farthest, or the transfer time of their lines, minus the work of the same
 * executions. Nearer misses within that time cost nothing. Page walkers and crowded sets work
 * concurrently, and count only if they take longer. */
double window_waits(const struct memory *m, const struct window *w,
                    const double served[MEMORY_LEVELS + 1]);
/* Returns the least cycles per line of random lines from level @level. */
double window_line_cycles(const struct memory *m, size_t level, double parallel);

/* A reference with long steps. @copies is the number of lines per step of its walk, because the
 * references of an unrolled loop interleave. */
struct walk_reference {
    const struct run_reference *r;
    double copies;
    /* share of the part's lines that use the same sets at the same time */
    double alike;
};

struct walks {
    VEC(struct walk_reference) list;
};
/* Returns the stall cycles over all @executions of a part with @others random misses in total. The
 * references of @walks alternate between near and far phases at the same time: a column uses lines
 * of the previous column, or new ones. */
double window_phases(const struct memory *m, const struct window *w, const struct walks *walks,
                     double executions, const double others[MEMORY_LEVELS + 1]);

#endif
