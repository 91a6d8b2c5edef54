/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last part of a run whose individuals explain the measurements about equally well, but differ
 * in other experiments. An inner run starts with these individuals. It fits one mapping to the
 * measurements and to the mean of their predictions (infer/consensus.h). The mapping is accepted if
 * its distance from that mean falls by more than its error on the measurements rises. */
#include <math.h>

#include "base/lock.h"
#include "infer/consensus.h"
#include "infer/evolve_state.h"

#define CONSENSUS_SHARE 0.25       /* share of the run's time for the consensus */
/* number of generations of the consensus in a run without a time limit */
#define CONSENSUS_GENERATIONS 2
#define MEMBERS_LEAST 3
/* Largest relative excess of a member's cost over the best cost, as a multiple of the best error.
 * The larger the unexplained error, the less significant is a difference in cost. */
#define NEAR 5
/* Least disagreement on unmeasured experiments, as a multiple of the error on measurements. Below
 * this disagreement, the measurements determine the mapping without a consensus. */
#define SETTLED 0.5
#define SETTLED_LEAST 0.01 /* minimum of this disagreement, absolute */

double evolve_search_until(const struct evolve *e)
{
    return e->o.seconds > 0
               ? e->o.seconds - (e->o.consensus ? CONSENSUS_SHARE * evolve_round_seconds(e) : 0)
               : INFINITY;
}

/* Copies the near-optimal individuals, best first. The caller frees them and the array. Under the
 * lock. Sets *@count to the number of copies. */
static struct genome **near_optimal(const struct evolve *e, unsigned *count)
{
    struct genome **members = mem_zero(e->finished + 1, sizeof *members);
    double most = e->finished ? e->population[0]->cost +
                                    NEAR * e->population[0]->d_avg * fabs(e->population[0]->cost)
                              : 0;

    for (*count = 0; *count < e->finished && e->population[*count]->cost <= most; ++*count)
        members[*count] = genome_copy(e->population[*count]);
    return members;
}

/* Creates the inner run. Returns NULL if no inner run is needed, or if memory is exhausted. Needs
 * no lock. @o: options and results of the outer run. */
static struct evolve *begin_inner(const struct problem *p, struct evolve_options o,
                                  struct genome *const *members, unsigned n)
{
    struct err err = {0};
    struct rng rng;
    double disagreement;

    rng_seed(&rng, ~o.seed);
    struct problem *with = consensus_problem(p, members, n, &rng, &disagreement);
    struct evolve *inner = NULL;
    if (with && disagreement > fmax(SETTLED * members[0]->d_avg, SETTLED_LEAST)) {
        o.population = n;
        o.congruence = o.consensus = false;
        /* If memory is exhausted, there is no consensus. */
        inner = evolve_new(with, &o, members, n, &err);
        err_clear(&err);
    }
    problem_free(with);
    return inner;
}

/* Begins a consensus search if the near-optimal individuals differ. One thread computes their
 * predictions, without the lock. */
static void ask(struct evolve *e)
{
    unsigned n;
    struct genome **members = near_optimal(e, &n);
    struct evolve_options o = e->o;
    struct evolve *inner = NULL;

    e->consensus = CONSENSUS_ASKING;
    e->consensus_from = evolve_elapsed(e);
    o.price_scale = e->scale;
    o.begun = o.reached = NAN;
    o.generations = o.seconds > 0 ? 0 : CONSENSUS_GENERATIONS;
    o.seconds = o.seconds > 0 ? fmax(o.seconds - e->consensus_from, 0.01) : 0;
    lock_give(&e->lock);
    n = consensus_members(e->p, members, n);
    if (n >= MEMBERS_LEAST)
        inner = begin_inner(e->p, o, members, n);
    for (unsigned i = 0; i < n; i++)
        genome_free(members[i]);
    free(members);
    lock_take(&e->lock);
    e->inner = inner;
    e->consensus = inner ? CONSENSUS_SOUGHT : CONSENSUS_NONE;
    if (inner && (atomic_load(&e->stop) || e->next))
        evolve_stop(inner);
    if (inner && atomic_load(&e->pause))
        evolve_pause(inner, true);
    pthread_cond_broadcast(&e->change);
}

bool evolve_agree(struct evolve *e, unsigned index, struct watcher *w)
{
    if (e->next) {
        evolve_meet(e, w);
        return evolve_go_on(e, w);
    }
    if (e->consensus == CONSENSUS_ASKING || (e->consensus == CONSENSUS_UNASKED && e->busy > 0)) {
        evolve_wait_others(e, w);
        return evolve_go_on(e, w);
    }
    if (e->consensus == CONSENSUS_UNASKED)
        ask(e);
    if (e->consensus != CONSENSUS_SOUGHT)
        return evolve_go_on(e, w);
    struct evolve *inner = e->inner;
    lock_give(&e->lock);
    evolve_memetic(inner, index, w);
    lock_take(&e->lock);
    return e->next && evolve_go_on(e, w);
}

/* Returns the mean relative distance of @g's predictions from the mean of the good mappings. The
 * distance is over the unmeasured experiments of @with, which begin at index @from. */
static double unseen_error(const struct genome *g, const struct problem *with, size_t from)
{
    float *cycles = mem_alloc((with->experiments + 1) * sizeof *cycles);
    double sum = 0;

    genome_predict(g, with, cycles);
    for (size_t e = from; e < with->experiments; e++)
        sum += (double)fabsf(cycles[e] * with->inverse[e] - with->weight[e]);
    free(cycles);
    return sum / (double)(with->experiments - from);
}

void evolve_take_agreed(struct evolve *e)
{
    struct genome *found = e->inner ? evolve_best(e->inner, NULL) : NULL;
    struct anneal_prices prices = evolve_prices_at(e, 1);

    genome_free(e->agreed);
    e->agreed = NULL;
    if (found && e->best && found->ports == e->ports) {
        struct genome *agreed = evolve_judge(e->p, found, e->width, &prices);
        e->unseen_agreed = unseen_error(agreed, e->inner->p, e->p->experiments);
        e->unseen_best = unseen_error(e->best, e->inner->p, e->p->experiments);
        if (agreed->d_avg + e->unseen_agreed < e->best->d_avg + e->unseen_best)
            e->agreed = agreed;
        else
            genome_free(agreed);
    }
    genome_free(found);
}

void evolve_forget_consensus(struct evolve *e)
{
    genome_free(e->agreed);
    evolve_free(e->inner);
    e->agreed = NULL;
    e->inner = NULL;
    e->consensus = CONSENSUS_UNASKED;
}
