/* Input and result of a run in the sandbox (measure/sandbox.h) */
#ifndef PORTOLAN_MEASURE_SANDBOX_ITEM_H
#define PORTOLAN_MEASURE_SANDBOX_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/arch.h"
#include "measure/window.h"

#define SANDBOX_ENDLESS 0.3       /* maximum CPU seconds of one run */
#define SANDBOX_ITEMS 256        /* maximum number of items per batch */
#define SANDBOX_RAW 64           /* maximum number of samples of a raw item */
#define SANDBOX_PAGES 512        /* maximum number of pages that faults map for one item */
/* Limit for code that searches for the vault (docs/security.md). The vault is at a random address
 * in a range without other pages. An access to an unmapped address in this range ends the run.
 * SANDBOX_GUESSES of these accesses end the measurement of the block. */
#define SANDBOX_GUESSES 4
/* maximum number of accessible pages of the vault, for pages of 4 KiB */
#define SANDBOX_VAULT_PAGES 24
/* number of bits of the vault's address, unless the system's addresses have fewer */
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

/* Returns a description such as "SIGILL: not supported by this CPU". */
const char *sandbox_fault_text(unsigned fault);

enum sandbox_mode { SANDBOX_WINDOWS, SANDBOX_RAW_TICKS, SANDBOX_STATES, SANDBOX_FILL };

/* Pattern in the arena, the memory of foreign code in addition to its pages */
enum sandbox_fill_kind {
    SANDBOX_FILL_VALUE,     /* repeats the word @value */
    SANDBOX_FILL_INDICES,   /* random numbers of @unit bytes, less than @value; 0: any */
    /* A ring of @places elements of @unit bytes. Each element contains the address of its successor
     * at offset @link. @places must be 4 to 7 times a power of two. */
    SANDBOX_FILL_RING,
    SANDBOX_FILL_NOTHING,   /* reads each line and changes nothing */
};
struct sandbox_fill {
    uint32_t kind;
    uint32_t unit, link;
    /* offset in the arena and size of the part to fill, in bytes */
    uint64_t at, bytes;
    uint64_t value;
    uint64_t ring, places;  /* ring: offset of its start in the arena, and number of its elements */
};
/* maximum number of bytes per call; such a call takes less than the time limit of a run */
#define SANDBOX_FILL_PART ((uint64_t)16 << 20)
/* size in bytes of the unmapped guard on either side of the arena, and alignment of the arena */
#define SANDBOX_ARENA_GUARD ((size_t)2 << 20)

/* Initial registers and memory of foreign code that is run for its results, not its time */
#define SANDBOX_WORDS 64
struct sandbox_start {
    uint64_t general[32];             /* initial values by register number */
    uint64_t vectors[SANDBOX_WORDS];  /* vector register i begins at word i */
    /* initial content of memory: these words repeatedly */
    uint64_t words[SANDBOX_WORDS];
};
#define SANDBOX_NO_OFFSET UINT32_MAX

struct sandbox_item {
    /* The caller sets this and the following members. */
    enum sandbox_mode mode;
    enum pulse_code code;        /* code of the item: PULSE_ITEM, or for a raw item also a chain or
                                  * probe */
    uint32_t offset;             /* offset of the loop in the code area, from sandbox_add */
    /* whether the code is a kernel: foreign code in a separate child, with the registers below and
     * pages that faults map */
    bool kernel;
    /* whether the body has foreign forms. It then runs like own code, but in a separate child,
     * which is new for each experiment (@rivals 0). */
    bool foreign;
    unsigned counter;            /* kernel: loop counter (enum sandbox_counter), as for
                                  * sandbox_add */
    bool difference;
    unsigned vectors;            /* initial values of vector registers (enum vector_setup) */
    /* number of cache lines through which the load pointer rotates from run to run; 0: the pointer
     * does not move */
    unsigned load_places;
    unsigned executions;         /* number of executions of the experiment in an iteration */
    /* Number of preceding items of the same experiment. If the first window shows that this item is
     * slower than one of them, no window follows. */
    unsigned rivals;
    /* maximum cycles per iteration of a preceding rival with which this item still runs; 0: no
     * maximum */
    double worth;
    /* Raw items: number of iterations of the warm-up (@warm) and of the timed part (@count). Other
     * items: @count iterations per run; 0: as many as fill the window. */
    uint64_t warm, count;
    unsigned samples;            /* number of samples of a raw item */
    /* kernel: number of passes over the timed iterations. Registers are set again before each pass.
     * The ticks include all passes. */
    unsigned passes;
    /* kernel: whether initial values of vector registers are 0 instead of near 1 */
    bool plain_values;
    /* kernel: initial values by register number; the last one is AArch64's sp */
    uint64_t general[32];
    /* The sandbox sets this and the following members. @done: whether the item has a result or a
     * fault. */
    bool done;
    unsigned fault;              /* reason why there is no result (enum sandbox_fault) */
    uint64_t fault_address;
    /* offset of the faulting instruction in the code area; SANDBOX_NO_OFFSET: unknown or outside */
    uint32_t fault_offset;
    unsigned pages;              /* number of pages that faults mapped */
    uint64_t ticks[SANDBOX_RAW];
    struct window_result result;
    /* cycles per iteration according to the hardware counter; NaN: none */
    double counter_cycles;
};

/* Set-up of vector registers. x86-64: only SSE, clean upper halves, 256 bits, or 512 bits.
 * AArch64: v0 to v31, or z0 to z31 and predicates. */
enum vector_setup { SETUP_SSE, SETUP_CLEAN, SETUP_YMM, SETUP_ZMM, SETUP_NEON = 0, SETUP_SVE = 1 };

/* Loop counter: a register that bodies do not use, memory (x86-64), or general register n
 * (COUNTER_REGISTER + n) */
enum sandbox_counter { COUNTER_BODY, COUNTER_MEMORY, COUNTER_REGISTER };

#endif
