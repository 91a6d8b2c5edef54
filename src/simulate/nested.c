/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/nested.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/loop_code.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "model/facts.h"
#include "simulate/simulate.h"

/* Times of a loop of the kernel */
struct level {
    /* iterations of the loop per outer iteration; 0 if the longest path of the outer loop does not
     * contain the loop */
    double trips;
    size_t copies;       /* copies of the loop in the simulated code */
    size_t insns;        /* instructions per copy, including inner loops */
    double cycles;       /* cycles per iteration */
    double most;         /* cycles per iteration with mispredicted loop exits (nested.most) */
    /* cycles per iteration for the iterations of inner loops that are not simulated */
    double missing;
    /* lower limit of the cycles per iteration: the largest bound except dependences; for an outer
     * loop, the sum of the limits of all iterations of its inner loops */
    double least;
};

struct nesting {
    const struct kernel *kernel;
    const struct machine *machine;
    struct level *levels;   /* one entry per loop of the kernel */
    size_t *copies;
    struct insn **executed; /* result of loop_code_executed for each loop whose time is known */
    struct block_work *work;
    struct simulator *simulator;
    double window, branch_miss;
};

/* Returns the largest bound, ignoring the bound of dependences. */
static double shared_bound(const struct bounds *b)
{
    double most = 0;

    for (int kind = 0; kind < BOUND_COUNT; kind++)
        if (kind != BOUND_DEPENDENCIES && b->cycles[kind] > most)
            most = b->cycles[kind];
    return most;
}

/* Returns the simulated cycles of @insns, or the largest bound if a simulation is impossible.
 * @plain: whether the code is one iteration of an outer loop. The copies of inner loops in such
 * code have no real addresses, so effects of code placement are disabled. */
static double time_block(struct nesting *n, const struct insn *insns, size_t count, bool plain,
                         struct bounds *bounds)
{
    const struct block_options block = {.shape = shape_of(insns, count),
                                        .align = (unsigned)(insns[0].offset % 64)};
    struct core *core = n->work->core;
    const bool erratum = core->jcc_erratum;
    const double lines = core->uop_cache_lines;
    struct simulation sim;

    if (plain) {
        core->jcc_erratum = false;
        core->uop_cache_lines = NAN;
    }
    bounds_of(n->work, insns, count, &block, false, bounds);
    simulate(n->simulator, n->work, insns, count, &block, &(struct simulate_options){0}, &sim);
    const double cycles = isnan(sim.cycles) ? bounds->total : sim.cycles;
    simulation_done(&sim);
    core->jcc_erratum = erratum;
    core->uop_cache_lines = lines;
    return cycles;
}

/* Returns the instructions of loop @loop. Instructions that are never executed are marked
 * INSN_SKIPPED. */
static const struct insn *executed_insns(const struct nesting *n, size_t loop, size_t *count)
{
    const struct insn *all = kernel_insns(n->kernel, loop, count);

    return n->executed[loop] ? n->executed[loop] : all;
}

/* Returns whether iterations of @outer execute its inner loop @inner. */
static bool executes(const struct nesting *n, size_t outer, size_t inner)
{
    const struct kernel_loop *in = &n->kernel->loops[inner];
    size_t count;
    const struct insn *insns =
        executed_insns(n, outer, &count) + (in->first - n->kernel->loops[outer].first);

    for (size_t i = 0; i < in->count; i++)
        if (!(insns[i].traits & INSN_SKIPPED))
            return true;
    return false;
}

static void time_innermost(struct nesting *n, size_t loop)
{
    struct level *l = &n->levels[loop];
    struct bounds bounds;
    size_t count;
    const struct insn *insns = executed_insns(n, loop, &count);

    l->cycles = time_block(n, insns, count, false, &bounds);
    l->most = l->cycles;
    l->least = shared_bound(&bounds);
    l->insns = count;
}

/* Computes the time of an outer loop from the known times of its direct inner loops @direct. */
static void time_outer(struct nesting *n, size_t loop, const nest_loops *direct)
{
    struct level *l = &n->levels[loop];
    struct bounds bounds;
    nest_insns insns = {0};
    double alone = 0;   /* cycles of the inner loops if these do not overlap */

    l->insns = n->kernel->loops[loop].count;
    for (size_t i = 0; i < direct->count; i++) {
        const struct level *in = &n->levels[direct->items[i]];
        if (in->trips == 0)
            continue;
        l->insns += in->copies * in->insns - n->kernel->loops[direct->items[i]].count;
        l->missing +=
            (in->trips - (double)in->copies) * in->cycles + (double)in->copies * in->missing;
        l->least += in->trips * in->least;
        alone += in->trips * in->most + n->branch_miss;
    }
    const bool room = shortage_need(l->insns * (BLOCK_BYTES_EACH + sizeof *insns.items));
    if (room && nest_expand(n->kernel, loop, n->executed, n->copies, NESTED_INSNS, &insns)) {
        size_t count;
        const struct insn *once = executed_insns(n, loop, &count);
        l->cycles =
            fmax(time_block(n, insns.items, insns.count, true, &bounds) + l->missing, l->least);
        l->most = fmax(l->cycles, time_block(n, once, count, true, &bounds) + alone);
    } else {
        l->cycles = l->most = NAN;
    }
    if (room)
        shortage_reserve();
    vec_done(&insns);
}

static void take_direct(const struct kernel *k, const nest_loops *within, nest_loops *direct)
{
    for (size_t i = 0; i < within->count; i++) {
        bool deeper = false;
        for (size_t j = 0; j < i && !deeper; j++)
            deeper = nest_is_within(k, within->items[i], within->items[j]);
        if (!deeper)
            vec_push(direct, within->items[i]);
    }
}

static void time_loop(struct nesting *n, size_t loop)
{
    struct level *l = &n->levels[loop];
    nest_loops within = {0}, direct = {0};

    nest_within(n->kernel, loop, &within);
    take_direct(n->kernel, &within, &direct);
    n->executed[loop] = loop_code_executed(n->kernel, loop);
    for (size_t i = 0; i < direct.count; i++) {
        if (!executes(n, loop, direct.items[i]))
            n->levels[direct.items[i]].trips = 0;
        time_loop(n, direct.items[i]);
    }
    if (direct.count)
        time_outer(n, loop, &direct);
    else
        time_innermost(n, loop);
    l->copies = (size_t)fmin(l->trips, fmax(1, ceil(8 * n->window / (double)l->insns)));
    n->copies[loop] = l->copies;
    vec_done(&within);
    vec_done(&direct);
}

void nested_time(const struct kernel *k, size_t loop, const struct machine *m, double trips,
                 struct nested *out)
{
    struct nesting n = {.kernel = k,
                        .machine = m,
                        .levels = mem_zero(k->loop_count, sizeof *n.levels),
                        .copies = mem_zero(k->loop_count, sizeof *n.copies),
                        .executed = mem_zero(k->loop_count, sizeof *n.executed),
                        .work = block_work_new(m),
                        .simulator = simulator_new(),
                        .window = fact_number(m, "reorder_buffer"),
                        .branch_miss = fact_number(m, "branch_miss")};
    nest_loops within = {0}, direct = {0};

    *out = (struct nested){0};
    nest_within(k, loop, &within);
    for (size_t i = 0; i < within.count; i++)
        n.levels[within.items[i]].trips = trips;
    n.levels[loop].trips = 1;
    time_loop(&n, loop);
    const struct level *l = &n.levels[loop];
    take_direct(k, &within, &direct);
    for (size_t i = 0; i < direct.count; i++) {
        const struct level *in = &n.levels[direct.items[i]];
        vec_push(&out->inner, ((struct nested_inner){direct.items[i], in->cycles, in->trips == 0}));
    }
    out->cycles = l->cycles;
    out->most = l->most;
    vec_done(&within);
    vec_done(&direct);
    simulator_free(n.simulator);
    block_work_free(n.work);
    for (size_t i = 0; i < k->loop_count; i++)
        free(n.executed[i]);
    free(n.executed);
    free(n.levels);
    free(n.copies);
}

void nested_done(struct nested *n)
{
    vec_done(&n->inner);
}
