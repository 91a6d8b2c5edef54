/* Runs a kernel over arrays of any size in the arena of a sandbox child. Pointers start according
 * to a plan (model/arrays.h), advance, and return to the start at the end of the arrays. */
#ifndef PORTOLAN_MEASURE_KERNEL_ARRAYS_H
#define PORTOLAN_MEASURE_KERNEL_ARRAYS_H

#include "isa/insn.h"
#include "measure/arena.h"
#include "measure/sandbox.h"
#include "model/arrays.h"
#include "model/memory_costs.h"

/* Code of several copies of the kernel at distances of @stride bytes */
struct arrays_code {
    unsigned copies;
    size_t stride;
    uint32_t offset;
};

/* Lengths of the sequence of copies. The longer the sequence, the less time the end of the loop
 * takes. Shorter sequences are for small arrays. */
enum arrays_length { ARRAYS_MANY, ARRAYS_FEW, ARRAYS_ONE, ARRAYS_LENGTHS };

/* A kernel in the sandbox. One thread. */
struct kernel_arrays {
    struct sandbox *sandbox;     /* sandbox of the runs, borrowed */
    struct arena_state *arena;   /* state of the sandbox's arena, borrowed */
    const struct insn *insns;    /* instructions of the loop, borrowed */
    size_t count, length;
    unsigned counter, vectors;
    /* code of adjacent copies, and of copies with separated branches (kernel_apart) */
    struct arrays_code code[2][ARRAYS_LENGTHS];
    /* @may_be_apart: whether there are two layouts and none is selected yet. @apart: whether the
     * layout with separated branches is selected. */
    bool may_be_apart, apart;
    bool plain_values;
    /* Estimated cycles per iteration, which determine the length of a sample. The last measurement
     * or the caller sets them. 0: the next measurement begins with an estimate. */
    double rough;
    /* number of iterations of all samples since the last walk, after which the next sample
     * begins */
    uint64_t walked;
};

struct arrays_measured {
    /* cycles per iteration: quantile 1/8 of the samples or, if the arrays exceed private caches,
     * the lower quartile */
    double cycles;
    double spread;               /* relative difference between the median and @cycles */
    double clock;                /* cycles per tick */
    /* Core clock in Hz, measured with the system's clock. In runs of a millisecond, it is accurate
     * to one percent. NaN: runs were too short. */
    double clock_hz;
    unsigned samples;
    uint64_t iterations;         /* number of iterations of one sample */
    bool contended;              /* whether most samples were taken during contention */
};

/* Adds the kernel's code to @s, which needs an arena (sandbox_arena). Call it after the last
 * sandbox_clear. Returns false with err (ERR_DATA) if @insns cannot run. */
bool kernel_arrays_begin(struct kernel_arrays *k, struct sandbox *s, struct arena_state *arena,
                         const struct insn *insns, size_t count, struct err *err);
/* Fills @arrays and runs the kernel over them for about @seconds (0: only a few samples). Returns
 * false with err: ERR_USAGE if the arrays are too small, ERR_DATA with the instruction that
 * faulted, or ERR_LIMIT if the core is contended. */
bool kernel_arrays_measure(struct kernel_arrays *k, const struct arrays *arrays, double seconds,
                           struct arrays_measured *out, struct err *err);

#endif
