/* The child's side of the sandbox: entered after fork, never left. Internal to measure/. Its
 * address space has nothing writable except memory for measured code, and the vault at a random
 * address. That address is in no register and no readable memory while measured code runs (x86-64
 * reaches it by gs, AArch64 by tpidr_el0; foreign code that uses these is refused). */
#ifndef PORTOLAN_MEASURE_SANDBOX_CHILD_H
#define PORTOLAN_MEASURE_SANDBOX_CHILD_H

#include "measure/sandbox_item.h"

/* Own code: shared by the child and the parent, who validates answers. */
struct sandbox_batch {
    uint32_t count;
    volatile uint32_t current;      /* current item */
    volatile uint64_t heartbeat;    /* number of runs started */
    volatile uint32_t stop;         /* set by the parent: end early */
    uint32_t code_length;           /* bytes in use */
    struct window_rules rules;
    struct sandbox_item items[SANDBOX_ITEMS];
};

/* Foreign code: one item is sent and returned through the link. */
struct sandbox_task {
    struct window_rules rules;
    struct sandbox_item item;
    struct sandbox_start start;
    /* cycles per iteration that the item must beat (sandbox_to_beat) */
    double least;
    struct sandbox_fill fill;   /* for an item that only fills the arena */
};
struct sandbox_report { struct sandbox_item item; struct sandbox_state state; };

/* The first message of a child. */
enum sandbox_stage {
    STAGE_READY, STAGE_ORPHAN, STAGE_FILES, STAGE_MEMORY, STAGE_SIGNALS, STAGE_LIMITS, STAGE_FILTER,
    STAGE_COUNT
};
struct sandbox_hello {
    uint32_t stage;         /* enum sandbox_stage that failed */
    int32_t error;          /* its errno */
    uint32_t has_counter;
    uint32_t unfiltered;    /* the system cannot restrict system calls */
};

/* A range of addresses; for the program: all, and the writable part. */
struct sandbox_range { uint64_t begin, end; };
#define SANDBOX_WRITABLE 4

/* Data from the parent to a child: read after fork, then copied to the vault. */
struct sandbox_child {
    bool foreign;                   /* serves tasks; if not, batches */
    struct sandbox_batch *batch;    /* own code only */
    uint8_t *area;
    int link;                       /* own code: a byte starts a batch, a byte answers */
    /* memory file with the pages for mapping on demand; -1: own code */
    int page;
    size_t page_size;
    int cpu;
    int parent;
    uint32_t chain, second, probe, ports, room;  /* offsets of the loops */
    uint32_t code_length;
    struct sandbox_range arena;     /* for foreign code; empty: none */
    struct sandbox_range image, writable[SANDBOX_WRITABLE];
    unsigned writable_count;
};

struct sandbox_vault {
    struct sandbox_frame frame;       /* first: the thread register points to it */
    struct sandbox_child given;
    struct sandbox_hello hello;
    struct sandbox_task task;
    struct sandbox_report told;
    struct sandbox_item *item;        /* being run */
    volatile bool inside;             /* measured code is running */
    uint64_t fault_address, fault_code;   /* address of the access; absolute address of the
                                           * instruction */
    uint64_t pages[SANDBOX_PAGES];    /* number mapped for the item */
    unsigned page_count;
    int counter;                      /* perf event or -1 */
    bool valued, plain;               /* vector registers get our values; these are 0 */
    uint64_t runs;                    /* of items whose loads move */
    struct sandbox_range all;         /* the vault with its stacks */
    /* range it was chosen from, in which nothing is mapped for code */
    struct sandbox_range kept;
    uint64_t signal_bytes;            /* of the signal stack */
};

/* Cycles per iteration that an order of an experiment must beat, from its preceding rivals;
 * INFINITY without. Also runs in children. */
double sandbox_to_beat(const struct sandbox_item *item);
/* Drops the parent's resources and serves requests; ends with the link. */
void sandbox_child_main(const struct sandbox_child *given) __attribute__((noreturn));

/* Internal to the child's two files. The first part needs libc: creates the vault with its stacks
 * at a random address, closes files, sets limits; returns the stage that failed. */
struct sandbox_vault *sandbox_close_begin(const struct sandbox_child *given,
                                          enum sandbox_stage *failed);
/* The second part, on the vault's stack: empties the address space, makes the program read-only,
 * installs @handler for signals, filters system calls. Returns the stage that failed or
 * STAGE_READY; fills the hello. */
enum sandbox_stage sandbox_close_finish(struct sandbox_vault *v,
                                        void (*handler)(int, void *, void *));
/* Top of the vault's stack. */
void *sandbox_vault_stack(struct sandbox_vault *v);

/* sandbox_answer.c: a child's answer is data from outside: each field is checked against its range,
 * or rejected. */

/* Marks @item as unanswered. */
void sandbox_answer_clear(struct sandbox_item *item);
/* Records @fault (enum sandbox_fault) as the reason for no answer. */
void sandbox_answer_fault(struct sandbox_item *item, unsigned fault);
/* Copies the result of @item from @answer, ignoring everything else; FAULT_ANSWER when a count,
 * order or range is wrong. The writer may still change @answer. */
void sandbox_answer_take(struct sandbox_item *item, const struct sandbox_item *answer);

#endif
