/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "base/watch.h"
#include "simulate/state.h"

#define LIMIT_CYCLES 60000      /* without a repeated state the mean is taken */
#define LIMIT_ITEMS 16000       /* renamed, at least LIMIT_ITERATIONS of the block */
#define LIMIT_ITERATIONS 500
#define ASKED 16                /* cycles between two questions whether to go on */
#define AT_ONCE 64              /* cycles, at most */

struct simulator *simulator_new(void)
{
    return mem_zero(1, sizeof(struct simulator));
}

void simulator_free(struct simulator *s)
{
    if (!s)
        return;
    plan_done(&s->plan);
    free(s->rows);
    free(s->flights);
    free(s->values);
    free(s->waiting);
    free(s->bound_to);
    free(s->best);
    front_done(&s->front);
    free(s->order.fetched);
    free(s->order.values);
    free(s->order.coming);
    for (size_t q = 0; q < s->queues.count; q++)
        free(s->queues.items[q].keys);
    vec_done(&s->queues);
    vec_done(&s->active);
    vec_done(&s->turns);
    vec_done(&s->states);
    vec_done(&s->snapshots);
    free(s);
}

void simulation_done(struct simulation *sim)
{
    free(sim->steps);
    sim->steps = NULL;
}

static void read_facts(struct simulator *s, const struct core *c)
{
    s->core = c;
    s->rob_size = (int32_t)c->reorder_buffer;
    s->scheduler_size = (int32_t)c->scheduler;
    s->load_size = (int32_t)c->load_buffer;
    s->store_size = (int32_t)c->store_buffer;
    s->issue_width = isnan(c->issue_width) ? 4 : (int32_t)core_slots(c);
    s->retire_width = whole(c->retire_width, s->issue_width);
    s->commit_width = whole(c->stores_per_cycle, s->issue_width);   /* not known: no limit of its own */
    s->late = !c->fused_domain;
}

uint32_t power_of_two(size_t least)
{
    uint32_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

size_t items_in_flight(const struct simulator *s)
{
    size_t items = (size_t)s->rob_size + 16;
    bool joined = false;

    for (size_t k = 0; k < s->plan.items.count; k++)
        joined |= s->plan.items.items[k].issue == 0;
    /* A nop that joins the instruction before it takes no slot, nor does a move that joins the one behind it. */
    return joined ? (s->core->fuses_nops && s->core->fuses_moves ? SLOTLESS_MOST : 2) * items : items;
}

/* Rows enough for all iterations of which an item can be between delivery and retirement, and for those that they wait for. */
static void size_rings(struct simulator *s)
{
    const struct plan *p = &s->plan;
    size_t flights = items_in_flight(s) + (s->timeline ? SLOTLESS_MOST * (size_t)s->core->uop_queue : 0);
    uint32_t rows = power_of_two(flights / p->items.count + p->longest_distance + 3);

    s->row_mask = rows - 1;
    s->value_count = (int32_t)(rows * p->nodes.count);
    s->waiting_count = (uint32_t)(rows * p->uops.count);
    s->flight_count = (uint32_t)(rows * p->items.count);
    RING(s->rows, s->row_capacity, rows);
    RING(s->flights, s->flight_capacity, s->flight_count);
    RING(s->values, s->value_capacity, (size_t)s->value_count + 1);
    RING(s->waiting, s->waiting_capacity, (size_t)s->waiting_count + 1);
    /* Before the first iteration all was there long ago. */
    for (int64_t iteration = -(int64_t)p->longest_distance; iteration < 0 && p->nodes.count; iteration++)
        memset(values_of(s, iteration), 0, p->nodes.count * sizeof *s->values);
}

static void begin_choice(struct choice *choice, portset ports)
{
    choice->cycle = -1;
    choice->count = 0;
    for (portset rest = ports; rest; rest &= rest - 1)
        choice->ports[choice->count++] = (uint8_t)__builtin_ctz(rest);
}

static void start(struct simulator *s, const struct block_work *w, const struct insn *insns, size_t count, const struct block_options *block, bool in_order)
{
    struct frontend bound;

    read_facts(s, w->core);
    plan_build(&s->plan, w, insns, count);
    frontend_bound(w->core, insns, &w->costs, block->shape, block->align, &bound);
    front_start(&s->front, &s->plan, w->core, w, insns, block, &bound);
    cache_start(s);
    RING(s->best, s->best_capacity, (size_t)s->plan.choices + 1);
    for (size_t u = 0; u < s->plan.uops.count; u++)
        begin_choice(&s->best[s->plan.uops.items[u].choice], s->plan.uops.items[u].ports);
    RING(s->bound_to, s->bound_capacity, s->plan.uops.count + 1);
    s->order.on = in_order && order_fits(s);
    s->order.alike = 0;
    if (s->order.on)
        order_start(s);
    else
        size_rings(s);
    s->now = 0;
    s->load_turn = 0;
    s->issued = s->retired = (struct place){0};
    s->slots_done = 0;
    s->next_retired = 0;
    s->rob = s->scheduler = s->loads = s->stores = s->leaving = 0;
    for (unsigned port = 0; port < PORTS_MAX; port++)
        s->bound[port] = PORTS_MAX - 1 - port;
    memset(s->pipe_free, 0, sizeof s->pipe_free);
    memset(s->busy, 0, sizeof s->busy);
    memset(&s->mark, 0, sizeof s->mark);
    if (!s->order.on) {
        execute_start(s);
        rename_start(s);
    }
    repeat_start(s);
    settle_start(s, w->least, bounds_assists(w->core, insns, count, block) > 0 ? 0 : bounds_replays(w, insns, count));
}

/* The first cycle after now in which anything can happen, when nothing did in this one. */
static int32_t next_event(const struct simulator *s)
{
    int32_t next = execute_next(s);

    if (s->retired.number < s->issued.number) {
        const struct flight *oldest = flight_of(s, s->retired.iteration, s->retired.index);
        if (!oldest->pending && !oldest->merging && oldest->done + 1 > s->now && oldest->done + 1 < next)
            next = oldest->done + 1;
    }
    return next;
}

/* From here on the state is steady, or as near to it as is known: averages begin. */
static void mark(struct simulator *s, int64_t iteration)
{
    for (unsigned port = 0; port < PORTS_MAX; port++)
        s->mark.busy[port] = busy_so_far(s, port);
    s->mark.front = s->out->stalls_front;
    s->mark.rob = s->out->stalls_rob;
    s->mark.scheduler = s->out->stalls_scheduler;
    s->mark.iteration = iteration;
}

/* The front end's cycle, with a note of it at each item that it delivers. */
static void deliver_noted(struct simulator *s)
{
    front_fill(&s->front);
    struct place delivered = s->front.delivered;
    s->moved |= front_cycle(&s->front);
    for (; delivered.number < s->front.delivered.number; place_next(&delivered, s->plan.items.count))
        if (s->order.on)
            s->order.fetched[(uint64_t)delivered.number & s->order.mask] = s->now;
        else
            flight_of(s, delivered.iteration, delivered.index)->fetch = s->now;
}

static void cycle(struct simulator *s)
{
    if (s->order.on) {
        order_cycle(s);
    } else {
        s->now++;
        s->moved = false;
        retire_cycle(s);
        execute_cycle(s);
        rename_cycle(s);
    }
    if (s->timeline)
        deliver_noted(s);
    else
        s->moved |= front_cycle(&s->front);
    if (s->stall)
        *s->stall += 1;
}

/* To the cycle before the next event when nothing moved. False: there is none. */
static bool skip_idle(struct simulator *s)
{
    if (s->moved || s->leaving)
        return true;
    if (s->order.on)
        return s->retired.number < s->issued.number;
    int32_t next = next_event(s);
    if (next == UNKNOWN)
        return false;
    if (s->stall)
        *s->stall += next - s->now - 1;
    s->now = next - 1;
    return true;
}

/* The cycles up to the next in which there is something to look at, @retired items retired in all at the latest. Returns how many were gone through; 0: nothing will ever happen again. */
static int32_t go_on(struct simulator *s, int64_t retired)
{
    int32_t before = s->now, last = before + AT_ONCE < LIMIT_CYCLES ? before + AT_ONCE : LIMIT_CYCLES;

    if (s->order.on && !s->timeline)
        return order_cycles(s, last, retired) ? s->now - before : 0;
    cycle(s);
    return skip_idle(s);
}

/* Runs until the state repeats, the loop has settled at its bound (not for a timeline, beside which the period is shown), @limit iterations have retired, or the limit of cycles. Who wants a timeline also wants averages of a whole period. Returns
 * the iterations since the mark. Without a repeat what retires is counted: rename runs ahead until the reorder buffer is full. */
static double run(struct simulator *s, int64_t limit)
{
    int64_t items = (int64_t)s->plan.items.count, middle = (limit - limit / 4) * items;   /* a scheduler that fills slowly takes most of the time to show */
    int64_t last = limit * items;
    int32_t middle_cycle = 0;
    int32_t unasked = 0;
    bool known = false;

    while (s->now < LIMIT_CYCLES && (known ? s->issued.iteration < limit : s->retired.number < last)) {
        int64_t before = s->issued.iteration;
        int32_t cycles = go_on(s, middle_cycle ? last : middle);
        if (s->order.on && s->order.lost)
            return 0;
        if (!cycles) {
            s->out->cycles = NAN;
            return 1;
        }
        unasked += cycles;
        if (unasked >= ASKED && watch_steps((uint64_t)unasked))
            break;
        unasked = unasked < ASKED ? unasked : 0;
        if (!known && !middle_cycle && s->retired.number >= middle) {
            middle_cycle = s->now;
            mark(s, s->retired.number / items);
        }
        int64_t iteration = s->issued.iteration;
        if (iteration == before || iteration > limit)
            continue;
        s->out->iterations = (unsigned)iteration;
        if (!known && (known = repeat_found(s)))
            mark(s, iteration);
        if (!known && !s->timeline && settle_found(s))
            break;
        if (known && s->retired.number >= (int64_t)s->timeline * items && (!s->timeline || iteration >= s->mark.iteration + s->out->period))
            break;
    }
    int64_t retired = s->retired.number / items, since = s->mark.iteration;
    if (!known && !s->out->settled)
        s->out->cycles = retired > since && middle_cycle ? (double)(s->now - middle_cycle) / (double)(retired - since) : retired ? (double)s->now / (double)retired : NAN;
    return fmax(1, (double)((known ? (int64_t)s->out->iterations : retired) - since));
}

/* In program order where that is possible, else by events. */
static double run_block(struct simulator *s, const struct block_work *w, const struct insn *insns, size_t count, const struct block_options *block, int64_t limit, bool by_events)
{
    start(s, w, insns, count, block, !by_events);
    double iterations = run(s, limit);
    if (!s->order.on)
        return iterations;
    order_end(s);
    if (!s->order.lost)
        return iterations;
    s->out->stalls_front = s->out->stalls_rob = s->out->stalls_scheduler = 0;
    start(s, w, insns, count, block, false);
    return run(s, limit);
}

/* Whether it is not known when some value of the block is there. */
static bool lacks_latency(const struct block_work *w)
{
    bool lacks = !w->core->has_latencies || w->deps.open;

    for (size_t i = 0; i < w->costs.count && !lacks; i++)
        lacks = w->costs.rows[i].op->traits & OP_LOAD_UNKNOWN;
    return lacks;
}

void simulate(struct simulator *s, const struct block_work *w, const struct insn *insns, size_t count, const struct block_options *block,
              const struct simulate_options *options, struct simulation *out)
{
    int64_t limit = later(LIMIT_ITERATIONS, (int32_t)(LIMIT_ITEMS / (count + 1)));

    if (options->iterations)
        limit = options->iterations;
    *out = (struct simulation){.cycles = 0, .period = 1};
    if (!count)
        return;
    out->period = 0;
    out->cycles = NAN;
    if (lacks_latency(w))
        return;
    s->out = out;
    s->timeline = options->timeline < limit ? options->timeline : (uint32_t)limit;
    out->step_iterations = s->timeline;
    if (s->timeline)
        out->steps = mem_zero(s->timeline * count, sizeof *out->steps);
    double iterations = run_block(s, w, insns, count, block, limit, options->by_events), assists = bounds_assists(w->core, insns, count, block);
    if (assists > 0) {   /* the pipeline is empty meanwhile: they come on top, and the period is no whole number of cycles any more */
        out->cycles += assists;
        out->period = 0;
        out->assisted = true;
    }
    double replays = bounds_replays(w, insns, count);
    if (out->cycles < replays) {   /* not simulated one by one: they are no whole number a period */
        out->cycles = replays;
        out->period = 0;
        out->settled = false;
        out->replayed = true;
    }
    for (unsigned i = 0; i < w->core->ports->count; i++)
        out->busy[i] = (busy_so_far(s, i) - s->mark.busy[i]) / iterations;
    out->stalls_front = (out->stalls_front - s->mark.front) / iterations;
    out->stalls_rob = (out->stalls_rob - s->mark.rob) / iterations;
    out->stalls_scheduler = (out->stalls_scheduler - s->mark.scheduler) / iterations;
}

void simulate_kernel(const struct kernel *k, size_t loop, const struct machine *m, const struct simulate_options *options, struct simulation *out, struct bounds *bounds)
{
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);
    struct block_work *work = block_work_new(m);
    struct simulator *simulator = simulator_new();
    struct block_options block = {.shape = shape_of(insns, count), .align = count ? (unsigned)((insns[0].offset + options->moved) % 64) : 0};
    struct bounds own;
    bool room = shortage_need(count * BLOCK_BYTES_EACH);

    if (!room)   /* the work that asked fails */
        count = 0;
    bounds_of(work, insns, count, &block, false, bounds ? bounds : &own);
    simulate(simulator, work, insns, count, &block, options, out);
    simulator_free(simulator);
    block_work_free(work);
    if (room)
        shortage_spare();
}

enum stage stage_at(const struct simulated_step *step, int32_t cycle)
{
    if (cycle < step->fetch || cycle > step->retire)
        return STAGE_NONE;
    if (cycle == step->retire)
        return STAGE_RETIRED;
    if (cycle == step->dispatch)
        return STAGE_DISPATCHED;
    if (cycle <= step->issue)
        return cycle == step->issue ? STAGE_RENAMED : cycle == step->fetch ? STAGE_FETCHED : STAGE_QUEUED;
    return cycle < step->dispatch ? STAGE_WAITS : cycle < step->done ? STAGE_EXECUTES : STAGE_DONE;
}

char stage_glyph(enum stage stage)
{
    return "F.I-D=_R "[stage];
}
