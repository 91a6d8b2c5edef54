/* Combines several visits to a kernel, apart in time: times from one idle stretch count when
 * another one confirms them. */
#ifndef PORTOLAN_MEASURE_KERNEL_PASSES_H
#define PORTOLAN_MEASURE_KERNEL_PASSES_H

#include <stdbool.h>

#include "measure/kernel_run.h"
#include "measure/seek.h"

#define KERNEL_PASSES_WINDOWS 256

struct kernel_passes {
    struct kernel_plan plan;
    /* cycles per iteration: below, a time is wrong (kernel_least_cycles); 0: not known */
    double least;
    /* iterations of the kernel that a long run has more than a short one */
    double between;
    /* cycles of the runs of the accepted windows */
    float shorter[KERNEL_PASSES_WINDOWS], longer[KERNEL_PASSES_WINDOWS];
    unsigned char visit[KERNEL_PASSES_WINDOWS];
    unsigned count, visits;                           /* visits: those that brought a window */
    unsigned plans;                                   /* that were given up */
};

/* Least cycles of @count instructions: a CPU with a measured number of nops per cycle runs no more
 * than twice as many others, two of them fused. 0 if an emulator keeps the time. Pure. */
double kernel_least_cycles(const struct calibration *c, size_t count);
/* Takes over what one visit saw. Pure. */
void kernel_passes_add(struct kernel_passes *p, const struct kernel_measured *m);
/* True when the times settle: for short and for long runs alike a floor (several within one
 * percent, none that agree below it) that two visits share, both of one rhythm. Loops that walk
 * through memory are visited three times at least, since their times differ by visit. Where many
 * windows lie elsewhere, the code has several rhythms, and the floor is only looked for among many
 * windows. *cycles: per iteration, the long floor less the short one; *spread: how far the times of
 * the floors lie apart, relative to it. Pure. A time below least is none: then others had slowed
 * short runs and long ones by different amounts. */
bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread);
/* Gives up the plan of a loop that walks and has not settled after some visits, once, with what was
 * seen by it: a busy moment may have chosen too few copies of it (kernel_run.h). Pure. */
void kernel_passes_replan(struct kernel_passes *p);
/* So much was seen without a floor that there is none. Pure. */
bool kernel_passes_enough(const struct kernel_passes *p);
/* Between which cycles per iteration four of five windows lie. Pure; there must be some. */
void kernel_passes_range(const struct kernel_passes *p, double *least, double *most);

/* Where patience ended before a floor showed: whether four of five windows of enough visits lie so
 * close (2 %) that any of them is an answer. *cycles: the middle one;
 * *spread: how far those four fifths lie apart, relative. Pure. */
bool kernel_passes_close(const struct kernel_passes *p, double *cycles, double *spread);

/* Says in err (ERR_LIMIT) why there is no time yet, and what was seen: too few windows, or none of
 * them agree. Returns false. */
bool kernel_passes_unsettled(const struct kernel_passes *p, struct err *err);

/* Visits until the times settle, for at most @seconds. @seek: moves to a quieter CPU on the way;
 * may be NULL. False with err saying why @insns cannot be measured (ERR_DATA), or that the core is
 * contended or that there is no stable time (ERR_LIMIT): then cycles of @out is what
 * kernel_passes_rough has. */
bool kernel_measure(struct sandbox *s, const struct calibration *c, struct seek *seek,
                    const struct insn *insns, size_t count, double seconds,
                    struct kernel_measured *out, struct err *err);
/* The same with the patience that most need: an ordinary kernel takes a hundredth of it. */
bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                size_t count, struct kernel_measured *out, struct err *err);

#endif
