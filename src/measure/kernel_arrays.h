/* A kernel over arrays of its own, as large as one likes: its pointers start where a plan says
 * (model/arrays.h), walk through memory that a child of the sandbox has for it, and start again at
 * the end of the arrays. */
#ifndef PORTOLAN_MEASURE_KERNEL_ARRAYS_H
#define PORTOLAN_MEASURE_KERNEL_ARRAYS_H

#include "isa/insn.h"
#include "measure/sandbox.h"
#include "model/arrays.h"
#include "model/memory_costs.h"

/* The arena of a sandbox, as the process that has it left it; zero-initialised at first. */
struct arena_state {
    uint64_t filled;             /* bytes that hold numbers, or did */
    struct arrays_fill pattern;  /* what was filled last; bytes 0: nothing else than numbers */
    int process;
    /* ticks of the clock's chain with hardly any instructions; 0: not known */
    double clock_least;
    unsigned begun;              /* measurements over arrays too large to be walked before */
    double clock, clock_at;      /* cycles per tick when last measured, and when (clock_seconds) */
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
    /* cycles per iteration about, which say how long a sample is: from the last measurement, or set
     * to what one of the same arrays had; 0: not known, and found first */
    double rough;
    uint64_t walked;             /* iterations of samples so far: where the next one goes on */
};

struct arrays_measured {
    /* per iteration: what an eighth of the samples took less than; of arrays beyond a core's own
     * caches a quarter */
    double cycles;
    double spread;               /* relative, from there to the middle one */
    double clock;                /* cycles per tick */
    /* by the system's clock, which is accurate to a percent for runs of a millisecond; NaN: too
     * short */
    double clock_hz;
    unsigned samples;
    uint64_t iterations;         /* in each */
};

/* Places the code in @s, which has an arena (sandbox_arena), after what the last sandbox_clear
 * began. False with err (ERR_DATA) when @insns cannot be run. */
bool kernel_arrays_begin(struct kernel_arrays *k, struct sandbox *s, struct arena_state *arena,
                         const struct insn *insns, size_t count, struct err *err);
/* Runs it over @arrays for about @seconds after filling them; 0: takes a few samples. False with
 * err: a fault, with its instruction (ERR_DATA), or a machine that is too busy (ERR_LIMIT). */
bool kernel_arrays_measure(struct kernel_arrays *k, const struct arrays *arrays, double seconds,
                           struct arrays_measured *out, struct err *err);

#endif
