/* The child's side of the sandbox: entered once after fork, never left. Internal to measure/. */
#ifndef PORTOLAN_MEASURE_SANDBOX_CHILD_H
#define PORTOLAN_MEASURE_SANDBOX_CHILD_H

#include "measure/sandbox.h"

/* Shared with the parent, who checks what it reads. */
struct sandbox_batch {
    uint32_t count;
    volatile uint32_t current;      /* item being run */
    volatile uint64_t heartbeat;    /* runs started */
    volatile uint32_t stop;         /* parent: end early */
    volatile uint32_t ready;        /* child: set up */
    volatile uint32_t has_counter;
    uint32_t chain, second, probe;  /* offsets of their loops */
    struct window_rules rules;
    struct sandbox_item items[SANDBOX_ITEMS];
};

/* What the entry code in assembler uses: offsets are written there as numbers and checked by the compiler. */
struct sandbox_frame {
    uint64_t phase;         /* 0: where a loop jumps at its end */
    uint64_t counter;       /* 8: loop counter in memory */
    uint64_t stack;         /* 16: the child's own stack pointer */
    uint64_t target;        /* 24: the loop */
    uint64_t warm, count;   /* 32, 40 */
    uint64_t start, end;    /* 48, 56: time stamps */
    uint32_t vectors;       /* 64 */
    uint32_t in_register;   /* 68: the counter is r15 */
    uint32_t mxcsr;         /* 72 */
    uint32_t clean;         /* 76: vzeroupper at the end */
    uint64_t general[16];   /* 80 */
    uint64_t masks;         /* 208 */
    uint64_t passes;        /* 216: of the timed part, at least 1 */
    uint64_t values[48];    /* 224: vector register i begins at values[i] */
};

/* Where things lie: code, frame, memory and stack in one stretch, so that code reaches the frame relative to itself. */
#define AREA_CODE ((size_t)8 << 20)
#define AREA_FRAME (AREA_CODE + 0x10000)
#define AREA_LOADS (AREA_FRAME + 0x10000)
#define AREA_STORES (AREA_LOADS + 0x10000)
#define AREA_STACK (AREA_STORES + 0x10000)
#define AREA_STACK_SIZE 0x10000
#define AREA_SIZE (AREA_STACK + AREA_STACK_SIZE + 0x10000)
/* Pages in the middle of each 64 KiB stretch are there, the others guard. */
#define AREA_PAGES_AT 0x4000
#define AREA_PAGES 0x4000

struct sandbox_child {
    struct sandbox_batch *batch;
    uint8_t *area;
    uint64_t *pages;       /* what is mapped on demand */
    int link;              /* a byte starts a batch, a byte answers */
    int page;              /* memory file of one page for mapping on demand */
    int cpu;
    int parent;
    void *signal_stack;
    size_t signal_stack_size;
};

void sandbox_child_main(const struct sandbox_child *child) __attribute__((noreturn));

#endif
