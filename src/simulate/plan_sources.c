/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the dependences of µops, once per block. */
#include "simulate/plan.h"

static bool is_address(const struct plan_edge *edge, const struct plan_item *item)
{
    return edge->end == LATENCY_ADDRESS && item->load + item->store > 0;
}

static int32_t overlap(const struct plan *p, const struct plan_edge *edge)
{
    return p->nodes.items[edge->from].kind == NODE_AT_RETIREMENT ? COMMIT_OVERLAP : 0;
}

/* Returns the cycles of the forwarding latency that the µops of store and load already include. The
 * forwarding latency is from stored to loaded value. It includes a µop that only moves the value:
 * Zen's vector loads and stores use a floating-point pipe. It does not include a µop that computes
 * the value (SETcc, PEXTRQ). */
static int32_t handed_on(const struct plan *p, const struct plan_item *load,
                         const struct plan_edge *edge)
{
    const struct plan_node *stored = &p->nodes.items[edge->from];
    const struct plan_item *store = &p->items.items[stored->item];

    return (load->computing && p->nodes.items[edge->to].latency == 0) +
           (store->computing && store->data && !store->load && stored->latency == 0);
}

/* Returns whether an item follows a fence through its µops of @kind. Sets *@add to the cycles from
 * the source to its execution. */
static bool follows(const struct plan_item *item, uint8_t kind, int32_t operation, int32_t latency,
                    int32_t *add)
{
    uint8_t first = !item->uops       ? UOP_RENAMED
                    : item->computing ? UOP_COMPUTE
                    : item->load      ? UOP_LOAD
                                      : kind;

    *add = operation - (first == UOP_LOAD ? item->load_latency : latency);
    return kind == first;
}

/* Returns whether a µop of @kind depends on @edge. Sets *@add to the cycles from the source to the
 * µop's earliest execution. */
static bool waits_for(const struct plan *p, const struct plan_item *item, uint8_t kind,
                      const struct plan_edge *edge, int32_t *add)
{
    const struct plan_node *to = &p->nodes.items[edge->to];
    bool address = is_address(edge, item), memory = edge->end == LATENCY_MEMORY;
    int32_t before = edge->before - (memory ? handed_on(p, item, edge) : 0);

    *add = edge->operation;
    if (kind == UOP_MERGED)
        return edge->minor && to->merged;
    if (edge->follows)
        return follows(item, kind, edge->operation, to->latency, add);
    *add = 0;
    if (edge->end == LATENCY_COMMIT || edge->minor ||
        (to->kind == NODE_EARLY) != (kind == UOP_RENAMED))
        return false;
    if (edge->end == LATENCY_FENCE && kind != UOP_RENAMED)
        return true;
    switch (kind) {
    case UOP_LOAD:
        *add = memory ? before - item->load_latency - overlap(p, edge) : 0;
        return address || memory;
    case UOP_ADDRESS:
        return address;
    case UOP_DATA:
        *add = before;
        return !address && !memory;
    case UOP_COMPUTE:
        *add = before + edge->operation - to->latency;
        return true;
    default:
        *add = before + edge->operation - to->latency;
        return true;
    }
}

/* Adds a source. Keeps one entry per value, with the longest delay. */
static void add_source(struct plan *p, uint32_t first, const struct plan_edge *edge, int32_t add)
{
    int32_t place = (int32_t)edge->from - (int32_t)(edge->distance * p->nodes.count);
    struct plan_node *from = &p->nodes.items[edge->from];

    from->reach = from->reach > add ? from->reach : add;
    for (size_t i = first; i < p->sources.count; i++)
        if (p->sources.items[i].place == place) {
            if (p->sources.items[i].add < add)
                p->sources.items[i].add = add;
            return;
        }
    vec_push(&p->sources, ((struct plan_source){place, add}));
}

static void list_sources(struct plan *p, struct plan_uop *uop)
{
    const struct plan_item *item = &p->items.items[uop->item];
    int32_t add;

    uop->first_source = (uint32_t)p->sources.count;
    for (uint32_t e = item->first_edge; e < item->first_edge + item->edges; e++)
        if ((uop->kind != UOP_RENAMED || p->edges.items[e].to == uop->node) &&
            waits_for(p, item, uop->kind, &p->edges.items[e], &add))
            add_source(p, uop->first_source, &p->edges.items[e], add);
    uop->sources = (uint32_t)p->sources.count - uop->first_source;
}

/* Lists the sources that delay a value although no µop waits for them. The value of a pure load
 * depends on the load's address or on the forwarded store. A store commits after its data are
 * ready. */
static void list_trails(struct plan *p, const struct plan_item *item, bool pure_load, uint32_t n)
{
    struct plan_node *node = &p->nodes.items[n];

    node->first_trail = (uint32_t)p->sources.count;
    for (uint32_t e = item->first_edge;
         e < item->first_edge + item->edges && node->kind != NODE_EARLY; e++) {
        const struct plan_edge *edge = &p->edges.items[e];
        if (edge->to != n)
            continue;
        if (node->kind == NODE_AT_RETIREMENT) {
            if (p->nodes.items[edge->from].kind != NODE_AT_RETIREMENT)
                add_source(p, node->first_trail, edge,
                           edge->operation + (is_address(edge, item) || edge->end == LATENCY_MEMORY
                                                  ? 0
                                                  : edge->before));
            continue;
        }
        if (node->kind == NODE_COMPUTED && pure_load && edge->end != LATENCY_COMMIT)
            add_source(p, node->first_trail, edge,
                       edge->before + edge->operation - overlap(p, edge) -
                           (edge->end == LATENCY_MEMORY ? handed_on(p, item, edge) : 0));
    }
    node->trails = (uint32_t)p->sources.count - node->first_trail;
}

static bool is_pure_load(const struct plan *p, const struct plan_item *item)
{
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++)
        if (p->uops.items[u].kind == UOP_LOAD)
            return !item->computing;
    return false;
}

/* Returns the node of a source, and sets *@distance to its iterations before the reader. */
static uint32_t node_at(const struct plan *p, int32_t place, uint32_t *distance)
{
    int32_t nodes = (int32_t)p->nodes.count;
    *distance = place < 0 ? (uint32_t)((nodes - 1 - place) / nodes) : 0;
    return (uint32_t)(place + (int32_t)*distance * nodes);
}

/* Lists the readers of each value from the sources of the µops. */
static void list_readers(struct plan *p)
{
    size_t total = 0;
    uint32_t distance;

    for (size_t u = 0; u < p->uops.count; u++)
        for (uint32_t i = 0; i < p->uops.items[u].sources; i++, total++)
            p->nodes
                .items[node_at(p, p->sources.items[p->uops.items[u].first_source + i].place,
                               &distance)]
                .readers++;
    uint32_t first = 0;
    for (size_t n = 0; n < p->nodes.count; n++) {
        p->nodes.items[n].first_reader = first;
        first += p->nodes.items[n].readers;
        p->nodes.items[n].readers = 0;
    }
    vec_reserve(&p->readers, total);
    p->readers.count = total;
    for (size_t u = 0; u < p->uops.count; u++)
        for (uint32_t i = 0; i < p->uops.items[u].sources; i++) {
            const struct plan_source *source = &p->sources.items[p->uops.items[u].first_source + i];
            struct plan_node *node = &p->nodes.items[node_at(p, source->place, &distance)];
            struct plan_reader *readers = &p->readers.items[node->first_reader],
                               reader = {distance * (uint32_t)p->uops.count + (uint32_t)u,
                                         source->add};
            uint32_t at = node->readers++;
            for (; at > 0 && readers[at - 1].ahead > reader.ahead; at--)
                readers[at] = readers[at - 1];
            readers[at] = reader;
        }
}

/* Numbers the distinct combinations of ports and pipe. */
static void number_choices(struct plan *p)
{
    p->choices = 0;
    p->pipe_choices = 1;
    for (size_t u = 0; u < p->uops.count; u++) {
        struct plan_uop *uop = &p->uops.items[u];
        uop->choice = (uint16_t)p->choices;
        uop->pipe_choice = uop->pipe ? (uint16_t)p->pipe_choices : 0;
        for (size_t i = 0; i < u; i++) {
            const struct plan_uop *other = &p->uops.items[i];
            if (other->pipe == uop->pipe)
                uop->pipe_choice = other->pipe_choice;
            if (other->pipe == uop->pipe && other->ports == uop->ports) {
                uop->choice = other->choice;
                break;
            }
        }
        p->choices += uop->choice == p->choices;
        p->pipe_choices += uop->pipe_choice == p->pipe_choices;
    }
}

void plan_connect(struct plan *p)
{
    p->sources.count = p->readers.count = 0;
    for (size_t u = 0; u < p->uops.count; u++)
        list_sources(p, &p->uops.items[u]);
    for (size_t k = 0; k < p->items.count; k++) {
        const struct plan_item *item = &p->items.items[k];
        bool pure_load = is_pure_load(p, item);
        for (unsigned kind = 0; kind < NODE_KINDS; kind++)
            for (uint32_t i = 0; i < item->listed[kind]; i++)
                list_trails(p, item, pure_load, p->listed.items[item->first_listed[kind] + i]);
    }
    list_readers(p);
    number_choices(p);
}
