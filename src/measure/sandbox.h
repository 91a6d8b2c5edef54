/* Runs machine code in a child process: pinned, without system calls or new privileges, in an
 * address space with nothing else to write; faults are caught. Portolan's own code shares one
 * child, which is replaced when it dies: only the current item is lost. Foreign code (kernels, and
 * bodies of forms from a file or session) has its own child, which ends at the next sandbox_clear,
 * and before the next experiment of such forms. A sandbox belongs to one thread, which must outlive
 * it. */
#ifndef PORTOLAN_MEASURE_SANDBOX_H
#define PORTOLAN_MEASURE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "isa/body.h"
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

struct sandbox;
/* @cpu -1: the last one allowed. NULL with err when a needed system call is refused. */
struct sandbox *sandbox_new(int cpu, struct err *err);
void sandbox_free(struct sandbox *s);

/* Sets the default @cancelled, polled about ten times a second in every run without its own; NULL:
 * none. */
void sandbox_cancel_by(struct sandbox *s, bool (*cancelled)(void *state), void *state);

/* Starts a new batch: drops code and items of the last one, and ends the child with foreign
 * code. */
void sandbox_clear(struct sandbox *s);
/* Returns the SANDBOX_ITEMS items to fill; valid for the sandbox's life. */
struct sandbox_item *sandbox_items(struct sandbox *s);
/* Offset at which the next loop's code will start. */
uint32_t sandbox_next_offset(const struct sandbox *s);
/* Offset of accessible data relative to the code area. */
uint32_t sandbox_data_offset(unsigned slot);
/* Adds a loop over @copies of @length bytes of @code; false when the code area is full. Fills
 * offset. */
bool sandbox_add(struct sandbox *s, const uint8_t *code, size_t length, unsigned copies,
                 unsigned counter, uint32_t *offset);
/* Code area at @offset; readable until sandbox_clear. */
const uint8_t *sandbox_code(const struct sandbox *s, uint32_t offset);
/* Runs items 0 to @count - 1. @cancelled (may be NULL) is polled about ten times a second. False
 * with err when no child can be started, or cancelled. Checks counts, order and ranges of a child's
 * answers. */
bool sandbox_run(struct sandbox *s, unsigned count, const struct window_rules *rules,
                 bool (*cancelled)(void *state), void *state, struct err *err);

/* Runs the code at @offset once (COUNTER_MEMORY), with @vectors set up (enum vector_setup). @after
 * gets the registers computed from @start, *@memory a sum over places and values written. *@fault
 * (enum sandbox_fault) is why it did not end, or FAULT_PAGES: too many pages touched. False with
 * err as sandbox_run, or if unsupported. */
bool sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                        const struct sandbox_start *start, struct sandbox_state *after,
                        uint64_t *memory, unsigned *fault, struct err *err);
/* Returns whether final registers can be read on this kind of processor. */
bool sandbox_has_states(void);

/* Gives children with foreign code an arena of @bytes, on pages of 2 MiB if @huge and available; 0:
 * none. Ends the running child. False with err. */
bool sandbox_arena(struct sandbox *s, size_t bytes, bool huge, struct err *err);
/* Address of the arena; 0: none. */
uint64_t sandbox_arena_at(const struct sandbox *s);
/* Fills a part of the arena, at most SANDBOX_FILL_PART bytes, in the child with foreign code, for
 * its life. False with err. */
bool sandbox_fill(struct sandbox *s, const struct sandbox_fill *fill, struct err *err);
/* Share of the touched arena on huge pages; NaN: unknown. */
double sandbox_arena_huge(const struct sandbox *s);

/* Ends all children and rewrites chains and probes, which may be damaged. Drops code and items. */
void sandbox_renew(struct sandbox *s);
/* Runs the reference block in the child with foreign code. *off is set when its time is wrong by
 * more than 2 %; *cycles is that time, 1 when correct. False with err as sandbox_run. */
bool sandbox_canary(struct sandbox *s, const struct window_rules *rules, bool *off, double *cycles,
                    struct err *err);

/* Number of times that the child with foreign code was scheduled: one per uninterrupted run. 0:
 * unknown, or no child. */
uint64_t sandbox_turns(const struct sandbox *s);

int sandbox_cpu(const struct sandbox *s);
/* Returns whether the sandbox chose its CPU itself. */
bool sandbox_any_cpu(const struct sandbox *s);
/* Moves children to @cpu; no effect where the system refuses it. */
void sandbox_move(struct sandbox *s, int cpu);
/* Returns whether there is a probe for threads that share the core (PULSE_ROOM). */
bool sandbox_has_room(const struct sandbox *s);
/* Returns whether the kernel provides a cycle counter. */
bool sandbox_has_counter(const struct sandbox *s);
/* Number of children started for own code; 1 when none died. */
unsigned sandbox_children(const struct sandbox *s);
/* Tenths of a second spent waiting for a child: independent of machine load. For tests. */
unsigned sandbox_waits(const struct sandbox *s);
/* Number of accesses of foreign code to reserved addresses (FAULT_RESERVED). For tests. */
unsigned sandbox_reached(const struct sandbox *s);
/* Returns whether an emulator cannot restrict system calls. */
bool sandbox_unfiltered(const struct sandbox *s);
/* Process id of the child for own or @foreign code; 0: none. For tests. */
int sandbox_pid(const struct sandbox *s, bool foreign);
/* "SIGILL: illegal instruction" and so on. */
const char *sandbox_fault_text(unsigned fault);
/* Vector set-up that code of @body needs on this CPU. */
unsigned sandbox_setup(const struct body *body);
/* Number of instructions per iteration of the loops of chains and probes. */
#define SANDBOX_CHAIN_LENGTH 100
#define SANDBOX_PROBE_LENGTH 200
#define SANDBOX_PORTS_LENGTH 204
#define SANDBOX_ROOM_LENGTH 500

#endif
