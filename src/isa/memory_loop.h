/* Loops that measure what lines of memory cost, by the ways that code comes to them. */
#ifndef PORTOLAN_ISA_MEMORY_LOOP_H
#define PORTOLAN_ISA_MEMORY_LOOP_H

enum memory_loop {
    LOOP_LOADS,       /* of two arrays */
    LOOP_STORES,      /* to one */
    LOOP_UPDATES,     /* loads and stores of one */
    LOOP_TRIAD,       /* stores to one and loads of two */
    LOOP_STREAMED,    /* stores past the caches */
    LOOP_GATHER,      /* four loads at indices and four of indices */
    LOOP_PAIRED,      /* four loads of lines 128 bytes apart */
    LOOP_ODD,         /* 192 bytes */
    LOOP_SKIPPED,     /* 256 bytes */
    LOOP_PAGES,       /* a load 4160 bytes on */
    LOOP_CHASE,       /* four loads in sequence */
    /* a load in order and instructions that do nothing: 252 µops with the end of the loop */
    LOOP_FEW,
    LOOP_SOME,        /* 72 µops */
    MEMORY_LOOPS,
};

#endif
