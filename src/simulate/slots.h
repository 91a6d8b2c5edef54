/* Internal to simulate/: which items rename takes in a cycle. */
#ifndef PORTOLAN_SIMULATE_SLOTS_H
#define PORTOLAN_SIMULATE_SLOTS_H

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
    void (*begin)(struct simulator *s);       /* items will enter in this cycle: to fill s->before */
};

/* One cycle of rename. An item enters when it was delivered in a cycle before. */
static inline __attribute__((always_inline)) void rename_items(struct simulator *s, const struct entrance way)
{
    const struct plan_item *items = s->plan.items.items, *end = items + s->plan.items.count, *item = items + s->issued.index;
    int64_t there = s->front.delivered.number - s->issued.number;
    uint32_t done = s->slots_done, fused = 0;   /* slots of the item at rename that it has; fused µops of this cycle so far */
    int32_t width = s->issue_width, slots = width;

    s->stall = there <= 0 ? &s->out->stalls_front : done ? NULL : way.obstacle(s, item);
    if (s->stall)
        return;
    way.begin(s);
    s->bound_now = 0;
    s->moved = true;
    for (;;) {
        uint32_t take = 1;
        if (!item->one_slot) {
            if (slots < (int32_t)item->group_room && !done && slots != width)
                break;
            if (item->split && !done && (fused >= s->core->unlaminate_first || item->issue > (uint32_t)slots) && fused)
                break;
            uint32_t need = item->issue - done;
            take = need < (uint32_t)slots ? need : (uint32_t)slots;
            if (take < need) {
                done += take;
                break;
            }
            done = 0;
        }
        slots -= (int32_t)take;
        fused += item->split ? item->decode : take;
        way.enter(s, item, (unsigned)(width - slots) - take);
        s->front.queued -= (int32_t)item->decode;
        s->issued.number++;
        s->issued.index++;
        if (++item == end) {
            item = items;
            s->issued.index = 0;
            s->issued.iteration++;
            way.iteration(s);
        }
        if (slots <= 0)
            break;
        double *stall = --there <= 0 ? &s->out->stalls_front : way.obstacle(s, item);
        if (!stall)
            continue;
        if (slots == width)   /* what entered takes no slot */
            s->stall = stall;
        break;
    }
    s->slots_done = done;
}

#endif
