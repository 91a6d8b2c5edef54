/* Loops that measure the cost of cache lines with different access patterns. */
#ifndef PORTOLAN_ISA_MEMORY_LOOP_H
#define PORTOLAN_ISA_MEMORY_LOOP_H

enum memory_loop {
    LOOP_LOADS,       /* loads from two arrays */
    LOOP_ALONE,       /* loads from one array */
    LOOP_STORES,      /* stores to one array */
    LOOP_UPDATES,     /* loads and stores in one array */
    LOOP_TRIAD,       /* loads from two arrays and stores to a third */
    LOOP_STREAMED,    /* non-temporal stores */
    LOOP_COPIED,      /* loads from one array and non-temporal stores to another */
    LOOP_GATHER,      /* four loads at random indices, and four loads of these indices */
    LOOP_SINGLE,      /* a load at a random index, and a load of this index */
    LOOP_SCATTER,     /* four stores at random indices, and four loads of these indices */
    LOOP_PAIRED,      /* a load every 128 bytes */
    LOOP_ODD,         /* a load every 192 bytes */
    LOOP_SKIPPED,     /* a load every 256 bytes */
    LOOP_EVERY_16,    /* a load every 1,024 bytes: every 16th line */
    LOOP_EVERY_64,    /* a load every 4,096 bytes */
    LOOP_STORE_8,     /* a store every 512 bytes */
    LOOP_STORE_64,    /* a store every 4,096 bytes */
    LOOP_PAGES,       /* a load every 4,160 bytes */
    LOOP_CHASE,       /* four loads, each of which depends on the previous load */
    /* a sequential load, nops and the loop's end: 252 µops */
    LOOP_FEW,
    LOOP_SOME,        /* a sequential load, nops and the loop's end: 72 µops */
    MEMORY_LOOPS,
};

#endif
