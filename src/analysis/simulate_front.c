/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "analysis/simulate_plan.h"

/* A fact as a whole number, @otherwise when the machine lacks it. */
static int64_t whole(double fact, int64_t otherwise)
{
    return isnan(fact) ? otherwise : (int64_t)fact;
}

/* Bytes that the decoders get to see at a time. */
static int64_t block_bytes(const struct core *c)
{
    return whole(c->predecode_bytes, whole(c->fetch_bytes, 64));
}

void front_start(struct front *f, const struct plan *plan, const struct block_work *w, const struct insn *insns, const struct block_options *options,
                 const struct frontend *bound)
{
    double slots = 0;

    *f = (struct front){.plan = plan, .core = w->core, .insns = insns, .shape = options->shape, .source = bound->source, .align = options->align, .copies = 1};
    f->block = options->align / block_bytes(w->core);
    f->one_line = options->shape != SHAPE_CACHED && options->align % 32 + plan->start[plan->insn_count] <= 32;
    for (size_t i = 0; i < plan->item_count; i++)
        slots += plan->items[i].decode;
    /* As many copies in the loop buffer as waste the least (Facile). */
    if (f->source == SOURCE_LOOP_BUFFER) {
        double best = INFINITY;
        for (unsigned copies = 1; copies <= 8 && slots * copies <= f->core->loop_buffer; copies++) {
            double cycles = ceil(slots * copies / f->core->issue_width) / copies;
            if (cycles < best - 1e-9) {
                best = cycles;
                f->copies = copies;
            }
        }
    }
}

static int64_t byte_of(const struct front *f, int64_t instruction)
{
    const struct plan *p = f->plan;
    int64_t iteration = instruction / (int64_t)p->insn_count, k = instruction % (int64_t)p->insn_count;
    return f->align + (f->shape == SHAPE_LOOP ? 0 : iteration * p->start[p->insn_count]) + p->start[k];
}

/* One block of 16 bytes at a time, so many instructions a cycle; one that ends in the next block takes part in both. */
static void predecode(struct front *f)
{
    const struct plan *p = f->plan;
    int64_t width = whole(f->core->predecode_width, 64), bytes = block_bytes(f->core), room = whole(f->core->instruction_queue, 64);
    int64_t decoded = f->delivered / (int64_t)p->item_count * (int64_t)p->insn_count;

    if (f->delivered % (int64_t)p->item_count)
        decoded += p->items[f->delivered % (int64_t)p->item_count].insn;
    if (f->stall > 0) {
        f->stall--;
        return;
    }
    while (width > 0 && f->predecoded - decoded < room) {
        int64_t k = f->predecoded % (int64_t)p->insn_count, at = byte_of(f, f->predecoded);
        int64_t last = (at + f->insns[k].length - 1) / bytes, first = (at + p->opcode[k]) / bytes;
        if (last > f->block) {
            if (first == f->block && !f->crossing_paid) {
                f->crossing_paid = true;
                width--;
                continue;
            }
            f->block++;
            f->crossing_paid = false;
            return;
        }
        int32_t penalty = (int32_t)whole(f->core->lcp_penalty, 0);
        if (f->insns[k].traits & INSN_LCP && !f->lcp_paid && penalty > 0) {
            f->lcp_paid = true;
            f->stall = penalty - 1;
            return;
        }
        f->lcp_paid = false;
        f->predecoded++;
        width--;
        if (f->shape == SHAPE_LOOP && k + 1 == (int64_t)p->insn_count) {
            f->block = f->align / bytes;
            return;
        }
    }
    if (width == 0) {   /* nothing of the block may be left */
        int64_t k = f->predecoded % (int64_t)p->insn_count, at = byte_of(f, f->predecoded);
        bool restarts = f->shape == SHAPE_LOOP && k == 0;
        if (!restarts && (at + f->insns[k].length - 1) / bytes > f->block && ((at + p->opcode[k]) / bytes > f->block || f->crossing_paid)) {
            f->block++;
            f->crossing_paid = false;
        }
    }
}

static void deliver(struct front *f, const struct plan_item *item, void (*item_delivered)(void *, int64_t), void *state)
{
    f->queued += (int32_t)item->decode;
    item_delivered(state, f->delivered);
    f->delivered++;
}

static void decode(struct front *f, void (*item_delivered)(void *, int64_t), void *state)
{
    const struct plan *p = f->plan;
    int64_t decoders = whole(f->core->decoders, 4), used = 0;

    if (f->decode_stall > 0) {
        f->decode_stall--;
        return;
    }
    while (used < decoders && f->queued + 4 <= whole(f->core->uop_queue, 64)) {
        const struct plan_item *item = &p->items[f->delivered % (int64_t)p->item_count];
        int64_t end = f->delivered / (int64_t)p->item_count * (int64_t)p->insn_count + item->insn + item->members;
        if (end > f->visible || (item->complex && used) || (used + 1 == decoders && item->fusible && !f->core->fusible_last))
            return;
        deliver(f, item, item_delivered, state);
        used += item->decode > 1 ? item->decode : 1;
        if (item->decode > 4)
            f->decode_stall = (int32_t)(item->decode - 1) / 4;
        if (item->branch || item->decode >= 4)
            return;
    }
}

/* µop cache, loop buffer, or a front end of which nothing is known: so many µops a cycle. Decoders that are all alike: so many instructions. */
static void stream(struct front *f, int64_t budget, void (*item_delivered)(void *, int64_t), void *state)
{
    const struct plan *p = f->plan;

    while (budget > 0) {
        const struct plan_item *item = &p->items[f->delivered % (int64_t)p->item_count];
        if (f->queued + (int64_t)item->decode > whole(f->core->uop_queue, 64) && f->queued)
            return;
        deliver(f, item, item_delivered, state);
        budget -= f->source == SOURCE_DECODERS ? 1 : item->decode;
        bool ends = f->delivered % (int64_t)p->item_count == 0;
        if (ends && f->source == SOURCE_UOP_CACHE && f->one_line)
            return;
        if (ends && f->source == SOURCE_LOOP_BUFFER && f->delivered / (int64_t)p->item_count % f->copies == 0)
            return;
    }
}

/* Fixed length and equal decoders: there is nothing to predecode. */
static bool decodes_alike(const struct front *f)
{
    return f->source == SOURCE_DECODERS && isnan(f->core->decoders) && !isnan(f->core->decode_width);
}

bool front_cycle(struct front *f, void (*item_delivered)(void *state, int64_t item), void *state)
{
    int64_t delivered = f->delivered, predecoded = f->predecoded, block = f->block;
    bool paid = f->lcp_paid, stalled = f->stall > 0 || f->decode_stall > 0 || f->visible != f->predecoded, crossing = f->crossing_paid;

    if (decodes_alike(f)) {
        stream(f, whole(f->core->decode_width, 8), item_delivered, state);
    } else if (f->source == SOURCE_DECODERS) {
        decode(f, item_delivered, state);
        predecode(f);
        f->visible = f->predecoded;
    } else {
        double width = f->source == SOURCE_UOP_CACHE ? f->core->uop_cache_width : f->source == SOURCE_LOOP_BUFFER ? f->core->issue_width : 2 * f->core->issue_width;
        stream(f, whole(width, 8), item_delivered, state);
    }
    return stalled || f->stall > 0 || delivered != f->delivered || predecoded != f->predecoded || block != f->block || crossing != f->crossing_paid || paid != f->lcp_paid;
}

size_t front_state(const struct front *f, int64_t base, int32_t *out)
{
    const struct plan *p = f->plan;
    size_t n = 0;

    out[n++] = (int32_t)(f->delivered - base * (int64_t)p->item_count);
    out[n++] = f->queued;
    if (f->source == SOURCE_LOOP_BUFFER)
        out[n++] = (int32_t)(base % f->copies);
    if (f->source != SOURCE_DECODERS || decodes_alike(f))
        return n;
    int64_t start = f->shape == SHAPE_LOOP ? 0 : f->align + base * p->start[p->insn_count];
    out[n++] = (int32_t)(f->predecoded - base * (int64_t)p->insn_count);
    out[n++] = (int32_t)(f->visible - base * (int64_t)p->insn_count);
    out[n++] = (int32_t)(f->block * block_bytes(f->core) - start);
    out[n++] = f->stall;
    out[n++] = f->decode_stall;
    out[n++] = f->lcp_paid | f->crossing_paid << 1;
    return n;
}
