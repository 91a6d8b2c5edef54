/* Input and result of one sandbox run (measure/sandbox.h). */
#ifndef PORTOLAN_MEASURE_SANDBOX_ITEM_H
#define PORTOLAN_MEASURE_SANDBOX_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/arch.h"
#include "measure/window.h"

#define SANDBOX_ENDLESS 0.3       /* limit of CPU seconds for one run */
#define SANDBOX_ITEMS 256        /* most items per batch */
#define SANDBOX_RAW 64           /* most samples of a raw item */
#define SANDBOX_PAGES 512        /* most pages that faults map per item */
/* Limits for code that searches for the vault, whose pages are at a random address among unmapped
 * ones (docs/security.md). An access that misses ends the run, and several end the measurement of
 * the block. */
#define SANDBOX_GUESSES 4
/* most accessible pages of 4 KiB in the vault; fewer if pages are larger */
#define SANDBOX_VAULT_PAGES 24
/* address bits from which the vault's address is chosen, if the system has as many */
#define SANDBOX_VAULT_BITS 46

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

/* Returns "SIGILL: illegal instruction" and so on. */
const char *sandbox_fault_text(unsigned fault);

enum sandbox_mode { SANDBOX_WINDOWS, SANDBOX_RAW_TICKS, SANDBOX_STATES, SANDBOX_FILL };

/* Pattern of the arena: memory for foreign code in addition to its pages. */
enum sandbox_fill_kind {
    SANDBOX_FILL_VALUE,     /* fills memory with the words of @value */
    SANDBOX_FILL_INDICES,   /* random numbers of @unit bytes below @value */
    /* @places of @unit bytes; at offset @link each has the address of another. They form one ring.
     * Their number must be 4 to 7 times a power of two. */
    SANDBOX_FILL_RING,
};
struct sandbox_fill {
    uint32_t kind;
    uint32_t unit, link;
    /* offset in the arena and size of the part to fill */
    uint64_t at, bytes;
    uint64_t value;
    uint64_t ring, places;  /* for a ring: start and number of elements of the whole ring */
};
/* most bytes filled per call, which takes less than the time limit of one run */
#define SANDBOX_FILL_PART ((uint64_t)16 << 20)
/* unmapped guard on both sides; also the arena's alignment */
#define SANDBOX_ARENA_GUARD ((size_t)2 << 20)

/* Initial registers and memory for foreign code that runs for its results. */
#define SANDBOX_WORDS 64
struct sandbox_start {
    uint64_t general[32];             /* general registers by number */
    uint64_t vectors[SANDBOX_WORDS];  /* vector register i starts at word i */
    /* pattern with which memory is filled */
    uint64_t words[SANDBOX_WORDS];
};
#define SANDBOX_NO_OFFSET UINT32_MAX

struct sandbox_item {
    /* The caller sets the following members. */
    enum sandbox_mode mode;
    enum pulse_code code;        /* PULSE_ITEM, or one of the chains for raw items */
    uint32_t offset;             /* offset of the loop in the code area, from sandbox_add */
    /* foreign code: registers as below, pages mapped by faults, a separate child */
    bool kernel;
    /* A body with foreign forms: as own code but in a separate child, a new one per experiment
     * (rivals 0). */
    bool foreign;
    unsigned counter;            /* kernel: enum sandbox_counter, as passed to sandbox_add */
    bool difference;
    unsigned vectors;            /* initial values of vector registers, an enum vector_setup */
    /* cache lines by which the load pointer advances per run, cyclically; 0: it does not move */
    unsigned load_places;
    unsigned executions;         /* executions of the experiment per iteration */
    /* Number of preceding items of the same experiment. If this one is not faster than they are,
     * one window suffices. */
    unsigned rivals;
    /* runs only if a preceding rival took at most these cycles per iteration; 0: always */
    double worth;
    /* raw: iterations of warm-up and of the timed part; windows: count to use, 0: fills the
     * window */
    uint64_t warm, count;
    unsigned samples;            /* number of samples of a raw item */
    /* kernel: repetitions of the timed iterations, with registers set again before each; ticks
     * cover all */
    unsigned passes;
    bool plain_values;           /* kernel: vector registers are 0 instead of near 1 */
    uint64_t general[32];        /* kernel: by register number; AArch64's sp is the last */
    /* The sandbox sets the following members. */
    bool done;
    unsigned fault;              /* reason, an enum sandbox_fault */
    uint64_t fault_address;
    /* offset of the faulting instruction in the code area; SANDBOX_NO_OFFSET: unknown or outside */
    uint32_t fault_offset;
    unsigned pages;              /* number of pages that faults mapped */
    uint64_t ticks[SANDBOX_RAW];
    struct window_result result;
    /* cycles per iteration by the hardware counter; NaN without a counter */
    double counter_cycles;
};

/* Initial vector registers. x86-64: SSE only, clean upper halves, 256 or 512 bits. AArch64: v0 to
 * v31, or z0 to z31 and predicates. */
enum vector_setup { SETUP_SSE, SETUP_CLEAN, SETUP_YMM, SETUP_ZMM, SETUP_NEON = 0, SETUP_SVE = 1 };

/* Loop counter: a register that bodies do not use, memory (x86-64), or general register n
 * (COUNTER_REGISTER + n). */
enum sandbox_counter { COUNTER_BODY, COUNTER_MEMORY, COUNTER_REGISTER };

#endif
