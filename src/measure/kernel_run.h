/* Runs an unmodified kernel on this CPU: a basic block or loop body repeated, with memory mapped
 * where it touches it.
 *
 * The body is unrolled and looped with a counter in a register that it does not use (or in memory,
 * on x86-64), so that every register is the kernel's. Its closing branch leads to the next copy.
 * Base registers point to places of their own (1,088 bytes apart within their pages), index
 * registers hold 0. Others hold numbers that can be mapped, or 64, or small ones, whichever keeps
 * the pointers near longest. Pages that it touches are mapped on a fault, onto a few real ones that
 * stay in the first-level cache. The loop runs so few times that its pointers stay within those.
 * The registers are then set again, and the run is repeated. The difference of two loop counts is
 * the time. */
#ifndef PORTOLAN_MEASURE_KERNEL_RUN_H
#define PORTOLAN_MEASURE_KERNEL_RUN_H

#include "isa/insn.h"
#include "measure/calibrate.h"
#include "measure/kernel_code.h"

#define KERNEL_WINDOWS 48

/* How a kernel is run, found out at the first visit: the same at every other, so that their times
 * can be compared. */
struct kernel_plan {
    bool known;
    enum kernel_copies kind;   /* requested values; the rest is determined */
    unsigned values;        /* values of its registers that are in no address */
    unsigned copies;        /* of the kernel in the loop's body */
    uint64_t count;         /* iterations of that loop */
    unsigned passes;        /* number of copies */
    bool apart;             /* the copies' closing branches are kept apart (kernel_apart) */
    bool walks;             /* its pointers would leave the pages if it ran longer */
    unsigned pages;         /* touched */
    uint32_t offset;        /* of its code, if kernels stay in memory together */
    /* accesses to the free addresses around the vault, of SANDBOX_GUESSES */
    unsigned reached;
    /* cycles per iteration when it was explored, on a shared core: not confirmed, rarely too low */
    double rough;
};

struct kernel_measured {
    double cycles;          /* per iteration */
    double spread;          /* relative, of the measurements that agree */
    double clock_hz;
    unsigned repeats;       /* accepted windows */
    unsigned pages;         /* touched */
    unsigned iterations;    /* of the kernel in one run */
    double contended;       /* of all windows looked for, the share that others disturbed */
    /* it touches more pages than stay in the cache: addresses share lines */
    bool wraps;
    /* Of one visit: cycles of the short and the long run of each accepted window, and by how many
     * iterations of the kernel these differ. */
    float shorter[KERNEL_WINDOWS], longer[KERNEL_WINDOWS];
    unsigned windows;
    double between;
    /* the known block was off after it, each time: its windows were dropped, with the reason in
     * err */
    bool vain;
};

/* One visit: windows for at most @seconds, without a verdict on them (kernel_passes.h): cycles stay
 * NaN. *@plan is filled in when it is not known. False with err saying why @insns cannot be
 * measured (calls, indirect branches, system instructions, faults; with the instruction and its
 * line: ERR_DATA), or that no window was quiet or the known block after it was off (ERR_LIMIT). */
bool kernel_visit(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                  size_t count, double seconds, struct kernel_plan *plan,
                  struct kernel_measured *out, struct err *err);

/* A quick visit in the process that runs other variants of the same loop, whose code stays: one
 * look for a quiet moment. The first one tries @hint, a plan that another variant was found to run
 * by (NULL: none). The known block that shows that the process is sound is the caller's to run, for
 * all visits since the last one. */
bool kernel_visit_concurrent(struct sandbox *s, const struct calibration *c,
                             const struct insn *insns, size_t count, double seconds,
                             const struct kernel_plan *hint, struct kernel_plan *plan,
                             struct kernel_measured *out, struct err *err);

/* Runs the known block in the process of others' code: it validates all measurements there since
 * the last one. When it is off a few times in a row, *@off is set, all processes are ended, the
 * reference code is written again, and err has the reason (ERR_LIMIT: a busy core can cause that,
 * so a later visit may bring a value). False also when @until (clock_seconds) comes before a
 * verdict (ERR_LIMIT), or as sandbox_run. */
bool kernel_vouch(struct sandbox *s, const struct calibration *c, double until, bool *off,
                  struct err *err);

/* Says in err (ERR_DATA) @reason with the instruction that it is about, by its lines in the C file
 * and in the text where there are any; @at counts from 1, 0: none. Returns false. */
bool kernel_refuse(const struct insn *insns, unsigned at, const char *reason, struct err *err);

#endif
