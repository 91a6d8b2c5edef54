/* Loops that measure the cost of memory lines, by access pattern. */
#ifndef PORTOLAN_ISA_MEMORY_LOOP_H
#define PORTOLAN_ISA_MEMORY_LOOP_H

enum memory_loop {
    LOOP_LOADS,       /* of two arrays */
    LOOP_STORES,      /* to one */
    LOOP_UPDATES,     /* loads and stores of one */
    LOOP_TRIAD,       /* stores to one and loads of two */
    LOOP_STREAMED,    /* non-temporal stores */
    LOOP_GATHER,      /* four loads at indices and four of indices */
    LOOP_PAIRED,      /* four loads, lines 128 bytes apart */
    LOOP_ODD,         /* the same 192 bytes apart */
    LOOP_SKIPPED,     /* the same 256 bytes apart */
    LOOP_PAGES,       /* a load every 4160 bytes */
    LOOP_CHASE,       /* four dependent loads */
    /* a sequential load and nops: 252 µops with the loop's end */
    LOOP_FEW,
    LOOP_SOME,        /* the same with 72 µops */
    MEMORY_LOOPS,
};

#endif
