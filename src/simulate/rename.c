/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rename: moves items from the µop queue to the reorder buffer and the scheduler, with a limited
 * number of slots per cycle. */
#include "simulate/pipeline.h"

#include <string.h>

static void begin_iteration(struct simulator *s)
{
    uint32_t row = row_of(s, s->issued.iteration);

    s->entering = &s->rows[row];
    *s->entering = (struct iteration){.iteration = s->issued.iteration,
                                      .age = s->issued.iteration * (int64_t)s->plan.uops.count,
                                      .value = (int32_t)(row * s->plan.nodes.count),
                                      .uop = row * (uint32_t)s->plan.uops.count,
                                      .flight = row * (uint32_t)s->plan.items.count};
}

void rename_start(struct simulator *s)
{
    s->entered = 0;
    s->slots_done = 0;
    s->sequencer_free = 0;
    begin_iteration(s);
}

/* Returns whether @item needs the microcode sequencer (item.alone), which an earlier item still
 * occupies. */
static bool waits_for_sequencer(const struct simulator *s, const struct plan_item *item)
{
    return item->alone && s->sequencer_free > (int64_t)s->now * CYCLE;
}

/* Blocks rename for @item. Fractions of cycles accumulate. */
static void take_sequencer(struct simulator *s, const struct plan_item *item)
{
    int64_t now = (int64_t)s->now * CYCLE;

    s->sequencer_free = (now - s->sequencer_free < CYCLE ? s->sequencer_free : now) + item->alone;
}

int32_t rename_next(const struct simulator *s)
{
    bool waits = s->issued.number < s->front.delivered.number &&
                 waits_for_sequencer(s, &s->plan.items.items[s->issued.index]);

    return waits ? (int32_t)((s->sequencer_free + CYCLE - 1) / CYCLE) : UNKNOWN;
}

/* Adds the µops of the renamed item to the scheduler. */
static void enter_uops(struct simulator *s, const struct plan_item *item)
{
    struct flight *flight = &s->flights[s->entering->flight + s->issued.index];
    int32_t *values = &s->values[s->entering->value];
    const uint32_t *listed = &s->plan.listed.items[item->first_value];
    uint32_t after = item->first_uop + item->uops;

    flight->issue = flight->done = flight->last = s->now;
    flight->first = flight->load = flight->compute_first = flight->compute_last = UNKNOWN;
    flight->row = row_of(s, s->issued.iteration);
    flight->pending = item->uops;
    flight->merging = item->merges + (item->delayed ? item->listed[NODE_EARLY] : 0);
    flight->computing = item->computing;
    flight->published = false;
    for (uint32_t i = 0; i < item->values; i++)
        values[listed[i]] = UNKNOWN;
    for (uint32_t u = item->first_uop; u < after; u++)
        scheduler_add(s, u, s->plan.uops.items[u].own, s->now + s->rename_to_port);
    s->entered = s->entering->age + after;
    for (uint32_t i = 0; i < item->listed[NODE_EARLY]; i++)
        scheduler_add(s, after++, 0, s->now);
    if (item->merges)
        scheduler_add(s, after, 1, s->now); /* The merging µop waits for the item's result. */
}

static void enter(struct simulator *s, const struct plan_item *item)
{
    ports_bind(s, item);
    enter_uops(s, item);
    s->rob += (int32_t)item->issue;
    s->scheduler += (int32_t)item->uops;
    s->loads += item->load;
    s->stores += item->store;
}

/* Returns the stall counter of the resource that blocks @item, or NULL if no resource blocks
 * @item. */
static double *obstacle(const struct simulator *s, const struct plan_item *item)
{
    if (waits_for_sequencer(s, item))
        return &s->out->stalls[STALL_FRONT];
    if (s->rob + (int32_t)item->issue > s->rob_size && s->rob)
        return &s->out->stalls[STALL_REORDER];
    if (s->scheduler + item->room > s->scheduler_size)
        return &s->out->stalls[STALL_SCHEDULER];
    if (item->load && s->loads >= s->load_size)
        return &s->out->stalls[STALL_LOADS];
    if (item->store && s->stores >= s->store_size)
        return &s->out->stalls[STALL_STORES];
    return NULL;
}

/* Returns whether the first slot of @item must wait for the next group. The current group has
 * @slots free slots and @fused µops. */
static bool waits_for_group(const struct simulator *s, const struct plan_item *item, uint32_t slots,
                            uint32_t fused)
{
    if (slots < item->group_room && slots != (uint32_t)s->issue_width)
        return true;
    return item->split && fused && (fused >= s->core->unlaminate_first || item->issue > slots);
}

/* Number of µops renamed in a cycle, per limited kind. */
struct kinds {
    uint32_t limited[DISPATCH_LIMITS_MAX], moves, zeroes;
};

/* Returns whether @item exceeds a limit of this cycle. An item that alone exceeds a limit is
 * renamed in a cycle without other items of its kind. */
static bool waits_for_kind(const struct simulator *s, const struct plan_item *item,
                           const struct kinds *taken)
{
    const struct dispatch_limits *limits = &s->core->dispatch_limits;

    for (unsigned k = 0; k < limits->count; k++)
        if (taken->limited[k] && item->limited[k] &&
            taken->limited[k] + item->limited[k] > limits->items[k].most)
            return true;
    return (item->moves && taken->moves + item->moves > (uint32_t)s->moves_most) ||
           (item->zeroes && taken->zeroes + item->zeroes > (uint32_t)s->zeroes_most);
}

static void take_kinds(const struct simulator *s, const struct plan_item *item, struct kinds *taken)
{
    for (unsigned k = 0; k < s->core->dispatch_limits.count; k++)
        taken->limited[k] += item->limited[k];
    taken->moves += item->moves;
    taken->zeroes += item->zeroes;
}

static void next_item(struct simulator *s, const struct plan_item *item)
{
    s->front.queued -= (int32_t)item->decode;
    place_next(&s->issued, s->plan.items.count);
    if (s->issued.index == 0)
        begin_iteration(s);
}

/* Renames items in one cycle. Items delivered in this cycle wait for the next cycle. */
void rename_cycle(struct simulator *s)
{
    uint32_t width = (uint32_t)s->issue_width, slots = width, fused = 0;
    struct kinds taken = {0};

    s->stall = NULL;
    s->turn = 0;
    memcpy(s->before, s->bound, s->core->ports->count * sizeof *s->before);
    do {
        const struct plan_item *item = &s->plan.items.items[s->issued.index];
        double *stall = s->issued.number >= s->front.delivered.number
                            ? &s->out->stalls[STALL_FRONT]
                        : s->slots_done ? NULL
                                        : obstacle(s, item);
        if (stall) {
            s->stall = slots == width ? stall : NULL;
            return;
        }
        s->moved = true;
        if (!s->slots_done &&
            (waits_for_group(s, item, slots, fused) || waits_for_kind(s, item, &taken)))
            return;
        if (!s->slots_done && item->alone)
            take_sequencer(s, item);
        uint32_t need = item->issue - s->slots_done, take = need < slots ? need : slots;
        if (take < need) {
            s->slots_done += take;
            return;
        }
        s->slots_done = 0;
        slots -= take;
        fused += item->split ? item->decode : take;
        take_kinds(s, item, &taken);
        enter(s, item);
        next_item(s, item);
    } while (slots > 0);
}
