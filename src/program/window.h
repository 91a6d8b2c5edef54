/* Stalls of a core for independent misses: those within reach of its buffers overlap, also with its
 * own work. */
#ifndef PORTOLAN_PROGRAM_WINDOW_H
#define PORTOLAN_PROGRAM_WINDOW_H

#include "program/memory.h"
#include "program/runs.h"

struct window {
    /* executions in flight together: as many as the buffers hold; above 0, may be below 1 */
    double reach;
    double core;       /* cycles per execution without misses */
    double parallel;   /* misses under way together at most */
    double walks;      /* cycles per execution in which the page walkers are busy */
    /* cycles per execution in which lines arrive in one set of the first level, in sequence */
    double crowded;
};

/* Stall cycles per execution in addition to @w->core. @served[l]: references per execution that
 * level l serves, each at random. A miss stalls together with all within its reach: for the latency
 * of the farthest, or the transfer time of the lines in sequence, less the work of the same
 * executions. Misses of nearer levels within that time cost nothing more. Page walkers and crowded
 * sets work concurrently and count only if they take longer. Any thread. */
double window_waits(const struct memory *m, const struct window *w,
                    const double served[MEMORY_LEVELS + 1]);
/* Cycles per line at least, of lines that level @level serves in no order. */
double window_line_cycles(const struct memory *m, size_t level, double parallel);

/* A reference that walks with long steps, and how many of its part do so in the same steps: those
 * of an unrolled loop lie between each other. */
struct walk_reference {
    const struct run_reference *r;
    double copies;
};

struct walks {
    VEC(struct walk_reference) list;
    /* of the lines that the part comes to, those of walks whose steps crowd into few sets */
    double alike;
};
/* The same for a part that is executed @executions times, of which @others are the references that
 * miss at random, all executions together. Those of @walks are near for a stretch and far for a
 * stretch, all of them at the same time: a column lies in lines of the column before, or in new
 * ones. Cycles of all executions. */
double window_phases(const struct memory *m, const struct window *w, const struct walks *walks,
                     double executions, const double others[MEMORY_LEVELS + 1]);

#endif
