/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "analysis/simulate_plan.h"

/* A fact as a whole number, @otherwise when the machine lacks it. */
static int32_t whole(double fact, int32_t otherwise)
{
    return isnan(fact) ? otherwise : (int32_t)fact;
}

static void read_facts(struct front *f, const struct core *c)
{
    f->decodes_alike = f->source == SOURCE_DECODERS && isnan(c->decoders) && !isnan(c->decode_width);
    f->block_bytes = whole(c->predecode_bytes, whole(c->fetch_bytes, 64));   /* that the decoders get to see at a time */
    f->predecode_width = whole(c->predecode_width, 64);
    f->instruction_queue = whole(c->instruction_queue, 64);
    f->decoders = whole(c->decoders, 4);
    f->uop_queue = whole(c->uop_queue, 64);
    f->lcp_penalty = whole(c->lcp_penalty, 0);
    double width = f->source == SOURCE_UOP_CACHE ? c->uop_cache_width : f->source == SOURCE_LOOP_BUFFER ? c->issue_width : 2 * c->issue_width;
    f->stream_width = f->decodes_alike ? whole(c->decode_width, 8) : whole(width, 8);
}

void front_start(struct front *f, const struct plan *plan, const struct block_work *w, const struct insn *insns, const struct block_options *options,
                 const struct frontend *bound)
{
    double slots = 0;

    *f = (struct front){.plan = plan, .core = w->core, .insns = insns, .shape = options->shape, .source = bound->source, .align = options->align, .copies = 1};
    read_facts(f, w->core);
    f->at = options->align;
    f->block = f->align - f->align % f->block_bytes;
    f->one_line = options->shape != SHAPE_CACHED && options->align % 32 + plan->start.items[plan->insn_count] <= 32;
    for (size_t i = 0; i < plan->items.count; i++)
        slots += plan->items.items[i].decode;
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

static void next_block(struct front *f)
{
    f->block += f->block_bytes;
    f->crossing_paid = false;
}

/* One block of 16 bytes at a time, so many instructions a cycle; one that ends in the next block takes part in both. */
static void predecode(struct front *f)
{
    const struct plan *p = f->plan;
    int64_t decoded = f->delivered.iteration * (int64_t)p->insn_count + p->items.items[f->delivered.index].insn;
    int32_t width = f->predecode_width;

    if (f->stall > 0) {
        f->stall--;
        return;
    }
    while (width > 0 && f->predecoded.number - decoded < f->instruction_queue) {
        const struct insn *insn = &f->insns[f->predecoded.index];
        if (f->at + insn->length > f->block + f->block_bytes) {
            int64_t opcode = f->at + p->opcode.items[f->predecoded.index];
            if (opcode >= f->block && opcode < f->block + f->block_bytes && !f->crossing_paid) {
                f->crossing_paid = true;
                width--;
                continue;
            }
            next_block(f);
            return;
        }
        if (insn->traits & INSN_LCP && !f->lcp_paid && f->lcp_penalty > 0) {
            f->lcp_paid = true;
            f->stall = f->lcp_penalty - 1;
            return;
        }
        f->lcp_paid = false;
        f->at += insn->length;
        place_next(&f->predecoded, p->insn_count);
        width--;
        if (f->shape == SHAPE_LOOP && f->predecoded.index == 0) {
            f->at = f->align;
            f->block = f->align - f->align % f->block_bytes;
            return;
        }
    }
    /* Nothing of the block may be left. */
    if (width == 0 && f->at + f->insns[f->predecoded.index].length > f->block + f->block_bytes &&
        (f->at + p->opcode.items[f->predecoded.index] >= f->block + f->block_bytes || f->crossing_paid))
        next_block(f);
}

static void deliver(struct front *f, const struct plan_item *item)
{
    f->queued += (int32_t)item->decode;
    place_next(&f->delivered, f->plan->items.count);
}

static void decode(struct front *f)
{
    const struct plan *p = f->plan;
    int64_t used = 0;

    if (f->decode_stall > 0) {
        f->decode_stall--;
        return;
    }
    while (used < f->decoders && f->queued + 4 <= f->uop_queue) {
        const struct plan_item *item = &p->items.items[f->delivered.index];
        int64_t end = f->delivered.iteration * (int64_t)p->insn_count + item->insn + item->members;
        if (end > f->visible || (item->complex && used) || (used + 1 == f->decoders && item->fusible && !f->core->fusible_last))
            return;
        deliver(f, item);
        used += item->decode > 1 ? item->decode : 1;
        if (item->decode > 4)
            f->decode_stall = (int32_t)(item->decode - 1) / 4;
        if (item->branch || item->decode >= 4)
            return;
    }
}

/* µop cache, loop buffer, or a front end of which nothing is known: so many µops a cycle. Decoders that are all alike: so many instructions. */
static void stream(struct front *f)
{
    const struct plan *p = f->plan;
    int64_t budget = f->stream_width;

    while (budget > 0) {
        const struct plan_item *item = &p->items.items[f->delivered.index];
        if (f->queued + (int64_t)item->decode > f->uop_queue && f->queued)
            return;
        deliver(f, item);
        budget -= f->source == SOURCE_DECODERS ? 1 : item->decode;
        bool ends = f->delivered.index == 0;
        if (ends && f->source == SOURCE_UOP_CACHE && f->one_line)
            return;
        if (ends && f->source == SOURCE_LOOP_BUFFER && f->delivered.iteration % f->copies == 0)
            return;
    }
}

bool front_cycle(struct front *f)
{
    int64_t delivered = f->delivered.number, predecoded = f->predecoded.number, block = f->block;
    bool paid = f->lcp_paid, stalled = f->stall > 0 || f->decode_stall > 0 || f->visible != predecoded, crossing = f->crossing_paid;

    if (f->decodes_alike || f->source != SOURCE_DECODERS) {
        stream(f);
    } else {
        decode(f);
        predecode(f);
        f->visible = f->predecoded.number;
    }
    return stalled || f->stall > 0 || delivered != f->delivered.number || predecoded != f->predecoded.number || block != f->block || crossing != f->crossing_paid ||
           paid != f->lcp_paid;
}

size_t front_state(const struct front *f, int64_t base, int32_t *out)
{
    const struct plan *p = f->plan;
    size_t n = 0;

    out[n++] = (int32_t)(f->delivered.number - base * (int64_t)p->items.count);
    out[n++] = f->queued;
    if (f->source == SOURCE_LOOP_BUFFER)
        out[n++] = (int32_t)(base % f->copies);
    if (f->source != SOURCE_DECODERS || f->decodes_alike)
        return n;
    int64_t start = f->shape == SHAPE_LOOP ? 0 : f->align + base * p->start.items[p->insn_count];
    out[n++] = (int32_t)(f->predecoded.number - base * (int64_t)p->insn_count);
    out[n++] = (int32_t)(f->visible - base * (int64_t)p->insn_count);
    out[n++] = (int32_t)(f->block - start);
    out[n++] = f->stall;
    out[n++] = f->decode_stall;
    out[n++] = f->lcp_paid | f->crossing_paid << 1;
    return n;
}
