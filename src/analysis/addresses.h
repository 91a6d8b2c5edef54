/* Finds the loads of a repeating block that read a store of it: follows addresses as values through
 * moves, additions, lea and the stack, over iterations. Unrelated addresses are assumed to
 * differ. */
#ifndef PORTOLAN_ANALYSIS_ADDRESSES_H
#define PORTOLAN_ANALYSIS_ADDRESSES_H

#include "base/vec.h"
#include "isa/insn.h"

/* How the registers begin. */
enum start_values {
    START_DIFFERENT,   /* each its own unknown value */
    /* how the BHive data were measured: all but the stack and frame pointers hold one page's
     * address, memory is full of it, and all pages are one and the same frame */
    START_EQUAL,
    START_MEASURED,    /* how `kernel measure` runs a block: model/start.h */
};

struct forward {
    uint32_t store, load;   /* instructions; the same one for a read-modify-write on one address */
    uint32_t distance;      /* iterations between them */
    bool starts_alike;      /* load and store begin at the same address */
    bool fits;              /* the load lies within the store: forwarded */
    bool alone;             /* it does not, and no other store in flight has the missing part */
    bool confirmed;         /* seen in the last two iterations followed */
};

/* Links that a run of the code showed, by load, each load once; borrowed. */
struct known_forwards {
    const struct forward *items;
    size_t count;
};

/* A load or a store of one iteration in the steady state, in program order; an instruction that
 * does both has two. */
struct access {
    uint32_t insn, bytes;
    /* addresses of the same symbol can be compared; 0: the offset is the address itself */
    uint32_t symbol;
    uint32_t before;        /* the symbol in the iteration before */
    int64_t offset;
    int64_t step;           /* from one iteration to the next */
    /* relative to the program counter: copies of the block do not share it */
    bool fixed;
    /* stepped: step is known; otherwise it is elsewhere in every iteration */
    bool store, stepped;
    /* not stepped: the iteration whose symbol this one equals, counted back; 0 for its own */
    uint32_t origin, age;
};

/* An access that is elsewhere in every iteration: the symbol of the iteration before. */
struct changing {
    uint32_t before, at;    /* at: of the accesses */
};

/* Value of a symbol where registers begin with different unknowns (START_DIFFERENT). */
enum symbol_kind {
    SYMBOL_UNKNOWN,    /* instructions that are not followed */
    SYMBOL_REGISTER,   /* initial value of general register @a */
    SYMBOL_SUM,        /* @a + @b * @value */
    SYMBOL_LOADED,     /* the @b bits of memory at @a + @value */
    /* a part of @a, extended; without overflow, its step */
    SYMBOL_NARROW,
};
struct symbol_meaning {
    enum symbol_kind kind;
    uint32_t a, b;
    int64_t value;
};

/* Reused between calls; zero-initialised at first. One thread. */
struct address_work {
    struct store_record *stores;
    size_t store_count;
    struct composite *composites;
    uint32_t generation;             /* of composites: one for each block */
    uint32_t symbols;
    struct forward *found;
    size_t found_count, found_capacity;
    struct access_place *places;            /* per instruction */
    size_t place_capacity;
    VEC(struct access) accesses;    /* of the last iteration followed */
    VEC(struct changing) changing;  /* of these, sorted by symbol */
};
void address_work_done(struct address_work *work);

/* True when the instruction's load goes to another page in every iteration (after addresses_link):
 * it misses the first-level TLB. */
bool addresses_far(const struct address_work *work, size_t insn);
/* Cycles per iteration lost on pages not seen before, for accesses that move on by the same step
 * together: pages per iteration times @miss, up to
 * @most_per_access for each access. 0 where addresses were not followed that far (START_DIFFERENT:
 * data are taken to be at hand). Once per link. */
double addresses_new_pages(struct address_work *work, size_t count, double miss,
                           double most_per_access);
/* Fills work->found, sorted by load, for the steady state, until the watch ends it (base/watch.h).
 * A store that has left a store buffer of @store_buffer entries is not found. */
void addresses_link(const struct insn *insns, size_t count, enum start_values start,
                    size_t store_buffer, struct address_work *work);
/* Adds to work->found the links of @known whose loads have none there: addresses that the code
 * alone does not relate. After addresses_link on the same block. */
void addresses_add_known(struct address_work *work, const struct known_forwards *known);
/* Of @symbol, of an access of the last block that was linked with START_DIFFERENT. @generals:
 * registers that its set has. */
struct symbol_meaning addresses_meaning(const struct address_work *work, unsigned generals,
                                        uint32_t symbol);
/* Bytes by which the access moves in one iteration, in either direction; 0: it does not move, or
 * its step is unknown. */
uint64_t access_step(const struct access *a);
/* Where the links of @load begin in work->found, or where they would be. */
size_t addresses_found(const struct address_work *work, uint32_t load);

#endif
