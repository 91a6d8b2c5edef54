/* Combines several visits to a kernel at different times. A time counts if another visit confirms
 * it. */
#ifndef PORTOLAN_MEASURE_KERNEL_PASSES_H
#define PORTOLAN_MEASURE_KERNEL_PASSES_H

#include <stdbool.h>

#include "measure/kernel_run.h"
#include "measure/seek.h"

#define KERNEL_PASSES_WINDOWS 256

struct kernel_passes {
    struct kernel_plan plan;
    /* cycles per iteration below which a time is certainly wrong (kernel_least_cycles); 0:
     * unknown */
    double least;
    /* number of iterations by which the long run exceeds the short run */
    double between;
    /* cycles of both runs, per accepted window */
    float shorter[KERNEL_PASSES_WINDOWS], longer[KERNEL_PASSES_WINDOWS];
    unsigned char visit[KERNEL_PASSES_WINDOWS];
    /* visits: number of those with an accepted window */
    unsigned count, visits;
    unsigned plans;                                   /* number of plans that were discarded */
};

/* Returns the least cycles of @count instructions: at most twice the measured nops per cycle,
 * because two instructions may fuse. 0 under an emulator. Pure. */
double kernel_least_cycles(const struct calibration *c, size_t count);
/* Adds the results of one visit. Pure. */
void kernel_passes_add(struct kernel_passes *p, const struct kernel_measured *m);
/* Returns whether the times have settled. Short and long runs each need a floor: several times
 * within one percent, and none lower that agree. Two of at least three visits must have it, and
 * both floors must be of one rhythm. If many windows are off the floor the code has several
 * rhythms, and many windows are needed. *cycles: per iteration, from the difference of the floors;
 * *spread: relative scatter of the floors. Rejects times below @least, which result from unequal
 * disturbance of short and long runs. Pure. */
bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread);
/* Discards, once, the plan and the windows of a loop that walks and has not settled after some
 * visits. A busy moment may have chosen too few copies (kernel_run.h). Pure. */
void kernel_passes_replan(struct kernel_passes *p);
/* Returns whether there are enough windows without a floor to conclude that there is none. Pure. */
bool kernel_passes_enough(const struct kernel_passes *p);
/* Returns the range of cycles per iteration of the middle four fifths of the windows. Pure; needs
 * at least one window. */
void kernel_passes_range(const struct kernel_passes *p, double *least, double *most);

/* Returns, after a timeout without floor, whether the middle four fifths of the windows of enough
 * visits are within 2 %. Any of them is then a result. *cycles: the median; *spread: their relative
 * range. Pure. */
bool kernel_passes_close(const struct kernel_passes *p, double *cycles, double *spread);

/* Sets err (ERR_LIMIT) to why there is no time yet: too few windows, or no agreement. Returns
 * false. */
bool kernel_passes_unsettled(const struct kernel_passes *p, struct err *err);

/* Visits the kernel until its times settle, for at most @seconds. @seek (may be NULL): moves to a
 * less busy CPU meanwhile. False with err: @insns cannot be measured (ERR_DATA), or the core is
 * contended or there is no stable time (ERR_LIMIT). In the latter case @out has the cycles of
 * kernel_passes_rough. */
bool kernel_measure(struct sandbox *s, const struct calibration *c, struct seek *seek,
                    const struct insn *insns, size_t count, double seconds,
                    struct kernel_measured *out, struct err *err);
/* Like kernel_measure, with a patience that suffices for most kernels. A typical kernel needs a
 * hundredth of this patience. */
bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                size_t count, struct kernel_measured *out, struct err *err);

#endif
