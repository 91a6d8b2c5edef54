/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/plan.h"

#include <stdlib.h>
#include <string.h>

static void read_facts(struct front *f, const struct core *c)
{
    bool alike = f->source == SOURCE_DECODERS && isnan(c->decoders) && !isnan(c->decode_width);
    double slots = isnan(c->issue_width) ? NAN : core_slots(c), width = f->source == SOURCE_UOP_CACHE ? c->uop_cache_width : f->source == SOURCE_LOOP_BUFFER ? slots : 2 * slots;

    f->streams = alike || f->source != SOURCE_DECODERS;
    f->block_bytes = whole(c->predecode_bytes, whole(c->fetch_bytes, 64));   /* that the decoders get to see at a time */
    f->predecode_width = whole(c->predecode_width, 64);
    f->instruction_queue = (int32_t)c->instruction_queue;
    f->decoders = whole(c->decoders, 4);
    f->complex_uops = (int32_t)c->decode_complex_uops;
    f->microcode_width = core_microcode_width(c);
    f->uop_queue = (int32_t)c->uop_queue;
    f->room = f->complex_uops < f->uop_queue ? f->complex_uops : f->uop_queue;
    f->lcp_penalty = (int32_t)c->lcp_penalty;
    f->stream_width = alike ? whole(c->decode_width, 8) : whole(width, f->source == SOURCE_UOP_CACHE ? INT32_MAX : 8);   /* a µop cache of unknown width delivers by windows alone */
    f->fusible_last = c->fusible_last;
    f->taken_branches = f->shape == SHAPE_LOOP ? whole(c->taken_branches, INT32_MAX) : INT32_MAX;
}

/* As many copies of @slots in the loop buffer as waste the least (Facile). */
static unsigned copies_of(double slots, const struct core *c)
{
    unsigned best = 1;
    double least = INFINITY;

    for (unsigned copies = 1; copies <= 8 && slots * copies <= c->loop_buffer; copies++) {
        double cycles = ceil(slots * copies / (isnan(c->issue_width) ? NAN : core_slots(c))) / copies;
        if (cycles < least - 1e-9) {
            least = cycles;
            best = copies;
        }
    }
    return best;
}

/* The items that the decoders take together, from item @first on. */
static struct decode_group group_from(const struct front *f, size_t first)
{
    const struct plan_item *items = f->plan->items.items;
    struct decode_group group = {.first_members = items[first].members, .first_uops = (int32_t)items[first].decode};
    uint32_t used = 0, decoders = (uint32_t)f->decoders, most = (uint32_t)f->complex_uops;

    for (size_t i = first; used < decoders; i = i + 1 == f->plan->items.count ? 0 : i + 1) {
        const struct plan_item *item = &items[i];
        if ((item->complex && used) || (used + 1 == decoders && item->fusible && !f->fusible_last))
            break;
        group.items++;
        group.members = (uint16_t)(group.members + item->members);
        group.last = (int32_t)item->decode;
        group.uops += group.last;
        used += item->decode > 1 ? item->decode : !item->joins;
        group.stall = item->decode > most ? (int32_t)((item->decode - 1) / f->microcode_width) : 0;
        if (item->branch || item->decode >= most)
            break;
    }
    return group;
}

static void form_groups(struct front *f)
{
    if (f->group_capacity < f->plan->items.count) {
        free(f->groups);
        f->group_capacity = f->plan->items.count;
        f->groups = mem_alloc(f->group_capacity * sizeof *f->groups);
    }
    for (size_t i = 0; i < f->plan->items.count; i++)
        f->groups[i] = group_from(f, i);
}

static uint64_t paid(const struct front *f)
{
    return f->crossing_paid | (uint64_t)f->lcp_paid << 1;
}

/* The node of the state that the fields have; where there are too many all are forgotten, and true is stored in @forgotten. */
static const struct front_node *find_node(struct front *f, bool *forgotten)
{
    struct front_nodes *all = f->nodes;
    uint64_t place = f->predecoded.index | (uint64_t)f->delivered.index << 16 | (uint64_t)(f->predecoded.number - f->decoded) << 32 | (uint64_t)(uint8_t)(f->at - f->block) << 48 | paid(f) << 56;
    uint64_t waits = (uint32_t)f->stall | (uint64_t)(uint32_t)f->decode_stall << 32;
    uint16_t *first = &all->first[front_mixed(place, waits) % FRONT_NODES];

    for (uint16_t at = *first; at; at = all->nodes[at - 1].chain)
        if (all->nodes[at - 1].place == place && all->nodes[at - 1].waits == waits)
            return &all->nodes[at - 1];
    if (all->count == FRONT_NODES) {
        *forgotten = true;
        all->count = 0;
        memset(all->first, 0, sizeof all->first);
    }
    struct front_node *node = &all->nodes[all->count++];
    *node = (struct front_node){.place = place, .waits = waits, .chain = *first};
    *first = (uint16_t)all->count;
    return node;
}

/* Where the decoders differ and all fits: states are remembered. */
static void begin_nodes(struct front *f)
{
    bool fits = !f->streams && f->plan->insns.count <= UINT16_MAX && f->block_bytes <= 64 && f->instruction_queue <= UINT16_MAX, forgotten;

    f->room_most = 1;
    for (size_t i = 0; fits && i < f->plan->items.count; i++) {
        const struct decode_group *group = &f->groups[i];
        f->room_most = group->uops - group->last >= f->room_most ? group->uops - group->last + 1 : f->room_most;
        fits = group->uops <= UINT16_MAX && f->room_most < (int32_t)FRONT_ROOMS;
    }
    if (!fits)
        return;
    if (!f->nodes)
        f->nodes = mem_alloc(sizeof *f->nodes);
    f->nodes->count = 0;
    memset(f->nodes->first, 0, sizeof f->nodes->first);
    f->node = find_node(f, &forgotten);
}

void front_fill(struct front *f)
{
    if (!f->node)
        return;
    uint64_t place = f->node->place;
    f->predecoded.index = (uint16_t)place;
    f->delivered.index = (uint16_t)(place >> 16);
    f->delivered.iteration = (f->delivered.number - f->delivered.index) / (int64_t)f->plan->items.count;
    f->decoded = f->delivered.iteration * (int64_t)f->plan->insns.count + f->plan->items.items[f->delivered.index].insn;
    f->predecoded.number = f->visible = f->decoded + (uint16_t)(place >> 32);
    f->predecoded.iteration = f->predecoded.number / (int64_t)f->plan->insns.count;
    f->block = f->align - f->align % f->block_bytes;
    f->at = f->block + (int8_t)(place >> 48);
    f->crossing_paid = place >> 56 & 1;
    f->lcp_paid = place >> 57 & 1;
    f->stall = (int32_t)(uint32_t)f->node->waits;
    f->decode_stall = (int32_t)(f->node->waits >> 32);
}

void front_done(struct front *f)
{
    windows_done(&f->windows);
    free(f->groups);
    free(f->nodes);
}

/* The next group's turn has come. */
static void next_window(struct front *f)
{
    f->window = f->window + 1 < f->windows.list.count ? f->window + 1 : 0;
    f->window_left = f->windows.list.items[f->window].insns;
    f->window_wait = f->windows.list.items[f->window].cycles;
}

void front_start(struct front *f, const struct plan *plan, const struct core *c, const struct block_work *w, const struct insn *insns, const struct block_options *options, const struct frontend *bound)
{
    double slots = 0;

    *f = (struct front){.plan = plan, .groups = f->groups, .group_capacity = f->group_capacity, .nodes = f->nodes, .windows = f->windows, .shape = options->shape, .source = bound->source, .align = options->align, .at = options->align};
    read_facts(f, c);
    if (!f->streams)
        form_groups(f);
    f->block = f->align - f->align % f->block_bytes;
    f->one_line = options->shape != SHAPE_CACHED && options->align % 32 + plan->length <= 32;
    for (size_t i = 0; i < plan->items.count; i++)
        slots += plan->items.items[i].decode;
    f->copies = f->source == SOURCE_LOOP_BUFFER ? copies_of(slots, c) : 1;
    f->windows.list.count = 0;
    if (f->source == SOURCE_UOP_CACHE && windows_known(c)) {
        windows_form(c, insns, &w->costs, f->shape, (unsigned)f->align, &f->windows);
        f->window = f->windows.list.count;
        next_window(f);
        f->window_left -= f->windows.before;
    }
    begin_nodes(f);
}

static void next_block(struct front *f)
{
    f->block += f->block_bytes;
    f->crossing_paid = false;
    f->moved = true;
}

/* One block of 16 bytes at a time, so many instructions a cycle; one that ends in the next block takes part in both. */
static void predecode_room(struct front *f, int64_t room)
{
    const struct plan_insn *insns = f->plan->insns.items;
    int32_t width = f->predecode_width;
    int64_t end = f->block + f->block_bytes;

    while (width > 0 && room > 0) {
        const struct plan_insn *insn = &insns[f->predecoded.index];
        if (f->at + insn->length > end) {
            if (f->at + insn->opcode >= f->block && f->at + insn->opcode < end && !f->crossing_paid) {
                f->crossing_paid = true;
                width--;
                continue;
            }
            next_block(f);
            return;
        }
        if (insn->lcp && !f->lcp_paid && f->lcp_penalty > 0) {
            f->lcp_paid = true;
            f->stall = f->lcp_penalty - 1;
            return;
        }
        f->lcp_paid = false;
        f->at += insn->length;
        place_next(&f->predecoded, f->plan->insns.count);
        width--;
        room--;
        if (f->shape == SHAPE_LOOP && f->predecoded.index == 0) {
            f->at = f->align;
            f->block = f->align - f->align % f->block_bytes;
            return;
        }
    }
    /* Nothing of the block may be left. */
    const struct plan_insn *next = &insns[f->predecoded.index];
    if (width == 0 && f->at + next->length > end && (f->at + next->opcode >= end || f->crossing_paid))
        next_block(f);
}

static inline void predecode(struct front *f)
{
    if (f->stall > 0) {
        f->stall--;
        return;
    }
    int64_t room = f->instruction_queue - (f->predecoded.number - f->decoded);
    if (room <= 0)
        return;
    f->moved = true;
    predecode_room(f, room);
}

static void deliver(struct front *f, const struct plan_item *item)
{
    f->queued += (int32_t)item->decode;
    f->decoded += item->members;
    f->moved = true;
    place_next(&f->delivered, f->plan->items.count);
}

/* As much of a group as is there and finds the queue with room. */
static void decode_part(struct front *f, int64_t visible)
{
    const struct decode_group *groups = f->groups, *group = &groups[f->delivered.index];
    uint32_t at = f->delivered.index, count = (uint32_t)f->plan->items.count, items = 0;
    int32_t queued = f->queued, most = f->uop_queue - f->room;

    for (; items < group->items && queued <= most && visible >= groups[at].first_members; items++) {
        visible -= groups[at].first_members;
        queued += groups[at].first_uops;
        if (++at == count) {
            at = 0;
            f->delivered.iteration++;
        }
    }
    if (items == 0)
        return;
    f->decoded = f->visible - visible;
    f->queued = queued;
    f->delivered.number += items;
    f->delivered.index = at;
    f->decode_stall = items == group->items ? group->stall : 0;
    f->moved = true;
}

static void decode(struct front *f)
{
    if (f->decode_stall > 0) {
        f->decode_stall--;
        return;
    }
    const struct decode_group *group = &f->groups[f->delivered.index];
    int64_t visible = f->visible - f->decoded;
    if (visible < group->members || !group->items || f->queued + group->uops - group->last + f->room > f->uop_queue) {
        decode_part(f, visible);
        return;
    }
    f->queued += group->uops;
    f->decoded += group->members;
    f->decode_stall = group->stall;
    f->moved = true;
    f->delivered.number += group->items;
    f->delivered.index += group->items;
    for (; f->delivered.index >= f->plan->items.count; f->delivered.iteration++)
        f->delivered.index -= (uint32_t)f->plan->items.count;
}

/* µop cache, loop buffer, or a front end of which nothing is known: so many µops a cycle. Decoders that are all alike: so many instructions. Of either no more
 * than have so many taken branches among them (the decoders that differ end a cycle at each branch). */
static void stream(struct front *f)
{
    int64_t budget = f->stream_width;
    int32_t branches = f->taken_branches;

    while (budget > 0) {
        const struct plan_item *item = &f->plan->items.items[f->delivered.index];
        if (branches == 0 && f->delivered.index + 1 == f->plan->items.count)
            return;
        if (f->queued + (int64_t)item->decode > f->uop_queue && f->queued)
            return;
        deliver(f, item);
        budget -= f->source == SOURCE_DECODERS ? !item->joins : item->decode;
        bool ends = f->delivered.index == 0;
        branches -= ends;
        if (ends && f->source == SOURCE_UOP_CACHE && f->one_line)
            return;
        if (ends && f->source == SOURCE_LOOP_BUFFER && f->delivered.iteration % f->copies == 0)
            return;
    }
}

/* µop cache that delivers by windows. */
static void stream_windows(struct front *f)
{
    if (f->window_wait > 0) {
        f->window_wait--;
        f->moved = true;
    }
    for (int64_t budget = f->stream_width; f->window_wait == 0 && budget > 0;) {
        const struct plan_item *item = &f->plan->items.items[f->delivered.index];
        budget -= item->decode;
        if (f->queued + (int64_t)item->decode > f->uop_queue && f->queued)
            return;
        deliver(f, item);
        if (!item->joins && --f->window_left == 0)
            next_window(f);
    }
}

static bool cycle(struct front *f)
{
    f->moved = f->stall > 0 || f->decode_stall > 0 || f->visible != f->predecoded.number;
    decode(f);
    predecode(f);
    f->visible = f->predecoded.number;
    return f->moved;
}

bool front_cycle_anew(struct front *f)
{
    if (f->streams) {
        f->moved = false;
        if (f->windows.list.count)
            stream_windows(f);
        else
            stream(f);
        return f->moved;
    }
    if (!f->node)
        return cycle(f);
    int64_t delivered = f->delivered.number;
    int32_t queued = f->queued;
    struct front_step *step = &((struct front_node *)f->node)->steps[front_room(f)];
    bool forgotten = false;
    front_fill(f);
    bool moved = cycle(f);
    f->node = find_node(f, &forgotten);
    if (!forgotten)
        *step = (struct front_step){f->node, (uint16_t)(f->delivered.number - delivered), (uint16_t)(f->queued - queued), moved};
    return moved;
}

size_t front_state(struct front *f, int64_t base, int32_t *out)
{
    const struct plan *p = f->plan;
    size_t n = 0;

    front_fill(f);
    out[n++] = (int32_t)(f->delivered.number - base * (int64_t)p->items.count);
    out[n++] = f->queued;
    if (f->source == SOURCE_LOOP_BUFFER)
        out[n++] = (int32_t)(base % f->copies);
    if (f->windows.list.count) {
        out[n++] = (int32_t)f->window;
        out[n++] = (int32_t)f->window_left;
        out[n++] = (int32_t)f->window_wait;
    }
    if (f->streams)
        return n;
    out[n++] = (int32_t)(f->predecoded.number - base * (int64_t)p->insns.count);
    out[n++] = (int32_t)(f->visible - base * (int64_t)p->insns.count);
    out[n++] = (int32_t)(f->at - f->block);   /* blocks are aligned: the instruction's place in its own, too */
    out[n++] = f->stall;
    out[n++] = f->decode_stall;
    out[n++] = f->lcp_paid | f->crossing_paid << 1;
    return n;
}
