/* Combines several visits to a kernel at different times: a time counts when another visit confirms
 * it. */
#ifndef PORTOLAN_MEASURE_KERNEL_PASSES_H
#define PORTOLAN_MEASURE_KERNEL_PASSES_H

#include <stdbool.h>

#include "measure/kernel_run.h"
#include "measure/seek.h"

#define KERNEL_PASSES_WINDOWS 256

struct kernel_passes {
    struct kernel_plan plan;
    /* cycles per iteration below which a time is wrong (kernel_least_cycles); 0: unknown */
    double least;
    /* iterations by which a long run exceeds a short one */
    double between;
    /* cycles of the runs in accepted windows */
    float shorter[KERNEL_PASSES_WINDOWS], longer[KERNEL_PASSES_WINDOWS];
    unsigned char visit[KERNEL_PASSES_WINDOWS];
    unsigned count, visits;                           /* visits: those with a window */
    unsigned plans;                                   /* that were given up */
};

/* Least cycles of @count instructions: at most twice the measured nops per cycle, since two may
 * fuse. 0 under an emulator. Pure. */
double kernel_least_cycles(const struct calibration *c, size_t count);
/* Adds the results of one visit. Pure. */
void kernel_passes_add(struct kernel_passes *p, const struct kernel_measured *m);
/* Returns whether the times have settled. Short and long runs need a floor each (several within one
 * percent, none that agree below), shared by two of at least three visits and of one rhythm. If
 * many windows lie off the floor the code has several rhythms, and many windows are needed.
 * *cycles: per iteration, the long floor minus the short one; *spread: relative scatter of the
 * floors. Times below @least are rejected: short and long runs were disturbed differently. Pure. */
bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread);
/* Gives up the plan of a loop that walks and has not settled after some visits, once, with what was
 * seen by it: a busy moment may have chosen too few copies of it (kernel_run.h). Pure. */
void kernel_passes_replan(struct kernel_passes *p);
/* Returns whether enough windows exist without a floor to conclude that there is none. Pure. */
bool kernel_passes_enough(const struct kernel_passes *p);
/* Range of cycles per iteration of four of five windows. Pure; needs at least one window. */
void kernel_passes_range(const struct kernel_passes *p, double *least, double *most);

/* After a timeout without floor: returns whether four of five windows of enough visits are within 2
 * %, so that any is an answer. *cycles: the median; *spread: their relative range. Pure. */
bool kernel_passes_close(const struct kernel_passes *p, double *cycles, double *spread);

/* Reports in err (ERR_LIMIT) why there is no time yet: too few windows, or no agreement. Returns
 * false. */
bool kernel_passes_unsettled(const struct kernel_passes *p, struct err *err);

/* Visits until the times settle, for at most @seconds. @seek: moves to a less busy CPU meanwhile;
 * may be NULL. False with err: @insns cannot be measured (ERR_DATA), the core is contended or there
 * is no stable time (ERR_LIMIT); then cycles of @out is that of kernel_passes_rough. */
bool kernel_measure(struct sandbox *s, const struct calibration *c, struct seek *seek,
                    const struct insn *insns, size_t count, double seconds,
                    struct kernel_measured *out, struct err *err);
/* The same with a patience that suffices for most kernels; an ordinary one takes a hundredth of
 * it. */
bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                size_t count, struct kernel_measured *out, struct err *err);

#endif
