/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulates front ends without a predecoder: µop cache, loop buffer, symmetric decoders. */
#include "simulate/front.h"

/* Returns how many copies of a loop of @slots slots the loop buffer stores (Facile): the number
 * from 1 to 8 with the fewest cycles per copy. */
static unsigned copies_of(double slots, const struct core *c)
{
    unsigned best = 1;
    double least = INFINITY;

    for (unsigned copies = 1; copies <= 8 && slots * copies <= c->loop_buffer; copies++) {
        double width = isnan(c->issue_width) ? NAN : core_slots(c);
        double cycles = ceil(slots * copies / width) / copies;
        if (cycles < least - 1e-9) {
            least = cycles;
            best = copies;
        }
    }
    return best;
}

static void next_window(struct front *f)
{
    f->window = f->window + 1 < f->windows.list.count ? f->window + 1 : 0;
    f->window_left = f->windows.list.items[f->window].insns;
    f->window_wait = f->windows.list.items[f->window].cycles;
}

/* Returns the width of the source in µops per cycle, or in instructions per cycle for symmetric
 * decoders. A µop cache of unknown width is limited only by windows. */
static int32_t width_of(const struct front *f, const struct core *c)
{
    double slots = isnan(c->issue_width) ? NAN : core_slots(c);

    if (f->source == SOURCE_UOP_CACHE)
        return whole(c->uop_cache_width);
    if (f->source == SOURCE_LOOP_BUFFER)
        return whole(slots);
    return f->source == SOURCE_DECODERS ? whole(c->decode_width) : whole(2 * slots);
}

void uop_cache_start(struct front *f, const struct core *c, const struct block_work *w,
                     const struct insn *insns)
{
    double slots = 0;

    f->stream_width = width_of(f, c);
    f->taken_branches = f->shape == SHAPE_LOOP ? whole(c->taken_branches) : UNLIMITED;
    f->one_line = f->shape != SHAPE_CACHED && f->align % 32 + f->plan->length <= 32;
    for (size_t i = 0; i < f->plan->items.count; i++)
        slots += f->plan->items.items[i].decode;
    f->copies = f->source == SOURCE_LOOP_BUFFER ? copies_of(slots, c) : 1;
    f->windows.list.count = 0;
    if (f->source != SOURCE_UOP_CACHE || !windows_known(c))
        return;
    windows_form(c, insns, &w->costs, f->shape, (unsigned)f->align, &f->windows);
    f->window = f->windows.list.count;
    next_window(f);
    f->window_left -= f->windows.before;
}

static bool is_full(const struct front *f, const struct plan_item *item)
{
    return f->queued + (int64_t)item->decode > f->uop_queue && f->queued;
}

static void stream_windows(struct front *f)
{
    if (f->window_wait > 0) {
        f->window_wait--;
        f->moved = true;
    }
    for (int64_t budget = f->stream_width; f->window_wait == 0 && budget > 0;) {
        const struct plan_item *item = &f->plan->items.items[f->delivered.index];
        budget -= item->decode;
        if (is_full(f, item))
            return;
        front_deliver(f, item);
        if (!item->joins && --f->window_left == 0)
            next_window(f);
    }
}

/* Delivers µops of one cycle. The number of taken branches per cycle is limited. */
void uop_cache_cycle(struct front *f)
{
    int64_t budget = f->stream_width;
    int32_t branches = f->taken_branches;

    if (f->windows.list.count) {
        stream_windows(f);
        return;
    }
    while (budget > 0) {
        const struct plan_item *item = &f->plan->items.items[f->delivered.index];
        if (branches == 0 && f->delivered.index + 1 == f->plan->items.count)
            return;
        if (is_full(f, item))
            return;
        front_deliver(f, item);
        budget -= f->source == SOURCE_DECODERS ? !item->joins : item->decode;
        bool ends = f->delivered.index == 0;
        branches -= ends;
        if (ends && f->source == SOURCE_UOP_CACHE && f->one_line)
            return;
        if (ends && f->source == SOURCE_LOOP_BUFFER && f->delivered.iteration % f->copies == 0)
            return;
    }
}
