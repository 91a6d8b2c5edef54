/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the values of dispatched µops, and wakes their readers. */
#include "simulate/pipeline.h"

int32_t writeback_trailed(const struct simulator *s, const struct iteration *row,
                          const struct plan_node *node, int32_t value)
{
    for (uint32_t i = node->first_trail; i < node->first_trail + node->trails; i++) {
        int32_t source = value_at(s, row->value, &s->plan.sources.items[i]);
        if (source != UNKNOWN)
            value = later(value, source + s->plan.sources.items[i].add);
    }
    return value;
}

void writeback_value(struct simulator *s, const struct iteration *row, uint32_t node, int32_t value)
{
    const struct plan_node *from = &s->plan.nodes.items[node];
    const struct plan_reader *reader = &s->plan.readers.items[from->first_reader],
                             *end = reader + from->readers;
    /* Examines only the µops that are already renamed, because later µops read the value when they
     * are renamed. */
    int64_t entered = s->entered - row->age;

    s->values[(uint32_t)row->value + node] = value;
    for (; reader < end && reader->ahead < entered; reader++) {
        uint32_t place = row->uop + reader->ahead;
        place -= place < s->waiting_count ? 0 : s->waiting_count;
        scheduler_source_known(s, &s->waiting[place], value + reader->add);
    }
}

/* Returns the cycle in which the value of @item is ready, from its dispatched µops and without
 * trailing sources. */
static int32_t value_of(const struct simulator *s, const struct plan_item *item,
                        const struct flight *flight, int32_t latency)
{
    if (item->computing)
        return later(flight->compute_first + latency, flight->compute_last + 1);
    return flight->load != UNKNOWN ? flight->load + item->load_latency : s->now + latency;
}

static void publish(struct simulator *s, struct flight *flight, uint32_t node, int32_t value)
{
    flight->done = later(flight->done, value);
    writeback_value(s, &s->rows[flight->row], node, value);
}

static void publish_computed(struct simulator *s, const struct plan_item *item,
                             struct flight *flight)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_COMPUTED]];

    flight->published = true;
    if (item->unread >= 0)
        flight->done = later(flight->done, value_of(s, item, flight, item->unread));
    for (uint32_t i = 0; i < item->listed[NODE_COMPUTED]; i++) {
        const struct plan_node *node = &s->plan.nodes.items[nodes[i]];
        if (node->merged)
            continue;
        int32_t value = value_of(s, item, flight, node->latency);
        publish(s, flight, nodes[i], writeback_trailed(s, &s->rows[flight->row], node, value));
    }
}

/* Publishes the stored values after the dispatch of the item's last µop. */
static void publish_stored(struct simulator *s, const struct plan_item *item, struct flight *flight)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_STORED]];
    int32_t stored = flight->last;

    if (stored_when_computed(item))
        stored = later(stored, value_of(s, item, flight, item->until_data));
    flight->done = later(flight->done, flight->last + 1);
    for (uint32_t i = 0; i < item->listed[NODE_STORED]; i++)
        publish(s, flight, nodes[i], stored);
}

/* Publishes the new flags that depend on older flags (UOP_MERGED). The older flags are ready in
 * cycle @ready. */
static void publish_merged(struct simulator *s, const struct plan_item *item, struct flight *flight,
                           int32_t ready)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_COMPUTED]];

    for (uint32_t i = 0; i < item->listed[NODE_COMPUTED]; i++) {
        const struct plan_node *node = &s->plan.nodes.items[nodes[i]];
        if (node->merged)
            publish(s, flight, nodes[i], later(ready, value_of(s, item, flight, node->latency)));
    }
    flight->merging--;
}

void writeback_without_port(struct simulator *s, const struct waiting_uop *w)
{
    const struct plan_uop *uop = &s->plan.uops.items[w->uop];
    const struct plan_item *item = &s->plan.items.items[uop->item];
    struct flight *flight = &s->flights[w->flight];
    int32_t value = w->ready + s->plan.nodes.items[uop->node].latency;

    if (uop->kind == UOP_MERGED) {
        publish_merged(s, item, flight, w->ready);
        return;
    }
    if (item->delayed) {
        flight->done = later(flight->done, value);
        flight->merging--;
    }
    writeback_value(s, &s->rows[flight->row], uop->node, value);
}

/* Wakes the item's µops that wait for its load (@of_load) or for its last computing µop. */
static void wake_own(struct simulator *s, struct waiting_uop *w, const struct plan_item *item,
                     bool of_load, int32_t ready)
{
    struct waiting_uop *first = w - w->uop;

    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        uint8_t kind = s->plan.uops.items[u].kind;
        if (of_load ? behind_load(item, kind) : kind == UOP_DATA)
            scheduler_source_known(s, first + u, ready);
    }
}

void writeback_dispatched(struct simulator *s, struct waiting_uop *w)
{
    const struct plan_uop *uop = &s->plan.uops.items[w->uop];
    const struct plan_item *item = &s->plan.items.items[uop->item];
    struct flight *flight = &s->flights[w->flight];

    flight->pending--;
    flight->first = flight->first == UNKNOWN ? s->now : flight->first;
    flight->last = s->now;
    if (uop->kind == UOP_LOAD) {
        flight->load = s->now;
        if (item->computing || item->data)
            wake_own(s, w, item, true, s->now + item->load_latency);
    }
    if (uop->kind == UOP_COMPUTE) {
        flight->compute_first = flight->compute_first == UNKNOWN ? s->now : flight->compute_first;
        flight->compute_last = s->now;
        if (--flight->computing == 0 && item->data)
            wake_own(s, w, item, false,
                     later(flight->compute_first + item->until_data, flight->compute_last + 1));
    }
    if (!flight->pending)
        publish_stored(s, item, flight);
    if (!flight->published && !flight->computing && !(item->load && flight->load == UNKNOWN)) {
        publish_computed(s, item, flight);
        if (item->merges)
            scheduler_source_known(
                s, w - w->uop + item->first_uop + item->uops + item->listed[NODE_EARLY],
                s->now);
    }
}
