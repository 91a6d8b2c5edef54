/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/evolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/steps.h"
#include "infer/evolve_state.h"

#define SHOWN_LEAST 1e-4 /* one unit of the last printed digit of an error: 0.01 % */

/* Writes the phase to @phase. Returns its description, which fits a line of 80 columns. */
static const char *tell_phase(const struct evolve *e, char *phase, size_t room)
{
    if (e->preparation != EVOLVE_PREPARED) {
        snprintf(phase, room, "comparing forms");
        return "forms with equal behaviour in all experiments are combined";
    }
    if (e->o.algorithm == EVOLVE_MEMETIC && isnan(e->scale)) {
        snprintf(phase, room, "estimating the error scale");
        return "a short search estimates the noise of the measurements, which determines prices";
    }
    if (e->ports == 0) {
        snprintf(phase, room, "choosing the number of ports");
        return "ports are added one by one; the smallest number of equal accuracy is used";
    }
    if (e->o.algorithm == EVOLVE_PMEVO) {
        snprintf(phase, room, "evolving generation %u", e->generation);
        return "mappings are recombined, and the better half is kept";
    }
    if (e->consensus == CONSENSUS_SOUGHT) {
        snprintf(phase, room, "looking for a consensus");
        return "good mappings disagree; a consensus is fitted to their mean predictions";
    }
    if (e->children_begun == 0 || e->fresh_begun < e->target) {
        snprintf(phase, room, "annealing starting point %zu of %zu", e->fresh_begun, e->target);
        return "a random mapping is changed step by step; the probability of worse steps falls";
    }
    snprintf(phase, room, "improving offspring %zu", e->children_begun);
    return "two good mappings are combined and improved; the result replaces a worse mapping";
}

static const struct genome *shown(const struct evolve *e)
{
    return e->agreed ? e->agreed : e->best;
}

/* Fills the status from the run's state. Under the lock. */
static void fill_status(struct evolve *e, struct evolve_status *out)
{
    const struct genome *best = shown(e);
    *out = (struct evolve_status){
        .state = e->state,
        .generation = e->generation,
        .population = (unsigned)e->target,
        .ports = e->ports,
        .ports_known = e->ports_known,
        .width = e->width,
        .scale = e->scale,
        .d_avg = best ? best->d_avg : NAN,
        .cost = best && !(best == e->best && e->best_expanded) ? best->cost : NAN,
        .seconds = evolve_elapsed(e),
        .stats = evolve_stats(e),
    };
    if (e->agreed) {
        out->agreed = true;
        out->d_single = e->best->d_avg;
        out->distinct_single = genome_distinct(e->best);
        out->unseen_agreed = e->unseen_agreed;
        out->unseen_single = e->unseen_best;
    }
    if (best) {
        out->volume = genome_volume(best);
        out->distinct = genome_distinct(best);
    }
    out->evaluations = out->stats.evaluations;
    out->rate = out->seconds > 0 ? (double)out->evaluations / out->seconds : 0;
    out->d_reached = e->best && e->p == e->first ? fmin(e->reached, e->best->d_avg)
                     : isfinite(e->reached)      ? e->reached
                                                 : NAN;
    out->reached_of = e->first->experiments;
    out->reached_print = e->first->fingerprint;
    out->seconds_left =
        e->state <= EVOLVE_PAUSED && e->o.seconds > 0 ? fmax(0, e->o.seconds - out->seconds) : NAN;
    out->meaning = tell_phase(e, out->phase, sizeof out->phase);
    out->forms = e->p->forms;
    out->experiments = e->p->experiments;
    out->joined = e->joins;
    out->joining = e->next || e->meeting;
}

void evolve_get_status(struct evolve *e, struct evolve_status *out)
{
    lock_take(&e->lock);
    fill_status(e, out);
    lock_give(&e->lock);
}

bool evolve_try_status(struct evolve *e, struct evolve_status *out)
{
    if (!lock_try(&e->lock))
        return false;
    fill_status(e, out);
    lock_give(&e->lock);
    return true;
}

bool evolve_status_rose(const struct evolve_status *t)
{
    return !t->agreed && !t->joined && t->d_avg - t->d_reached >= SHOWN_LEAST / 2;
}

size_t evolve_get_samples(struct evolve *e, struct evolve_sample *out, size_t limit)
{
    lock_take(&e->lock);
    size_t n = e->samples.count < limit ? e->samples.count : limit;
    steps_add(n);
    if (n)
        memcpy(out, e->samples.items + e->samples.count - n, n * sizeof *out);
    lock_give(&e->lock);
    return n;
}

double evolve_sample_drawn(const struct evolve_sample *at, bool joined)
{
    return at->trial ? NAN : 100 * (joined ? fmax(at->d_reached, SHOWN_LEAST) : at->d_reached);
}

size_t evolve_spread_samples(struct evolve *e, struct evolve_sample *out, size_t limit)
{
    size_t n = 0;

    lock_take(&e->lock);
    const size_t count = e->samples.count, step = count / limit + 1;
    /* Selects samples from the newest to the oldest, and so includes the newest. */
    for (size_t back = 0; back < count; back += step)
        out[n++] = e->samples.items[count - 1 - back];
    lock_give(&e->lock);
    for (size_t i = 0; i < n / 2; i++) {
        const struct evolve_sample other = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = other;
    }
    return n;
}

static bool beats(const struct evolve_point *a, const struct evolve_point *b)
{
    return a->d_avg <= b->d_avg && a->distinct <= b->distinct && a->volume <= b->volume &&
           (a->d_avg < b->d_avg || a->distinct < b->distinct || a->volume < b->volume);
}

size_t evolve_get_front(struct evolve *e, struct evolve_point *out, size_t limit)
{
    size_t n = 0;

    lock_take(&e->lock);
    struct evolve_point *all = mem_alloc((e->finished + 1) * sizeof *all);
    for (size_t i = 0; i < e->finished; i++)
        all[i] = (struct evolve_point){e->population[i]->d_avg, genome_distinct(e->population[i]),
                                       genome_volume(e->population[i])};
    for (size_t i = 0; i < e->finished && n < limit; i++) {
        bool beaten = false;
        for (size_t k = 0; k < e->finished; k++)
            beaten |= beats(&all[k], &all[i]);
        if (!beaten)
            out[n++] = all[i];
    }
    lock_give(&e->lock);
    free(all);
    return n;
}

size_t evolve_get_trials(struct evolve *e, struct evolve_trial *out, size_t limit)
{
    size_t n = 0;

    lock_take(&e->lock);
    for (unsigned ports = 0; ports <= PORTS_MOST; ports++)
        if (e->trials[ports] && n < limit)
            out[n++] = (struct evolve_trial){ports, e->trials[ports]->d_avg};
    lock_give(&e->lock);
    return n;
}

/* Sets *@over (may be NULL) to the problem of the caller's copy, with a reference. Under the
 * lock. */
static void hold_problem(struct evolve *e, struct problem **over)
{
    if (over)
        *over = problem_hold(e->p);
}

struct genome *evolve_best(struct evolve *e, struct problem **over)
{
    lock_take(&e->lock);
    struct genome *copy = shown(e) ? genome_copy(shown(e)) : NULL;
    hold_problem(e, over);
    lock_give(&e->lock);
    return copy;
}

static bool is_other(const struct genome *a, const struct genome *best)
{
    if (a->forms != best->forms || a->ports != best->ports)
        return false;
    for (size_t f = 0; f < a->forms; f++)
        if (!gene_equal(&a->genes[f], &best->genes[f]))
            return true;
    return false;
}

/* Copies the best individuals for evolve_leaders. Under the lock. Sets *@count to the number of
 * copies. */
static struct genome **copy_leaders(struct evolve *e, const struct genome *best, size_t limit,
                                    size_t *count, struct problem **over)
{
    struct genome **copies = mem_zero(limit + 1, sizeof *copies);

    hold_problem(e, over);
    *count = 0;
    if (best)
        copies[(*count)++] = genome_copy(best);
    for (size_t i = 0; best && i < e->finished && *count <= limit; i++)
        if (is_other(e->population[i], best))
            copies[(*count)++] = genome_copy(e->population[i]);
    return copies;
}

struct genome **evolve_leaders(struct evolve *e, size_t limit, size_t *count, struct problem **over)
{
    lock_take(&e->lock);
    struct genome **copies = copy_leaders(e, shown(e), limit, count, over);
    lock_give(&e->lock);
    return copies;
}

struct genome **evolve_population(struct evolve *e, size_t *count, struct problem **over)
{
    lock_take(&e->lock);
    struct genome **copies = copy_leaders(e, shown(e), e->finished, count, over);
    lock_give(&e->lock);
    return copies;
}

struct genome **evolve_singles(struct evolve *e, size_t *count, struct problem **over)
{
    lock_take(&e->lock);
    struct genome **copies = copy_leaders(e, e->best, e->finished, count, over);
    lock_give(&e->lock);
    return copies;
}

struct anneal_prices evolve_prices(struct evolve *e)
{
    lock_take(&e->lock);
    struct anneal_prices prices = evolve_prices_at(e, 1);
    lock_give(&e->lock);
    return prices;
}

struct problem *evolve_problem(struct evolve *e)
{
    struct problem *p;
    lock_take(&e->lock);
    hold_problem(e, &p);
    lock_give(&e->lock);
    return p;
}

void evolve_get_options(struct evolve *e, struct evolve_options *out)
{
    lock_take(&e->lock);
    *out = e->o;
    lock_give(&e->lock);
}
