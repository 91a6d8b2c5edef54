/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/front.h"

void front_done(struct front *f)
{
    windows_done(&f->windows);
}

void front_start(struct front *f, const struct plan *plan, const struct core *c,
                 const struct block_work *w, const struct insn *insns,
                 const struct block_options *options, const struct frontend *bound)
{
    *f = (struct front){.plan = plan,
                        .windows = f->windows,
                        .shape = options->shape,
                        .source = bound->source,
                        .align = options->align,
                        .uop_queue = (int32_t)c->uop_queue};
    bool alike = f->source == SOURCE_DECODERS && isnan(c->decoders) && !isnan(c->decode_width);
    f->streams = alike || f->source != SOURCE_DECODERS;
    predecode_start(f, c);
    decode_start(f, c);
    uop_cache_start(f, c, w, insns);
}

void front_deliver(struct front *f, const struct plan_item *item)
{
    f->queued += (int32_t)item->decode;
    f->decoded += item->members;
    f->moved = true;
    place_next(&f->delivered, f->plan->items.count);
}

bool front_cycle(struct front *f)
{
    if (f->streams) {
        f->moved = false;
        uop_cache_cycle(f);
        return f->moved;
    }
    f->moved = f->stall > 0 || f->decode_stall > 0 || f->visible != f->predecoded.number;
    decode_cycle(f);
    predecode_cycle(f);
    f->visible = f->predecoded.number;
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
    if (f->windows.list.count) {
        out[n++] = (int32_t)f->window;
        out[n++] = (int32_t)f->window_left;
        out[n++] = (int32_t)f->window_wait;
    }
    if (f->streams)
        return n;
    out[n++] = (int32_t)(f->predecoded.number - base * (int64_t)p->insns.count);
    out[n++] = (int32_t)(f->visible - base * (int64_t)p->insns.count);
    /* The predecoder's position follows from the offset in the aligned block and the index. */
    out[n++] = (int32_t)(f->at - f->block);
    out[n++] = f->stall;
    out[n++] = f->decode_stall;
    out[n++] = f->lcp_paid | f->crossing_paid << 1;
    return n;
}
