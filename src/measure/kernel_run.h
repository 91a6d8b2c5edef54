/* Runs an unmodified kernel (a repeated block or loop body) on this CPU, with memory mapped
 * wherever the kernel accesses it. The body is unrolled and looped. The loop counter is in an
 * unused register, or on x86-64 in memory, because the kernel may use every register. The closing
 * branch of a copy leads to the next copy. Base registers point to separate addresses (1,088 bytes
 * apart within their pages), and index registers are 0. Other registers have mappable addresses,
 * 64, or small numbers. The kind of values with which pointers stay longest within their pages is
 * used. A fault maps the accessed page to one of a few memory pages that stay in the first-level
 * cache. A pass ends before its pointers leave these pages. Then the registers are set again, and
 * the pass is repeated. The time per iteration follows from runs with two loop counts. */
#ifndef PORTOLAN_MEASURE_KERNEL_RUN_H
#define PORTOLAN_MEASURE_KERNEL_RUN_H

#include "isa/insn.h"
#include "measure/calibrate.h"
#include "measure/kernel_code.h"

#define KERNEL_WINDOWS 48

/* Plan of a kernel's runs. The first visit determines it. Later visits reuse it, so times are
 * comparable. */
struct kernel_plan {
    bool known;
    enum kernel_copies kind;   /* kind of copies, set by the caller; the first visit sets all other
                                * members */
    unsigned values;        /* kind of values (enum values) of registers that no address uses */
    unsigned copies;        /* number of copies of the kernel in the loop's body */
    uint64_t count;         /* number of iterations of the loop in a pass */
    /* number of passes in a run; each pass begins with the same register values */
    unsigned passes;
    bool apart;             /* whether the copies' closing branches are separated (kernel_apart) */
    bool walks;             /* whether a longer run would leave the pages */
    unsigned pages;         /* number of pages that the kernel touches */
    /* offset of the code in the code area, after earlier kernels that remain there */
    uint32_t offset;
    /* number of accesses to reserved addresses around the vault, at most SANDBOX_GUESSES */
    unsigned reached;
    /* Unconfirmed cycles per iteration on a shared core, measured while planning; rarely too low */
    double rough;
};

struct kernel_measured {
    double cycles;          /* cycles per iteration */
    double spread;          /* relative range of the agreeing measurements */
    double clock_hz;
    unsigned repeats;       /* number of accepted windows */
    unsigned pages;         /* number of pages that the kernel touches */
    unsigned iterations;    /* number of iterations of the kernel in a run */
    double contended;       /* share of windows with contention */
    /* whether the kernel touches more pages than there are real pages; different addresses then
     * share a real line */
    bool wraps;
    /* accepted windows of one visit: cycles in the short and in the long run, and the difference of
     * their iterations */
    float shorter[KERNEL_WINDOWS], longer[KERNEL_WINDOWS];
    unsigned windows;
    double between;
    /* Whether the reference block had a wrong time in each attempt. All windows were then
     * discarded; the reason is in err. */
    bool vain;
};

/* Collects windows for at most @seconds. Leaves the cycles NaN; kernel_passes.h computes them from
 * the windows. Fills *@plan if it is unknown. Returns false with err: ERR_DATA, with instruction
 * and line, if @insns cannot be measured (calls, indirect branches, system instructions, faults);
 * ERR_LIMIT if no window was idle or the reference block was wrong. */
bool kernel_visit(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                  size_t count, double seconds, struct kernel_plan *plan,
                  struct kernel_measured *out, struct err *err);

/* Visits a kernel with a single attempt, in the process that all variants of the loop share. The
 * first visit tries @hint, the plan of another variant (may be NULL). Afterwards the caller must
 * run the reference block (kernel_vouch), which validates all visits since its last run. Returns
 * false with err on failure. */
bool kernel_visit_concurrent(struct sandbox *s, const struct calibration *c,
                             const struct insn *insns, size_t count, double seconds,
                             const struct kernel_plan *hint, struct kernel_plan *plan,
                             struct kernel_measured *out, struct err *err);

/* Runs the reference block in the process of foreign code, to validate all measurements in it since
 * the last one. Sets *@off to whether its time is wrong repeatedly. If so, ends all processes,
 * rewrites the reference code, and returns false with ERR_LIMIT. If the cause is a busy core, a
 * later visit may succeed. Also returns false with ERR_LIMIT at @until (clock_seconds), and with
 * the err of sandbox_run. */
bool kernel_vouch(struct sandbox *s, const struct calibration *c, double until, bool *off,
                  struct err *err);

/* Sets err (ERR_DATA) to @reason with the text of instruction @at (from 1; 0: none) and its lines
 * in the C file. Returns false. */
bool kernel_refuse(const struct insn *insns, unsigned at, const char *reason, struct err *err);

#endif
