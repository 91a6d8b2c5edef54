/* Runs a kernel over arrays of any size. Pointers start according to a plan (model/arrays.h), walk
 * through an arena of a sandbox child, and restart at the end of the arrays. */
#ifndef PORTOLAN_MEASURE_KERNEL_ARRAYS_H
#define PORTOLAN_MEASURE_KERNEL_ARRAYS_H

#include "isa/insn.h"
#include "measure/sandbox.h"
#include "model/arrays.h"
#include "model/memory_costs.h"

/* State of a sandbox's arena after the last use by its process. Zero-initialised. */
struct arena_state {
    uint64_t filled;             /* bytes that are filled with numbers */
    struct arrays_fill pattern;  /* last pattern that was written; bytes 0: numbers only */
    int process;
    /* least ticks of the short clock chain; 0: unknown */
    double clock_least;
    unsigned begun;              /* number of measurements with arrays too large for a walk */
    double clock, clock_at;      /* cycles per tick as last measured, and when (clock_seconds) */
};

/* Copies of the kernel in sequence, with a distance of @stride bytes. */
struct arrays_code {
    unsigned copies;
    size_t stride;
    uint32_t offset;
};

/* Number of copies in sequence: many, which makes the cost of the loop's end small, and fewer for
 * arrays that end earlier. */
enum arrays_length { ARRAYS_MANY, ARRAYS_FEW, ARRAYS_ONE, ARRAYS_LENGTHS };

/* A kernel in the sandbox. One thread. */
struct kernel_arrays {
    struct sandbox *sandbox;     /* sandbox of the runs, borrowed */
    struct arena_state *arena;   /* state of its arena, borrowed */
    const struct insn *insns;    /* instructions of the loop, borrowed */
    size_t count, length;
    unsigned counter, vectors;
    /* code of adjacent copies, and of copies with separated closing branches (kernel_apart) */
    struct arrays_code code[2][ARRAYS_LENGTHS];
    /* both layouts exist and none is selected yet; separated copies are selected */
    bool may_be_apart, apart;
    bool plain_values;
    /* Approximate cycles per iteration, which determine the length of a sample: from the last
     * measurement, or set by the caller. 0: unknown, measured first. */
    double rough;
    /* iterations of all samples so far, after which the next sample begins */
    uint64_t walked;
};

struct arrays_measured {
    /* cycles per iteration: lower eighth of the samples; with arrays beyond private caches the
     * lower quartile */
    double cycles;
    double spread;               /* relative difference between cycles and the median */
    double clock;                /* cycles per tick */
    /* Core clock by the system's clock, in Hz, accurate to a percent for runs of a millisecond.
     * NaN: runs were too short. */
    double clock_hz;
    unsigned samples;
    uint64_t iterations;         /* iterations per sample */
};

/* Adds the code to @s, which has an arena (sandbox_arena), after the last sandbox_clear. False with
 * err (ERR_DATA) if @insns cannot run. */
bool kernel_arrays_begin(struct kernel_arrays *k, struct sandbox *s, struct arena_state *arena,
                         const struct insn *insns, size_t count, struct err *err);
/* Fills @arrays and runs the kernel over them for about @seconds; 0: a few samples. False with err:
 * a fault, with its instruction (ERR_DATA), or a busy machine (ERR_LIMIT). */
bool kernel_arrays_measure(struct kernel_arrays *k, const struct arrays *arrays, double seconds,
                           struct arrays_measured *out, struct err *err);

#endif
