/* Internal to simulate/: banks of the first-level cache that loads take. */
#ifndef PORTOLAN_SIMULATE_BANKS_H
#define PORTOLAN_SIMULATE_BANKS_H

#include "simulate/state.h"

/* Loads of the cycle that have a bank of @banks, and what that is relative to, in common with the most others. */
static inline unsigned most_in_bank(const struct cache_cycle *at, uint32_t symbol, uint32_t banks)
{
    unsigned most = 0;

    for (uint32_t rest = banks; rest; rest &= rest - 1) {
        unsigned here = 0;
        for (unsigned i = 0; i < at->loads; i++)
            here += at->symbols[i] == symbol && at->banks[i] >> __builtin_ctz(rest) & 1;
        most = here > most ? here : most;
    }
    return most;
}

/* True when @load of @iteration finds its banks free in @cycle, counted from the first block on, and takes them. @at: what is known of that cycle or of an earlier one. */
static inline bool cache_takes(const struct simulator *s, struct cache_cycle *at, int64_t cycle, const struct plan_uop *load, int64_t iteration)
{
    const struct plan_place *place = &s->plan.places.items[load->first_place + ((uint32_t)iteration & load->place_mask)];
    uint32_t banks = place->banks, others = 0;

    if (at->cycle != cycle) {
        at->cycle = cycle;
        at->crossed = at->loads = 0;
    }
    if (place->crosses && at->crossed >= s->cache.most_crossed)
        return false;
    for (unsigned i = 0; i < at->loads; i++)
        others += at->symbols[i] == load->symbol && at->banks[i] & banks;
    if (others >= s->cache.most_per_bank && most_in_bank(at, load->symbol, banks) >= s->cache.most_per_bank)
        return false;
    if (at->loads < CACHE_LOADS) {
        at->symbols[at->loads] = load->symbol;
        at->banks[at->loads++] = banks;
    }
    at->crossed += place->crosses;
    return true;
}

#endif
