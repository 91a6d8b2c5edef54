/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins experiments to a run. The run's state is converted once all threads have stopped using
 * it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/names.h"
#include "infer/evolve_state.h"

/* Growth factors of the number of experiments (GROWN) and of forms (GROWN_FORMS) from which an
 * earlier result is only a starting point. */
#define GROWN 2
#define GROWN_FORMS 1.125
/* range of the numbers of ports to try after this growth, below and above the former number */
#define FEWER_PORTS 1
#define MORE_PORTS 2

void joined_problem_free(struct joined_problem *j)
{
    if (!j)
        return;
    problem_free(j->p);
    classes_free(j->classes);
    free(j->from);
    free(j);
}

void evolve_join(struct evolve *e, struct problem *take_p)
{
    struct joined_problem *j = mem_zero(1, sizeof *j);

    lock_take(&e->lock);
    bool memetic = e->o.algorithm == EVOLVE_MEMETIC, congruence = e->o.congruence;
    lock_give(&e->lock);
    j->p = take_p;
    if (memetic && congruence)
        j->classes = classes_new(take_p);
    lock_take(&e->lock);
    struct joined_problem *old = e->next;
    bool taken = memetic && !(e->ended > 0);
    e->next = taken ? j : NULL;
    if (taken && e->inner)
        evolve_stop(e->inner);
    pthread_cond_broadcast(&e->change);
    lock_give(&e->lock);
    joined_problem_free(old);
    if (!taken)
        joined_problem_free(j);
}

struct lone {
    float cycles;
    uint32_t form;
};

static int compare_lone(const void *a, const void *b)
{
    const struct lone *x = a, *y = b;
    return x->cycles != y->cycles ? (x->cycles > y->cycles) - (x->cycles < y->cycles)
                                  : (x->form > y->form) - (x->form < y->form);
}

/* Returns the form whose cycles are nearest to @cycles by ratio, of @n forms sorted by cycles. */
static uint32_t nearest(const struct lone *lone, size_t n, float cycles)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (lone[middle].cycles < cycles)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && cycles / lone[low - 1].cycles < lone[low].cycles / cycles ? lone[low - 1].form
                                                                                : lone[low].form;
}

uint32_t *evolve_match(const struct problem *p, const struct problem *before)
{
    struct names names = {0};
    uint32_t *from = mem_alloc((p->forms + 1) * sizeof *from);
    struct lone *lone = mem_alloc((before->forms + 1) * sizeof *lone);
    size_t n = 0;

    for (uint32_t f = 0; f < before->forms; f++) {
        names_add(&names, before->names[f]);
        if (!isnan(before->single[f]))
            lone[n++] = (struct lone){before->single[f], f};
    }
    qsort(lone, n, sizeof *lone, compare_lone);
    for (size_t f = 0; f < p->forms; f++) {
        from[f] = names_find(&names, p->names[f]);
        if (from[f] == UINT32_MAX)
            from[f] = n ? nearest(lone, n, isnan(p->single[f]) ? 1 : p->single[f]) : 0;
    }
    free(lone);
    names_done(&names);
    return from;
}

static struct genome *carry(const struct joined_problem *j, double width, struct genome *take_g)
{
    struct genome *g = genome_new(j->p->forms, take_g->ports, width);

    for (size_t f = 0; f < g->forms; f++) {
        g->genes[f] = take_g->genes[j->from[f]];
        g->genes[f].slots = width == 0 ? 0 : g->genes[f].slots ? g->genes[f].slots : 1;
    }
    genome_free(take_g);
    return g;
}

struct genome *evolve_carry(const struct evolve *e, struct genome *take_g)
{
    return carry(e->joined, e->width, take_g);
}

/* Returns, for each form of @first, its index in @p; NULL if a form is missing. The caller frees
 * the result. */
static uint32_t *places_of(const struct problem *first, const struct problem *p)
{
    struct names names = {0};
    uint32_t *at = mem_alloc((first->forms + 1) * sizeof *at);
    bool all = true;

    for (size_t f = 0; f < p->forms; f++)
        names_add(&names, p->names[f]);
    for (size_t f = 0; f < first->forms; f++) {
        at[f] = names_find(&names, first->names[f]);
        all &= at[f] != UINT32_MAX;
    }
    names_done(&names);
    if (all)
        return at;
    free(at);
    return NULL;
}

void evolve_reach(struct evolve *e, const struct genome *g)
{
    if (e->p == e->first) {
        e->reached = fmin(e->reached, g->d_avg);
    } else if (e->first_at) {
        struct genome *part = genome_new(e->first->forms, g->ports, g->width);
        for (size_t f = 0; f < part->forms; f++)
            part->genes[f] = g->genes[e->first_at[f]];
        e->reached = fmin(e->reached, genome_error(part, e->first));
        genome_free(part);
    }
}

/* The run's state for the joined problem. It is computed without the lock, because all threads wait
 * and no other thread changes the run. */
struct crossing {
    struct joined_problem *j;
    double scale, width;
    uint32_t *first_at;
    struct genome **population, *best, *from, *trials[PORTS_MOST + 1];
};

/* Returns the scale of prices on @p, computed from the remaining error. Returns the old scale if
 * the user set it, or if no individual is finished. */
static double scale_over(const struct evolve *e, const struct problem *p)
{
    if (!isnan(e->o.price_scale) || isnan(e->scale) || !e->finished || !e->best)
        return e->scale;
    return evolve_residual_scale(p, e->best->d_avg);
}

static struct genome *cross_one(const struct crossing *c, const struct anneal_prices *prices,
                                const struct genome *g)
{
    if (!g)
        return NULL;
    struct genome *carried = carry(c->j, c->width, genome_copy(g)),
                  *judged = evolve_judge(c->j->p, carried, c->width, prices);
    genome_free(carried);
    return judged;
}

static void cross(const struct evolve *e, const struct anneal_prices *prices, struct crossing *c)
{
    c->j->from = evolve_match(c->j->p, e->p);
    c->first_at = places_of(e->first, c->j->p);
    c->population = mem_zero(e->target + 1, sizeof *c->population);
    for (size_t i = 0; i < e->finished; i++)
        c->population[i] = cross_one(c, prices, e->population[i]);
    for (unsigned n = 0; n <= PORTS_MOST; n++)
        c->trials[n] = cross_one(c, prices, e->trials[n]);
    c->best = cross_one(c, prices, e->best);
    c->from = cross_one(c, prices, e->from);
}

/* Keeps the mappings, and plans the remaining time like that of a new run. Also determines the
 * number of ports again, unless it was given. */
static void begin_round(struct evolve *e)
{
    e->round_from = evolve_elapsed(e);
    e->round_experiments = e->p->experiments;
    e->round_forms = e->p->forms;
    e->fresh_begun = 0;
    if (e->o.ports || e->from || !e->ports)
        return;
    unsigned n = e->ports;
    for (unsigned k = 0; k <= PORTS_MOST; k++) {
        genome_free(e->trials[k]);
        e->trials[k] = NULL;
    }
    if (n < PORTS_FEWEST || n > PORTS_MOST)
        return;
    e->trials[n] = e->best ? genome_copy(e->best) : NULL;
    e->ports = 0;
    e->ports_known = PORTS_FOUND;
    evolve_race(e, n > PORTS_FEWEST ? n - FEWER_PORTS : n,
                n + MORE_PORTS < PORTS_MOST ? n + MORE_PORTS : PORTS_MOST);
}

/* Continues the curve of the least error on the initial experiments. Before the first mapping, the
 * current experiments become the initial ones. Other errors are not comparable, so their curves are
 * interrupted. */
static void carry_curves(struct evolve *e, uint32_t *take_first_at)
{
    free(e->first_at);
    e->first_at = take_first_at;
    if (isinf(e->reached)) {
        free(e->first_at);
        e->first_at = NULL;
        problem_free(e->first);
        e->first = problem_hold(e->p);
        return;
    }
    if (e->best)
        evolve_reach(e, e->best);
    vec_push(&e->samples, ((struct evolve_sample){evolve_elapsed(e), e->generation, e->reached, NAN,
                                                  NAN, NAN, NAN, NAN, NAN, NAN, false}));
}

/* Installs the converted state. Under the lock. */
static void arrive(struct evolve *e, struct crossing *c)
{
    size_t finished = e->finished;

    evolve_forget_consensus(e);
    for (size_t i = 0; i < finished; i++)
        genome_free(e->population[i]);
    free(e->population);
    for (unsigned n = 0; n <= PORTS_MOST; n++) {
        genome_free(e->trials[n]);
        e->trials[n] = c->trials[n];
    }
    genome_free(e->best);
    genome_free(e->from);
    problem_free(e->p);
    classes_free(e->classes);
    joined_problem_free(e->joined);
    e->joined = c->j;
    e->p = problem_hold(c->j->p);
    e->classes = c->j->classes;
    c->j->classes = NULL;
    e->scale = c->scale;
    e->width = c->width;
    e->from = c->from;
    e->best = c->best;
    e->best_expanded = false;
    carry_curves(e, c->first_at);
    e->population = mem_zero(e->target + 1, sizeof *e->population);
    e->finished = 0;
    for (size_t i = 0; i < finished; i++)
        evolve_insert(e, c->population[i]);
    free(c->population);
    e->last_sample = 0;
    if ((double)e->p->experiments >= GROWN * (double)e->round_experiments ||
        (double)e->p->forms >= GROWN_FORMS * (double)e->round_forms)
        begin_round(e);
    e->joins++;
}

/* Converts the run's state while all other threads wait. Called under the lock. Releases the lock
 * during the conversion; readers then see the previous state. */
static void meet(struct evolve *e)
{
    struct crossing c = {.j = e->next};

    e->meeting = true;
    e->next = NULL;
    c.scale = scale_over(e, c.j->p);
    c.width = e->o.width_measured ? evolve_measured_width(c.j->p, e->width) : e->width;
    double before = e->scale;
    e->scale = c.scale;
    struct anneal_prices prices = evolve_prices_at(e, 1);
    e->scale = before;
    lock_give(&e->lock);
    cross(e, &prices, &c);
    lock_take(&e->lock);
    arrive(e, &c);
    e->meeting = false;
    pthread_cond_broadcast(&e->change);
}

/* Waits for the other threads. The last thread to wait converts the run's state. */
void evolve_wait_others(struct evolve *e, struct watcher *w)
{
    e->waiting++;
    if (e->next && !e->meeting && e->waiting == e->workers)
        meet(e);
    else
        evolve_wait_change(e, w);
    while (e->meeting)
        evolve_wait_change(e, w);
    e->waiting--;
}

bool evolve_meet(struct evolve *e, struct watcher *w)
{
    const unsigned before = e->joins;

    while (e->joins == before && (e->next || e->meeting) && evolve_go_on(e, w))
        evolve_wait_others(e, w);
    return e->joins != before;
}
