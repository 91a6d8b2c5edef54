/* Places of a loop's arrays when it runs over memory of its own: initial registers, and contents of
 * memory besides numbers. */
#ifndef PORTOLAN_MODEL_ARRAYS_H
#define PORTOLAN_MODEL_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

#define ARRAYS_MOST 16
#define ARRAYS_REGISTERS 32

enum arrays_fill_kind {
    ARRAYS_INDICES,   /* numbers in no order, below @range */
    /* addresses of places in the same bytes, @spacing apart, each of which leads to another one
     * until all were visited */
    ARRAYS_RING,
};

struct arrays_fill {
    enum arrays_fill_kind kind;
    uint64_t at, bytes;       /* from the beginning of the arena */
    uint32_t unit;            /* bytes of an index */
    uint64_t range;
    /* of a ring, whose places are 4 to 7 times a power of two: bytes from one to the next, and from
     * a place to its address */
    uint32_t spacing, link;
};

/* One array: the general register that leads to it, and how far it moves on in an iteration. */
struct array {
    uint8_t reg;
    int64_t step;
    uint64_t places;          /* of a ring, else 0 */
    uint32_t spacing;
};

struct arrays {
    uint64_t bytes;                        /* of the arena that is used */
    /* until a walk ends; 0: unlimited */
    uint64_t iterations;
    uint64_t round;                        /* until chases have visited all places; 0: no chase */
    uint32_t given;                        /* general registers, by number, that values holds */
    /* of these, those that count from the beginning of the arena */
    uint32_t inside;
    uint64_t values[ARRAYS_REGISTERS];
    struct array arrays[ARRAYS_MOST];
    unsigned count;
    /* of a register that leads into the arena: its scale in addresses; 0: unused */
    uint8_t factors[32];
    /* address of a symbol in the code: its array, relative to the registers' values */
    struct { int64_t symbol; uint64_t at; } places[ARRAYS_MOST];
    unsigned place_count;
    struct arrays_fill fills[ARRAYS_MOST];
    unsigned fill_count;
};

#endif
