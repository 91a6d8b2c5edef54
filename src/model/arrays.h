/* Placement of a loop's arrays in separate memory: initial registers, and memory contents besides
 * numbers. */
#ifndef PORTOLAN_MODEL_ARRAYS_H
#define PORTOLAN_MODEL_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

#define ARRAYS_MOST 16
#define ARRAYS_REGISTERS 32

enum arrays_fill_kind {
    ARRAYS_INDICES,   /* random numbers below @range */
    /* addresses of places in the same bytes, @spacing apart, which form a cycle over all of them */
    ARRAYS_RING,
};

struct arrays_fill {
    enum arrays_fill_kind kind;
    uint64_t at, bytes;       /* relative to the arena */
    uint32_t unit;            /* bytes of an index */
    uint64_t range;
    /* of a ring, with 4 to 7 times a power of two places: distance of places, and offset of the
     * address in a place */
    uint32_t spacing, link;
};

/* An array: the general register that points to it, and its step per iteration. */
struct array {
    uint8_t reg;
    int64_t step;
    uint64_t places;          /* of a ring, else 0 */
    uint32_t spacing;
};

struct arrays {
    uint64_t bytes;                        /* of the arena in use */
    /* iterations until a walk ends; 0: unlimited */
    uint64_t iterations;
    uint64_t round;                        /* iterations until chases have visited all places; 0: no
                                            * chase */
    uint32_t given;                        /* bit set of general registers with a value in values */
    /* those whose values are relative to the arena */
    uint32_t inside;
    uint64_t values[ARRAYS_REGISTERS];
    struct array arrays[ARRAYS_MOST];
    unsigned count;
    /* scale in addresses of a register that points into the arena; 0: unused */
    uint8_t factors[32];
    /* address of a symbol: its array, relative to the registers' values */
    struct { int64_t symbol; uint64_t at; } places[ARRAYS_MOST];
    unsigned place_count;
    struct arrays_fill fills[ARRAYS_MOST];
    unsigned fill_count;
};

#endif
