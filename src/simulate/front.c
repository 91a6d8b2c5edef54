/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/plan.h"

static void read_facts(struct front *f, const struct core *c)
{
    bool alike = f->source == SOURCE_DECODERS && isnan(c->decoders) && !isnan(c->decode_width);
    double width = f->source == SOURCE_UOP_CACHE ? c->uop_cache_width : f->source == SOURCE_LOOP_BUFFER ? c->issue_width : 2 * c->issue_width;

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
    f->stream_width = alike ? whole(c->decode_width, 8) : whole(width, 8);
    f->fusible_last = c->fusible_last;
    f->taken_branches = f->shape == SHAPE_LOOP ? whole(c->taken_branches, INT32_MAX) : INT32_MAX;
}

/* As many copies of @slots in the loop buffer as waste the least (Facile). */
static unsigned copies_of(double slots, const struct core *c)
{
    unsigned best = 1;
    double least = INFINITY;

    for (unsigned copies = 1; copies <= 8 && slots * copies <= c->loop_buffer; copies++) {
        double cycles = ceil(slots * copies / c->issue_width) / copies;
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
        used += item->decode > 1 ? item->decode : 1;
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

void front_done(struct front *f)
{
    free(f->groups);
    free(f->predecodings);
}

void front_start(struct front *f, const struct plan *plan, const struct core *c, const struct block_options *options, const struct frontend *bound)
{
    double slots = 0;

    *f = (struct front){.plan = plan, .groups = f->groups, .group_capacity = f->group_capacity, .predecodings = f->predecodings, .number = f->number + 1, .shape = options->shape, .source = bound->source, .align = options->align, .at = options->align};
    read_facts(f, c);
    if (!f->streams)
        form_groups(f);
    f->block = f->align - f->align % f->block_bytes;
    f->one_line = options->shape != SHAPE_CACHED && options->align % 32 + plan->length <= 32;
    for (size_t i = 0; i < plan->items.count; i++)
        slots += plan->items.items[i].decode;
    f->copies = f->source == SOURCE_LOOP_BUFFER ? copies_of(slots, c) : 1;
    f->remembers = !f->streams && plan->insns.count <= UINT16_MAX && f->block_bytes <= 64 && f->predecode_width <= ROOM_MOST && f->lcp_penalty <= INT16_MAX;
    if (f->remembers && !f->predecodings)
        f->predecodings = mem_zero(PREDECODED, sizeof *f->predecodings);
}

static void next_block(struct front *f)
{
    f->block += f->block_bytes;
    f->crossing_paid = false;
    f->moved = true;
}

/* One block of 16 bytes at a time, so many instructions a cycle; one that ends in the next block takes part in both. */
static void predecode_anew(struct front *f, int64_t room)
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

static uint32_t paid(const struct front *f)
{
    return f->crossing_paid | (uint32_t)f->lcp_paid << 1;
}

/* The same for what has been met before: what happens depends on the place and on the room alone, of which no more than the width matters. */
static void predecode_again(struct front *f, int64_t free)
{
    uint32_t room = free < f->predecode_width ? (uint32_t)free : (uint32_t)f->predecode_width;
    uint32_t index = f->predecoded.index;
    int64_t at = f->at - f->block, number = f->predecoded.number, iteration = f->predecoded.iteration;
    struct predecoded *known = &f->predecodings[(index * 29 + (uint32_t)at + room * 101) % PREDECODED];
    uint64_t key = (uint64_t)f->number << 32 | index << 16 | (uint32_t)(uint8_t)at << 8 | room << 2 | paid(f);

    if (known->key != key) {
        *known = (struct predecoded){.key = key};
        predecode_anew(f, room < (uint32_t)f->predecode_width ? room : INT32_MAX);
        known->next = (uint16_t)f->predecoded.index;
        known->next_at = (int8_t)(f->at - f->block);
        known->next_paid = (uint8_t)paid(f);
        known->count = (uint8_t)(f->predecoded.number - number);
        known->iterations = (uint8_t)(f->predecoded.iteration - iteration);
        known->stall = (int16_t)f->stall;
        return;
    }
    f->predecoded = (struct place){number + known->count, iteration + known->iterations, known->next};
    f->at = f->block + known->next_at;
    f->crossing_paid = known->next_paid & 1;
    f->lcp_paid = known->next_paid >> 1;
    f->stall = known->stall;
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
    if (f->remembers)
        predecode_again(f, room);
    else
        predecode_anew(f, room);
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
        budget -= f->source == SOURCE_DECODERS ? 1 : item->decode;
        bool ends = f->delivered.index == 0;
        branches -= ends;
        if (ends && f->source == SOURCE_UOP_CACHE && f->one_line)
            return;
        if (ends && f->source == SOURCE_LOOP_BUFFER && f->delivered.iteration % f->copies == 0)
            return;
    }
}

/* Whether the queue may not have room for another item. */
static inline bool is_full(const struct front *f)
{
    return f->queued + f->room > f->uop_queue;
}

bool front_cycle(struct front *f)
{
    f->moved = false;
    if (f->streams) {
        stream(f);
        return f->moved;
    }
    if (f->blocked && is_full(f))
        return false;
    f->moved = f->stall > 0 || f->decode_stall > 0 || f->visible != f->predecoded.number;
    decode(f);
    predecode(f);
    f->visible = f->predecoded.number;
    f->blocked = !f->moved && is_full(f);
    return f->moved;
}

size_t front_state(const struct front *f, int64_t base, int32_t *out)
{
    const struct plan *p = f->plan;
    size_t n = 0;

    out[n++] = (int32_t)(f->delivered.number - base * (int64_t)p->items.count);
    out[n++] = f->queued;
    if (f->source == SOURCE_LOOP_BUFFER)
        out[n++] = (int32_t)(base % f->copies);
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
