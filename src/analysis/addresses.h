/* Finds loads of a repeating block that read a store of it: follows addresses as symbolic values
 * through moves, additions, lea and the stack, over iterations. Unrelated addresses are assumed to
 * differ. */
#ifndef PORTOLAN_ANALYSIS_ADDRESSES_H
#define PORTOLAN_ANALYSIS_ADDRESSES_H

#include "base/vec.h"
#include "isa/insn.h"

/* Initial values of the registers. */
enum start_values {
    START_DIFFERENT,   /* each register has its own unknown value */
    /* as in BHive's measurements: all but the stack and frame pointers hold one page's address,
     * memory is full of it, and all pages map to one frame */
    START_EQUAL,
    START_MEASURED,    /* how `kernel measure` runs a block: model/start.h */
};

struct forward {
    uint32_t store, load;   /* instructions; equal for a read-modify-write of one address */
    uint32_t distance;      /* iterations between them */
    bool starts_alike;      /* load and store begin at the same address */
    bool fits;              /* the load lies within the store, so that it is forwarded */
    bool alone;             /* it does not, and no other store in flight has the missing bytes */
    bool confirmed;         /* found in the last two iterations followed */
};

/* Links observed in a run of the code, by load, each load once; borrowed. */
struct known_forwards {
    const struct forward *items;
    size_t count;
};

/* A load or store of one iteration in the steady state, in program order. An instruction that does
 * both has two. */
struct access {
    uint32_t insn, bytes;
    /* addresses with the same symbol can be compared; 0: the offset is the absolute address */
    uint32_t symbol;
    uint32_t before;        /* its symbol in the previous iteration */
    int64_t offset;
    int64_t step;           /* bytes per iteration */
    /* relative to the program counter: differs between copies of the block */
    bool fixed;
    /* stepped: @step is known; if not, its symbol changes in every iteration */
    bool store, stepped;
    /* not stepped: iterations back to the one with the same symbol; 0 for this one */
    uint32_t origin, age;
};

/* An access whose symbol changes in every iteration, with its previous symbol. */
struct changing {
    uint32_t before, at;    /* at: index of the access */
};

/* Kind of symbol when registers start with different unknowns (START_DIFFERENT). */
enum symbol_kind {
    SYMBOL_UNKNOWN,    /* result of instructions that are not followed */
    SYMBOL_REGISTER,   /* initial value of general register @a */
    SYMBOL_SUM,        /* @a + @b * @value */
    SYMBOL_LOADED,     /* the @b bits of memory at @a + @value */
    /* a part of @a, extended; @b bits, or its step if it does not overflow */
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
    uint32_t generation;             /* of composites: incremented for each block */
    uint32_t symbols;
    struct forward *found;
    size_t found_count, found_capacity;
    struct access_place *places;            /* per instruction */
    size_t place_capacity;
    VEC(struct access) accesses;    /* of the last iteration followed */
    VEC(struct changing) changing;  /* the changing ones, sorted by symbol */
};
void address_work_done(struct address_work *work);

/* Returns whether the instruction's load reads another page in every iteration, so that it misses
 * the first-level TLB. After addresses_link. */
bool addresses_far(const struct address_work *work, size_t insn);
/* Cycles per iteration lost on pages not touched before: pages per iteration times @miss, at most
 * @most_per_access per access. Accesses with equal steps share pages. 0 under START_DIFFERENT,
 * where all data are assumed to be in the TLB. Once per link. */
double addresses_new_pages(struct address_work *work, size_t count, double miss,
                           double most_per_access);
/* Fills work->found, sorted by load, for the steady state, until the watch cancels it
 * (base/watch.h). Ignores stores that have left a store buffer of @store_buffer entries. */
void addresses_link(const struct insn *insns, size_t count, enum start_values start,
                    size_t store_buffer, struct address_work *work);
/* Adds to work->found the links of @known for loads without one: addresses that the code alone does
 * not relate. After addresses_link on the same block. */
void addresses_add_known(struct address_work *work, const struct known_forwards *known);
/* Kind of @symbol, from an access of the last block linked with START_DIFFERENT. @generals: number
 * of general registers of the instruction set. */
struct symbol_meaning addresses_meaning(const struct address_work *work, unsigned generals,
                                        uint32_t symbol);
/* Bytes by which the access moves per iteration, in either direction; 0: fixed, or unknown. */
uint64_t access_step(const struct access *a);
/* Index of the first link of @load in work->found, or its insertion point. */
size_t addresses_found(const struct address_work *work, uint32_t load);

#endif
