/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/nest.h"
#include "base/mem.h"
#include "program/walk.h"
#include "simulate/simulate.h"

#define WALKED 0.002         /* share of all executed instructions from which on a loop is walked */
#define MOST 1200            /* instructions of a turn */
#define WANTED 600           /* of a walk, so that it is as its branches mostly go */
#define REACH 4              /* reorder buffers that go by before the state is steady, and then are looked at */
#define COVERED 0.5

struct root { uint32_t unit, loop; double times; size_t count; };

/* An instruction of the block that is simulated: of the code, or in the place of a call. */
struct walked { uint32_t unit, insn; bool call; };

struct turning {
    const struct program_code *code;
    const struct core_share *share;
    struct block_work *work;
    struct simulator *simulator;
    struct program_flow flow;
    struct turns *out;
    nest_insns insns;              /* of one walk */
    VEC(struct walked) sources;
};

/* Fewest turns first: outer loops before those within them, callers before what they call. */
static int by_times(const void *a, const void *b)
{
    const struct root *x = a, *y = b;
    int times = (x->times > y->times) - (x->times < y->times), size = (x->count < y->count) - (x->count > y->count);
    return times ? times : size ? size : (x->unit > y->unit) - (x->unit < y->unit);
}

static void add_insn(struct turning *t, const struct insn *insn, struct walked source)
{
    vec_push(&t->insns, *insn);
    vec_push(&t->sources, source);
}

static void add_call(struct turning *t, const struct walk_step *step)
{
    const struct call_code *code = program_code_library(t->code, step->calls);

    for (size_t i = 0; code && i < code->insns.count; i++)
        add_insn(t, &code->insns.items[i], (struct walked){step->unit, step->insn, true});
}

static void fill(struct turning *t, const struct code_walk *walk)
{
    t->insns.count = t->sources.count = 0;
    for (size_t i = 0; i < walk->steps.count; i++) {
        const struct walk_step *step = &walk->steps.items[i];
        add_insn(t, &t->code->units[step->unit].kernel->insns[step->insn], (struct walked){step->unit, step->insn, false});
        if (step->calls)
            add_call(t, step);
    }
}

/* Cycles of a walk by what is shared with others. */
static double shared_cycles(const struct bounds *b, const struct core_share *share)
{
    double most = 0;

    for (int kind = 0; kind < BOUND_COUNT; kind++) {
        bool slots = kind == BOUND_ISSUE || kind == BOUND_FRONTEND || kind == BOUND_RETIRE;
        if (kind != BOUND_DEPENDENCIES && !isnan(b->cycles[kind]))
            most = fmax(most, b->cycles[kind] / (slots ? share->slots : share->ports));
    }
    return most;
}

/* Gives each instruction its share of @cycles, those of one walk, by what goes by before it retires from iteration @from on, of the @all; the walk is executed @times times. */
static void share_out(struct turning *t, const struct simulation *sim, unsigned from, unsigned all, double cycles, double times)
{
    const size_t n = t->insns.count;
    int32_t before = sim->steps[from * n - 1].retire;
    const double each = times * cycles / fmax(1, sim->steps[all * n - 1].retire - before), once = times / (double)(all - from);

    for (size_t i = from * n; i < all * n; i++) {
        const struct walked *s = &t->sources.items[i % n];
        double own = (sim->steps[i].retire - before) * each;
        before = sim->steps[i].retire;
        if (s->call) {
            t->out->calls[t->code->units[s->unit].block[s->insn]] += own;
            continue;
        }
        t->out->units[s->unit].cycles[s->insn] += own;
        t->out->units[s->unit].covered[s->insn] += once;
    }
    for (size_t i = 0; i < n; i++) {
        const struct walked *s = &t->sources.items[i];
        if (s->call && (!i || !t->sources.items[i - 1].call))
            t->out->called[t->code->units[s->unit].block[s->insn]] += times;
    }
}

/* Simulates the walk that was filled in, which is executed @times times. */
static void time_walk(struct turning *t, double times)
{
    struct core *core = t->work->core;
    const bool erratum = core->jcc_erratum;
    const double lines = core->uop_cache_lines, buffer = core->reorder_buffer;
    const struct block_options block = {.shape = SHAPE_LOOP, .start = START_DIFFERENT};
    const unsigned ahead = 1 + (unsigned)(buffer / (double)t->insns.count), reached = 1 + (unsigned)(REACH * buffer / (double)t->insns.count), all = 2 * reached;
    struct bounds bounds;
    struct simulation sim;

    core->jcc_erratum = false;    /* the code lies elsewhere than one instruction after the other */
    core->uop_cache_lines = NAN;
    core->reorder_buffer = rint(buffer * t->share->slots);
    bounds_of(t->work, t->insns.items, t->insns.count, &block, false, &bounds);
    simulate(t->simulator, t->work, t->insns.items, t->insns.count, &block, &(struct simulate_options){.iterations = all + 2 * ahead, .timeline = all}, &sim);
    core->jcc_erratum = erratum;
    core->uop_cache_lines = lines;
    core->reorder_buffer = buffer;
    const size_t n = t->insns.count;
    if (!isnan(sim.cycles) && sim.step_iterations == all && sim.steps[all * n - 1].retire > 0) {
        double once = (double)(sim.steps[all * n - 1].retire - sim.steps[reached * n - 1].retire) / (all - reached);
        share_out(t, &sim, reached, all, fmax(once, shared_cycles(&bounds, t->share)), times);
    }
    simulation_done(&sim);
}

static void time_root(struct turning *t, const struct root *root, double insns)
{
    const struct kernel_loop *l = &t->code->units[root->unit].kernel->loops[root->loop];
    struct code_walk walk;

    if (t->out->units[root->unit].covered[l->first] > COVERED * root->times)
        return;
    if (!walk_loop(t->code, &t->flow, root->unit, root->loop, MOST, WANTED, &walk))
        return;
    fill(t, &walk);
    bool calls = t->sources.count > walk.steps.count;
    if ((walk.elsewhere || calls) && root->times / walk.turns * (double)walk.steps.count >= WALKED * insns)
        time_walk(t, root->times / walk.turns);
    vec_done(&walk.steps);
}

void turns_time(const struct program_code *c, const struct program_run *run, struct block_work *work, const struct core_share *share, double insns, struct turns *out)
{
    struct turning t = {.code = c, .share = share, .work = work, .simulator = simulator_new(), .out = out};
    const struct program *p = c->program;
    VEC(struct root) roots = {0};

    out->units = mem_zero(p->unit_count + 1, sizeof *out->units);
    out->calls = mem_zero(p->block_count + 1, sizeof *out->calls);
    out->called = mem_zero(p->block_count + 1, sizeof *out->called);
    program_flow_find(c, run, &t.flow);
    for (uint32_t u = 0; u < p->unit_count; u++) {
        const struct kernel *k = c->units[u].kernel;
        size_t n = k ? k->insn_count : 0;
        out->units[u].cycles = mem_zero(n + 1, sizeof *out->units[u].cycles);
        out->units[u].covered = mem_zero(n + 1, sizeof *out->units[u].covered);
        for (uint32_t l = 0; k && l < k->loop_count; l++)
            if (k->loops[l].depth && t.flow.units[u].times[k->loops[l].first] > 0)
                vec_push(&roots, ((struct root){u, l, t.flow.units[u].times[k->loops[l].first], k->loops[l].count}));
    }
    if (roots.count)
        qsort(roots.items, roots.count, sizeof *roots.items, by_times);
    for (size_t i = 0; i < roots.count; i++)
        time_root(&t, &roots.items[i], insns);
    vec_done(&roots);
    vec_done(&t.insns);
    vec_done(&t.sources);
    program_flow_done(c, &t.flow);
    simulator_free(t.simulator);
}

void turns_done(const struct program_code *c, struct turns *t)
{
    for (size_t u = 0; u < c->program->unit_count; u++) {
        free(t->units[u].cycles);
        free(t->units[u].covered);
    }
    free(t->units);
    free(t->calls);
    free(t->called);
}
