/* Arrays of a loop in separate memory: initial registers, and initial contents of index arrays and
 * rings. */
#ifndef PORTOLAN_MODEL_ARRAYS_H
#define PORTOLAN_MODEL_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

#define ARRAYS_MOST 16
#define ARRAYS_REGISTERS 32

enum arrays_fill_kind {
    ARRAYS_INDICES,   /* random indices, each less than @range; 0: any numbers */
    /* elements @spacing bytes apart, each with the address of another element; the addresses form
     * one cycle through all elements */
    ARRAYS_RING,
};

struct arrays_fill {
    enum arrays_fill_kind kind;
    uint64_t at, bytes;       /* position and size in the arena */
    uint32_t unit;            /* size of an index in bytes */
    uint64_t range;
    /* distance between the elements of a ring, and offset of the address in an element; the number
     * of elements is 4 to 7 times a power of two */
    uint32_t spacing, link;
};

/* An array, the general register that points to it, and the register's step in bytes per
 * iteration */
struct array {
    uint8_t reg;
    int64_t step;
    uint64_t places;          /* number of elements of a ring; 0: not a ring */
    uint32_t spacing;
};

/* A part of the arena that accesses walk through; @back: whether they walk backwards */
struct array_walked {
    uint64_t at, bytes;
    bool back;
};

struct arrays {
    uint64_t bytes;                        /* size in bytes of the arena in use */
    /* number of iterations until a walk ends; 0: unlimited */
    uint64_t iterations;
    /* number of iterations until all chases have visited all elements; 0: no chases */
    uint64_t round;
    /* set of the general registers with an initial value in @values */
    uint32_t given;
    /* set of the general registers whose value is an offset in the arena */
    uint32_t inside;
    uint64_t values[ARRAYS_REGISTERS];
    struct array arrays[ARRAYS_MOST];
    unsigned count;
    /* scale of each register that points into the arena, in the addresses that use it; 0: unused */
    uint8_t factors[32];
    /* address of a symbol, and offset of its array relative to the registers' values */
    struct { int64_t symbol; uint64_t at; } places[ARRAYS_MOST];
    unsigned place_count;
    struct arrays_fill fills[ARRAYS_MOST];
    unsigned fill_count;
    struct array_walked walked[ARRAYS_MOST];
    unsigned walked_count;
};

#endif
