/* Which loads of a repeating block read what one of its stores wrote: addresses followed as values through moves, additions, lea and
 * the stack, over iterations. Addresses that cannot be related are taken to differ. */
#ifndef PORTOLAN_ANALYSIS_ADDRESSES_H
#define PORTOLAN_ANALYSIS_ADDRESSES_H

#include "isa/insn.h"

/* How the registers begin. */
enum start_values {
    START_DIFFERENT,   /* each its own unknown value */
    START_EQUAL,       /* all the same value, and memory full of it (how the BHive data were measured) */
};

struct forward {
    uint32_t store, load;   /* instructions; the same one for a read-modify-write on one address */
    uint32_t distance;      /* iterations between them */
    bool fits;              /* the load lies within what was stored: forwarded; otherwise it waits for the store to leave */
};

/* Reused between calls; zero-initialised at first. One thread. */
struct address_work {
    struct store_record *stores;
    size_t store_count;
    struct composite *composites;
    uint32_t symbols;
    struct forward *found;
    size_t found_count, found_capacity;
};
void address_work_done(struct address_work *work);

/* Fills work->found, sorted by load, for the steady state; a store that has left a store buffer of @store_buffer entries is not seen. */
void addresses_link(const struct insn *insns, size_t count, enum start_values start, size_t store_buffer, struct address_work *work);

#endif
