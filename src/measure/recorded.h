/* Runs recorded iterations of a loop in the arena of a sandbox. Branches take their recorded
 * directions, and accesses go to their recorded addresses. Neither depends on the contents of
 * registers. Branches and accesses still wait for the registers on which they depend.
 * Mispredictions, cache misses and TLB misses therefore occur as in the program, and the loop can
 * be measured with a change. x86-64. One thread. */
#ifndef PORTOLAN_MEASURE_RECORDED_H
#define PORTOLAN_MEASURE_RECORDED_H

#include "measure/recording.h"
#include "measure/sandbox.h"

/* Changes of the loop. RECORDED_WITHOUT: one instruction other than a branch is omitted.
 * RECORDED_NEAR: all accesses of an instruction (index RECORDED_OUT: of each instruction) go to
 * one line. RECORDED_SORTED: the iterations are sorted by the direction of a branch. */
enum recorded_kind { RECORDED_UNCHANGED, RECORDED_WITHOUT, RECORDED_NEAR, RECORDED_SORTED };

struct recorded_change {
    enum recorded_kind kind;
    uint32_t at; /* index of the instruction */
};

struct recorded_time {
    /* cycles per iteration: quantile 1/8 of the runs. NaN: the loop has no time with this change,
     * because the loop faults, the instruction determines a branch, or a prefetcher hides the
     * accesses. */
    double cycles;
    double spread; /* relative distance from @cycles to the lower quartile */
};

/* Measures the loop with each of @count changes for about @seconds in total. @huge: whether to use
 * pages of 2 MiB instead of 4 KiB. Sets *@huge_share to the share of memory on such pages. Returns
 * false with err: ERR_DATA if the loop cannot run in this way, ERR_LIMIT if the core is
 * contended. */
bool recorded_measure(struct sandbox *s, const struct recording *r, bool huge,
                      const struct recorded_change *changes, size_t count, double seconds,
                      struct recorded_time *times, double *huge_share, struct err *err);

#endif
