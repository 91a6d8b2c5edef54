/* Stalls of a core that waits for independent misses. Within the buffers, the misses overlap with
 * each other and with the core's work. */
#ifndef PORTOLAN_PROGRAM_WINDOW_H
#define PORTOLAN_PROGRAM_WINDOW_H

#include "program/memory.h"
#include "program/runs.h"

struct window {
    /* number of executions in flight, which the buffers limit; above 0, and possibly below 1 */
    double reach;
    double core;       /* cycles per execution without misses */
    double parallel;   /* maximum number of misses in flight */
    double walks;      /* page walker cycles per execution */
    /* Minimum cycles per execution of the lines of walks, with their write-back. Lines of one
     * first-level set arrive one by one. */
    double crowded;
};

/* Returns the stall cycles per execution in addition to @w->core. @served[l]: random references per
 * execution that level l serves. A miss overlaps with all misses within its reach. Together they
 * take the latency of the farthest miss, or the transfer time of their lines if it is longer. The
 * work of the same executions is subtracted. Nearer misses within that time cost nothing. Page
 * walkers and crowded sets work concurrently, and add only the time by which they take longer. */
double window_waits(const struct memory *m, const struct window *w,
                    const double served[MEMORY_LEVELS + 1]);
/* Returns the minimum cycles per line of random lines from level @level, with @parallel lines in
 * flight. */
double window_line_cycles(const struct memory *m, size_t level, double parallel);

/* A reference that walks with long strides. @copies: number of lines per stride of its walk, in
 * which the references of an unrolled loop interleave. */
struct walk_reference {
    const struct run_reference *r;
    double copies;
    /* share of the part's lines that use the same sets concurrently */
    double alike;
    enum line_use use;
};

struct walks {
    VEC(struct walk_reference) list;
};
/* Returns the stall cycles over all @executions of a part with @others random misses in total. At
 * any time all references of @walks are in the same phase. In a near phase a column uses lines of
 * the previous column, in a far phase new lines. */
double window_phases(const struct memory *m, const struct window *w, const struct walks *walks,
                     double executions, const double others[MEMORY_LEVELS + 1]);

#endif
