/* Runs a kernel over arrays of any size: pointers start according to a plan (model/arrays.h), walk
 * through an arena of a sandbox child, and restart at the end of the arrays. */
#ifndef PORTOLAN_MEASURE_KERNEL_ARRAYS_H
#define PORTOLAN_MEASURE_KERNEL_ARRAYS_H

#include "isa/insn.h"
#include "measure/sandbox.h"
#include "model/arrays.h"
#include "model/memory_costs.h"

/* State of a sandbox's arena after its process's last use; zero-initialised. */
struct arena_state {
    uint64_t filled;             /* bytes that were filled with numbers */
    struct arrays_fill pattern;  /* last pattern filled in; bytes 0: numbers only */
    int process;
    /* ticks of the clock chain with few instructions; 0: unknown */
    double clock_least;
    unsigned begun;              /* measurements over arrays too large to be walked before */
    double clock, clock_at;      /* last measured cycles per tick, and its time (clock_seconds) */
};

/* Copies of the kernel in sequence, @stride bytes each. */
struct arrays_code {
    unsigned copies;
    size_t stride;
    uint32_t offset;
};

/* Of copies in sequence: many, so that the loop's own end is little, and fewer for arrays that end
 * before. */
enum arrays_length { ARRAYS_MANY, ARRAYS_FEW, ARRAYS_ONE, ARRAYS_LENGTHS };

/* A kernel in the sandbox. One thread. */
struct kernel_arrays {
    struct sandbox *sandbox;     /* borrowed */
    struct arena_state *arena;   /* borrowed */
    const struct insn *insns;    /* borrowed */
    size_t count, length;
    unsigned counter, vectors;
    /* one after the other, and with their closing branches apart (kernel_apart) */
    struct arrays_code code[2][ARRAYS_LENGTHS];
    bool may_be_apart, apart;    /* which is not known before the first measurement */
    bool plain_values;
    /* approximate cycles per iteration, which determine the length of a sample: from the last
     * measurement, or set from another one; 0: unknown, measured first */
    double rough;
    uint64_t walked;             /* iterations of samples so far, where the next one continues */
};

struct arrays_measured {
    /* per iteration: the lower eighth of the samples; beyond private caches the lower quartile */
    double cycles;
    double spread;               /* relative, from there to the median */
    double clock;                /* cycles per tick */
    /* by the system's clock, accurate to a percent for runs of a millisecond; NaN: too short */
    double clock_hz;
    unsigned samples;
    uint64_t iterations;         /* per sample */
};

/* Places the code in @s, which has an arena (sandbox_arena), after the last sandbox_clear. False
 * with err (ERR_DATA) when @insns cannot run. */
bool kernel_arrays_begin(struct kernel_arrays *k, struct sandbox *s, struct arena_state *arena,
                         const struct insn *insns, size_t count, struct err *err);
/* Runs it over @arrays for about @seconds after filling them; 0: a few samples. False with err: a
 * fault, with its instruction (ERR_DATA), or a busy machine (ERR_LIMIT). */
bool kernel_arrays_measure(struct kernel_arrays *k, const struct arrays *arrays, double seconds,
                           struct arrays_measured *out, struct err *err);

#endif
