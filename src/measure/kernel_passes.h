/* Combines visits to a kernel at different times. A time is a result only if a second visit
 * confirms it. */
#ifndef PORTOLAN_MEASURE_KERNEL_PASSES_H
#define PORTOLAN_MEASURE_KERNEL_PASSES_H

#include <stdbool.h>

#include "measure/kernel_run.h"
#include "measure/seek.h"

#define KERNEL_PASSES_WINDOWS 256

struct kernel_passes {
    struct kernel_plan plan;
    /* smallest possible number of cycles per iteration (kernel_least_cycles); 0: unknown */
    double least;
    /* number of iterations of the long run minus that of the short run */
    double between;
    /* cycles of the short and of the long run, for each accepted window */
    float shorter[KERNEL_PASSES_WINDOWS], longer[KERNEL_PASSES_WINDOWS];
    unsigned char visit[KERNEL_PASSES_WINDOWS];
    /* @count: number of windows. @visits: number of visits with an accepted window */
    unsigned count, visits;
    unsigned plans;                                   /* number of discarded plans */
};

/* Returns a lower limit of the cycles of @count instructions. The core executes at most twice the
 * measured nops per cycle, because two instructions may fuse. Returns 0 under an emulator, or if
 * that rate is unknown. Pure. */
double kernel_least_cycles(const struct calibration *c, size_t count);
/* Adds the results of one visit. Pure. */
void kernel_passes_add(struct kernel_passes *p, const struct kernel_measured *m);
/* Returns whether the times have settled. Short and long runs each need a floor: lowest times of
 * which several agree within one percent. At least two of three visits must have times on each
 * floor. Both floors must belong to one rhythm (a stable time of the loop). Many windows above the
 * floor indicate several rhythms, which need more windows. Sets *@cycles to the cycles per
 * iteration from the difference of the floors, and *@spread to their relative scatter. Rejects
 * cycles below @least, which result from unequal disturbance of short and long runs. Pure. */
bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread);
/* Discards the plan and the windows of a loop that walks through memory, if it has not settled
 * after some visits. Does so at most once. Contention may have caused a plan with too few copies
 * (kernel_run.h). Pure. */
void kernel_passes_replan(struct kernel_passes *p);
/* Returns whether there are so many windows that a kernel without a floor has no stable time.
 * Pure. */
bool kernel_passes_enough(const struct kernel_passes *p);
/* Computes the range of cycles per iteration in the middle four fifths of the windows. Needs at
 * least one window. Pure. */
void kernel_passes_range(const struct kernel_passes *p, double *least, double *most);

/* Returns whether there are enough visits, and the middle four fifths of the windows are within 2
 * %. The median must be at least @least. With enough visits, sets *@cycles to the median and
 * *@spread to the relative range. Used after a timeout if there is no floor. Pure. */
bool kernel_passes_close(const struct kernel_passes *p, double *cycles, double *spread);

/* Sets err (ERR_LIMIT) to the reason why there is no time yet: too few windows, or windows that
 * disagree. Returns false. */
bool kernel_passes_unsettled(const struct kernel_passes *p, struct err *err);

/* Visits the kernel until its times settle, for at most @seconds. Between visits, @seek (may be
 * NULL) moves to a less busy CPU. Returns false with err: ERR_DATA if @insns cannot be measured,
 * ERR_LIMIT if the core is contended or there is no stable time. With ERR_LIMIT, @out has the
 * unconfirmed cycles or NaN. */
bool kernel_measure(struct sandbox *s, const struct calibration *c, struct seek *seek,
                    const struct insn *insns, size_t count, double seconds,
                    struct kernel_measured *out, struct err *err);
/* Measures like kernel_measure, with a fixed patience of about a hundred times the usual time. */
bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                size_t count, struct kernel_measured *out, struct err *err);

#endif
