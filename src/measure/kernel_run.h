/* A kernel as it stands, on this CPU: a basic block or loop body repeated, its memory mapped where it touches it.
 *
 * The body is unrolled and looped with a counter in a register that it does not use (or in memory, on x86-64), so that every register is the kernel's; its closing branch
 * stays but leads to the next copy.
 * Registers that serve as base of an address point to places of their own (1,088 bytes apart within their pages), index registers hold 0, others numbers
 * that can be mapped too, or 64, or small ones, whichever lets the pointers stay near longest. Pages that it touches are mapped when it faults, onto a few real ones that stay in the first-level cache. The loop is run so few times
 * that its pointers stay within those, the registers are set anew, and that is repeated; the difference of two loop counts is what it takes. */
#ifndef PORTOLAN_MEASURE_KERNEL_RUN_H
#define PORTOLAN_MEASURE_KERNEL_RUN_H

#include "isa/insn.h"
#include "measure/calibrate.h"
#include "measure/kernel_code.h"

#define KERNEL_VALUES 24

struct kernel_measured {
    double cycles;          /* per iteration */
    double spread;          /* relative, of the measurements that agree */
    double clock_hz;
    unsigned repeats;       /* accepted windows */
    unsigned pages;         /* touched */
    unsigned iterations;    /* of the kernel in one run */
    float values[KERNEL_VALUES];   /* cycles per iteration of the accepted windows, the first ones; also when they were not enough for a value */
    unsigned value_count;
    double contended;       /* of all windows looked for, those that somebody disturbed */
    bool wraps;             /* it touches more pages than stay in the cache: addresses share lines */
};

/* False with err saying why @insns cannot be measured (calls, indirect branches, system instructions, faults; with the instruction and its line) or that the
 * machine is too busy. */
bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns, size_t count, struct kernel_measured *out, struct err *err);
/* The same with so many seconds of patience instead of a little more than one. */
bool kernel_run_within(struct sandbox *s, const struct calibration *c, const struct insn *insns, size_t count, double seconds, struct kernel_measured *out, struct err *err);

#endif
