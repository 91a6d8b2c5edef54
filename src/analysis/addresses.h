/* Finds loads of a repeating block that read one of its stores, and the strides of its addresses.
 * Computes addresses as symbolic values of general registers, over several iterations. Assumes that
 * unrelated addresses differ. */
#ifndef PORTOLAN_ANALYSIS_ADDRESSES_H
#define PORTOLAN_ANALYSIS_ADDRESSES_H

#include "base/vec.h"
#include "isa/insn.h"

/* assumption about the registers' initial values */
enum start_values {
    START_DIFFERENT,   /* the initial values of all registers are unknown and differ */
    /* Initial values in BHive's measurements: all registers except the stack and frame pointers
     * contain the address of one page. All memory contains copies of this address, and all pages
     * map to one physical page. */
    START_EQUAL,
    START_MEASURED,    /* values that `kernel measure` sets (model/start.h) */
};

struct forward {
    /* indices of the store and load instructions; equal for a read-modify-write of one address */
    uint32_t store, load;
    uint32_t distance;      /* iterations from the store to the load */
    bool starts_alike;      /* whether the load and the store begin at the same address */
    bool fits;              /* whether the store wrote all bytes of the load; the stored value is
                             * then forwarded */
    /* whether no store in flight wrote the other bytes of the load, so they are only in the
     * cache */
    bool alone;
    bool confirmed;         /* whether the link occurs in the last two simulated iterations */
};

/* Links observed in a run of the code, at most one per load, sorted by load */
struct known_forwards {
    const struct forward *items;
    size_t count;
};

/* A load or store of one iteration in the steady state. Accesses are in program order; a
 * read-modify-write instruction has two. */
struct access {
    uint32_t insn, bytes;
    /* symbol of the address; only addresses with equal symbols can be compared; 0: the offset is
     * the address */
    uint32_t symbol;
    uint32_t before;        /* symbol of the address in the previous iteration */
    int64_t offset;
    int64_t step;           /* stride: change of the address in bytes per iteration */
    /* whether the address is relative to the program counter; its offset in a cache line is then
     * unknown */
    bool fixed;
    /* @store: whether the access is a store. @stepped: whether @step is known; otherwise the
     * address has another symbol in each iteration. */
    bool store, stepped;
    /* @age 1: in the previous iteration, an access that now has the symbol @origin had this
     * address. @age 0: @origin is @symbol. */
    uint32_t origin, age;
};

/* An access whose address has another symbol in each iteration. @before: symbol in the previous
 * iteration. @at: index of the access. */
struct changing {
    uint32_t before, at;
};

/* Kind of a symbol under START_DIFFERENT */
enum symbol_kind {
    SYMBOL_UNKNOWN,
    SYMBOL_REGISTER,   /* initial value of general register @a */
    SYMBOL_SUM,        /* the sum @a + @b * @value */
    SYMBOL_LOADED,     /* the @b bits of memory at @a + @value */
    /* The low bits of @a, extended. @b: number of these bits, plus 1 if extended with the sign; 0:
     * 32. If these bits do not overflow, the stride equals the stride of @a. */
    SYMBOL_NARROW,
    /* Result of an operation on @a. @a combines all unknown inputs. At most the @b low bits of the
     * result are set. */
    SYMBOL_COMPUTED,
};
struct symbol_meaning {
    enum symbol_kind kind;
    uint32_t a, b;
    int64_t value;
};

/* Working storage, reused between calls. The caller initialises it to zero. One thread. */
struct address_work {
    struct store_record *stores;
    size_t store_count;
    struct composite *composites;
    /* index of the current block; entries of @composites with another index are free */
    uint32_t generation;
    uint32_t symbols;
    struct forward *found;
    size_t found_count, found_capacity;
    struct access_place *places;            /* last access of each instruction */
    size_t place_capacity;
    VEC(struct access) accesses;    /* accesses of the last simulated iteration */
    VEC(struct changing) changing;  /* accesses whose symbol changes, sorted by symbol */
};
void address_work_done(struct address_work *work);

/* Returns whether the analysis cannot express the instruction's result, or the instruction writes
 * no general register of at least 32 bits. Call it after addresses_link. */
bool addresses_opaque(const struct address_work *work, size_t insn);
/* Returns whether the instruction misses the first-level TLB in all but at most two of the
 * simulated iterations. Returns false unless the start was START_EQUAL, and for code with more than
 * 512 instructions. Call it after addresses_link. */
bool addresses_far(const struct address_work *work, size_t insn);
/* Returns the cycles per iteration of first accesses to pages. Accesses with equal strides and
 * equal symbols are assumed to share pages. They take @miss cycles for each page per iteration, at
 * most 1 page, and at most @most_per_access cycles per access. Returns 0 unless the start was
 * START_EQUAL: the TLB is otherwise assumed to have all pages. Call it once per addresses_link. */
double addresses_new_pages(struct address_work *work, size_t count, double miss,
                           double most_per_access);
/* Fills work->found with the links of the steady state, sorted by load, and work->accesses. Ignores
 * stores that have left a store buffer of @store_buffer entries. Polls the watch (base/watch.h) and
 * stops when cancelled. */
void addresses_link(const struct insn *insns, size_t count, enum start_values start,
                    size_t store_buffer, struct address_work *work);
/* Adds the links of @known to work->found for loads without a link. The addresses of such a link
 * have different symbols. Call it after addresses_link on the same block. */
void addresses_add_known(struct address_work *work, const struct known_forwards *known);
/* Returns the meaning of @symbol, which belongs to an access of the last block linked with
 * START_DIFFERENT. @generals: number of general registers of the instruction set. */
struct symbol_meaning addresses_meaning(const struct address_work *work, unsigned generals,
                                        uint32_t symbol);
/* Returns the absolute stride in bytes per iteration; 0 for a constant or unknown address. */
uint64_t access_step(const struct access *a);
/* Returns the index of the first link of @load in work->found, or its insertion point. */
size_t addresses_found(const struct address_work *work, uint32_t load);

#endif
