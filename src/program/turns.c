/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/turns.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/nest.h"
#include "base/mem.h"
#include "program/walk.h"
#include "simulate/simulate.h"

#define WALKED 0.002         /* smallest share of all executed instructions of a walk */
#define MOST 2000            /* maximum number of instructions of a walk */
/* number of instructions after which a walk ends with the current iteration; enough for
 * representative branch directions */
#define ENOUGH 1000
/* number of instructions of the warm-up as a multiple of the reorder buffer's entries; the
 * measurement has the same number */
#define REACH 4
/* share of a loop's executions in another walk above which the loop needs no separate walk */
#define COVERED 0.5

struct root { uint32_t unit, loop; double times; size_t count; };

struct turns_walk {
    nest_insns insns;              /* instructions in execution order */
    /* per instruction of @insns: its unit and its index in that unit */
    VEC(struct walked) sources;
    double times;                  /* number of executions of the walk */
};

struct turns_walks { VEC(struct turns_walk) list; };

struct walk_search {
    const struct program_code *code;
    struct program_flow flow;
    double insns;                  /* total number of executed instructions */
    /* per unit and instruction: number of executions in walks found so far */
    double **covered;
    struct turns_walks *out;
};

struct turning {
    const struct program_code *code;
    const struct core_share *share;
    struct block_work *work;
    struct simulator *simulator;
    struct code_forwards *forwards;
    struct turns *out;
};

/* Compares by number of executions, fewest first; of equal ones, the largest count first, then by
 * unit. Outer loops are then usually before inner loops, and callers before callees. */
static int by_times(const void *a, const void *b)
{
    const struct root *x = a, *y = b;
    int times = (x->times > y->times) - (x->times < y->times),
        size = (x->count < y->count) - (x->count > y->count);
    return times ? times : size ? size : (x->unit > y->unit) - (x->unit < y->unit);
}

static void add_insn(struct turns_walk *w, const struct insn *insn, struct walked source)
{
    vec_push(&w->insns, *insn);
    vec_push(&w->sources, source);
}

static void add_steps(struct walk_search *f, const struct code_walk *walk, struct turns_walk *out)
{
    for (size_t i = 0; i < walk->steps.count; i++) {
        const struct walk_step *step = &walk->steps.items[i];
        const struct call_code *called =
            step->calls ? program_code_library(f->code, step->calls) : NULL;
        f->covered[step->unit][step->insn] += out->times;
        add_insn(out, &f->code->units[step->unit].kernel->insns[step->insn],
                 (struct walked){step->unit, step->insn, false});
        for (size_t k = 0; called && k < called->insns.count; k++)
            add_insn(out, &called->insns.items[k], (struct walked){step->unit, step->insn, true});
    }
}

static bool calls_library(const struct program_code *c, const struct code_walk *walk)
{
    for (size_t i = 0; i < walk->steps.count; i++)
        if (walk->steps.items[i].calls && program_code_library(c, walk->steps.items[i].calls))
            return true;
    return false;
}

static void find_walk(struct walk_search *f, const struct root *root)
{
    const struct kernel_loop *l = &f->code->units[root->unit].kernel->loops[root->loop];
    struct turns_walk out = {.times = 0};
    struct code_walk walk;

    if (f->covered[root->unit][l->head] > COVERED * root->times ||
        root->times * MOST < WALKED * f->insns)
        return;
    if (!walk_loop(f->code, &f->flow, root->unit, root->loop, MOST, ENOUGH, &walk))
        return;
    out.times = root->times / walk.turns;
    if ((walk.elsewhere || calls_library(f->code, &walk)) &&
        out.times * (double)walk.steps.count >= WALKED * f->insns) {
        add_steps(f, &walk, &out);
        if (out.insns.count)
            vec_push(&f->out->list, out);
    }
    vec_done(&walk.steps);
}

struct turns_walks *turns_walks_new(const struct program_code *c, const struct program_run *run)
{
    const struct program *p = c->program;
    struct walk_search f = {.code = c,
                            .covered = mem_zero(p->unit_count + 1, sizeof *f.covered),
                            .out = mem_zero(1, sizeof *f.out)};
    VEC(struct root) roots = {0};

    program_flow_find(c, run, &f.flow);
    for (uint32_t u = 0; u < p->unit_count; u++) {
        const struct kernel *k = c->units[u].kernel;
        const double *times = f.flow.units[u].times;
        f.covered[u] = mem_zero(k ? k->insn_count + 1 : 1, sizeof *f.covered[u]);
        for (size_t i = 0; k && i < k->insn_count; i++)
            f.insns += times[i];
        for (uint32_t l = 0; k && l < k->loop_count; l++)
            if (k->loops[l].depth && times[k->loops[l].head] > 0)
                vec_push(&roots,
                         ((struct root){u, l, times[k->loops[l].head], k->loops[l].count}));
    }
    if (roots.count)
        qsort(roots.items, roots.count, sizeof *roots.items, by_times);
    for (size_t i = 0; i < roots.count; i++)
        find_walk(&f, &roots.items[i]);
    vec_done(&roots);
    program_flow_done(c, &f.flow);
    for (size_t u = 0; u < p->unit_count; u++)
        free(f.covered[u]);
    free(f.covered);
    return f.out;
}

void turns_walks_free(struct turns_walks *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->list.count; i++) {
        vec_done(&w->list.items[i].insns);
        vec_done(&w->list.items[i].sources);
    }
    vec_done(&w->list);
    free(w);
}

/* Returns the largest bound of shared resources in cycles, with the share that other tasks
 * leave. */
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

/* Distributes @cycles of one walk over its instructions. An instruction's share is the time from
 * the previous retirement to its own in iterations @from to @all of the simulation. */
static void share_out(struct turning *t, const struct turns_walk *w, const struct simulation *sim,
                      unsigned from, unsigned all, double cycles)
{
    const size_t n = w->insns.count;
    int32_t before = sim->steps[from * n - 1].retire;
    const double each = w->times * cycles / fmax(1, sim->steps[all * n - 1].retire - before),
                 once = w->times / (double)(all - from);

    for (size_t i = from * n; i < all * n; i++) {
        const struct walked *s = &w->sources.items[i % n];
        double own = (sim->steps[i].retire - before) * each;
        before = sim->steps[i].retire;
        if (s->call) {
            t->out->calls[t->code->units[s->unit].block[s->insn]] += own;
            continue;
        }
        t->out->units[s->unit].cycles[s->insn] += own;
        t->out->units[s->unit].covered[s->insn] += once;
    }
    for (size_t i = 1; i < n; i++) {
        const struct walked *s = &w->sources.items[i];
        if (s->call && !w->sources.items[i - 1].call)
            t->out->called[t->code->units[s->unit].block[s->insn]] += w->times;
    }
}

static void time_walk(struct turning *t, const struct turns_walk *w)
{
    struct core *core = t->work->core;
    const bool erratum = core->jcc_erratum;
    const double lines = core->uop_cache_lines, buffer = core->reorder_buffer;
    const struct block_options block = {
        .shape = SHAPE_LOOP,
        .start = START_DIFFERENT,
        .known = code_forwards_link(t->forwards, w->sources.items, w->sources.count)};
    const size_t n = w->insns.count;
    const unsigned ahead = 1 + (unsigned)(buffer / (double)n),
                   reached = 1 + (unsigned)(REACH * buffer / (double)n), all = 2 * reached;
    struct bounds bounds;
    struct simulation sim;

    /* Does not simulate the erratum. It depends on addresses, and the code of a walk is not
     * contiguous. */
    core->jcc_erratum = false;
    core->uop_cache_lines = NAN;
    core->reorder_buffer = rint(buffer * t->share->slots);
    bounds_of(t->work, w->insns.items, n, &block, false, &bounds);
    simulate(t->simulator, t->work, w->insns.items, n, &block,
             &(struct simulate_options){.iterations = all + 2 * ahead, .timeline = all}, &sim);
    core->jcc_erratum = erratum;
    core->uop_cache_lines = lines;
    core->reorder_buffer = buffer;
    if (!isnan(sim.cycles) && sim.step_iterations == all && sim.steps[all * n - 1].retire > 0) {
        double once = (double)(sim.steps[all * n - 1].retire - sim.steps[reached * n - 1].retire) /
                      (all - reached);
        share_out(t, w, &sim, reached, all, fmax(once, shared_cycles(&bounds, t->share)));
    }
    simulation_done(&sim);
}

void turns_time(const struct program_code *c, const struct turns_walks *walks,
                struct code_forwards *forwards, struct block_work *work,
                const struct core_share *share, struct turns *out)
{
    struct turning t = {.code = c,
                        .share = share,
                        .work = work,
                        .forwards = forwards,
                        .simulator = simulator_new(),
                        .out = out};
    const struct program *p = c->program;

    out->units = mem_zero(p->unit_count + 1, sizeof *out->units);
    out->calls = mem_zero(p->block_count + 1, sizeof *out->calls);
    out->called = mem_zero(p->block_count + 1, sizeof *out->called);
    for (size_t u = 0; u < p->unit_count; u++) {
        size_t n = c->units[u].kernel ? c->units[u].kernel->insn_count : 0;
        out->units[u].cycles = mem_zero(n + 1, sizeof *out->units[u].cycles);
        out->units[u].covered = mem_zero(n + 1, sizeof *out->units[u].covered);
    }
    for (size_t i = 0; i < walks->list.count; i++)
        time_walk(&t, &walks->list.items[i]);
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
