/* Internal to simulate/: which items rename takes in a cycle. */
#ifndef PORTOLAN_SIMULATE_SLOTS_H
#define PORTOLAN_SIMULATE_SLOTS_H

#include <string.h>

#include "simulate/state.h"

/* What keeps the next item from entering; NULL: nothing. */
static inline double *obstacle(const struct simulator *s, const struct plan_item *item)
{
    if (s->rob + (int32_t)item->issue > s->rob_size && s->rob)
        return &s->out->stalls_rob;
    if (s->scheduler + item->room > s->scheduler_size || (item->load && s->loads >= s->load_size) || (item->store && s->stores >= s->store_size))
        return &s->out->stalls_scheduler;
    return NULL;
}

/* The same for what may not be there yet: it was delivered in a cycle before. */
static inline double *waits(const struct simulator *s)
{
    if (s->issued.number >= s->front.delivered.number)
        return &s->out->stalls_front;
    return s->slots_done ? NULL : obstacle(s, &s->plan.items.items[s->issued.index]);
}

/* One cycle of rename. @enter takes an item that has its slots, from the slot on. */
static inline __attribute__((always_inline)) void rename_items(struct simulator *s, void (*enter)(struct simulator *s, const struct plan_item *item, unsigned slot))
{
    int32_t slots = s->issue_width;
    unsigned slot = 0, fused = 0;   /* slots and fused µops of this cycle so far */

    s->stall = waits(s);
    if (s->stall)
        return;
    memcpy(s->before, s->bound, sizeof s->before);
    s->bound_now = 0;
    s->moved = true;
    for (;;) {
        const struct plan_item *item = &s->plan.items.items[s->issued.index];
        if (item->split && !s->slots_done && (fused >= s->core->unlaminate_first || item->issue > (uint32_t)slots) && fused)
            return;
        uint32_t need = item->issue - s->slots_done, take = need < (uint32_t)slots ? need : (uint32_t)slots;
        s->rob += (int32_t)take;
        s->slots_done += take;
        slots -= (int32_t)take;
        slot += take;
        fused += item->split ? item->decode : take;
        if (s->slots_done < item->issue)
            return;
        enter(s, item, slot - take);
        s->scheduler += (int32_t)item->uops;
        s->loads += item->load;
        s->stores += item->store;
        s->front.queued -= (int32_t)item->decode;
        s->slots_done = 0;
        place_next(&s->issued, s->plan.items.count);
        if (s->issued.index == 0)
            rename_iteration(s);
        double *stall = slots > 0 ? waits(s) : NULL;
        if (stall && slots == s->issue_width)   /* what entered takes no slot */
            s->stall = stall;
        if (stall || slots <= 0)
            return;
    }
}

#endif
