/* Runs an unmodified kernel on this CPU: a repeated block or loop body, with memory mapped where
 * the kernel accesses it. The body is unrolled and looped. The loop counter is in a free register.
 * On x86-64 it may be in memory; the kernel may then use every register. The closing branch of a
 * copy leads to the next copy. Base registers point to separate addresses (1,088 bytes apart within
 * their pages); index registers are 0. Other registers have mappable numbers, or 64, or small
 * numbers, whichever keeps the pointers near for longest. A fault maps the accessed page to one of
 * a few memory pages that stay in the first-level cache. The loop runs only as long as its pointers
 * stay within these pages. Then the registers are set again and the run is repeated. The time is
 * the difference of two loop counts. */
#ifndef PORTOLAN_MEASURE_KERNEL_RUN_H
#define PORTOLAN_MEASURE_KERNEL_RUN_H

#include "isa/insn.h"
#include "measure/calibrate.h"
#include "measure/kernel_code.h"

#define KERNEL_WINDOWS 48

/* Plan of a kernel's runs. The first visit determines it and later visits reuse it, so that times
 * are comparable. */
struct kernel_plan {
    bool known;
    enum kernel_copies kind;   /* requested by the caller; all other members are determined */
    unsigned values;        /* enum values: kind of values of registers outside of addresses */
    unsigned copies;        /* copies of the kernel in the loop's body */
    uint64_t count;         /* iterations of that loop in a pass */
    unsigned passes;        /* passes per run; each begins with the same registers */
    bool apart;             /* whether the copies' closing branches are separated (kernel_apart) */
    bool walks;             /* whether pointers would leave the pages in longer runs */
    unsigned pages;         /* number of pages that the kernel touches */
    uint32_t offset;        /* offset of the code, if kernels stay in memory together */
    /* accesses to free addresses around the vault, at most SANDBOX_GUESSES */
    unsigned reached;
    /* Cycles per iteration during exploration on a shared core: unconfirmed, rarely too low. */
    double rough;
};

struct kernel_measured {
    double cycles;          /* cycles per iteration */
    double spread;          /* relative spread of the measurements that agree */
    double clock_hz;
    unsigned repeats;       /* number of accepted windows */
    unsigned pages;         /* number of pages that the kernel touches */
    unsigned iterations;    /* iterations of the kernel per run */
    double contended;       /* share of windows with contention */
    /* the kernel touches more pages than stay in the cache, so lines alias */
    bool wraps;
    /* Results of one visit: cycles of the short and long run per accepted window, and the number of
     * iterations by which they differ. */
    float shorter[KERNEL_WINDOWS], longer[KERNEL_WINDOWS];
    unsigned windows;
    double between;
    /* The reference block was wrong after each attempt. All windows were discarded, with the reason
     * in err. */
    bool vain;
};

/* Collects windows for at most @seconds without judging them (kernel_passes.h), so cycles are NaN.
 * Fills *@plan if unknown. False with err: @insns cannot be measured (calls, indirect branches,
 * system instructions, faults; with instruction and line: ERR_DATA), or no window was idle or the
 * reference block was wrong (ERR_LIMIT). */
bool kernel_visit(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                  size_t count, double seconds, struct kernel_plan *plan,
                  struct kernel_measured *out, struct err *err);

/* Visits a kernel quickly in the process of other variants of the loop, with a single attempt. The
 * first visit tries @hint, another variant's plan (NULL: none). The caller must then run the
 * reference block, which validates all visits since the last one. */
bool kernel_visit_concurrent(struct sandbox *s, const struct calibration *c,
                             const struct insn *insns, size_t count, double seconds,
                             const struct kernel_plan *hint, struct kernel_plan *plan,
                             struct kernel_measured *out, struct err *err);

/* Runs the reference block in the process of foreign code. It validates all measurements there
 * since the last one. If it is wrong repeatedly, sets *@off, ends all processes, rewrites the
 * reference code, and sets err. The code is ERR_LIMIT because a busy core can cause it and a later
 * visit may succeed. Also false without a result at @until (clock_seconds; ERR_LIMIT), or as
 * sandbox_run. */
bool kernel_vouch(struct sandbox *s, const struct calibration *c, double until, bool *off,
                  struct err *err);

/* Sets err (ERR_DATA) to @reason with the instruction concerned, its text and its lines in the C
 * file. @at: 1-based number; 0: none. Returns false. */
bool kernel_refuse(const struct insn *insns, unsigned at, const char *reason, struct err *err);

#endif
