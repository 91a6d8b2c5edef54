/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/blame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "simulate/simulate.h"

/* fraction of the loop's time by which two measurements of the same code may differ */
#define STABLE 0.03
#define LEAST_ERROR 0.005 /* minimum uncertainty of a cost, as a fraction of the loop's time */
#define ATTEMPTS 5        /* maximum number of attempts per measurement of the unchanged loop */
/* maximum number of measurements of the unchanged loop; at least three are made, more if they
 * disagree */
#define BASES 6

static const struct blame_cost unknown = {.here = NAN, .error = NAN, .model = NAN};

struct blame_work {
    const struct insn *insns;
    size_t count;
    const struct blame_source *source;
    struct block_work *work;
    struct simulator *simulator;
    struct blame *b;
    double until;
    double base[BASES];       /* measured times of the unchanged loop */
    unsigned bases;
    size_t done, total;
};

/* Returns the simulated cycles per iteration, at least the bounds. Without the loop's closing
 * branch, predicts copies in the µop cache. */
static double predict(struct blame_work *w, const struct insn *insns, size_t count)
{
    struct block_options block = {.shape = shape_of(insns, count),
                                  .align = (unsigned)(insns[0].offset % 64)};
    struct simulate_options how = {0};
    struct simulation sim;
    struct bounds bounds;

    if (block.shape == SHAPE_UNROLLED && shape_of(w->insns, w->count) == SHAPE_LOOP)
        block.shape = SHAPE_CACHED;
    bounds_of(w->work, insns, count, &block, false, &bounds);
    w->b->least |= insns == w->insns && bounds.unknown;
    w->b->estimate |= insns == w->insns && bounds.estimate;
    simulate(w->simulator, w->work, insns, count, &block, &how, &sim);
    /* fmax ignores an argument that is NaN. */
    double cycles = fmax(bounds.total, sim.cycles);
    simulation_done(&sim);
    return cycles;
}

static bool is_over(const struct blame_work *w)
{
    return clock_seconds() >= w->until;
}

static void tell(const struct blame_work *w)
{
    if (w->source->found)
        w->source->found(w->source->self, w->b);
}

/* Measures once. If there is no time, *@cycles is NaN and @state has the reason. Returns false with
 * err if the analysis must end. *@spread receives the relative spread. */
static bool measure(struct blame_work *w, const struct insn *insns, size_t count, double *cycles,
                    double *spread, char state[96], struct err *err)
{
    struct err fault = {0};

    *cycles = *spread = NAN;
    if (!watch_goes_on(err))
        return false;
    if (w->source->progress)
        w->source->progress(w->source->self, w->done++, w->total);
    w->b->variants++;
    if (w->source->measure(w->source->self, insns, count, cycles, spread, &fault)) {
        snprintf(state, 96, "ok");
        return true;
    }
    *cycles = *spread = NAN;
    snprintf(state, 96, "%.95s", fault.what);
    if (fault.code == ERR_LIMIT || fault.code == ERR_DATA)
        return true;
    *err = fault;
    return false;
}

/* Returns the lowest time that another time confirms. A single time needs no confirmation. Returns
 * NaN if no two times agree. A busy core is assumed only to lengthen times. Sorts @times. */
static double settle(double *times, unsigned n, double near)
{
    qsort(times, n, sizeof *times, compare_doubles);
    for (unsigned i = 0; i + 1 < n; i++)
        if (times[i + 1] - times[i] <= near)
            return times[i];
    return n == 1 ? times[0] : NAN;
}

/* Measures the unchanged loop once more, with several attempts if the core is busy. Returns false
 * with err if no attempt has a time and there is no earlier time. */
static bool measure_base(struct blame_work *w, struct err *err)
{
    double cycles = NAN, spread;
    char state[96];

    for (unsigned i = 0; isnan(cycles) && (i == 0 || (i < ATTEMPTS && !is_over(w))); i++)
        if (!measure(w, w->insns, w->count, &cycles, &spread, state, err))
            return false;
    if (isnan(cycles))
        return w->bases > 0 ||
               err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                       "no time of the unchanged loop: %s", state);
    if (w->bases == BASES)
        return true;
    w->base[w->bases++] = cycles;
    w->b->spread = fmax(w->b->spread, spread);
    double settled = settle(w->base, w->bases, STABLE * w->base[0]);
    w->b->measured = isnan(settled) ? w->base[0] : settled;
    return true;
}

/* Measures the unchanged loop at least three times, and until another measurement confirms its
 * lowest time. Returns false with err if none does. */
static bool confirm_base(struct blame_work *w, struct err *err)
{
    while (w->bases < BASES &&
           (w->bases < 3 || isnan(settle(w->base, w->bases, STABLE * w->base[0])))) {
        unsigned before = w->bases;
        if (!measure_base(w, err))
            return false;
        if (w->bases == before || (is_over(w) && w->bases > 2))
            break;
    }
    if (isnan(settle(w->base, w->bases, STABLE * w->base[0])))
        return err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                       "no stable time: %.2f-%.2f cycles", w->base[0], w->base[w->bases - 1]);
    return true;
}

/* Computes the members @here, @error and @state of @cost from its times. */
static void reckon(const struct blame_work *w, struct blame_cost *cost)
{
    double near = STABLE * w->b->measured,
           cycles = cost->count ? settle(cost->times, cost->count, near) : NAN;

    cost->here = w->b->measured - cycles;
    cost->error =
        w->b->spread * w->b->measured + cost->spread * cycles + LEAST_ERROR * w->b->measured;
    if (cost->count && isnan(cycles))
        snprintf(cost->state, sizeof cost->state, "no stable time: %.2f-%.2f cycles",
                 cost->times[0], cost->times[cost->count - 1]);
    else if (cost->count)
        snprintf(cost->state, sizeof cost->state, "ok");
}

/* Measures and predicts @take_v and stores the results in @cost. Returns false with err if the
 * analysis must end. */
static bool cost_of(struct blame_work *w, struct variant *take_v, struct blame_cost *cost,
                    struct err *err)
{
    double cycles = NAN, spread = NAN;
    bool ok = true;

    if (!take_v->insns) {
        snprintf(cost->state, sizeof cost->state, "%s", take_v->reason);
    } else if (is_over(w)) {
        if (!cost->state[0])
            snprintf(cost->state, sizeof cost->state, "time limit reached");
    } else if (cost->count < BLAME_TIMES) {
        ok = measure(w, take_v->insns, take_v->count, &cycles, &spread, cost->state, err);
        cost->copies = take_v->copies;
        cost->model = w->b->predicted - predict(w, take_v->insns, take_v->count);
        if (isfinite(cycles)) {
            cost->times[cost->count++] = cycles;
            cost->spread = fmax(cost->spread, spread);
        }
        reckon(w, cost);
        tell(w);
    }
    variant_done(take_v);
    return ok;
}

static bool leave_out(struct blame_work *w, size_t at, struct err *err)
{
    struct variant v;
    variant_without(w->insns, w->count, at, &v);
    return cost_of(w, &v, &w->b->rows[at].out, err);
}

static bool replace(struct blame_work *w, size_t at, struct err *err)
{
    struct variant v;
    variant_nop(w->insns, w->count, at, &v);
    return cost_of(w, &v, &w->b->rows[at].nop, err);
}

static bool cut(struct blame_work *w, size_t edge, struct err *err)
{
    struct variant v;
    variant_cut(w->insns, w->count, &w->b->edges[edge].of, &v);
    return cost_of(w, &v, &w->b->edges[edge].cut, err);
}

/* Announces @take_v to the source (blame_source.expect), and frees it. */
static void expect(const struct blame_work *w, struct variant *take_v)
{
    if (w->source->expect && take_v->insns)
        w->source->expect(w->source->self, take_v->insns, take_v->count);
    variant_done(take_v);
}

static void expect_all_left_out(const struct blame_work *w)
{
    struct variant v;

    for (size_t i = 0; i < w->count; i++) {
        variant_without(w->insns, w->count, i, &v);
        expect(w, &v);
    }
}

static bool costs_something(const struct blame_work *w, size_t at)
{
    const struct blame_cost *out = &w->b->rows[at].out;
    return fabs(out->here) > STABLE * w->b->measured || fabs(out->model) > STABLE * w->b->measured;
}

static void expect_cuts_and_nops(const struct blame_work *w)
{
    struct variant v;

    for (size_t i = 0; i < w->b->edge_count; i++) {
        variant_cut(w->insns, w->count, &w->b->edges[i].of, &v);
        expect(w, &v);
    }
    for (size_t i = 0; i < w->count; i++)
        if (costs_something(w, i)) {
            variant_nop(w->insns, w->count, i, &v);
            expect(w, &v);
        }
}

static double difference(const struct blame_cost *cost)
{
    double d = fabs(cost->here - cost->model);
    return isnan(d) ? 0 : d;
}

/* Returns whether @cost needs confirmation: its times disagree, or a single time differs from the
 * model or is longer than the loop's time. Returns false without a time, or after BLAME_TIMES
 * times. */
static bool is_doubtful(const struct blame_cost *cost, double least)
{
    if (!cost->count || cost->count == BLAME_TIMES)
        return false;
    bool differs = difference(cost) > cost->error && difference(cost) > least,
         slower = cost->here < -cost->error && cost->here < -least;
    return isnan(cost->here) || (cost->count == 1 && (differs || slower));
}

/* Measures doubtful variants again, alternating with the unchanged loop, because the sentence must
 * only name confirmed results. */
static bool confirm(struct blame_work *w, struct err *err)
{
    bool ok = true;

    for (unsigned round = 1; ok && round < BLAME_TIMES; round++) {
        for (size_t i = 0; ok && i < w->count; i++)
            if (is_doubtful(&w->b->rows[i].out, STABLE * w->b->measured))
                ok = leave_out(w, i, err);
        for (size_t i = 0; ok && i < w->b->edge_count; i++)
            if (is_doubtful(&w->b->edges[i].cut, STABLE * w->b->measured))
                ok = cut(w, i, err);
    }
    return ok;
}

/* Returns whether cutting the dependence may have an effect: the dependence is through memory, or
 * both its ends have a measured, predicted or unknown cost. */
static bool matters(const struct blame_work *w, const struct dependence *d)
{
    double least = STABLE * w->b->measured;
    const struct blame_cost *a = &w->b->rows[d->from].out, *b = &w->b->rows[d->to].out;
    bool from = isnan(a->here) || fabs(a->here) > least || fabs(a->model) > least,
         to = isnan(b->here) || fabs(b->here) > least || fabs(b->model) > least;
    return d->reg == REG_NONE || (from && to);
}

static bool edge_comes_first(const struct blame_work *w, size_t a, size_t b)
{
    const struct dependence *x = &w->b->edges[a].of, *y = &w->b->edges[b].of;
    double dx = fmax(difference(&w->b->rows[x->from].out), difference(&w->b->rows[x->to].out));
    double dy = fmax(difference(&w->b->rows[y->from].out), difference(&w->b->rows[y->to].out));
    return dx > dy;
}

/* Selects the dependences that matter. Dependences whose instructions differ most from the model
 * are first. */
static void take_edges(struct blame_work *w)
{
    size_t found = 0;
    struct dependence *all = dependences_of(w->insns, w->count, &found);

    w->b->edges = mem_zero(found + 1, sizeof *w->b->edges);
    for (size_t i = 0; i < found; i++) {
        if (!matters(w, &all[i]))
            continue;
        size_t at = w->b->edge_count++;
        w->b->edges[at] = (struct blame_edge){all[i], unknown};
        for (; at > 0 && edge_comes_first(w, at, at - 1); at--) {
            struct blame_edge other = w->b->edges[at - 1];
            w->b->edges[at - 1] = w->b->edges[at];
            w->b->edges[at] = other;
        }
    }
    free(all);
}

/* Returns whether measurements of the variant gave no time. */
static bool is_missing(const struct blame_cost *cost)
{
    return !cost->count && isfinite(cost->model);
}

/* Measures the variants without a time again while time remains. */
static bool fill_gaps(struct blame_work *w, struct err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < w->count && !is_over(w); i++)
        if (is_missing(&w->b->rows[i].out))
            ok = leave_out(w, i, err);
    for (size_t i = 0; ok && i < w->b->edge_count && !is_over(w); i++)
        if (is_missing(&w->b->edges[i].cut))
            ok = cut(w, i, err);
    return ok;
}

/* Computes all costs from the final time of the loop. */
static void reckon_all(const struct blame_work *w)
{
    for (size_t i = 0; i < w->count; i++) {
        reckon(w, &w->b->rows[i].out);
        reckon(w, &w->b->rows[i].nop);
    }
    for (size_t i = 0; i < w->b->edge_count; i++)
        reckon(w, &w->b->edges[i].cut);
}

static bool run(struct blame_work *w, struct err *err)
{
    if (!is_over(w))
        expect_all_left_out(w);
    bool ok = measure_base(w, err);

    w->b->predicted = predict(w, w->insns, w->count);
    if (ok)
        tell(w);
    for (size_t i = 0; ok && i < w->count; i++)
        ok = leave_out(w, i, err);
    ok = ok && measure_base(w, err) && fill_gaps(w, err) && confirm(w, err);
    if (ok)
        take_edges(w);
    if (ok && !is_over(w))
        expect_cuts_and_nops(w);
    w->total = w->done + w->b->edge_count + w->count + 1;
    for (size_t i = 0; ok && i < w->b->edge_count; i++)
        ok = cut(w, i, err);
    for (size_t i = 0; ok && i < w->count; i++)
        if (costs_something(w, i))
            ok = replace(w, i, err);
    ok = ok && fill_gaps(w, err) && confirm_base(w, err);
    if (ok)
        reckon_all(w);
    /* Confirms again, because the newly confirmed time of the loop may make other variants
     * doubtful. */
    ok = ok && confirm(w, err);
    return ok;
}

struct blame *blame_new(const struct insn *insns, size_t count, const struct machine *m,
                        const struct blame_source *source, double seconds, struct err *err)
{
    double begun = clock_seconds();
    struct blame_work w = {.insns = insns,
                           .count = count,
                           .source = source,
                           .work = block_work_new(m),
                           .simulator = simulator_new(),
                           .b = mem_zero(1, sizeof *w.b),
                           .until = begun + seconds,
                           .total = 2 * count + 4};

    w.b->machine = mem_strdup(m->id);
    w.b->count = w.b->worst = count;
    w.b->rows = mem_zero(count + 1, sizeof *w.b->rows);
    for (size_t i = 0; i < count; i++)
        w.b->rows[i] = (struct blame_row){unknown, unknown};
    bool ok = run(&w, err);
    block_work_free(w.work);
    simulator_free(w.simulator);
    w.b->seconds = clock_seconds() - begun;
    if (ok) {
        blame_judge(w.b, insns, m);
        return w.b;
    }
    blame_free(w.b);
    return NULL;
}

struct blame *blame_copy(const struct blame *b)
{
    struct blame *copy = mem_alloc(sizeof *copy);

    *copy = *b;
    copy->machine = mem_strdup(b->machine);
    copy->sentence = mem_strdup(b->sentence);
    copy->rows = mem_zero(b->count + 1, sizeof *copy->rows);
    memcpy(copy->rows, b->rows, b->count * sizeof *copy->rows);
    copy->edges = b->edges ? mem_zero(b->edge_count + 1, sizeof *copy->edges) : NULL;
    if (b->edges)
        memcpy(copy->edges, b->edges, b->edge_count * sizeof *copy->edges);
    return copy;
}

void blame_free(struct blame *b)
{
    if (!b)
        return;
    free(b->machine);
    free(b->rows);
    free(b->edges);
    free(b->sentence);
    free(b);
}
