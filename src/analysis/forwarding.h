/* Store forwarding: latency, and loads that memory renaming connects to a store (facts
 * store_forward... and memory_renaming...). */
#ifndef PORTOLAN_ANALYSIS_FORWARDING_H
#define PORTOLAN_ANALYSIS_FORWARDING_H

#include "analysis/addresses.h"
#include "analysis/cost.h"

struct forwarding {
    const struct core *core;
    const struct insn *insns;
    const struct costs *costs;
    const struct address_work *work;
    uint64_t written;        /* set of the general registers that the block writes */
    /* of the stores whose address registers differ from those of their load, the share that memory
     * renaming finds */
    double by_length;
    /* whether memory renaming connects loads to the last execution of their store (fact
     * memory_renaming_loop) */
    bool by_loop;
    /* whether the code sets the stack pointer, and memory renaming then loses track of it */
    bool sets_stack;
    /* whether the code has more loads suitable for memory renaming per 32 bytes, on average, than
     * the machine can rename; it then renames none */
    bool crowded;
};

/* Initialises @f. Borrows all arguments. Call it after addresses_link on @work. */
void forwarding_start(struct forwarding *f, const struct core *c, const struct insn *insns,
                      const struct costs *costs, uint64_t written, const struct address_work *work);
/* Returns whether memory renaming connects the load to the store. */
bool forwarding_renamed(const struct forwarding *f, const struct forward *link);
/* Returns whether the load waits until the store has written the cache. */
bool forwarding_blocks(const struct core *c, const struct forward *link);
/* Returns the cycles from the stored value to the loaded value; NaN: unknown. */
double forwarding_latency(const struct forwarding *f, const struct forward *link);

#endif
