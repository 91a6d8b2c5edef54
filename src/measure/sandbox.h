/* Runs machine code in a child process: pinned, without system calls or new privileges, in an
 * address space with nothing else that it could write; its faults are caught. Code that Portolan
 * makes itself shares one child, which is replaced when it dies: only the item it ran is lost. Code
 * of others (kernels, and bodies of forms that a file or session added) has a child of its own,
 * which ends with the next sandbox_clear, and before the next experiment of such forms. A sandbox
 * belongs to one thread, which must outlive it. */
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

struct sandbox;
/* @cpu -1: the last one allowed. NULL with err when the system refuses a needed call. */
struct sandbox *sandbox_new(int cpu, struct err *err);
void sandbox_free(struct sandbox *s);

/* Sets @cancelled, called about ten times a second in every run that is given none of its own;
 * NULL: none. */
void sandbox_cancel_by(struct sandbox *s, bool (*cancelled)(void *state), void *state);

/* Starts a new batch: code and items of the last one are dropped, and the child that ran code of
 * others. */
void sandbox_clear(struct sandbox *s);
/* The items to fill, SANDBOX_ITEMS of them; valid while the sandbox lives. */
struct sandbox_item *sandbox_items(struct sandbox *s);
/* Where the next loop's code will start. */
uint32_t sandbox_next_offset(const struct sandbox *s);
/* A place that code may read and write, relative to the start of the code area. */
uint32_t sandbox_data_offset(unsigned slot);
/* Adds a loop over @length bytes of @code, @copies times in a row; false when the code area is
 * full. Fills offset. */
bool sandbox_add(struct sandbox *s, const uint8_t *code, size_t length, unsigned copies,
                 unsigned counter, uint32_t *offset);
/* The code area at @offset; readable until sandbox_clear. */
const uint8_t *sandbox_code(const struct sandbox *s, uint32_t offset);
/* Runs items 0 to @count - 1. @cancelled (may be NULL) is called about ten times a second. False
 * with err when no child can be started, or cancelled. A child's answers are checked: counts, order
 * and ranges. */
bool sandbox_run(struct sandbox *s, unsigned count, const struct window_rules *rules,
                 bool (*cancelled)(void *state), void *state, struct err *err);

/* Runs the code at @offset once, as it was added (COUNTER_MEMORY), with @vectors set up (enum
 * vector_setup). @after gets the registers computed from @start, *@memory a sum over places and
 * values written to memory. *@fault (enum sandbox_fault) is why it did not end, or FAULT_PAGES: it
 * touched too many pages to distinguish. False with err as sandbox_run, or if such runs are not
 * possible. */
bool sandbox_run_states(struct sandbox *s, uint32_t offset, unsigned vectors,
                        const struct sandbox_start *start, struct sandbox_state *after,
                        uint64_t *memory, unsigned *fault, struct err *err);
/* Whether registers can be read after code on this kind of processor. */
bool sandbox_has_states(void);

/* Gives children that run code of others an arena of @bytes from now on, on pages of 2 MiB if @huge
 * and the system has them; 0: none. Ends the running child. False with err. */
bool sandbox_arena(struct sandbox *s, size_t bytes, bool huge, struct err *err);
/* Its beginning; 0: there is none. */
uint64_t sandbox_arena_at(const struct sandbox *s);
/* Fills a part of the arena, of at most SANDBOX_FILL_PART bytes, in the child that runs code of
 * others, which keeps it until it ends. False with err. */
bool sandbox_fill(struct sandbox *s, const struct sandbox_fill *fill, struct err *err);
/* The share of the arena touched so far that lies on large pages; NaN: not known. */
double sandbox_arena_huge(const struct sandbox *s);

/* Ends all children and writes the chains and the probe again, in case they were damaged. Code and
 * items are dropped. */
void sandbox_renew(struct sandbox *s);
/* Runs a block of known time in the child that runs code of others, in the same way. *off is set
 * when its time differs by more than 2 %; *cycles is that time, 1 when it is right. False with err
 * as sandbox_run. */
bool sandbox_canary(struct sandbox *s, const struct window_rules *rules, bool *off, double *cycles,
                    struct err *err);

/* How often the child that runs code of others was given a processor: once for each run that nobody
 * interrupted. 0: the system does not tell, or no child runs. */
uint64_t sandbox_turns(const struct sandbox *s);

int sandbox_cpu(const struct sandbox *s);
/* Whether it was left to the sandbox where it runs. */
bool sandbox_any_cpu(const struct sandbox *s);
/* Children run on @cpu from now on; nothing changes where the system refuses that. */
void sandbox_move(struct sandbox *s, int cpu);
/* Whether there is a probe for threads that share the core (PULSE_ROOM). */
bool sandbox_has_room(const struct sandbox *s);
/* Whether the kernel gives a cycle counter. */
bool sandbox_has_counter(const struct sandbox *s);
/* Children started for own code so far; 1 when none died. */
unsigned sandbox_children(const struct sandbox *s);
/* Number of tenths of a second without an answer of the child: time in the sandbox's own terms, the
 * same on a busy machine. For tests. */
unsigned sandbox_waits(const struct sandbox *s);
/* How often code of others reached for addresses that are kept free (FAULT_RESERVED). For tests. */
unsigned sandbox_reached(const struct sandbox *s);
/* True under an emulator that cannot restrict system calls. */
bool sandbox_unfiltered(const struct sandbox *s);
/* Of the child that runs own code, or, with @foreign, code of others; 0: none runs. For tests. */
int sandbox_pid(const struct sandbox *s, bool foreign);
/* "SIGILL: illegal instruction" and so on. */
const char *sandbox_fault_text(unsigned fault);
/* Set-up that code of @body needs on this CPU. */
unsigned sandbox_setup(const struct body *body);
/* Iterations of a chain's or the probe's loop per second are not known here: how many instructions
 * one has. */
#define SANDBOX_CHAIN_LENGTH 100
#define SANDBOX_PROBE_LENGTH 200
#define SANDBOX_PORTS_LENGTH 204
#define SANDBOX_ROOM_LENGTH 500

#endif
