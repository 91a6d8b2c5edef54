/* The child's side of the sandbox: entered once after fork, never left. Internal to measure/.
 *
 * A child ends up in an address space in which nothing can be written but what measured code may write, and one stretch that only it knows: the vault, at a
 * random address that is in no register and in no readable memory while measured code runs (x86-64 reaches it through gs, AArch64 through tpidr_el0, and
 * code of others that uses either is refused). */
#ifndef PORTOLAN_MEASURE_SANDBOX_CHILD_H
#define PORTOLAN_MEASURE_SANDBOX_CHILD_H

#include "measure/sandbox.h"

/* Own code: shared by the child that runs it and the parent, who takes answers only as they are checked. */
struct sandbox_batch {
    uint32_t count;
    volatile uint32_t current;      /* item being run */
    volatile uint64_t heartbeat;    /* runs started */
    volatile uint32_t stop;         /* parent: end early */
    uint32_t code_length;           /* bytes of code in use */
    struct window_rules rules;
    struct sandbox_item items[SANDBOX_ITEMS];
};

/* Code of others: one item comes through the link and goes back through it. */
struct sandbox_task {
    struct window_rules rules;
    struct sandbox_item item;
    struct sandbox_start start;
    double least;           /* cycles per iteration that the item has to come below (sandbox_to_beat) */
    struct sandbox_fill fill;   /* of an item that only fills the arena */
};
struct sandbox_report { struct sandbox_item item; struct sandbox_state state; };

/* The first message of a child. */
enum sandbox_stage { STAGE_READY, STAGE_ORPHAN, STAGE_FILES, STAGE_MEMORY, STAGE_SIGNALS, STAGE_LIMITS, STAGE_FILTER, STAGE_COUNT };
struct sandbox_hello {
    uint32_t stage;         /* enum sandbox_stage: which one failed */
    int32_t error;          /* errno of that */
    uint32_t has_counter;
    uint32_t unfiltered;    /* the system cannot restrict its system calls */
};

/* What the entry code in assembler uses: offsets are written there as numbers and checked by the compiler. */
struct sandbox_frame {
    uint64_t phase;         /* 0: where a loop jumps at its end */
    uint64_t counter;       /* 8: loop counter in memory (x86-64) */
    uint64_t stack;         /* 16: the child's own stack pointer */
    uint64_t target;        /* 24: the loop */
    uint64_t warm, count;   /* 32, 40 */
    uint64_t start, end;    /* 48, 56: time stamps */
    uint32_t vectors;       /* 64 */
    uint32_t counter_register;   /* 68: its number; x86-64: 0: in memory */
    uint32_t control;       /* 72: mxcsr, fpcr */
    uint32_t clean;         /* 76: x86-64: vzeroupper at the end; AArch64: z29 to z31 hold addresses and zeros */
    uint64_t general[32];   /* 80: AArch64: sp is the last */
    uint64_t masks;         /* 336: of x86-64's mask registers */
    uint64_t passes;        /* 344: of the timed part, at least 1 */
    uint64_t values[64];    /* 352: vector register i begins at values[i]; the widest has 2,048 bits */
    struct sandbox_frame *self;  /* 864 */
    uint64_t keeps;         /* 872: what the registers hold in the end goes to @state (x86-64) */
    struct sandbox_state state;  /* 880 */
};

/* Where things lie: code, thread-local words, memory and stack in one stretch, so that code reaches its data relative to itself. */
#if defined(__aarch64__)
#define AREA_PART 0x40000     /* pages may have 64 KiB */
#else
#define AREA_PART 0x10000
#endif
#define AREA_CODE ((size_t)8 << 20)
#define AREA_LOCAL (AREA_CODE + AREA_PART)   /* x86-64: where fs leads; only read */
#define AREA_LOADS (AREA_LOCAL + AREA_PART)
#define AREA_STORES (AREA_LOADS + AREA_PART)
#define AREA_STACK (AREA_STORES + AREA_PART)
#define AREA_STACK_SIZE AREA_PART
#define AREA_SIZE (AREA_STACK + AREA_STACK_SIZE + AREA_PART)
/* Pages in the middle of each part are there, the others guard. */
#define AREA_PAGES_AT (AREA_PART / 4)
#define AREA_PAGES (AREA_PART / 4)

/* A stretch of addresses; of the program itself: all, and what of it can be written. */
struct sandbox_range { uint64_t begin, end; };
#define SANDBOX_WRITABLE 4

/* What the parent gives a child: read after fork, then copied into the vault. */
struct sandbox_child {
    bool foreign;                   /* runs tasks; otherwise batches */
    struct sandbox_batch *batch;    /* own code only */
    uint8_t *area;
    int link;                       /* own: a byte starts a batch, a byte answers */
    int page;                       /* memory file of a few pages for mapping on demand; -1: own code maps nothing */
    size_t page_size;
    int cpu;
    int parent;
    uint32_t chain, second, probe, ports, room;  /* offsets of their loops */
    uint32_t code_length;
    struct sandbox_range arena;     /* of code of others; empty: there is none */
    struct sandbox_range image, writable[SANDBOX_WRITABLE];
    unsigned writable_count;
};

struct sandbox_vault {
    struct sandbox_frame frame;       /* first: what the thread register points to */
    struct sandbox_child given;
    struct sandbox_hello hello;
    struct sandbox_task task;
    struct sandbox_report told;
    struct sandbox_item *item;        /* being run */
    volatile bool inside;             /* measured code is running */
    uint64_t fault_address, fault_code;   /* what it was about; the instruction, absolute */
    uint64_t pages[SANDBOX_PAGES];    /* mapped for the item */
    unsigned page_count;
    int counter;                      /* perf event or -1 */
    bool valued, plain;               /* vector registers are to hold values of ours; those are 0 */
    uint64_t runs;                    /* of items whose loads move */
    uint64_t ignored_heartbeat;       /* of tasks */
    struct sandbox_range all;         /* the vault with its stacks */
    struct sandbox_range kept;        /* what it was chosen from: nothing is mapped there for code */
    uint64_t signal_bytes;            /* of the signal stack */
};

/* Cycles per iteration that an order of an experiment has to come below to count: by the items before it that are its rivals; INFINITY without. Runs in children too. */
double sandbox_to_beat(const struct sandbox_item *item);
/* Leaves what the parent had and runs what it is asked to; ends with the link. */
void sandbox_child_main(const struct sandbox_child *given) __attribute__((noreturn));

/* Internal to the child's two files. First what needs libc: a vault with its stacks at a random address, files closed, limits set; says the stage that failed. */
struct sandbox_vault *sandbox_close_begin(const struct sandbox_child *given, enum sandbox_stage *failed);
/* Then, on the vault's stack: the address space emptied, what is left of the program read-only, signals taken by @handler, system calls filtered.
 * Returns the stage that failed or STAGE_READY; the hello is filled in. */
enum sandbox_stage sandbox_close_finish(struct sandbox_vault *v, void (*handler)(int, void *, void *));
/* Top of the stack of the vault. */
void *sandbox_vault_stack(struct sandbox_vault *v);

#endif
