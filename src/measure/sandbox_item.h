/* Input and result of a sandbox run (measure/sandbox.h). */
#ifndef PORTOLAN_MEASURE_SANDBOX_ITEM_H
#define PORTOLAN_MEASURE_SANDBOX_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/arch.h"
#include "measure/window.h"

#define SANDBOX_ENDLESS 0.3       /* CPU seconds of one run without an answer */
#define SANDBOX_ITEMS 256        /* per batch */
#define SANDBOX_RAW 64           /* samples of a raw item */
#define SANDBOX_PAGES 512        /* mapped on demand per item */
/* Limits for code that searches for the vault, whose pages are at a random place among unmapped
 * addresses (docs/security.md): an access that misses ends the run, and several end a block for
 * good. */
#define SANDBOX_GUESSES 4
/* accessible pages of 4 KiB there, at most; fewer if pages are larger */
#define SANDBOX_VAULT_PAGES 24
#define SANDBOX_VAULT_BITS 46    /* bits of addresses to choose from, if the system has as many */

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

/* Pattern of the arena: memory for foreign code besides its pages. */
enum sandbox_fill_kind {
    SANDBOX_FILL_VALUE,     /* words of @value */
    SANDBOX_FILL_INDICES,   /* random numbers of @unit bytes below @value */
    /* @places of @unit bytes: at @link bytes in each the address of another, visiting all; 4 to 7
     * times a power of two */
    SANDBOX_FILL_RING,
};
struct sandbox_fill {
    uint32_t kind;
    uint32_t unit, link;
    /* offset in the arena; for a ring the part filled now */
    uint64_t at, bytes;
    uint64_t value;
    uint64_t ring, places;  /* for a ring: start and number of places of the whole */
};
/* Bytes filled per call: less than the time limit of one run. */
#define SANDBOX_FILL_PART ((uint64_t)16 << 20)
/* unmapped guard on both sides, also the arena's alignment */
#define SANDBOX_ARENA_GUARD ((size_t)2 << 20)

/* Initial registers and memory for foreign code that runs for its results. */
#define SANDBOX_WORDS 64
struct sandbox_start {
    uint64_t general[32];             /* by number */
    uint64_t vectors[SANDBOX_WORDS];  /* vector register i starts at the i-th */
    /* memory is filled with them repeatedly */
    uint64_t words[SANDBOX_WORDS];
};
#define SANDBOX_NO_OFFSET UINT32_MAX

struct sandbox_item {
    /* operation */
    enum sandbox_mode mode;
    enum pulse_code code;        /* PULSE_ITEM, or one of the chains for raw items */
    uint32_t offset;             /* offset of the loop in the code area, from sandbox_add */
    /* foreign code: registers as below, pages mapped on demand, its own child */
    bool kernel;
    /* a body with foreign forms: as own code but in its own child, a new one per experiment (rivals
     * 0) */
    bool foreign;
    unsigned counter;            /* kernel: enum sandbox_counter, as given to sandbox_add */
    bool difference;
    unsigned vectors;            /* enum vector_setup */
    /* cache lines by which the load pointer advances per run, cyclically; 0: fixed */
    unsigned load_places;
    unsigned executions;         /* of the experiment per iteration */
    /* number of preceding items of the same experiment: if not faster, one window suffices */
    unsigned rivals;
    /* runs only if one of those took at most these cycles per iteration; 0: always */
    double worth;
    /* raw: iterations; windows: the count to use, 0: fills the window */
    uint64_t warm, count;
    unsigned samples;            /* raw */
    /* kernel: repeats of the timed iterations with registers set again; ticks cover all */
    unsigned passes;
    bool plain_values;           /* kernel: vector registers are 0 instead of near 1 */
    uint64_t general[32];        /* kernel: by number, AArch64's sp is the last */
    /* result */
    bool done;
    unsigned fault;              /* enum sandbox_fault */
    uint64_t fault_address;
    /* of the instruction in the code area; SANDBOX_NO_OFFSET: unknown or outside */
    uint32_t fault_offset;
    unsigned pages;              /* mapped on demand */
    uint64_t ticks[SANDBOX_RAW];
    struct window_result result;
    double counter_cycles;       /* per iteration by the hardware counter; NaN without one */
};

/* Initial vector registers. x86-64: without AVX, with clean upper halves, 256 or 512 bits; AArch64:
 * v0 to v31, or z0 to z31 and predicates. */
enum vector_setup { SETUP_SSE, SETUP_CLEAN, SETUP_YMM, SETUP_ZMM, SETUP_NEON = 0, SETUP_SVE = 1 };

/* Loop counter: a register that bodies leave free, memory (x86-64), or general register n
 * (COUNTER_REGISTER + n). */
enum sandbox_counter { COUNTER_BODY, COUNTER_MEMORY, COUNTER_REGISTER };

#endif
