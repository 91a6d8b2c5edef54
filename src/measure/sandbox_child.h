/* The child's side of the sandbox, which the child enters after fork and never leaves. Internal to
 * measure/. While measured code runs, the child can write only to the code's memory and to the
 * vault. The vault is at a random address, which is in no register and in no readable memory. The
 * child accesses the vault through gs on x86-64, and through tpidr_el0 on AArch64. Foreign code
 * that uses these registers is rejected. */
#ifndef PORTOLAN_MEASURE_SANDBOX_CHILD_H
#define PORTOLAN_MEASURE_SANDBOX_CHILD_H

#include "measure/sandbox_item.h"

/* Memory shared by the parent and the child for own code. The parent validates the results. */
struct sandbox_batch {
    uint32_t count;
    volatile uint32_t current;      /* index of the running item */
    volatile uint64_t heartbeat;    /* number of runs and sleeps so far */
    volatile uint32_t stop;         /* set by the parent if the batch must end early */
    uint32_t code_length;           /* number of bytes of code in use */
    struct window_rules rules;
    struct sandbox_item items[SANDBOX_ITEMS];
};

/* Message to the child for foreign code, with one item */
struct sandbox_task {
    struct window_rules rules;
    struct sandbox_item item;
    struct sandbox_start start;
    /* smallest time so far, in cycles per iteration (sandbox_to_beat) */
    double least;
    /* part of the arena to fill; an item with such a part does nothing else */
    struct sandbox_fill fill;
};
struct sandbox_report { struct sandbox_item item; struct sandbox_state state; };

/* Stages of the child's set-up. The first message names a stage that failed. */
enum sandbox_stage {
    STAGE_READY, STAGE_ORPHAN, STAGE_FILES, STAGE_MEMORY, STAGE_SIGNALS, STAGE_LIMITS, STAGE_FILTER,
    STAGE_COUNT
};
struct sandbox_hello {
    uint32_t stage;         /* stage that failed, or STAGE_READY (enum sandbox_stage) */
    int32_t error;          /* errno of the failed stage */
    uint32_t has_counter;
    /* whether the child runs without a system call filter, because the emulator has none and the
     * user permits it */
    uint32_t unfiltered;
};

/* A range of addresses */
struct sandbox_range { uint64_t begin, end; };
#define SANDBOX_WRITABLE 4

/* Data from the parent, which a child reads after fork and copies to the vault */
struct sandbox_child {
    /* whether the child runs foreign code; otherwise it runs batches of own code */
    bool foreign;
    struct sandbox_batch *batch;    /* memory for batches of own code; NULL for foreign code */
    uint8_t *area;
    /* Socket to the parent. For own code, one byte starts a batch, and one byte reports its end. */
    int link;
    /* memory file with the pages that faults map; -1 for own code */
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
    /* Frame of the entry code. It must be the first member, because the thread register points to
     * it. */
    struct sandbox_frame frame;
    struct sandbox_child given;
    struct sandbox_hello hello;
    struct sandbox_task task;
    struct sandbox_report report;
    struct sandbox_item *item;        /* running item */
    volatile bool inside;             /* whether measured code is running */
    /* address of the faulting access, and absolute address of the instruction */
    uint64_t fault_address, fault_code;
    uint64_t pages[SANDBOX_PAGES];    /* addresses of the pages mapped for the item */
    unsigned page_count;
    int counter;                      /* perf event; -1: none */
    /* @valued: whether vector registers have the values of values_fill. @plain: whether these are
     * 0. */
    bool valued, plain;
    uint64_t runs;                    /* number of runs so far of items whose load pointer moves */
    struct sandbox_range all;         /* addresses of the vault and its stacks */
    struct sandbox_range kept;
    uint64_t signal_bytes;            /* size in bytes of the signal stack */
};

/* Returns the cycles per iteration that this order of an experiment must beat: the least of the
 * preceding orders, INFINITY for the first order. Children also call it. */
double sandbox_to_beat(const struct sandbox_item *item);
/* Releases the parent's resources and handles requests until the link is closed. */
void sandbox_child_main(const struct sandbox_child *given) __attribute__((noreturn));

/* Does the first part of closing, while libc is mapped: creates the vault and its stacks at a
 * random address, closes files and sets limits. Returns NULL on failure, with the stage in
 * *@failed. Internal to the child's two files. */
struct sandbox_vault *sandbox_close_begin(const struct sandbox_child *given,
                                          enum sandbox_stage *failed);
/* Does the second part of closing, on the vault's stack: unmaps all other memory, makes the program
 * read-only, installs @handler for signals, and filters system calls. Returns the stage that
 * failed, or STAGE_READY. Fills the members of the hello message. */
enum sandbox_stage sandbox_close_finish(struct sandbox_vault *v,
                                        void (*handler)(int, void *, void *));
/* Returns the upper end of the vault's stack, which grows downwards. */
void *sandbox_vault_stack(struct sandbox_vault *v);


/* Marks @item as not run. */
void sandbox_answer_clear(struct sandbox_item *item);
/* Sets @fault (enum sandbox_fault) as the reason why @item has no result. */
void sandbox_answer_fault(struct sandbox_item *item, unsigned fault);
/* Copies only the result of @item from @answer. Sets FAULT_ANSWER if a count, order or range is
 * wrong. The child may change @answer during the copy. */
void sandbox_answer_take(struct sandbox_item *item, const struct sandbox_item *answer);

#endif
