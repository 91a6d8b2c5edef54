/* The child's side of the sandbox: entered once after fork, never left. Internal to measure/.
 *
 * A child ends up in an address space in which nothing can be written but what measured code may
 * write, and one stretch that only it knows: the vault, at a random address that is in no register
 * and in no readable memory while measured code runs (x86-64 reaches it through gs, AArch64 through
 * tpidr_el0, and code of others that uses either is refused). */
#ifndef PORTOLAN_MEASURE_SANDBOX_CHILD_H
#define PORTOLAN_MEASURE_SANDBOX_CHILD_H

#include "measure/sandbox.h"

/* Own code: shared by the child that runs it and the parent, who accepts only checked answers. */
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
    /* cycles per iteration that the item has to come below (sandbox_to_beat) */
    double least;
    struct sandbox_fill fill;   /* of an item that only fills the arena */
};
struct sandbox_report { struct sandbox_item item; struct sandbox_state state; };

/* The first message of a child. */
enum sandbox_stage {
    STAGE_READY, STAGE_ORPHAN, STAGE_FILES, STAGE_MEMORY, STAGE_SIGNALS, STAGE_LIMITS, STAGE_FILTER,
    STAGE_COUNT
};
struct sandbox_hello {
    uint32_t stage;         /* enum sandbox_stage: which one failed */
    int32_t error;          /* errno of that */
    uint32_t has_counter;
    uint32_t unfiltered;    /* the system cannot restrict its system calls */
};

/* A stretch of addresses; of the program itself: all, and its writable part. */
struct sandbox_range { uint64_t begin, end; };
#define SANDBOX_WRITABLE 4

/* Data from the parent to a child: read after fork, then copied into the vault. */
struct sandbox_child {
    bool foreign;                   /* runs tasks; otherwise batches */
    struct sandbox_batch *batch;    /* own code only */
    uint8_t *area;
    int link;                       /* own: a byte starts a batch, a byte answers */
    /* memory file of a few pages for mapping on demand; -1: own code maps nothing */
    int page;
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
    struct sandbox_frame frame;       /* first: target of the thread register */
    struct sandbox_child given;
    struct sandbox_hello hello;
    struct sandbox_task task;
    struct sandbox_report told;
    struct sandbox_item *item;        /* being run */
    volatile bool inside;             /* measured code is running */
    uint64_t fault_address, fault_code;   /* address of the access; the instruction, absolute */
    uint64_t pages[SANDBOX_PAGES];    /* mapped for the item */
    unsigned page_count;
    int counter;                      /* perf event or -1 */
    bool valued, plain;               /* vector registers are to hold values of ours; those are 0 */
    uint64_t runs;                    /* of items whose loads move */
    uint64_t ignored_heartbeat;       /* of tasks */
    struct sandbox_range all;         /* the vault with its stacks */
    /* range that it was chosen from: nothing is mapped there for code */
    struct sandbox_range kept;
    uint64_t signal_bytes;            /* of the signal stack */
};

/* Cycles per iteration that an order of an experiment has to come below to count: by the items
 * before it that are its rivals; INFINITY without. Runs in children too. */
double sandbox_to_beat(const struct sandbox_item *item);
/* Drops what the parent had and runs requests; ends with the link. */
void sandbox_child_main(const struct sandbox_child *given) __attribute__((noreturn));

/* Internal to the child's two files. First the part that needs libc: a vault with its stacks at a
 * random address, files closed, limits set; returns the stage that failed. */
struct sandbox_vault *sandbox_close_begin(const struct sandbox_child *given,
                                          enum sandbox_stage *failed);
/* Then, on the vault's stack: the address space emptied, the rest of the program read-only, signals
 * taken by @handler, system calls filtered. Returns the stage that failed or STAGE_READY; the hello
 * is filled in. */
enum sandbox_stage sandbox_close_finish(struct sandbox_vault *v,
                                        void (*handler)(int, void *, void *));
/* Top of the stack of the vault. */
void *sandbox_vault_stack(struct sandbox_vault *v);

#endif
