/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/evolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/watch.h"
#include "infer/evolve_state.h"
#include "infer/pmevo.h"

#define RESIDUAL 0.02               /* mean error for which the given prices are suited */
/* Number of experiments for which the given prices are suited. With more experiments, the same
 * prices have less weight, because a price is paid once, but each experiment contributes its
 * error. */
#define EXPERIMENTS_SUITED 1000
#define SCALE_LEAST 0.25
#define SCALE_MOST 1
/* largest relative distance from the highest rate at which a rate is used to find the issue
 * width */
#define WIDTH_NEAR 0.06
#define WIDTH_SCATTER 0.01           /* relative distance at which rates agree */
#define WIDTH_SHARED 8               /* minimum number of rates that must agree on a width */
/* largest relative distance from an integer at which the width counts as that integer */
#define WIDTH_WHOLE 0.01
#define WIDTH_STEPS 1000             /* a width between integers is a multiple of 1 / WIDTH_STEPS */

const char *const evolve_state_names[] = {"running", "paused", "done", "stopped"};

void evolve_defaults(struct evolve_options *o)
{
    *o = (struct evolve_options){
        .algorithm = EVOLVE_MEMETIC,
        .ports = 0,
        .width = NAN,
        .price_scale = NAN,
        .begun = NAN,
        .reached = NAN,
        .seed = 1,
        .threads = 1,
        .congruence = true,
        .consensus = true,
        .volume_weight = EVOLVE_VOLUME_WEIGHT,
        .prices = {.uop = EVOLVE_UOP_PRICE,
                   .volume = EVOLVE_VOLUME_PRICE,
                   .usage = EVOLVE_USAGE_PRICE,
                   .new_usage = 3,
                   .new_uop = 2,
                   .other_kind = 4},
    };
}

/* Returns the size of the largest group of the @n ascending @rates, from index @first, within a
 * factor of 1 + WIDTH_SCATTER. Sets *@at to the median of the group. Of several groups of this
 * size, uses the one with the highest rates. */
static size_t most_alike(const double *rates, size_t first, size_t n, double *at)
{
    size_t most = 0;

    for (size_t low = first, high = first; low < n; low++) {
        while (high < n && rates[high] <= rates[low] * (1 + WIDTH_SCATTER))
            high++;
        if (high - low >= most) {
            most = high - low;
            *at = rates[low + most / 2];
        }
    }
    return most;
}

double evolve_measured_width(const struct problem *p, double before)
{
    double *rates = mem_alloc((p->experiments + 1) * sizeof *rates), shared = 0;
    size_t n = p->experiments, first = 0;

    for (size_t e = 0; e < n; e++) {
        double size = 0;
        for (uint32_t k = p->term_start[e]; k < p->term_start[e + 1]; k++)
            size += (double)p->terms[k].count;
        rates[e] = size / (double)p->cycles[e];
    }
    qsort(rates, n, sizeof *rates, compare_doubles);
    double most = n ? rates[n - 1] : 0;
    while (first < n && rates[first] < (1 - WIDTH_NEAR) * most)
        first++;
    if (most_alike(rates, first, n, &shared) < WIDTH_SHARED)
        shared = round(most);
    free(rates);
    double whole = round(shared), width = fabs(shared - whole) <= WIDTH_WHOLE * whole
                                              ? whole
                                              : round(shared * WIDTH_STEPS) / WIDTH_STEPS;
    return fmax(1, width < (1 - WIDTH_NEAR) * before ? before : width);
}

void evolve_free(struct evolve *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->finished; i++)
        genome_free(e->population[i]);
    free(e->population);
    evolve_forget_consensus(e);
    joined_problem_free(e->next);
    joined_problem_free(e->joined);
    classes_free(e->classes);
    problem_free(e->p);
    problem_free(e->first);
    free(e->first_at);
    genome_free(e->from);
    genome_free(e->best);
    for (unsigned n = 0; n <= PORTS_MOST; n++)
        genome_free(e->trials[n]);
    free(e->live);
    vec_done(&e->samples);
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->change);
    free(e);
}

static double share_of_suited(const struct problem *p)
{
    return fmin(1, (double)p->experiments / EXPERIMENTS_SUITED);
}

struct anneal_prices evolve_prices_at(const struct evolve *e, double times)
{
    struct anneal_prices prices = e->o.prices;
    double scale = times * (isnan(e->scale) ? share_of_suited(e->p) : e->scale);

    prices.uop *= scale;
    prices.volume *= scale;
    prices.usage *= scale;
    return prices;
}

double evolve_residual_scale(const struct problem *p, double d_avg)
{
    /* The factor is at most 1. On simulated processors with 5 % noise, higher prices increased the
     * error from 1.75 % to 4.57 %. */
    return share_of_suited(p) * fmin(fmax(sqrt(d_avg / RESIDUAL), SCALE_LEAST), SCALE_MOST);
}

double evolve_elapsed(const struct evolve *e)
{
    double now = e->ended > 0 ? e->ended : e->paused_at > 0 ? e->paused_at : clock_seconds();
    return now - e->started - e->paused_for;
}

static bool time_over(const struct evolve *e)
{
    return e->o.seconds > 0 && evolve_elapsed(e) >= e->o.seconds;
}

void evolve_add_stats(struct anneal_stats *sum, const struct anneal_stats *stats)
{
    sum->evaluations += stats->evaluations;
    for (int k = 0; k < MOVE_KINDS; k++) {
        sum->tried[k] += stats->tried[k];
        sum->accepted[k] += stats->accepted[k];
    }
}

struct anneal_stats evolve_stats(const struct evolve *e)
{
    struct anneal_stats sum = e->stats;
    for (unsigned t = 0; t < e->o.threads; t++)
        evolve_add_stats(&sum, &e->live[t].stats);
    if (e->inner) {
        lock_take(&e->inner->lock);
        struct anneal_stats inner = evolve_stats(e->inner);
        lock_give(&e->inner->lock);
        evolve_add_stats(&sum, &inner);
    }
    return sum;
}

bool evolve_sample_due(const struct evolve *e)
{
    double seconds = evolve_elapsed(e);
    return seconds - e->last_sample >= fmax(0.1, seconds / 2000);
}

void evolve_sample(struct evolve *e, bool now)
{
    double seconds = evolve_elapsed(e),
           *d = mem_alloc(2 * (e->finished + e->o.threads) * sizeof *d),
           *v = d + e->finished + e->o.threads;
    size_t n = 0;

    if (now || evolve_sample_due(e)) {
        for (size_t i = 0; i < e->finished; i++) {
            d[n] = e->population[i]->d_avg;
            v[n++] = (double)genome_volume(e->population[i]);
        }
        for (unsigned t = 0; t < e->o.threads; t++)
            if (e->live[t].busy) {
                d[n] = e->live[t].d_avg;
                v[n++] = (double)e->live[t].volume;
            }
        if (n) {
            qsort(d, n, sizeof *d, compare_doubles);
            qsort(v, n, sizeof *v, compare_doubles);
            if (e->best)
                evolve_reach(e, e->best);
            struct evolve_sample s = {seconds,  e->generation, e->reached, d[0],     d[n / 2],
                                      d[n - 1],     v[0],          v[n / 2],   v[n - 1], 0,
                                      e->ports == 0};
            s.rate = seconds > 0 ? (double)evolve_stats(e).evaluations / seconds : 0;
            vec_push(&e->samples, s);
        }
        e->last_sample = seconds;
    }
    free(d);
}

/* Returns whether the search started before the number of ports changed. */
static bool outdated(const struct evolve *e, const struct genome *g)
{
    return e->ports && g->ports != e->ports;
}

/* Returns whether @g is better than the best: its error is not larger, and its additional µops do
 * not cost more than the error that they explain. If the best is a result of the classes, only the
 * errors count. */
static bool improves(const struct evolve *e, const struct genome *g)
{
    const struct genome *best = e->best;

    if (!best)
        return true;
    if (e->best_expanded)
        return g->d_avg <= best->d_avg;
    return g->d_avg <= best->d_avg &&
           (g->cost < best->cost ||
            (g->d_avg < best->d_avg && genome_distinct(g) <= genome_distinct(best)));
}

void evolve_note_best(struct evolve *e, const struct genome *g)
{
    if (outdated(e, g) || !improves(e, g))
        return;
    genome_free(e->best);
    e->best = genome_copy(g);
    e->best_expanded = false;
    if (e->p == e->first)
        /* Records the error even if no point of the curves is due. */
        e->reached = fmin(e->reached, g->d_avg);
}

/* Discards the best genome. Keeps the least error. */
static void forget_best(struct evolve *e)
{
    genome_free(e->best);
    e->best = NULL;
    e->best_expanded = false;
}

void evolve_price_best(struct evolve *e)
{
    struct anneal_prices prices = evolve_prices_at(e, 1);
    struct genome *best = e->best ? evolve_judge(e->p, e->best, e->best->width, &prices) : NULL;

    forget_best(e);
    e->best = best;
}

void evolve_insert(struct evolve *e, struct genome *take_g)
{
    size_t at = e->finished;

    if (outdated(e, take_g)) {
        genome_free(take_g);
        return;
    }
    evolve_note_best(e, take_g);
    if (e->best)
        evolve_reach(e, e->best);
    for (size_t i = 0; i < e->finished; i++)
        if (e->population[i]->cost == take_g->cost &&
            genome_volume(e->population[i]) == genome_volume(take_g)) {
            genome_free(take_g);   /* Drops a duplicate, which would only displace other
                                    * individuals. */
            return;
        }
    if (e->finished == e->target) {
        if (e->population[e->finished - 1]->cost <= take_g->cost) {
            genome_free(take_g);
            return;
        }
        genome_free(e->population[--at]);
    } else {
        e->finished++;
    }
    for (; at > 0 && e->population[at - 1]->cost > take_g->cost; at--)
        e->population[at] = e->population[at - 1];
    e->population[at] = take_g;
}

static void adopt(struct evolve *e, const struct genome *from, size_t number)
{
    struct anneal_prices prices = evolve_prices_at(e, 1);
    struct annealer *s = anneal_new(e->p, e->ports, e->width, &prices, number);
    anneal_load(s, from);
    evolve_insert(e, genome_copy(anneal_genome(s)));
    e->fresh_begun++;
    anneal_free(s);
}

struct genome *evolve_judge(const struct problem *p, const struct genome *g, double width,
                            const struct anneal_prices *prices)
{
    struct annealer *s = anneal_new(p, g->ports, width, prices, 0);
    anneal_load(s, g);
    struct genome *copy = genome_copy(anneal_genome(s));
    anneal_free(s);
    return copy;
}

/* Returns a copy of @g with its errors and its cost, with the run's prices, on the current problem;
 * NULL: the problem has another number of forms. Sets *@over to a reference to that problem,
 * because another thread may replace it. The caller frees copy and reference. Call it without the
 * lock. */
static struct genome *judged(struct evolve *e, const struct genome *g, struct problem **over)
{
    lock_take(&e->lock);
    struct anneal_prices prices = evolve_prices_at(e, 1);
    double width = e->width;
    *over = problem_hold(e->p);
    lock_give(&e->lock);
    return g->forms == (*over)->forms ? evolve_judge(*over, g, width, &prices) : NULL;
}

void evolve_choose_ports(struct evolve *e, unsigned n)
{
    if (e->best && e->best->ports != n)
        forget_best(e);
    /* After a join, keeps the least error, which is that on the initial experiments with any number
     * of ports. */
    if (!e->joins)
        e->reached = INFINITY;
    e->ports = n;
}

/* Sets the number of ports to that of @take_g, which becomes the first individual. Under the
 * lock. */
static void begin_anew(struct evolve *e, struct genome *take_g)
{
    while (e->finished > 0)
        genome_free(e->population[--e->finished]);
    forget_best(e);
    evolve_choose_ports(e, take_g->ports);
    /* Another run has determined the number of ports. */
    e->ports_known = evolve_ports_unexplained(take_g) ? PORTS_UNEXPLAINED : PORTS_FOUND;
    e->fresh_begun = 1;
    evolve_insert(e, take_g);
    pthread_cond_broadcast(&e->change);
}

bool evolve_immigrate(struct evolve *e, const struct genome *g)
{
    lock_take(&e->lock);
    bool ended = e->ended > 0, early = isnan(e->scale) && !ended;
    lock_give(&e->lock);
    if (early)
        return false;
    struct problem *p;
    struct genome *own = judged(e, g, &p);
    problem_free(p);
    if (!own)
        return false;
    bool taken = true;
    lock_take(&e->lock);
    if (e->ports == g->ports) {
        evolve_insert(e, own);
    } else if (e->ports == 0 && ended) {
        begin_anew(e, own);
    } else if (e->ports == 0 && g->ports <= PORTS_MOST &&
               (!e->trials[g->ports] || own->cost < e->trials[g->ports]->cost)) {
        genome_free(e->trials[g->ports]);
        e->trials[g->ports] = own;
    } else {
        genome_free(own);
        taken = false;
    }
    lock_give(&e->lock);
    return taken;
}

void evolve_settle(struct evolve *e, const struct genome *g)
{
    struct problem *p;
    struct genome *own = judged(e, g, &p);

    problem_free(p);
    if (!own)
        return;
    lock_take(&e->lock);
    if (e->ports == own->ports)
        evolve_insert(e, own);
    else if (e->ended > 0)
        genome_free(own);
    else
        begin_anew(e, own);
    lock_give(&e->lock);
}

bool evolve_edit(struct evolve *e, const struct genome *g)
{
    bool again, fits;

    do {
        struct problem *p;
        struct genome *own = judged(e, g, &p);
        lock_take(&e->lock);
        while (e->meeting)   /* Waits, because another thread reads the individuals without the
                              * lock. */
            pthread_cond_wait(&e->change, &e->lock);
        again = e->p != p;   /* Repeats if new measurements have joined in the meantime. */
        fits = own && !again && e->ports == own->ports;
        if (fits) {
            evolve_insert(e, genome_copy(own));
            genome_free(e->agreed);
            e->agreed = NULL;
            forget_best(e);
            e->best = own;
        }
        lock_give(&e->lock);
        if (!fits)
            genome_free(own);
        problem_free(p);
    } while (again);
    return fits;
}

void evolve_credit(struct evolve *e, const struct anneal_stats *stats)
{
    lock_take(&e->lock);
    evolve_add_stats(&e->stats, stats);
    lock_give(&e->lock);
}

/* Estimates the memory of a search in bytes: mainly the threads' annealers (anneal_new) and the
 * population. */
static size_t bytes_of(const struct problem *p, const struct evolve_options *o)
{
    bool faithful = o->algorithm == EVOLVE_PMEVO;
    size_t population = o->population ? o->population
                        : faithful    ? 1000
                                      : 8,
           threads = o->threads ? o->threads : 1;

    return population * (p->forms + 1) * sizeof(struct gene) * (faithful ? 2 : 1) +
           threads * p->experiments * 6 * sizeof(uint32_t);
}

struct evolve *evolve_new(struct problem *p, const struct evolve_options *o,
                          struct genome *const *from, size_t count, struct err *err)
{
    unsigned most = o->algorithm == EVOLVE_PMEVO ? 1000000 : 1000;

    if (o->ports > PROBLEM_PORTS_MAX || (o->ports == 0 && o->algorithm == EVOLVE_PMEVO)) {
        err_set(err, ERR_USAGE, "give a number of ports",
                "invalid number of ports %u: it must be 1 to %d", o->ports, PROBLEM_PORTS_MAX);
        return NULL;
    }
    if (o->population > most || o->population == 1) {
        err_set(err, ERR_USAGE, NULL,
                "invalid population %u: it must be 2 to %u", o->population, most);
        return NULL;
    }
    if (!mem_room(bytes_of(p, o), "the search", err))
        return NULL;
    struct evolve *e = mem_zero(1, sizeof *e);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->change, NULL);
    e->p = problem_hold(p);
    e->first = problem_hold(p);
    e->o = *o;
    e->o.threads = o->threads ? o->threads : 1;
    e->ports_known = count                            ? o->ports_known
                     : evolve_assumes_ports(p, &e->o) ? PORTS_NO_TIME
                                                      : PORTS_FOUND;
    e->ports = count ? from[0]->ports : e->ports_known == PORTS_NO_TIME ? PORTS_MOST : o->ports;
    e->reached = isnan(o->reached) ? INFINITY : o->reached;
    e->width = o->algorithm == EVOLVE_PMEVO ? 0
               : count                      ? from[0]->width
               : isnan(o->width)            ? evolve_measured_width(p, 0)
                                            : o->width;
    e->o.width_measured =
        o->algorithm != EVOLVE_PMEVO && (o->width_measured || (!count && isnan(o->width)));
    e->round_experiments = p->experiments;
    e->round_forms = p->forms;
    e->target = o->population                  ? o->population
                : o->algorithm == EVOLVE_PMEVO ? 1000
                                               : evolve_individuals(p, &e->o);
    e->preparation = o->algorithm == EVOLVE_MEMETIC && o->congruence ? EVOLVE_RAW : EVOLVE_PREPARED;
    evolve_race(e, PORTS_FEWEST, PORTS_MOST);
    e->population = mem_zero(e->target + 1, sizeof *e->population);
    e->scale = o->price_scale;
    e->cooled = count > 0;
    if (count == 1)
        e->from = genome_copy(from[0]);
    if (count > 1 && isnan(e->scale)) {
        double least = INFINITY;
        for (size_t i = 0; i < count; i++)
            least = fmin(least, genome_error(from[i], p));
        e->scale = evolve_residual_scale(p, least);
    }
    for (size_t i = 0; count > 1 && i < count && i < e->target; i++)
        adopt(e, from[i], i);
    e->live = mem_zero(e->o.threads, sizeof *e->live);
    e->started = isnan(o->begun) ? clock_seconds() : o->begun;
    return e;
}

void evolve_watch(struct watcher *w)
{
    double now = clock_seconds();
    if (w->poll && !w->polling && now - w->last >= 0.1) {
        w->polling = true;
        w->poll(w->state);
        w->polling = false;
        w->last = now;
    }
}

void evolve_wait_change(struct evolve *e, struct watcher *w)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&e->change, &e->lock, &until);
    lock_give(&e->lock);
    evolve_watch(w);
    lock_take(&e->lock);
}

bool evolve_go_on(struct evolve *e, struct watcher *w)
{
    while (atomic_load(&e->pause) && !atomic_load(&e->stop))
        evolve_wait_change(e, w);
    return !atomic_load(&e->stop) && !time_over(e);
}

struct evolve_worker {
    struct evolve *e;
    struct watcher *w;
};

static bool worker_over(void *state)
{
    struct evolve_worker *worker = state;

    evolve_watch(worker->w);
    lock_take(&worker->e->lock);
    bool over = !evolve_go_on(worker->e, worker->w);
    lock_give(&worker->e->lock);
    return over;
}

static bool climb_on(void *state)
{
    const struct problem *p = state;
    return !watch_steps(1 + p->experiments / 64);
}

static void publish_pmevo(struct evolve *e, const struct pmevo *m, uint64_t evaluations)
{
    size_t keep = pmevo_population(m) < e->target ? pmevo_population(m) : e->target;

    for (size_t i = 0; i < e->finished; i++)
        genome_free(e->population[i]);
    for (e->finished = 0; e->finished < keep; e->finished++)
        e->population[e->finished] = genome_copy(pmevo_individual(m, e->finished));
    /* The paper's fitness is relative to the generation, so errors decide. The fittest individual
     * replaces the best one if its error is smaller. Any other individual must also have no more
     * distinct µops. */
    for (size_t i = 0; i < e->finished; i++) {
        const struct genome *g = e->population[i], *best = e->best;
        if (best && (g->d_avg >= best->d_avg || (i && genome_distinct(g) > genome_distinct(best))))
            continue;
        genome_free(e->best);
        e->best = genome_copy(g);
    }
    e->stats.evaluations = evaluations * e->p->experiments;
    evolve_sample(e, true);
}

static void run_pmevo(struct evolve *e, struct watcher *w)
{
    struct pmevo *m = pmevo_new(e->p, e->ports, (unsigned)e->target, e->o.volume_weight,
                                e->o.tolerant, e->o.seed);
    uint64_t evaluations = e->target;
    bool going = true;

    while (going) {
        going = pmevo_generation(m, &evaluations);
        lock_take(&e->lock);
        e->generation++;
        publish_pmevo(e, m, evaluations);
        going =
            going && evolve_go_on(e, w) && !(e->o.generations && e->generation >= e->o.generations);
        lock_give(&e->lock);
        evolve_watch(w);
    }
    pmevo_climb(m, 0, climb_on, (void *)e->p, &evaluations);
    lock_take(&e->lock);
    publish_pmevo(e, m, evaluations);
    lock_give(&e->lock);
    pmevo_free(m);
}

void evolve_worker(struct evolve *e, unsigned index, void (*poll)(void *), void *poll_state)
{
    struct watcher w = {index == 0 ? poll : NULL, poll_state, 0, false};

    lock_take(&e->lock);
    enum evolve_algorithm algorithm = e->o.algorithm;
    /* Waits for the end of a conversion, which frees the problem that this thread would read. The
     * converting thread does not wait for threads that start late. */
    while (e->meeting)
        evolve_wait_change(e, &w);
    /* A thread that ends because it has no work must not end the run. */
    bool ended = e->ended > 0, idle = (algorithm == EVOLVE_PMEVO && index > 0) || ended;
    e->workers += !idle;
    lock_give(&e->lock);
    if (ended && w.poll)
        w.poll(w.state);
    if (idle)
        return;
    struct watch before = watch_begin(worker_over, &(struct evolve_worker){e, &w});
    if (algorithm == EVOLVE_PMEVO)
        run_pmevo(e, &w);
    else
        evolve_memetic(e, index, &w);
    watch_restore(before);
    lock_take(&e->lock);
    if (e->workers == 1 && !e->cooled && e->best && atomic_load(&e->stop) &&
        algorithm == EVOLVE_MEMETIC)
        evolve_quench(e);
    if (--e->workers == 0 && (e->finished || atomic_load(&e->stop) || time_over(e))) {
        /* Uses an intermediate state if it is better than the end of the search. */
        if (e->best_expanded)
            evolve_price_best(e);
        if (e->best && e->ports == e->best->ports)
            evolve_insert(e, genome_copy(e->best));
        evolve_take_agreed(e);
        e->ended = e->paused_at > 0 ? e->paused_at : clock_seconds();
        e->state = atomic_load(&e->stop) ? EVOLVE_STOPPED : EVOLVE_DONE;
    }
    pthread_cond_broadcast(&e->change);
    lock_give(&e->lock);
    if (w.poll)
        w.poll(w.state);
}

void evolve_pause(struct evolve *e, bool on)
{
    lock_take(&e->lock);
    if (on && !(e->paused_at > 0) && !(e->ended > 0)) {
        e->paused_at = clock_seconds();
        e->state = EVOLVE_PAUSED;
    } else if (!on && e->paused_at > 0 && !(e->ended > 0)) {
        e->paused_for += clock_seconds() - e->paused_at;
        e->paused_at = 0;
        e->state = EVOLVE_RUNNING;
    }
    atomic_store(&e->pause, on);
    if (e->inner)
        evolve_pause(e->inner, on);
    pthread_cond_broadcast(&e->change);
    lock_give(&e->lock);
}

void evolve_stop(struct evolve *e)
{
    atomic_store(&e->stop, true);
    lock_take(&e->lock);
    if (e->inner)
        evolve_stop(e->inner);
    pthread_cond_broadcast(&e->change);
    lock_give(&e->lock);
}

bool evolve_stop_requested(struct evolve *e)
{
    return atomic_load(&e->stop);
}

void evolve_abandon(struct evolve *e)
{
    evolve_stop(e);
    lock_take(&e->lock);
    e->ended = clock_seconds();
    e->state = EVOLVE_STOPPED;
    lock_give(&e->lock);
}

bool evolve_set(struct evolve *e, const char *name, double value, struct err *err)
{
    bool known = true;

    if (!(value >= 0) || !isfinite(value))
        return err_set(err, ERR_USAGE, "give a number of at least 0", "invalid %s %g", name, value);
    lock_take(&e->lock);
    if (strcmp(name, "seconds") == 0)
        e->o.seconds = value;
    else if (strcmp(name, "generations") == 0)
        e->o.generations = value < 1e9 ? (unsigned)value : 1000000000u;
    else if (strcmp(name, "uop-price") == 0)
        e->o.prices.uop = value;
    else if (strcmp(name, "volume-price") == 0)
        e->o.prices.volume = value;
    else if (strcmp(name, "usage-price") == 0)
        e->o.prices.usage = value;
    else if (strcmp(name, "volume-weight") == 0)
        e->o.volume_weight = value;
    else
        known = false;
    if (e->inner && value > 0 && strcmp(name, "seconds") == 0)
        evolve_set(e->inner, name, fmax(value - e->consensus_from, 1e-3), err);
    lock_give(&e->lock);
    return known || err_set(err, ERR_USAGE,
                            "parameters: seconds, generations, uop-price, volume-price, "
                            "usage-price, volume-weight",
                            "unknown run parameter \"%s\"", name);
}
