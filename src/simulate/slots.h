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

/* One of the two ways in which items enter. */
struct entrance {
    double *(*obstacle)(struct simulator *s, const struct plan_item *item);   /* as above */
    void (*enter)(struct simulator *s, const struct plan_item *item, unsigned slot);   /* takes an item that has its slots, from the slot on */
    void (*iteration)(struct simulator *s);   /* the item that comes next begins an iteration */
};

/* What keeps the next item from entering, which may not be there yet: it was delivered in a cycle before. */
static inline __attribute__((always_inline)) double *waits(struct simulator *s, const struct entrance *way)
{
    if (s->issued.number >= s->front.delivered.number)
        return &s->out->stalls_front;
    return s->slots_done ? NULL : way->obstacle(s, &s->plan.items.items[s->issued.index]);
}

/* One cycle of rename. */
static inline __attribute__((always_inline)) void rename_items(struct simulator *s, const struct entrance way)
{
    int32_t slots = s->issue_width;
    unsigned slot = 0, fused = 0;   /* slots and fused µops of this cycle so far */

    s->stall = waits(s, &way);
    if (s->stall)
        return;
    memcpy(s->before, s->bound, sizeof s->before);
    s->bound_now = 0;
    s->moved = true;
    for (;;) {
        const struct plan_item *item = &s->plan.items.items[s->issued.index];
        if (item->first && !s->slots_done && slot)
            return;
        if (item->split && !s->slots_done && (fused >= s->core->unlaminate_first || item->issue > (uint32_t)slots) && fused)
            return;
        uint32_t need = item->issue - s->slots_done, take = need < (uint32_t)slots ? need : (uint32_t)slots;
        slots -= (int32_t)take;
        slot += take;
        fused += item->split ? item->decode : take;
        if (take < need) {
            s->slots_done += take;
            return;
        }
        s->slots_done = 0;
        way.enter(s, item, slot - take);
        s->front.queued -= (int32_t)item->decode;
        place_next(&s->issued, s->plan.items.count);
        if (s->issued.index == 0)
            way.iteration(s);
        double *stall = slots > 0 ? waits(s, &way) : NULL;
        if (stall && slots == s->issue_width)   /* what entered takes no slot */
            s->stall = stall;
        if (stall || slots <= 0)
            return;
    }
}

#endif
