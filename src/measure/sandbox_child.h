/* The child's side of the sandbox: entered after fork, never left. Internal to measure/. Its
 * address space has nothing writable except memory for measured code, and the vault at a random
 * address. That address is in no register and no readable memory while measured code runs. x86-64
 * accesses the vault through gs, AArch64 through tpidr_el0, and foreign code that uses these is
 * rejected. */
#ifndef PORTOLAN_MEASURE_SANDBOX_CHILD_H
#define PORTOLAN_MEASURE_SANDBOX_CHILD_H

#include "measure/sandbox_item.h"

/* Own code: memory shared by child and parent. The parent validates the results. */
struct sandbox_batch {
    uint32_t count;
    volatile uint32_t current;      /* index of the current item */
    volatile uint64_t heartbeat;    /* number of runs started */
    volatile uint32_t stop;         /* set by the parent: end early */
    uint32_t code_length;           /* bytes of code in use */
    struct window_rules rules;
    struct sandbox_item items[SANDBOX_ITEMS];
};

/* Foreign code: the link transfers one item in both directions. */
struct sandbox_task {
    struct window_rules rules;
    struct sandbox_item item;
    struct sandbox_start start;
    /* cycles per iteration that the item must not exceed (sandbox_to_beat) */
    double least;
    struct sandbox_fill fill;   /* of an item that only fills the arena */
};
struct sandbox_report { struct sandbox_item item; struct sandbox_state state; };

/* Stages of the child's set-up; the first message has the one that failed. */
enum sandbox_stage {
    STAGE_READY, STAGE_ORPHAN, STAGE_FILES, STAGE_MEMORY, STAGE_SIGNALS, STAGE_LIMITS, STAGE_FILTER,
    STAGE_COUNT
};
struct sandbox_hello {
    uint32_t stage;         /* stage that failed (enum sandbox_stage), or STAGE_READY */
    int32_t error;          /* errno of that stage */
    uint32_t has_counter;
    uint32_t unfiltered;    /* whether the system cannot restrict system calls */
};

/* A range of addresses. The program has one for all its memory, and ranges of writable parts. */
struct sandbox_range { uint64_t begin, end; };
#define SANDBOX_WRITABLE 4

/* Data from the parent to a child, which reads them after fork and copies them to the vault. */
struct sandbox_child {
    bool foreign;                   /* the child runs tasks; false: batches */
    struct sandbox_batch *batch;    /* batches of own code; NULL for foreign code */
    uint8_t *area;
    /* socket; own code: one byte starts a batch, one byte reports its end */
    int link;
    /* memory file with the pages that faults map; -1: own code */
    int page;
    size_t page_size;
    int cpu;
    int parent;
    /* offsets of the loops of chains and probes in the code area */
    uint32_t chain, second, probe, ports, room;
    uint32_t code_length;
    struct sandbox_range arena;     /* arena for foreign code; empty: none */
    struct sandbox_range image, writable[SANDBOX_WRITABLE];
    unsigned writable_count;
};

struct sandbox_vault {
    struct sandbox_frame frame;       /* first, because the thread register points to it */
    struct sandbox_child given;
    struct sandbox_hello hello;
    struct sandbox_task task;
    struct sandbox_report told;
    struct sandbox_item *item;        /* item that is being run */
    volatile bool inside;             /* whether measured code is running */
    /* address of the access; absolute address of the instruction */
    uint64_t fault_address, fault_code;
    uint64_t pages[SANDBOX_PAGES];    /* addresses of the pages mapped for the item */
    unsigned page_count;
    int counter;                      /* perf event; -1: none */
    /* valued: vector registers have initial values; plain: these are 0 */
    bool valued, plain;
    uint64_t runs;                    /* number of runs of items whose load pointer moves */
    struct sandbox_range all;         /* range of the vault and its stacks */
    /* Range from which the vault's address was chosen. Nothing is mapped there for measured
     * code. */
    struct sandbox_range kept;
    uint64_t signal_bytes;            /* size of the signal stack */
};

/* Returns the cycles per iteration that an order of an experiment must beat, from its preceding
 * rivals; INFINITY without rivals. Children call it, too. */
double sandbox_to_beat(const struct sandbox_item *item);
/* Releases the parent's resources and handles requests until the link is closed. */
void sandbox_child_main(const struct sandbox_child *given) __attribute__((noreturn));

/* Internal to the child's two files. First part of closing, which needs libc: creates the vault and
 * its stacks at a random address, closes files, sets limits. Sets *@failed to the stage that
 * failed. */
struct sandbox_vault *sandbox_close_begin(const struct sandbox_child *given,
                                          enum sandbox_stage *failed);
/* Second part, on the vault's stack: unmaps all other memory, makes the program read-only, installs
 * @handler for signals, filters system calls. Returns the stage that failed, or STAGE_READY. Fills
 * the hello message. */
enum sandbox_stage sandbox_close_finish(struct sandbox_vault *v,
                                        void (*handler)(int, void *, void *));
/* Returns the top of the vault's stack. */
void *sandbox_vault_stack(struct sandbox_vault *v);

/* sandbox_answer.c: validation of a child's results, which are untrusted: each field is within its
 * range, or the result is rejected. */

/* Marks @item as not run. */
void sandbox_answer_clear(struct sandbox_item *item);
/* Sets @fault (enum sandbox_fault) as the reason why @item has no result. */
void sandbox_answer_fault(struct sandbox_item *item, unsigned fault);
/* Copies the result of @item from @answer, and ignores all other fields. Sets FAULT_ANSWER if a
 * count, order or range is wrong. The child may change @answer at the same time. */
void sandbox_answer_take(struct sandbox_item *item, const struct sandbox_item *answer);

#endif
