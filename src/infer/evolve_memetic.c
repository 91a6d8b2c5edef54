/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "base/lock.h"
#include "infer/evolve_state.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"

#define PORTS_FINALISTS 3
/* smallest relative reduction of the cost that justifies one more port */
#define PORTS_GAIN 0.01
/* smallest reduction of the sum of errors that justifies one more port, as a multiple of the sum's
 * random error (mean error times root of the number of experiments) */
#define PORTS_CHANCE 2
/* Mean error of the long trial with the most ports above which the measurements do not determine
 * the number of ports. The errors then have other causes, and more ports also predict unmeasured
 * experiments better. */
#define PORTS_ERROR 0.015
/* minimum number of individuals that must have time to converge for trials to distinguish numbers
 * of ports */
#define PORTS_SETTLED 3
#define PORTS_PILOT 7               /* number of ports of the pilot if none is given */
/* initial temperatures of a trial, a new individual and a child, for densities up to
 * DENSITY_SUITED */
#define HOT_TRIAL 0.5
#define HOT 0.3
#define WARM 0.06
/* final temperature, and initial temperature of the search over all forms after that over
 * classes */
#define COLD 0.02
#define POLISH 0.04
#define COLD_NONE 1e-9              /* temperature at which only downhill moves are accepted */
/* smallest scale of prices for the final temperature */
#define COLD_LEAST 0.25
/* prices are multiplied by HEATED times the temperature, if this product is above 1 */
#define HEATED 2
/* Number of experiments per form up to which these temperatures apply. With more experiments per
 * form, the wrong usage of a form costs more. Initial temperatures then rise in proportion, and
 * final ones with the square root. */
#define DENSITY_SUITED 40
/* number of moves per form of an annealing without a time limit */
#define MOVES_PER_FORM 40000
#define TRIAL_MOVES (MOVES_PER_FORM / 8.0)   /* number of moves per form of a short trial */
#define STEPS 400                   /* number of temperatures of an annealing */
#define STEP_SECONDS 0.02
/* number of moves per form of the quench of an unfinished state */
#define QUENCH_MOVES 2000
#define QUENCH_STEP 500
#define QUENCH_SECONDS 0.2          /* longest time of a quench in seconds */
/* share of a quench in which only downhill moves are accepted */
#define QUENCH_POLISH 0.5
/* share of an annealing's time, at its end, in which only downhill moves are accepted */
#define POLISH_SHARE 0.05
/* share of the time for EVOLVE_POPULATION new individuals; with fewer, children have more time */
#define FRESH_SHARE 0.5
#define CHILD_SHARE 0.4             /* ratio of a child's time to a new individual's */
#define PILOT_SHARE 0.05            /* share of the time for the pilot */
/* share of the time after which the search for classes is given up; all forms are then searched
 * without classes */
#define PREPARE_SHARE 0.2
#define PORTS_SHARE 0.3            /* share of the time for the short trials of numbers of ports */
#define CLASSES_SHARE 0.6          /* share of an annealing's time for the classes */
/* minimum number of individuals: those of a consensus, and one that is not near the best */
#define POPULATION_LEAST 4
/* Seconds in which a new individual converges, per form and squared density. The time of a step is
 * proportional to the experiments per form, and a hotter start needs more steps. */
#define SETTLING 5e-6
/* Factor of the initial temperature for the search over classes. The means of a class are less
 * noisy than single measurements, and a hotter start is cheap with the smaller problem. */
#define CLASSES_HOT 7

struct schedule {
    double hot, seconds;     /* @seconds: 0 if the number of moves is the limit */
    double moves;            /* number of moves per form */
};

/* Returns the mean number of experiments that contain a form. */
static double density_of(const struct problem *p)
{
    double sum = 0;
    for (size_t e = 0; e < p->experiments; e++)
        sum += (double)p->weight[e] * (p->term_start[e + 1] - p->term_start[e]);
    return sum / (double)p->forms;
}

/* Returns the number of new individuals that converge in the time; without a time limit, the
 * default number. */
static double settled_individuals(const struct problem *p, const struct evolve_options *o)
{
    double density = density_of(p), settling = SETTLING * (double)p->forms * density * density;

    return o->seconds > 0 ? FRESH_SHARE * o->seconds * o->threads / fmax(settling, 1e-9)
                          : EVOLVE_POPULATION;
}

bool evolve_assumes_ports(const struct problem *p, const struct evolve_options *o)
{
    return o->algorithm == EVOLVE_MEMETIC && o->ports == 0 &&
           settled_individuals(p, o) < PORTS_SETTLED;
}

unsigned evolve_individuals(const struct problem *p, const struct evolve_options *o)
{
    double most = settled_individuals(p, o);

    return most >= EVOLVE_POPULATION ? EVOLVE_POPULATION
           : most > POPULATION_LEAST ? (unsigned)most
                                     : POPULATION_LEAST;
}

double evolve_round_seconds(const struct evolve *e)
{
    return e->o.seconds > 0 ? fmax(e->o.seconds - e->round_from, 0.01) : 0;
}

/* Computes the mean error of @g, the state of the search over classes, over all experiments. Makes
 * @g the best genome if its error is smaller. Does not replace a best genome from a search over all
 * forms. */
static double note_expanded(struct evolve *e, const struct genome *g)
{
    struct genome *whole = classes_expand(e->classes, e->p, g);
    const double d_avg = whole->d_avg = genome_error(whole, e->p);
    bool accepted = (!e->best || e->best_expanded) && !(e->ports && whole->ports != e->ports);

    if (!accepted || (e->best && e->best->d_avg <= d_avg)) {
        genome_free(whole);
        return d_avg;
    }
    genome_free(e->best);
    e->best = whole;
    e->best_expanded = true;
    evolve_reach(e, whole);
    return d_avg;
}

static void publish(struct evolve *e, unsigned index, struct annealer *s, bool classes)
{
    const struct genome *g = anneal_genome(s);
    double d_avg = g->d_avg;

    /* Does not record the error over classes. This error refers to means of measurements, so it is
     * smaller than the error of single measurements. A curve must not mix both errors. The error of
     * single measurements requires expansion of the classes, which takes long, so it is not
     * computed each time. */
    if (classes)
        d_avg = !e->live[index].busy || !e->best || e->best_expanded || evolve_sample_due(e)
                    ? note_expanded(e, g)
                    : e->live[index].d_avg;
    else
        evolve_note_best(e, g);
    e->live[index] =
        (struct live){true, d_avg, g->cost, genome_volume(g), genome_distinct(g), *anneal_stats(s)};
    evolve_sample(e, false);
}

static void retire(struct evolve *e, unsigned index, struct annealer *s)
{
    e->live[index] = (struct live){0};
    evolve_add_stats(&e->stats, anneal_stats(s));
    anneal_free(s);
}

struct annealing {
    struct annealer *s;
    unsigned index;
    bool classes;
    double hot, cold;            /* initial and final temperature of the annealing */
};

static const struct problem *walk_problem(const struct evolve *e, const struct annealing *walk)
{
    return walk->classes ? e->classes->p : e->p;
}

/* Sets the temperatures for the current scale and density. Under the lock. */
static void set_temperatures(const struct evolve *e, const struct schedule *plan,
                             struct annealing *walk)
{
    double dense = fmax(1, density_of(walk_problem(e, walk)) / DENSITY_SUITED),
           scale = isnan(e->scale) ? 1 : e->scale;

    /* The initial temperature has a lower limit, because the cost of a wrong structure does not
     * depend on noise. The final temperature depends on the scale, because the small differences at
     * the end depend on noise. */
    walk->hot = plan->hot * fmax(1, scale) * dense;
    walk->cold = COLD * fmax(scale, COLD_LEAST) * sqrt(dense);
}

/* Converts the search after all threads have stopped to join experiments. Under the lock. */
static void carry_walk(struct evolve *e, const struct schedule *plan, struct annealing *walk,
                       struct watcher *w)
{
    const struct genome *g = anneal_genome(walk->s);
    struct genome *whole = walk->classes ? classes_expand(e->classes, e->p, g) : genome_copy(g);
    uint64_t seed = rng_next(anneal_rng(walk->s));

    retire(e, walk->index, walk->s);
    if (evolve_meet(e, w))
        whole = evolve_carry(e, whole);
    walk->classes = walk->classes && e->classes;
    struct genome *own = walk->classes ? classes_project(e->classes, whole) : genome_copy(whole);
    struct anneal_prices prices = evolve_prices_at(e, 1);
    walk->s = anneal_new(walk_problem(e, walk), own->ports, e->width, &prices, seed);
    set_temperatures(e, plan, walk);
    lock_give(&e->lock);
    anneal_load(walk->s, own);
    genome_free(whole);
    genome_free(own);
    lock_take(&e->lock);
}

/* Anneals @walk without the lock. */
static void anneal(struct evolve *e, struct annealing *walk, const struct schedule *plan,
                   struct watcher *w)
{
    double x = 0, done = 0, begun, now;
    bool going = true;
    /* Keeps part of the time for downhill moves. */
    double timed = plan->seconds * (1 - POLISH_SHARE);

    lock_take(&e->lock);
    double moves = plan->moves * (double)walk_problem(e, walk)->forms;
    uint64_t step = plan->seconds > 0 ? 2000 : (uint64_t)(moves / STEPS) + 1;
    begun = now = evolve_elapsed(e);
    set_temperatures(e, plan, walk);
    lock_give(&e->lock);
    while (going && x < 1) {
        double before = now, temperature = walk->hot * pow(walk->cold / walk->hot, x);
        lock_take(&e->lock);
        struct anneal_prices heated = evolve_prices_at(e, fmax(1, HEATED * temperature)),
                             prices = evolve_prices_at(e, 1);
        lock_give(&e->lock);
        anneal_set_prices(walk->s, &heated);
        anneal_run(walk->s, step, temperature);
        anneal_set_prices(walk->s, &prices);
        done += (double)step;
        lock_take(&e->lock);
        now = evolve_elapsed(e);
        publish(e, walk->index, walk->s, walk->classes);
        going = evolve_go_on(e, w);
        if (going && e->next)
            carry_walk(e, plan, walk, w);
        lock_give(&e->lock);
        if (plan->seconds > 0) {
            x = (now - begun) / timed;
            double stretch = STEP_SECONDS / fmax(now - before, 1e-4);
            step = (uint64_t)fmax(500, (double)step * fmin(2, fmax(0.5, stretch)));
        } else {
            x = done / moves;
        }
        evolve_watch(w);
    }
    anneal_run(walk->s, 20 * anneal_genome(walk->s)->forms, COLD_NONE);
}

/* Anneals @start (NULL: a random one) over classes or all forms. Returns the result, which the
 * caller frees. If the classes were dropped during the search, the result is over all forms, and
 * *@classes is false. Called and returns under the lock. */
static struct genome *anneal_over(struct evolve *e, unsigned index, bool *classes,
                                  const struct genome *start, unsigned ports, uint64_t seed,
                                  const struct schedule *plan, struct watcher *w)
{
    struct anneal_prices prices = evolve_prices_at(e, 1);
    struct annealing walk = {.index = index, .classes = *classes};

    walk.s = anneal_new(walk_problem(e, &walk), ports, e->width, &prices, seed);
    lock_give(&e->lock);
    if (start)
        anneal_load(walk.s, start);
    else
        anneal_random(walk.s);
    anneal(e, &walk, plan, w);
    lock_take(&e->lock);
    struct genome *found = genome_copy(anneal_genome(walk.s));
    retire(e, index, walk.s);
    *classes = walk.classes;
    return found;
}

/* Anneals over the classes if there are any, then over all forms. */
static struct genome *improve(struct evolve *e, unsigned index, const struct genome *start,
                              unsigned ports, uint64_t seed, const struct schedule *plan,
                              struct watcher *w)
{
    bool classes = e->classes != NULL;

    if (!classes)
        return anneal_over(e, index, &classes, start, ports, seed, plan, w);
    struct schedule first = {plan->hot * CLASSES_HOT, plan->seconds * CLASSES_SHARE,
                             plan->moves * CLASSES_SHARE};
    struct schedule rest = {POLISH, plan->seconds - first.seconds, plan->moves - first.moves};
    struct genome *projected = start ? classes_project(e->classes, start) : NULL;
    struct genome *class = anneal_over(e, index, &classes, projected, ports, seed, &first, w);
    struct genome *whole = classes ? classes_expand(e->classes, e->p, class) : genome_copy(class);
    classes = false;
    struct genome *found = anneal_over(e, index, &classes, whole, ports, ~seed, &rest, w);
    genome_free(projected);
    genome_free(class);
    genome_free(whole);
    return found;
}

/* Determines the scale of prices from the errors that remain after a pilot. */
static void seek_scale(struct evolve *e, unsigned index, struct watcher *w)
{
    lock_take(&e->lock);
    while (isnan(e->scale) && evolve_go_on(e, w)) {
        if (e->piloting) {
            evolve_wait_others(e, w);
            continue;
        }
        e->piloting = true;
        struct schedule plan = {e->from ? WARM : HOT, PILOT_SHARE * e->o.seconds,
                                MOVES_PER_FORM / 5};
        struct genome *g = improve(e, index, e->from, e->ports ? e->ports : PORTS_PILOT,
                                   e->o.seed * 1000003, &plan, w);
        e->piloting = false;
        /* Ignores a pilot that ended early, because annealing was then still at a high temperature,
         * with large errors. */
        if (evolve_go_on(e, w)) {
            e->scale = evolve_residual_scale(e->p, g->d_avg);
            if (!e->best_expanded)
                evolve_price_best(e);
        }
        genome_free(g);
        pthread_cond_broadcast(&e->change);
    }
    lock_give(&e->lock);
}

bool evolve_ports_unexplained(const struct genome *g)
{
    return g->ports == PORTS_MOST && g->d_avg > PORTS_ERROR;
}

void evolve_race(struct evolve *e, unsigned fewest, unsigned most)
{
    e->racing = e->race_next = e->race_done = e->race_round = 0;
    if (most == PORTS_MOST)   /* The long trial with the most ports is first, because its result may
                               * make all other trials unnecessary. */
        e->race[e->racing++] = most;
    for (unsigned n = fewest; n <= most && n < PORTS_MOST; n++)
        e->race[e->racing++] = n;
    memset(e->tried_long, 0, sizeof e->tried_long);
}

/* Sets the number of ports to @n. Mappings with that number become the first individuals. */
static void settle_ports(struct evolve *e, unsigned n)
{
    while (e->finished > 0 && e->population[0]->ports != n)
        genome_free(e->population[--e->finished]);
    evolve_choose_ports(e, n);
    evolve_insert(e, genome_copy(e->trials[n]));
    e->cooled = true;
    e->tried_long[n] = false;
    e->fresh_begun++;
}

/* Returns the result of a long trial with another number of ports, converted to the run's number of
 * ports, as a start. Returns NULL if no such result is left. The caller frees it. */
static struct genome *take_tried(struct evolve *e)
{
    unsigned n = 0;
    while (n <= PORTS_MOST && !(e->tried_long[n] && e->trials[n]))
        n++;
    if (n > PORTS_MOST)
        return NULL;
    e->tried_long[n] = false;
    struct genome *g = genome_copy(e->trials[n]);
    while (g->ports > e->ports) {
        struct genome *fewer = genome_least_missed(g, e->p);
        genome_free(g);
        g = fewer;
    }
    g->ports = e->ports;   /* Adds unused ports, which do not change the mapping. */
    return g;
}

static void sort_race(struct evolve *e)
{
    for (unsigned i = 1; i < e->racing; i++)
        for (unsigned k = i; k > 0 && e->trials[e->race[k]]->cost < e->trials[e->race[k - 1]]->cost;
             k--) {
            unsigned n = e->race[k];
            e->race[k] = e->race[k - 1];
            e->race[k - 1] = n;
        }
}

/* Selects the best small, the best medium and the best large number of ports. Short annealings
 * favour few ports, which converge sooner, so one selection from all would be biased. */
static void pick_finalists(struct evolve *e)
{
    unsigned fewest = PORTS_MOST, most = 0, kept = 0;
    bool has[PORTS_FINALISTS] = {false};

    for (unsigned i = 0; i < e->racing; i++) {
        fewest = e->race[i] < fewest ? e->race[i] : fewest;
        most = e->race[i] > most ? e->race[i] : most;
    }
    /* The best number of each range is the first one of the range, because the numbers are
     * sorted. */
    for (unsigned i = 0; i < e->racing; i++) {
        unsigned part = (e->race[i] - fewest) * PORTS_FINALISTS / (most - fewest + 1);
        if (!has[part])
            e->race[kept++] = e->race[i];
        has[part] = true;
    }
    e->racing = kept;
}

/* Moves the numbers with a long trial to the front. Returns their number. */
static unsigned long_ones_first(struct evolve *e)
{
    unsigned count = 0;

    for (unsigned i = 0; i < e->racing; i++)
        if (e->tried_long[e->race[i]]) {
            unsigned n = e->race[i];
            e->race[i] = e->race[count];
            e->race[count++] = n;
        }
    return count;
}

static unsigned fewest_last(struct evolve *e)
{
    unsigned at = 0;

    for (unsigned i = 1; i < e->racing; i++)
        at = e->race[i] < e->race[at] ? i : at;
    unsigned n = e->race[at];
    e->race[at] = e->race[e->racing - 1];
    e->race[e->racing - 1] = n;
    return n;
}

/* Plans a round of trials. Round 0 has short trials. In round 1 the finalists have a long
 * annealing. The winner is the smallest number of ports that explains the measurements equally
 * well. If the smallest finalist does not win, round 2 repeats its trial, because one annealing may
 * miss the optimum. From round 3, the winner must also win against one port less, after an equal
 * number of trials. */
static void next_round(struct evolve *e)
{
    unsigned n;

    sort_race(e);
    e->race_next = e->race_done = 0;
    if (e->race_round++ == 0) {
        pick_finalists(e);
        e->race_next = e->race_done = long_ones_first(e);
        if (e->race_done < e->racing)
            return;
    }
    sort_race(e);
    n = e->race[0];
    const double least = e->trials[n]->cost,
                 chance = e->trials[n]->d_avg * sqrt((double)e->p->experiments);
    const double allowed = least + fmax(PORTS_GAIN * least, PORTS_CHANCE * chance);
    for (unsigned i = 1; i < e->racing; i++)
        if (e->race[i] < n && e->trials[e->race[i]]->cost <= allowed)
            n = e->race[i];
    if (e->race_round == 2 && n > fewest_last(e)) {
        e->race_next = e->race_done = e->racing - 1;
        return;
    }
    if (e->race_round == 2)
        e->race_round = 3;
    bool fewer_tried = n == PORTS_FEWEST;
    for (unsigned i = 0; i < e->racing; i++)
        fewer_tried |= e->race[i] == n - 1;
    if (e->race_round > 3 && e->trials[n]->cost > e->ports_cost) {
        settle_ports(e, n + 1);
    } else if (fewer_tried) {
        settle_ports(e, n);
    } else {
        e->ports_cost = e->race_round > 3 ? e->ports_cost : allowed;
        e->race[0] = n - 1;
        e->racing = 1;
    }
}

static void seek_ports(struct evolve *e, unsigned index, struct watcher *w)
{
    lock_take(&e->lock);
    while (e->ports == 0 && evolve_go_on(e, w)) {
        if (e->race_next == e->racing) {
            evolve_wait_others(e, w);
            continue;
        }
        unsigned ports = e->race[e->race_next++], round = e->race_round;
        bool most = round == 0 && ports == PORTS_MOST, longer = round > 0 || most;
        double share = longer ? FRESH_SHARE / EVOLVE_POPULATION
                              : PORTS_SHARE / (PORTS_MOST - PORTS_FEWEST + 1);
        struct schedule plan = {HOT_TRIAL, share * evolve_round_seconds(e) * e->o.threads,
                                longer ? MOVES_PER_FORM : TRIAL_MOVES};
        /* A trial with one port less starts from the result with one port more. A trial from a
         * random start would often fail. */
        struct genome *fewer = round > 2 ? genome_least_missed(e->trials[ports + 1], e->p) : NULL;
        if (fewer)
            plan = (struct schedule){WARM, plan.seconds * CHILD_SHARE, plan.moves * CHILD_SHARE};
        struct genome *found = improve(e, index, fewer ? fewer : e->from, ports,
                                       e->o.seed * 1000003 + ports + 1000 * round, &plan, w);
        genome_free(fewer);
        e->tried_long[ports] = round == 1 || round == 2 || most;
        if (!e->trials[ports] || found->cost < e->trials[ports]->cost) {
            genome_free(e->trials[ports]);
            e->trials[ports] = found;
        } else {
            genome_free(found);
        }
        if (most && e->ports == 0 && evolve_ports_unexplained(e->trials[ports]) &&
            evolve_go_on(e, w)) {
            e->ports_known = PORTS_UNEXPLAINED;
            settle_ports(e, ports);
        }
        /* If the number of ports is not 0, another run determined it (evolve_settle), so there are
         * no further trials. */
        if (++e->race_done == e->racing && e->ports == 0)
            next_round(e);
        pthread_cond_broadcast(&e->change);
    }
    lock_give(&e->lock);
}

/* Returns whether nothing remains except a consensus. */
static bool searched(const struct evolve *e)
{
    if (!e->o.consensus || e->consensus == CONSENSUS_NONE)
        return false;
    bool all = e->o.generations ? e->children_begun >= (uint64_t)e->o.generations * e->target
                                : !(e->o.seconds > 0);
    return evolve_elapsed(e) >= evolve_search_until(e) || (all && e->fresh_begun >= e->target);
}

/* Makes one new individual or child. Called and returns under the lock. Returns false if nothing
 * remains. */
static bool memetic_task(struct evolve *e, unsigned index, struct watcher *w)
{
    double fresh_seconds = FRESH_SHARE * evolve_round_seconds(e) * e->o.threads /
                           fmax((double)e->target, EVOLVE_POPULATION);
    struct schedule plan = {HOT, fresh_seconds, MOVES_PER_FORM};
    /* Recombination needs two individuals. A live run continues with one individual, because new
     * experiments can distinguish individuals that were equal. */
    const size_t parents = e->o.live ? 1 : 2;
    struct genome *start = NULL;
    uint64_t number;

    if (searched(e))
        return evolve_agree(e, index, w);
    if (e->fresh_begun < e->target) {
        number = e->fresh_begun++;
        if (e->from) {
            start = genome_copy(e->from);
            plan.hot = WARM;
        } else if ((start = take_tried(e))) {
            plan =
                (struct schedule){WARM, fresh_seconds * CHILD_SHARE, MOVES_PER_FORM * CHILD_SHARE};
        }
    } else {
        while (e->finished < parents && e->busy > 0 && evolve_go_on(e, w))
            evolve_wait_others(e, w);
        if (e->ports == 0 || e->fresh_begun < e->target)   /* Returns, because new experiments
                                                            * joined the run. */
            return evolve_go_on(e, w);
        if (e->finished < parents || !evolve_go_on(e, w) ||
            (e->o.generations && e->children_begun >= (uint64_t)e->o.generations * e->target) ||
            (!e->o.generations && !(e->o.seconds > 0)))
            return false;
        number = e->target + e->children_begun++;
        plan = (struct schedule){WARM, fresh_seconds * CHILD_SHARE, MOVES_PER_FORM * CHILD_SHARE};
        if (e->o.seconds > 0)
            plan.seconds =
                fmin(plan.seconds,
                     fmax((e->consensus == CONSENSUS_NONE ? e->o.seconds : evolve_search_until(e)) -
                              evolve_elapsed(e),
                          0.01));
    }
    uint64_t seed = e->o.seed + (number + 1 + 1000000 * (uint64_t)e->joins) * 0x9e3779b97f4a7c15u;
    if (!start && number >= e->target) {
        struct rng rng;
        rng_seed(&rng, ~seed);
        size_t a = rng_below(&rng, e->finished);
        start = genome_copy(e->population[a]);
        if (e->finished > 1) {
            size_t b = rng_below(&rng, e->finished - 1);
            genome_recombine(e->population[a], e->population[b >= a ? b + 1 : b], &rng, start);
        }
    }
    e->busy++;
    struct genome *found = improve(e, index, start, e->ports, seed, &plan, w);
    e->busy--;
    genome_free(start);
    evolve_insert(e, found);
    e->cooled = e->cooled || evolve_go_on(e, w);
    e->children_done += number >= e->target;
    e->generation = (unsigned)(e->children_done / e->target);
    evolve_sample(e, true);
    pthread_cond_broadcast(&e->change);
    return evolve_go_on(e, w);
}

struct preparing {
    struct evolve *e;
    double until;          /* time limit, in seconds of evolve_elapsed */
    struct watch outer;    /* the thread's own watch */
};

static bool preparing_over(void *state)
{
    const struct preparing *p = state;

    lock_take(&p->e->lock);
    bool timed_out = evolve_elapsed(p->e) >= p->until;
    lock_give(&p->e->lock);
    return timed_out || (p->outer.over && p->outer.over(p->outer.state));
}

/* Finds the classes on one thread while the others wait. Called and returns without the lock. */
static void prepare(struct evolve *e, struct watcher *w)
{
    lock_take(&e->lock);
    bool mine = e->preparation == EVOLVE_RAW;
    if (mine) {
        e->preparation = EVOLVE_PREPARING;
        struct preparing p = {.e = e,
                              .until = e->o.seconds > 0
                                           ? evolve_elapsed(e) + PREPARE_SHARE * e->o.seconds
                                           : INFINITY};
        lock_give(&e->lock);
        p.outer = watch_begin(preparing_over, &p);
        struct classes *classes = classes_new(e->p);
        watch_restore(p.outer);
        bool over = watch_over();
        lock_take(&e->lock);
        e->classes = classes;
        /* If the run ended during the preparation, the status remains "preparing". */
        e->preparation = over ? EVOLVE_PREPARING : EVOLVE_PREPARED;
        pthread_cond_broadcast(&e->change);
    }
    while (e->preparation != EVOLVE_PREPARED && evolve_go_on(e, w))
        evolve_wait_others(e, w);
    lock_give(&e->lock);
}

static bool quench_over(void *state)
{
    const double *until = state;
    return clock_seconds() >= *until;
}

/* Improves the best genome by a short annealing of all forms with falling temperature, for at most
 * @seconds. The caller frees the result. Called and returns under the lock. */
static struct genome *quenched(struct evolve *e, double seconds)
{
    struct anneal_prices prices = evolve_prices_at(e, 1);
    struct genome *g = genome_copy(e->best);
    struct annealer *s = anneal_new(e->p, g->ports, e->width, &prices, e->o.seed);
    double begun = clock_seconds(), until = begun + seconds,
           moves = QUENCH_MOVES * (double)g->forms, done = 0, x = 0;

    lock_give(&e->lock);
    anneal_load(s, g);
    genome_free(g);
    struct watch before = watch_begin(quench_over, &until);
    for (; x < 1;
         x = fmax(done / moves, (clock_seconds() - begun) / (seconds * (1 - QUENCH_POLISH)))) {
        anneal_run(s, QUENCH_STEP, WARM * pow(COLD * COLD_LEAST / WARM, x));
        done += QUENCH_STEP;
    }
    anneal_run(s, 20 * e->p->forms, COLD_NONE);
    watch_restore(before);
    g = genome_copy(anneal_genome(s));
    lock_take(&e->lock);
    evolve_add_stats(&e->stats, anneal_stats(s));
    anneal_free(s);
    return g;
}

void evolve_quench(struct evolve *e)
{
    double seconds = isnan(e->scale) ? QUENCH_SECONDS / 2 : QUENCH_SECONDS;

    e->cooled = true;
    if (isnan(e->scale)) {
        struct genome *pilot = quenched(e, seconds);
        evolve_note_best(e, pilot);
        e->scale = evolve_residual_scale(e->p, pilot->d_avg);
        evolve_price_best(e);
        genome_free(pilot);
    }
    struct genome *g = quenched(e, seconds);
    evolve_note_best(e, g);
    genome_free(g);
}

void evolve_memetic(struct evolve *e, unsigned index, struct watcher *w)
{
    prepare(e, w);
    seek_scale(e, index, w);
    for (bool going = true; going;) {
        seek_ports(e, index, w);   /* Repeats the trials if experiments have joined. */
        lock_take(&e->lock);
        while (e->ports && (going = memetic_task(e, index, w))) {
        }
        going = going && evolve_go_on(e, w);
        lock_give(&e->lock);
    }
}
