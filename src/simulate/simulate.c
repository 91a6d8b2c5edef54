/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/loop_code.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "simulate/pipeline.h"

/* Without a repeated state, a simulation ends after about LIMIT_ITEMS items, but not before
 * LIMIT_ITERATIONS iterations. */
#define LIMIT_ITEMS 16000
#define LIMIT_ITERATIONS 500

struct simulator *simulator_new(void)
{
    return mem_zero(1, sizeof(struct simulator));
}

void simulator_free(struct simulator *s)
{
    if (!s)
        return;
    pipeline_free(s);
    free(s);
}

/* Returns whether the latency of a value is unknown. */
static bool lacks_latency(const struct block_work *w)
{
    bool lacks = !w->core->has_latencies || w->deps.open;

    for (size_t i = 0; i < w->costs.count && !lacks; i++)
        lacks = w->costs.rows[i].op->traits & OP_LOAD_UNKNOWN;
    return lacks;
}

void simulate(struct simulator *s, const struct block_work *w, const struct insn *insns,
              size_t count, const struct block_options *block,
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
    pipeline_start(s, w, insns, count, block);
    double iterations = pipeline_run(s, limit),
           assists = bounds_assists(w->core, insns, count, block);
    /* The pipeline is empty during an assist, so the cycles of assists are simply added. */
    if (assists > 0) {
        out->cycles += assists;
        out->period = 0;
        out->assisted = true;
    }
    double replays = bounds_replays(w, insns, count);
    /* Replays are a bound. The simulation omits them, because their number per period is not an
     * integer. */
    if (out->cycles < replays) {
        out->cycles = replays;
        out->period = 0;
        out->settled = false;
        out->replayed = true;
    }
    /* No loop is faster than its largest bound. If the simulation is faster, the bound is the
     * result. */
    if (out->cycles < w->total * (1 - 1e-9)) {
        out->bounded = true;
        out->cycles = w->total;
        out->period = 0;
        out->settled = out->replayed = false;
    }
    for (unsigned i = 0; i < w->core->ports->count; i++)
        out->busy[i] = (s->busy[i] - s->mark.busy[i]) / iterations;
    for (size_t i = 0; i < STALL_CAUSES; i++)
        out->stalls[i] = (out->stalls[i] - s->mark.stalls[i]) / iterations;
}

void simulate_kernel(const struct kernel *k, size_t loop, const struct machine *m,
                     const struct simulate_options *options, struct simulation *out,
                     struct bounds *bounds)
{
    size_t count;
    const struct insn *code = kernel_insns(k, loop, &count);
    struct insn *taken = loop_code_executed(k, loop);
    const struct insn *insns = taken ? taken : code;
    struct block_work *work = block_work_new(m);
    struct simulator *simulator = simulator_new();
    struct block_options block = {
        .shape = shape_of(insns, count),
        .align = count ? (unsigned)((insns[0].offset + options->moved) % 64) : 0};
    struct bounds own;
    bool room = shortage_need(count * BLOCK_BYTES_EACH);

    if (!room)
        count = 0;
    bounds_of(work, insns, count, &block, false, bounds ? bounds : &own);
    simulate(simulator, work, insns, count, &block, options, out);
    simulator_free(simulator);
    block_work_free(work);
    free(taken);
    if (room)
        shortage_reserve();
}
