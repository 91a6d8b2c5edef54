/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is worked out once per block to simulate it in program order (order.c), and whether that can be done. */
#include "simulate/state.h"

/* Steps within the item before it can go: 1 behind the load, 2 behind what computes. */
static unsigned rank_of(const struct plan_item *item, const struct plan_uop *uop)
{
    return uop->kind == UOP_DATA && item->computing ? 2 : uop->own > 0;
}

/* Whether @uop waits for @other of the same item. */
static bool waits_for(const struct plan_item *item, const struct plan_uop *uop, const struct plan_uop *other)
{
    return (other->kind == UOP_LOAD && behind_load(item, uop->kind)) || (other->kind == UOP_COMPUTE && uop->kind == UOP_DATA && uop->own > 0);
}

/* The item's µops by rank. False when one comes behind a younger one that it does not wait for, though both can want the same port. */
static bool take_turns(struct plan *p, const struct plan_item *item)
{
    struct plan_uop *uops = &p->uops.items[item->first_uop];
    uint32_t turn = 0;
    bool apart = true;

    for (unsigned rank = 0; turn < item->uops; rank++)
        for (uint32_t i = 0; i < item->uops; i++) {
            if (rank_of(item, &uops[i]) != rank)
                continue;
            uops[turn++].turn = i;
            for (uint32_t older = 0; older < i; older++)
                apart &= rank_of(item, &uops[older]) <= rank || waits_for(item, &uops[older], &uops[i]) || !(uops[older].ports & uops[i].ports);
        }
    return apart;
}

/* Whether one of @count sources from @first on is a value of the item, or of one behind it; those that are told before the item retires count only where that is @early. */
static bool any_from(const struct plan *p, const struct plan_item *item, uint32_t first, uint32_t count, bool early)
{
    for (uint32_t i = first; i < first + count; i++) {
        int32_t place = p->sources.items[i].place;
        if (place >= (int32_t)item->first_node && (early || place >= (int32_t)(item->first_node + item->nodes) || p->nodes.items[place].kind == NODE_AT_RETIREMENT))
            return true;
    }
    return false;
}

/* Whether a µop or a value waits for a value of its own item that is not told before. */
static bool waits_for_itself(const struct plan *p, const struct plan_item *item)
{
    uint32_t end = item->first_uop + item->uops + (item->listed[NODE_EARLY] > 0) + item->merges;

    for (uint32_t u = item->first_uop; u < end; u++)
        if (any_from(p, item, p->uops.items[u].first_source, p->uops.items[u].sources, true))
            return true;
    for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++)
        if (any_from(p, item, p->nodes.items[n].first_trail, p->nodes.items[n].trails, p->nodes.items[n].kind != NODE_AT_RETIREMENT))
            return true;
    return false;
}

/* Its entries in lanes. False when it has too many for one, or µops and no slot at rename. */
static bool fill_lanes(struct plan_item *item)
{
    uint64_t of_memory = in_lane(item->load, LANE_LOADS);

    item->leaves = in_lane(item->issue, LANE_ROB) + of_memory;
    of_memory += in_lane(item->store, LANE_STORES);
    item->needs = in_lane(item->issue, LANE_ROB) + in_lane((uint32_t)item->room, LANE_SCHEDULER) + of_memory;
    item->takes = in_lane(item->issue, LANE_ROB) + in_lane(item->uops, LANE_SCHEDULER) + of_memory;
    item->gone = 1 + ((uint64_t)item->store << 32);
    return item->issue <= LANE_MOST && item->uops <= LANE_MOST && (item->issue > 0 || item->uops == 0);
}

/* What is told of a direct item when its µop's cycle is known. */
static void list_tellings(struct plan *p, struct plan_item *item)
{
    uint32_t end = item->first_value + item->listed[NODE_COMPUTED] + item->listed[NODE_STORED];

    item->first_told = (uint32_t)p->tellings.count;
    item->told = item->direct ? end - item->first_value : 0;
    item->after = item->unread < 0 ? 1 : later(1, item->load ? item->load_latency : item->unread);
    for (uint32_t i = item->first_value; item->direct && i < end; i++) {
        uint32_t n = p->listed.items[i];
        const struct plan_node *node = &p->nodes.items[n];
        struct plan_telling telling = {n, item->load ? item->load_latency : later(node->latency, 1), node->trails > 0};
        if (node->kind == NODE_STORED)
            telling = (struct plan_telling){n, 0, false};
        item->after = later(item->after, telling.after);
        vec_push(&p->tellings, telling);
    }
}

void plan_turns(struct plan *p)
{
    p->in_order = true;
    p->tellings.count = 0;
    for (size_t k = 0; k < p->items.count; k++)
        list_tellings(p, &p->items.items[k]);
    for (size_t u = 0; u < p->uops.count; u++)
        p->uops.items[u].apart = p->uops.items[u].pipe || (p->banked && p->uops.items[u].bytes);
    for (size_t k = 0; k < p->items.count; k++)
        p->in_order &= take_turns(p, &p->items.items[k]) && !waits_for_itself(p, &p->items.items[k]) && fill_lanes(&p->items.items[k]);
}

portset order_alike(const struct plan *p)
{
    portset loads = 0;

    for (size_t u = 0; u < p->uops.count; u++)
        loads |= p->uops.items[u].kind == UOP_LOAD ? p->uops.items[u].ports : 0;
    for (size_t u = 0; u < p->uops.count; u++)
        if (p->uops.items[u].ports & loads && (p->uops.items[u].kind != UOP_LOAD || p->uops.items[u].ports != loads || p->uops.items[u].pipe))
            return 0;
    return loads;
}

static bool in_a_lane(int32_t entries)
{
    return entries >= 0 && entries <= LANE_MOST;
}

bool order_fits(const struct simulator *s)
{
    const struct plan *p = &s->plan;
    portset held = 0;
    int32_t longest = 0;

    for (size_t u = 0; u < p->uops.count; u++) {
        held |= p->uops.items[u].pipe ? p->uops.items[u].ports | p->uops.items[u].pipe : 0;
        longest = later(longest, p->uops.items[u].hold);
    }
    return !s->late && in_a_lane(s->rob_size) && in_a_lane(s->scheduler_size) && in_a_lane(s->load_size) && in_a_lane(s->store_size) && p->in_order && longest <= HOLD_MOST && !(p->banked && held & s->load_ports);
}
