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
    volatile uint32_t unfiltered;   /* child: the system cannot restrict its system calls */
    uint32_t chain, second, probe;  /* offsets of their loops */
    uint32_t code_length;           /* bytes of code in use */
    struct window_rules rules;
    struct sandbox_item items[SANDBOX_ITEMS];
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
    uint32_t counter_register;   /* 68: x86-64: the counter is r15, 0: in memory; AArch64: its number */
    uint32_t control;       /* 72: mxcsr, fpcr */
    uint32_t clean;         /* 76: x86-64: vzeroupper at the end; AArch64: z29 to z31 hold addresses and zeros */
    uint64_t general[32];   /* 80: AArch64: sp is the last */
    uint64_t masks;         /* 336: of x86-64's mask registers */
    uint64_t passes;        /* 344: of the timed part, at least 1 */
    uint64_t values[64];    /* 352: vector register i begins at values[i]; the widest has 2,048 bits */
};

/* Where things lie: code, frame, memory and stack in one stretch, so that code reaches the frame relative to itself. */
#if defined(__aarch64__)
#define AREA_PART 0x40000     /* pages may have 64 KiB */
#else
#define AREA_PART 0x10000
#endif
#define AREA_CODE ((size_t)8 << 20)
#define AREA_FRAME (AREA_CODE + AREA_PART)
#define AREA_LOADS (AREA_FRAME + AREA_PART)
#define AREA_STORES (AREA_LOADS + AREA_PART)
#define AREA_STACK (AREA_STORES + AREA_PART)
#define AREA_STACK_SIZE AREA_PART
#define AREA_SIZE (AREA_STACK + AREA_STACK_SIZE + AREA_PART)
/* Pages in the middle of each part are there, the others guard. */
#define AREA_PAGES_AT (AREA_PART / 4)
#define AREA_PAGES (AREA_PART / 4)

struct sandbox_child {
    struct sandbox_batch *batch;
    uint8_t *area;
    uint64_t *pages;       /* what is mapped on demand */
    int link;              /* a byte starts a batch, a byte answers */
    int page;              /* memory file of a few pages for mapping on demand */
    size_t page_size;
    int cpu;
    int parent;
    void *signal_stack;
    size_t signal_stack_size;
};

void sandbox_child_main(const struct sandbox_child *child) __attribute__((noreturn));

#endif
