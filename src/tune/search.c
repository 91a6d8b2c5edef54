/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/watch.h"
#include "isa/rewrite.h"
#include "simulate/simulate.h"
#include "tune/dataflow.h"

#define GAIN 0.005        /* smallest relative gain of a reported version */
#define BETTER 1e-6       /* largest difference in cycles at which times count as equal */

struct tune_search {
    const struct insn *insns;
    size_t count;
    const struct tune_options *options;
    struct block_work *work;
    struct simulator *simulator;
    struct rng rng;
    struct tune *t;
    size_t total;   /* expected number of simulations */
};

/* Returns the simulated cycles per original iteration, at least the bounds. INFINITY if the version
 * has an unknown form. */
static double cycles_of(struct tune_search *s, const struct insn *insns, size_t count,
                        unsigned times)
{
    struct block_options block = {.shape = shape_of(insns, count),
                                  .align = (unsigned)(insns[0].offset % 64)};
    struct simulate_options how = {0};
    struct simulation sim;
    struct bounds bounds;

    s->t->simulated++;
    watch_at("versions", fmin((double)s->t->simulated, (double)s->total), (double)s->total);
    bounds_of(s->work, insns, count, &block, false, &bounds);
    if (bounds.unknown && !s->t->unknown)
        return INFINITY;
    simulate(s->simulator, s->work, insns, count, &block, &how, &sim);
    /* fmax ignores an argument that is NaN. */
    const double cycles = fmax(bounds.total, sim.cycles) / times;
    simulation_done(&sim);
    return cycles;
}

static double cost_of(struct tune_search *s, struct version *c)
{
    version_place(c, s->insns);
    return cycles_of(s, c->insns, c->count, c->times);
}

/* Applies rule @what at place @only of @c, or at all places (SIZE_MAX). Returns NULL if the rule
 * applies nowhere. */
static struct version *rewritten(const struct version *c, const char *what, size_t only)
{
    struct version *made = NULL;

    for (size_t i = c->count; i-- > 0;) {
        struct insn with[REWRITTEN_MOST];
        unsigned count;
        uint32_t loses;
        const char *name;
        if (only != SIZE_MAX && i != only)
            continue;
        for (size_t at = 0; rewrite_next(&c->insns[i], &at, with, &count, &loses, &name);) {
            if (strcmp(name, what) != 0 ||
                (loses && !dataflow_flags_dead(c->insns, c->count, i, loses)))
                continue;
            made = made ? made : version_copy(c);
            version_replace(made, i, with, count);   /* Proceeds from the end, because a replacement
                                                      * changes later indices. */
            break;
        }
    }
    if (made)
        version_note(made, what);
    return made;
}

struct rule_list { const char *names[64]; size_t count; };

static void rules_of(const struct version *c, struct rule_list *rules)
{
    struct insn with[REWRITTEN_MOST];
    unsigned count;
    uint32_t loses;
    const char *name;

    rules->count = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t at = 0; rewrite_next(&c->insns[i], &at, with, &count, &loses, &name);) {
            size_t k = 0;
            while (k < rules->count && rules->names[k] != name)
                k++;
            if (k == rules->count && k < sizeof rules->names / sizeof *rules->names)
                rules->names[rules->count++] = name;
        }
}

/* Replaces *@best with @take_made if @take_made is faster. Frees the slower of the two. Returns
 * whether *@best was replaced. If so, sets *@cycles to the time of the new version. */
static bool take_better(struct tune_search *s, struct version *take_made, struct version **best,
                        double *cycles)
{
    const double now = take_made ? cost_of(s, take_made) : INFINITY;

    if (!(now < *cycles - BETTER)) {
        version_free(take_made);
        return false;
    }
    version_free(*best);
    *best = take_made;
    *cycles = now;
    return true;
}

/* Applies each rule at all places and at single places as long as the loop becomes faster, then
 * tries all rules together. */
static void rewrite_all(struct tune_search *s, struct version **best, double *cycles)
{
    struct rule_list rules;
    struct version *all = version_copy(*best);
    bool helped = true;

    while (helped && !watch_over()) {
        helped = false;
        rules_of(*best, &rules);
        for (size_t r = 0; r < rules.count && !watch_over(); r++) {
            helped |= take_better(s, rewritten(*best, rules.names[r], SIZE_MAX), best, cycles);
            for (size_t i = 0; i < (*best)->count && !watch_over(); i++)
                helped |= take_better(s, rewritten(*best, rules.names[r], i), best, cycles);
        }
    }
    rules_of(all, &rules);
    for (size_t r = 0; r < rules.count; r++) {
        struct version *next = rewritten(all, rules.names[r], SIZE_MAX);
        if (next) {
            version_free(all);
            all = next;
        }
    }
    take_better(s, all, best, cycles);
}

static void move_one(uint32_t *order, size_t from, size_t to)
{
    const uint32_t moved = order[from];

    if (from < to)
        memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    else
        memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    order[to] = moved;
}

static double order_cost(struct tune_search *s, const struct version *c, const uint32_t *order,
                         struct insn *room)
{
    uint64_t offset = s->insns[0].offset;

    for (size_t i = 0; i < c->count; i++) {
        room[i] = c->insns[order[i]];
        room[i].offset = offset;
        offset += room[i].length;
    }
    return cycles_of(s, room, c->count, c->times);
}

/* Moves single instructions and accepts moves that are not slower. By walking over orders of equal
 * cost, finds improvements that no single move achieves. Stores the best order in @c. Returns
 * whether it is faster. Sets *@cycles to the time of that order. */
static bool reorder(struct tune_search *s, struct version *c, double *cycles)
{
    const size_t n = c->count;
    struct dataflow *flow = dataflow_new(c->insns, n);
    uint32_t *order = mem_alloc((n + 1) * sizeof *order), *next = mem_alloc((n + 1) * sizeof *next),
             *best = mem_alloc((n + 1) * sizeof *best);
    struct insn *room = mem_alloc((n + 1) * sizeof *room);
    double current = *cycles, least = *cycles;

    for (size_t i = 0; i < n; i++)
        order[i] = best[i] = (uint32_t)i;
    const size_t until = s->t->simulated + s->options->tries;
    for (size_t vain = 0;
         s->t->simulated < until && vain < 50 * (size_t)s->options->tries && !watch_over();
         vain++) {
        const size_t from = rng_below(&s->rng, n), to = rng_below(&s->rng, n);
        memcpy(next, order, n * sizeof *order);
        move_one(next, from, to);
        if (from == to || !dataflow_moves(flow, order[from]) || !dataflow_keeps(flow, next))
            continue;
        const double now = order_cost(s, c, next, room);
        if (now <= current + BETTER) {
            memcpy(order, next, n * sizeof *order);
            current = now;
        }
        if (now < least - BETTER) {
            memcpy(best, next, n * sizeof *best);
            least = now;
        }
    }
    const bool better = least < *cycles - BETTER;
    if (better) {
        version_reorder(c, best);
        version_place(c, s->insns);
        version_note(c, "reordered");
        *cycles = least;
    }
    dataflow_free(flow);
    free(order);
    free(next);
    free(best);
    free(room);
    return better;
}

static int compare_tuned(const void *a, const void *b)
{
    const struct tuned *x = a, *y = b;

    if (fabs(x->cycles - y->cycles) > BETTER)
        return x->cycles < y->cycles ? -1 : 1;
    return x->version->count < y->version->count ? -1 : x->version->count > y->version->count;
}

static struct tuned placed_copy(const struct tune_search *s, const struct version *c,
                                double cycles)
{
    struct version *copy = version_copy(c);

    version_place(copy, s->insns);
    return (struct tuned){copy, cycles};
}

/* Adds a copy of @c to the result if it is a gain and the result has no version with the same
 * description. */
static void keep(struct tune_search *s, const struct version *c, double cycles)
{
    if (!(cycles < s->t->cycles * (1 - GAIN)))
        return;
    for (size_t i = 0; i < s->t->found.count; i++)
        if (strcmp(str_text(&s->t->found.items[i].version->what), str_text(&c->what)) == 0)
            return;
    vec_push(&s->t->found, placed_copy(s, c, cycles));
}

/* Rewrites and reorders @take_c. Adds each step that is a gain to the result. */
static void improve(struct tune_search *s, struct version *take_c)
{
    struct version *best = take_c, *plain;
    const size_t found = s->t->found.count;
    double cycles = cost_of(s, best), own = cycles;

    plain = version_copy(best);
    keep(s, best, cycles);
    rewrite_all(s, &best, &cycles);
    keep(s, best, cycles);
    if (reorder(s, best, &cycles))
        keep(s, best, cycles);
    if (strcmp(str_text(&best->what), str_text(&plain->what)) != 0 && reorder(s, plain, &own))
        keep(s, plain, own);
    if (s->t->found.count == found) {
        if (!best->what.length)
            version_note(best, "other orders and instructions");
        vec_push(&s->t->vain, placed_copy(s, best, cycles));
    }
    version_free(plain);
    version_free(best);
}

/* Returns a version with sums split over several registers, whose additions are reordered. Starts
 * from @gathered (may be NULL) if the loop already uses several registers. Returns NULL if the loop
 * is unsuitable. */
static struct version *split_sums(const struct insn *insns, size_t count, unsigned times,
                                  const struct version *gathered)
{
    struct version *c = version_unroll(gathered ? gathered->insns : insns, count, times, true);

    for (size_t i = 0; c && gathered && i < 2; i++)
        c->fresh[i] |= gathered->fresh[i];
    for (size_t i = 0; c && gathered && i < gathered->before.count; i++)
        vec_push(&c->before, gathered->before.items[i]);
    return c;
}

struct tune *tune_new(const struct insn *insns, size_t count, const struct machine *m,
                      const struct tune_options *options, struct err *err)
{
    struct tune_search s = {.insns = insns,
                            .count = count,
                            .options = options,
                            .work = block_work_new(m),
                            .simulator = simulator_new(),
                            .t = mem_zero(1, sizeof(struct tune))};
    struct block_options block = {.shape = shape_of(insns, count),
                                  .align = (unsigned)(insns[0].offset % 64)};
    struct bounds bounds;

    s.total = options->tries * (options->unroll >= 4 ? 8u : options->unroll >= 2 ? 6u : 4u);
    rng_seed(&s.rng, options->seed);
    bounds_of(s.work, insns, count, &block, false, &bounds);
    s.t->unknown = bounds.unknown;
    s.t->estimate = bounds.estimate;
    s.t->cycles = cycles_of(&s, insns, count, 1);
    improve(&s, version_new(insns, count));
    struct version *gathered = options->reassociate ? version_gather(insns, count) : NULL;
    for (unsigned times = 1; times <= options->unroll && !watch_over(); times *= 2) {
        struct version *plain = version_unroll(insns, count, times, false),
                       *free_order = options->reassociate
                                         ? split_sums(insns, count, times, gathered)
                                         : NULL;
        const bool same = plain && free_order && free_order->before.count == plain->before.count;
        if (plain)
            improve(&s, plain);
        if (free_order && !same)
            improve(&s, free_order);
        else
            version_free(free_order);
    }
    version_free(gathered);
    const bool ok = watch_goes_on(err);
    simulator_free(s.simulator);
    block_work_free(s.work);
    if (s.t->found.count)
        qsort(s.t->found.items, s.t->found.count, sizeof *s.t->found.items, compare_tuned);
    if (s.t->vain.count)
        qsort(s.t->vain.items, s.t->vain.count, sizeof *s.t->vain.items, compare_tuned);
    if (ok)
        return s.t;
    tune_free(s.t);
    return NULL;
}

void tune_free(struct tune *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->found.count; i++)
        version_free(t->found.items[i].version);
    vec_done(&t->found);
    for (size_t i = 0; i < t->vain.count; i++)
        version_free(t->vain.items[i].version);
    vec_done(&t->vain);
    free(t);
}
