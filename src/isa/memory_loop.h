/* Loops that measure the cost of memory lines, by access pattern. */
#ifndef PORTOLAN_ISA_MEMORY_LOOP_H
#define PORTOLAN_ISA_MEMORY_LOOP_H

enum memory_loop {
    LOOP_LOADS,       /* loads of two arrays */
    LOOP_STORES,      /* stores to one array */
    LOOP_UPDATES,     /* loads and stores of one array */
    LOOP_TRIAD,       /* stores to one array and loads of two */
    LOOP_STREAMED,    /* non-temporal stores */
    LOOP_GATHER,      /* four loads at random indices, and four loads of indices */
    LOOP_PAIRED,      /* four loads, lines 128 bytes apart */
    LOOP_ODD,         /* four loads, lines 192 bytes apart */
    LOOP_SKIPPED,     /* four loads, lines 256 bytes apart */
    LOOP_PAGES,       /* a load every 4160 bytes */
    LOOP_CHASE,       /* four dependent loads */
    /* a sequential load and nops: 252 µops including the loop's end */
    LOOP_FEW,
    LOOP_SOME,        /* a sequential load and nops: 72 µops including the loop's end */
    MEMORY_LOOPS,
};

#endif
