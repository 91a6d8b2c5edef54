/* Runs an unmodified kernel on this CPU: a block or loop body, repeated, with memory mapped where
 * it accesses it. The body is unrolled and looped with a counter in a free register (or in memory,
 * on x86-64), so that the kernel has every register. Its closing branch goes to the next copy. Base
 * registers point to separate places (1,088 bytes apart within their pages); index registers are 0.
 * Others hold mappable numbers, or 64, or small ones, whichever keeps the pointers near for
 * longest. Accessed pages are mapped on a fault to a few physical ones that stay in the first-level
 * cache. The loop runs only as long as its pointers stay within those; then the registers are set
 * again and the run is repeated. The time is the difference of two loop counts. */
#ifndef PORTOLAN_MEASURE_KERNEL_RUN_H
#define PORTOLAN_MEASURE_KERNEL_RUN_H

#include "isa/insn.h"
#include "measure/calibrate.h"
#include "measure/kernel_code.h"

#define KERNEL_WINDOWS 48

/* Plan of a kernel's runs: determined at the first visit and reused, so that times are
 * comparable. */
struct kernel_plan {
    bool known;
    enum kernel_copies kind;   /* requested; the rest is determined */
    unsigned values;        /* values of registers outside addresses */
    unsigned copies;        /* in the loop's body */
    uint64_t count;         /* iterations of that loop */
    unsigned passes;        /* number of copies */
    bool apart;             /* the copies' closing branches are separated (kernel_apart) */
    bool walks;             /* its pointers would leave the pages in longer runs */
    unsigned pages;         /* touched */
    uint32_t offset;        /* of its code, if kernels stay in memory together */
    /* accesses to the free addresses around the vault, at most SANDBOX_GUESSES */
    unsigned reached;
    /* cycles per iteration on a shared core during exploration: unconfirmed, rarely too low */
    double rough;
};

struct kernel_measured {
    double cycles;          /* per iteration */
    double spread;          /* relative, of the agreeing measurements */
    double clock_hz;
    unsigned repeats;       /* accepted windows */
    unsigned pages;         /* touched */
    unsigned iterations;    /* of the kernel per run */
    double contended;       /* share of contended windows */
    /* it touches more pages than stay in the cache: lines alias */
    bool wraps;
    /* Results of one visit: cycles of the short and long run per accepted window, and the
     * iterations by which they differ. */
    float shorter[KERNEL_WINDOWS], longer[KERNEL_WINDOWS];
    unsigned windows;
    double between;
    /* the reference block was off after each attempt: windows were dropped, with the reason in
     * err */
    bool vain;
};

/* Collects windows for at most @seconds, without judging them (kernel_passes.h): cycles stay NaN.
 * Fills *@plan if unknown. False with err: @insns cannot be measured (calls, indirect branches,
 * system instructions, faults; with instruction and line: ERR_DATA), or no window was idle or the
 * reference block was off (ERR_LIMIT). */
bool kernel_visit(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                  size_t count, double seconds, struct kernel_plan *plan,
                  struct kernel_measured *out, struct err *err);

/* A quick visit in the process that holds other variants of the loop: a single attempt. The first
 * one tries @hint, another variant's plan (NULL: none). The caller runs the reference block for all
 * visits since the last one. */
bool kernel_visit_concurrent(struct sandbox *s, const struct calibration *c,
                             const struct insn *insns, size_t count, double seconds,
                             const struct kernel_plan *hint, struct kernel_plan *plan,
                             struct kernel_measured *out, struct err *err);

/* Runs the reference block in the process of foreign code: it validates all measurements there
 * since the last one. When it is off repeatedly, sets *@off, ends all processes, rewrites the
 * reference code, and reports in err (ERR_LIMIT: a busy core can cause it, so a later visit may
 * succeed). False also at @until (clock_seconds) without a verdict (ERR_LIMIT), or as
 * sandbox_run. */
bool kernel_vouch(struct sandbox *s, const struct calibration *c, double until, bool *off,
                  struct err *err);

/* Reports @reason in err (ERR_DATA) with the instruction concerned, by its lines in the C file and
 * the text; @at counts from 1, 0: none. Returns false. */
bool kernel_refuse(const struct insn *insns, unsigned at, const char *reason, struct err *err);

#endif
