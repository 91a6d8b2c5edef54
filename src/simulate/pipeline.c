/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulates the units cycle by cycle, and detects the end of the simulation. */
#include "simulate/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"

/* maximum cycles without a repeated state, after which the result is a mean */
#define LIMIT_CYCLES 60000
#define WATCHED 16              /* cycles between polls for cancellation */
/* maximum number of items per slot: an operation, a fused move before it and a fused nop after
 * it */
#define SLOTLESS_MOST 3

/* Allocates at least @count items. Does not keep the contents. */
#define RING(items, capacity, count)                                         \
    do {                                                                     \
        if ((capacity) < (count)) {                                          \
            (capacity) = (count);                                            \
            free(items);                                                     \
            (items) = mem_alloc((capacity) * sizeof *(items));               \
        }                                                                    \
    } while (0)

void pipeline_free(struct simulator *s)
{
    plan_done(&s->plan);
    front_done(&s->front);
    free(s->rows);
    free(s->flights);
    free(s->values);
    free(s->waiting);
    for (size_t q = 0; q < s->queues.count; q++)
        free(s->queues.items[q].uops);
    vec_done(&s->queues);
    vec_done(&s->active);
    vec_done(&s->states);
    vec_done(&s->snapshots);
}

static void read_facts(struct simulator *s, const struct core *c)
{
    s->core = c;
    s->rob_size = (int32_t)c->reorder_buffer;
    s->scheduler_size = (int32_t)c->scheduler;
    s->load_size = (int32_t)c->load_buffer;
    s->store_size = (int32_t)c->store_buffer;
    s->issue_width = isnan(c->issue_width) ? UNLIMITED : (int32_t)core_slots(c);
    s->rename_to_port = (int32_t)c->rename_to_port;
    s->moves_most = whole(c->eliminate_per_cycle);
    s->zeroes_most = whole(c->eliminate_zero_per_cycle);
    s->retire_width = whole(c->retire_width);
    s->commit_width = whole(c->stores_per_cycle);
    s->bound_at_rename = c->port_binding != BIND_AT_DISPATCH;
    s->turns_of_computing = c->port_binding == BIND_COMPUTING;
}

static uint32_t power_of_two(size_t least)
{
    uint32_t size = 1;

    while (size < least)
        size *= 2;
    return size;
}

/* Returns the largest number of items between rename and retirement. A fused item occupies no
 * slot. */
static size_t items_in_flight(const struct simulator *s)
{
    size_t items = (size_t)s->rob_size + 16;
    bool joined = false;

    for (size_t k = 0; k < s->plan.items.count; k++)
        joined |= s->plan.items.items[k].issue == 0;
    return joined ? (s->core->fuse_nop && s->core->fuses_moves ? SLOTLESS_MOST : 2) * items
                  : items;
}

/* Allocates the rings for all iterations in flight (between delivery and retirement), and for the
 * iterations on which they depend. */
static void size_rings(struct simulator *s)
{
    const struct plan *p = &s->plan;
    size_t flights =
        items_in_flight(s) + (s->timeline ? SLOTLESS_MOST * (size_t)s->core->uop_queue : 0);
    uint32_t rows = power_of_two(flights / p->items.count + p->longest_distance + 3);

    s->row_mask = rows - 1;
    s->value_count = (int32_t)(rows * p->nodes.count);
    s->waiting_count = (uint32_t)(rows * p->uops.count);
    s->flight_count = (uint32_t)(rows * p->items.count);
    RING(s->rows, s->row_capacity, rows);
    RING(s->flights, s->flight_capacity, s->flight_count);
    RING(s->values, s->value_capacity, (size_t)s->value_count + 1);
    RING(s->waiting, s->waiting_capacity, (size_t)s->waiting_count + 1);
    /* Marks the values of the iterations before the first iteration as ready. */
    for (int64_t iteration = -(int64_t)p->longest_distance; iteration < 0 && p->nodes.count;
         iteration++)
        memset(values_of(s, iteration), 0, p->nodes.count * sizeof *s->values);
}

void pipeline_start(struct simulator *s, const struct block_work *w, const struct insn *insns,
                    size_t count, const struct block_options *block)
{
    bool assisted = bounds_assists(w->core, insns, count, block) > 0;
    struct frontend bound;

    read_facts(s, w->core);
    plan_build(&s->plan, w, insns, count);
    size_rings(s);
    s->now = 0;
    s->issued = s->retired = (struct place){0};
    s->next_retired = 0;
    s->rob = s->scheduler = s->loads = s->stores = s->leaving = 0;
    memset(&s->mark, 0, sizeof s->mark);
    frontend_bound(w->core, insns, &w->costs, block->shape, block->align, &bound);
    front_start(&s->front, &s->plan, w->core, w, insns, block, &bound);
    rename_start(s);
    ports_start(s);
    scheduler_start(s);
    memory_start(s);
    steady_start(s, w->least, assisted ? 0 : bounds_replays(w, insns, count));
}

/* Simulates a cycle of the front end. Records the time of each delivered item for a timeline. */
static void deliver(struct simulator *s)
{
    struct place at = s->front.delivered;

    s->moved |= front_cycle(&s->front);
    for (; s->timeline && at.number < s->front.delivered.number;
         place_next(&at, s->plan.items.count))
        flight_of(s, at.iteration, at.index)->fetch = s->now;
}

static void cycle(struct simulator *s)
{
    s->now++;
    s->moved = false;
    retire_cycle(s);
    scheduler_wake(s);
    ports_cycle(s);
    rename_cycle(s);
    deliver(s);
    if (s->stall)
        *s->stall += 1;
}

/* Returns the next cycle in which the state can change. Call it only if the state did not change in
 * this cycle. */
static int32_t next_event(const struct simulator *s)
{
    int32_t next = scheduler_next(s), renamed = rename_next(s);

    next = renamed < next ? renamed : next;
    if (s->retired.number < s->issued.number) {
        const struct flight *oldest = flight_of(s, s->retired.iteration, s->retired.index);
        if (!oldest->pending && !oldest->merging && oldest->done + 1 > s->now &&
            oldest->done + 1 < next)
            next = oldest->done + 1;
    }
    return next;
}

/* If the core is idle, advances to the cycle before the next event. Returns false if there is
 * none. */
static bool skip_idle(struct simulator *s)
{
    if (s->moved || s->leaving)
        return true;
    int32_t next = next_event(s);
    if (next == UNKNOWN)
        return false;
    if (s->stall)
        *s->stall += next - s->now - 1;
    s->now = next - 1;
    return true;
}

/* Marks the start of the (approximately) steady state, from which averages are computed. */
static void mark(struct simulator *s, int64_t iteration)
{
    memcpy(s->mark.busy, s->busy, sizeof s->busy);
    memcpy(s->mark.stalls, s->out->stalls, sizeof s->mark.stalls);
    s->mark.iteration = iteration;
}

/* Runs until the state repeats, the loop settles or a limit is reached. A simulation with a
 * timeline continues after the loop settles, because a timeline needs the period. If the state does
 * not repeat, computes the mean from retired items, because rename runs ahead until the reorder
 * buffer is full. */
double pipeline_run(struct simulator *s, int64_t limit)
{
    int64_t items = (int64_t)s->plan.items.count, last = limit * items;
    /* Computes the mean of only the last quarter, because a scheduler may fill slowly. */
    int64_t middle = (limit - limit / 4) * items;
    int32_t middle_cycle = 0;
    unsigned unwatched = 0;
    bool known = false;

    while (s->now < LIMIT_CYCLES &&
           (known ? s->issued.iteration < limit : s->retired.number < last)) {
        int64_t before = s->issued.iteration;
        cycle(s);
        if (!skip_idle(s)) {
            s->out->cycles = NAN;
            return 1;
        }
        if (++unwatched == WATCHED) {
            unwatched = 0;
            if (watch_steps(WATCHED))
                break;
        }
        if (!known && !middle_cycle && s->retired.number >= middle) {
            middle_cycle = s->now;
            mark(s, s->retired.number / items);
        }
        int64_t iteration = s->issued.iteration;
        if (iteration == before || iteration > limit)
            continue;
        s->out->iterations = (unsigned)iteration;
        if (!known && (known = steady_repeats(s)))
            mark(s, iteration);
        if (!known && !s->timeline && steady_settled(s))
            break;
        if (known && s->retired.number >= (int64_t)s->timeline * items &&
            (!s->timeline || iteration >= s->mark.iteration + s->out->period))
            break;
    }
    int64_t retired = s->retired.number / items, since = s->mark.iteration;
    if (!known && !s->out->settled) {
        bool some = retired > since && middle_cycle;
        s->out->entire = !some;
        s->out->cycles = some      ? (double)(s->now - middle_cycle) / (double)(retired - since)
                         : retired ? (double)s->now / (double)retired
                                   : NAN;
    }
    return fmax(1, (double)((known ? (int64_t)s->out->iterations : retired) - since));
}
