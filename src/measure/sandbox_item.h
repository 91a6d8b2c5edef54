/* What the sandbox runs, and what comes of it (measure/sandbox.h). */
#ifndef PORTOLAN_MEASURE_SANDBOX_ITEM_H
#define PORTOLAN_MEASURE_SANDBOX_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/arch.h"
#include "measure/window.h"

#define SANDBOX_ENDLESS 0.3       /* seconds of processor time in one run, without an answer */
#define SANDBOX_ITEMS 256        /* in one batch */
#define SANDBOX_RAW 64           /* samples of a raw item */
#define SANDBOX_PAGES 512        /* pages mapped on demand for one item */
/* Limits for code that searches for the vault, whose pages lie at a random place among unmapped
 * addresses (docs/security.md): an access that misses ends its run, and several end a block for
 * good. */
#define SANDBOX_GUESSES 4
/* of 4 KiB at most, that can be read and written there; pages that are larger are fewer */
#define SANDBOX_VAULT_PAGES 24
#define SANDBOX_VAULT_BITS 46    /* of addresses to choose from, if the system has as many */

enum sandbox_fault {
    FAULT_NONE,
    FAULT_ILLEGAL,
    FAULT_ARITHMETIC,
    FAULT_SEGMENT,
    FAULT_BUS,
    FAULT_TRAP,
    FAULT_ENDLESS,
    FAULT_SYSTEM_CALL,
    FAULT_KILLED,
    FAULT_ADDRESS,
    FAULT_PAGES,
    FAULT_PROTECTION,
    FAULT_ANSWER,
    FAULT_STARVED,
    FAULT_RESERVED,
    FAULT_COUNT,
};

/* "SIGILL: illegal instruction" and so on. */
const char *sandbox_fault_text(unsigned fault);

enum sandbox_mode { SANDBOX_WINDOWS, SANDBOX_RAW_TICKS, SANDBOX_STATES, SANDBOX_FILL };

/* Fill pattern of the arena: memory for foreign code besides its pages. */
enum sandbox_fill_kind {
    SANDBOX_FILL_VALUE,     /* words of @value */
    SANDBOX_FILL_INDICES,   /* numbers of @unit bytes in no order, below @value */
    /* @places of @unit bytes: at @link bytes in each the address of another one, until all were
     * visited; 4 to 7 times a power of two */
    SANDBOX_FILL_RING,
};
struct sandbox_fill {
    uint32_t kind;
    uint32_t unit, link;
    /* from the beginning of the arena; of a ring the part that is filled now */
    uint64_t at, bytes;
    uint64_t value;
    uint64_t ring, places;  /* of a ring: where all of it begins, and how many places it has */
};
/* How much of the arena is filled at a time: what every child does well within the time that one
 * run of code has. */
#define SANDBOX_FILL_PART ((uint64_t)16 << 20)
/* unmapped guard on both sides; also the alignment of its beginning */
#define SANDBOX_ARENA_GUARD ((size_t)2 << 20)

/* Start values of registers and memory for foreign code that is run for its results. */
#define SANDBOX_WORDS 64
struct sandbox_start {
    uint64_t general[32];             /* by number */
    uint64_t vectors[SANDBOX_WORDS];  /* vector register i begins at the i-th */
    /* memory is filled with them repeatedly */
    uint64_t words[SANDBOX_WORDS];
};
#define SANDBOX_NO_OFFSET UINT32_MAX

struct sandbox_item {
    /* what to do */
    enum sandbox_mode mode;
    enum pulse_code code;        /* PULSE_ITEM, or one of the chains for raw items */
    uint32_t offset;             /* of the loop in the code area, from sandbox_add */
    /* code of others: registers as given below, pages mapped on demand, a child of its own */
    bool kernel;
    /* a body that others had a hand in: as own code, but in a child of its own, a new one for each
     * experiment (rivals 0) */
    bool foreign;
    unsigned counter;            /* kernel: enum sandbox_counter, as given to sandbox_add */
    bool difference;
    unsigned vectors;            /* enum vector_setup */
    /* the pointer to loads advances by this number of cache lines in turn, one step each run; 0: it
     * stays */
    unsigned load_places;
    unsigned executions;         /* of the experiment in one iteration */
    /* this number of items before it are the same experiment: when it is not faster, one window
     * suffices */
    unsigned rivals;
    /* it is run only if one of those took at most this many cycles per iteration; 0: always */
    double worth;
    /* raw: iterations; windows: the count to use, 0: as many as fill the window */
    uint64_t warm, count;
    unsigned samples;            /* raw */
    /* kernel: runs of the timed iterations, with registers set each time; ticks are of all */
    unsigned passes;
    bool plain_values;           /* kernel: vector registers hold 0 instead of numbers near 1 */
    uint64_t general[32];        /* kernel: by number, AArch64's sp is the last */
    /* its result */
    bool done;
    unsigned fault;              /* enum sandbox_fault */
    uint64_t fault_address;
    /* of the instruction in the code area; SANDBOX_NO_OFFSET: not known, or elsewhere */
    uint32_t fault_offset;
    unsigned pages;              /* mapped on demand */
    uint64_t ticks[SANDBOX_RAW];
    struct window_result result;
    double counter_cycles;       /* per iteration by the cycle counter; NaN without one */
};

/* Initial vector registers. x86-64: without AVX, with upper halves clean, 256 or 512 bits; AArch64:
 * v0 to v31, or z0 to z31 and the predicates. */
enum vector_setup { SETUP_SSE, SETUP_CLEAN, SETUP_YMM, SETUP_ZMM, SETUP_NEON = 0, SETUP_SVE = 1 };

/* Where a loop counts: in the register that bodies leave free, in memory (x86-64), or in general
 * register n (COUNTER_REGISTER + n). */
enum sandbox_counter { COUNTER_BODY, COUNTER_MEMORY, COUNTER_REGISTER };

#endif
