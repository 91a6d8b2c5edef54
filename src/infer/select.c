/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/shortage.h"
#include "base/watch.h"
#include "infer/generate.h"
#include "model/metrics.h"
#include "throughput/predict.h"

#define CANDIDATES 40         /* number of candidates per requested experiment */
#define CANDIDATES_MOST 8000  /* maximum number of candidates in total */
/* Size of the committee: the individuals of a run, and samples of random walks that start at
 * them. */
#define COMMITTEE 32
/* temperature of the walks, in units of noise, high enough to leave the search's end point */
#define WALK_HEAT 3
#define WALK_MOVES 300        /* number of moves per form between two samples */
/* largest share of the round's time for all walks */
#define WALK_SHARE 0.3
#define WALK_STEP 2000        /* number of moves between two reads of the clock */
/* number of experiments with a form at which its residual and the mean residual have equal
 * weight */
#define MEAN_WEIGHT 4
/* A disputed row counts as predicted if its error is at most this multiple of the noise. */
#define PREDICTED 1.5
#define PREDICTED_LEAST 16     /* minimum number of disputed rows that must be predicted */
/* number of successive rounds that must be predicted; one round may be predicted by chance */
#define PREDICTED_ROUNDS 2

const char *const select_end_names[] = {"running", "limit reached", "converged: the mappings agree",
                                        "converged: predictions held"};

struct committee {
    struct mapping *mappings[COMMITTEE];   /* mappings, best first */
    size_t count;
    /* noise of the measurements: the largest of the best mapping's relative error on them, their
     * median spread, and SELECT_NOISE_LEAST */
    double noise;
    /* relative error on the experiments with a form, per form of the table */
    double *form_noise;
};

static void committee_done(struct committee *c)
{
    for (size_t i = 0; i < c->count; i++)
        mapping_free(c->mappings[i]);
    free(c->form_noise);
    *c = (struct committee){.count = 0};
}

/* Returns the expected noise of each row of @t from @first, the mean noise of its forms. Returns
 * NULL if memory is exhausted. The caller frees the result. */
static double *noise_of_rows(const struct experiments *t, size_t first, const double *form_noise)
{
    double *noise = shortage_alloc((t->rows.count - first + 1) * sizeof *noise);

    for (size_t r = first; noise && r < t->rows.count; r++) {
        const struct flat_term *terms = experiments_terms(t, r);
        uint32_t n = t->rows.items[r].count;
        double sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += form_noise[terms[k].form];
        noise[r - first] = sum / n;
    }
    return noise;
}

/* Returns the deviations of each mapping's prediction from the mean prediction, for rows of @t from
 * @first. They are relative to the mean, in units of the row's @noise. There are @n numbers per
 * row, zeros if a mapping lacks a form. Returns NULL if memory is exhausted. */
static double *deviations(const struct mapping *const *mappings, size_t n,
                          const struct experiments *t, size_t first, const double *noise)
{
    size_t rows = t->rows.count - first;
    double *cycles = shortage_alloc((t->rows.count + 1) * sizeof *cycles),
           *out = shortage_alloc((rows * n + 1) * sizeof *out);

    if (!cycles || !out) {
        free(cycles);
        free(out);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        throughput_predict(mappings[i], t, cycles);
        for (size_t r = 0; r < rows; r++)
            out[r * n + i] = cycles[first + r];
    }
    for (size_t r = 0; r < rows; r++) {
        double *row = out + r * n, mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += row[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            row[i] = mean > 0 ? (row[i] / mean - 1) / noise[r] : 0;
    }
    free(cycles);
    return out;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Conditions the committee on a measurement of row @chosen with noise 1, like the ensemble Kalman
 * filter: subtracts the part that is correlated with this row from the deviations of all rows. */
static void settle(double *deviation, size_t rows, size_t n, size_t chosen)
{
    double known[COMMITTEE];

    memcpy(known, deviation + chosen * n, n * sizeof *known);
    double length = dot(known, known, n) + (double)n;
    for (size_t r = 0; r < rows; r++) {
        double *row = deviation + r * n, share = dot(row, known, n) / length;
        for (size_t i = 0; i < n; i++)
            row[i] -= share * known[i];
    }
}

/* Sets @out to the @n by @n sums of products, over all rows, of the committee's deviations relative
 * to @noise. */
static void sum_disputes(const double *deviation, const double *noise, size_t rows, size_t n,
                         double *out)
{
    memset(out, 0, n * n * sizeof *out);
    for (size_t r = 0; r < rows && !watch_steps(1 + n * n / 64); r++) {
        const double *row = deviation + r * n, weight = noise[r] * noise[r];
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                out[i * n + k] += weight * row[i] * row[k];
    }
}

/* Returns the row whose measurement resolves most of the disagreement over all rows (active
 * learning after Cohn). As settle() shows, a measurement reduces the squared deviations of another
 * row by (own * other)^2 / (own^2 + n). A row with a larger disagreement resolves less if it is
 * uncorrelated with the others, for example because no mapping explains it. Returns @rows if no
 * disagreement exceeds the noise. Stores the relative disagreement on the row with the largest one,
 * or NaN, in *@disagreement. */
static size_t most_telling(const double *deviation, const double *noise, size_t rows, size_t n,
                           const bool *taken, double *disagreement)
{
    double disputes[COMMITTEE * COMMITTEE], most = -1, largest = -1;
    size_t best = rows;

    *disagreement = NAN;
    sum_disputes(deviation, noise, rows, n, disputes);
    for (size_t r = 0; r < rows && !watch_steps(1 + n * n / 64); r++) {
        const double *row = deviation + r * n;
        double own = dot(row, row, n), gain = 0;
        if (taken[r])
            continue;
        if (own > largest) {
            largest = own;
            *disagreement = sqrt(own / (double)n) * noise[r];
        }
        if (own <= (double)n)
            continue;
        for (size_t i = 0; i < n; i++)
            gain += row[i] * dot(disputes + i * n, row, n);
        gain /= own + (double)n;
        if (gain > most) {
            most = gain;
            best = r;
        }
    }
    return best;
}

/* Draws up to @count experiments of @size different forms. Returns their number. */
static size_t draw_some(struct experiments *t, const struct select_pool *from, size_t count,
                        unsigned size, struct rng *rng)
{
    return from->record ? generate_recorded(t, from->record, count, size, rng)
                        : generate_random(t, from->forms, from->forms_count, count, size, rng);
}

size_t select_experiments(const struct mapping *const *mappings, size_t n, struct experiments *t,
                          const struct select_pool *from, size_t count, const double *form_noise,
                          struct rng *rng, double *disagreement)
{
    struct experiments *pool = experiments_copy(t, NULL);
    size_t before = pool->rows.count, rows = 0, added = 0, pass = 0,
           draw = CANDIDATES * count < CANDIDATES_MOST ? CANDIDATES * count : CANDIDATES_MOST;

    n = n < COMMITTEE ? n : COMMITTEE;
    for (unsigned k = 2; k <= from->size; k++)
        rows += draw_some(pool, from, draw / (from->size - 1), k, rng);
    double *noise = noise_of_rows(pool, before, form_noise),
           *all = noise ? deviations(mappings, n, pool, before, noise) : NULL;
    double *left = shortage_alloc((rows * n + 1) * sizeof *left), now;
    bool *taken = mem_zero(rows + 1, sizeof *taken), room = all && left;
    *disagreement = NAN;
    if (room)
        memcpy(left, all, rows * n * sizeof *left);
    while (room && added < count && !watch_over()) {
        size_t r = most_telling(left, noise, rows, n, taken, &now);
        if (added == 0)
            *disagreement = now;
        if (r < rows) {
            experiments_add(t, experiments_terms(pool, before + r),
                            pool->rows.items[before + r].count);
            settle(left, rows, n, r);
            taken[r] = true;
            added++;
            pass++;
        } else if (pass > 0) {
            /* This committee no longer disagrees, but a larger committee would. Starts again, so
             * that the remaining experiments of the batch resolve the same disagreement a second
             * time. */
            memcpy(left, all, rows * n * sizeof *left);
            pass = 0;
        } else {
            break;
        }
    }
    free(taken);
    free(left);
    free(all);
    free(noise);
    experiments_free(pool);
    return added;
}

/* Returns the median spread of the measurements, or NaN without repetitions. */
static double median_spread(const struct experiments *t)
{
    double *spread = shortage_alloc((t->rows.count + 1) * sizeof *spread);
    size_t n = 0;

    for (size_t i = 0; spread && i < t->rows.count; i++)
        if (experiments_measured(t, i) && !isnan(t->rows.items[i].spread))
            spread[n++] = t->rows.items[i].spread;
    if (n)
        qsort(spread, n, sizeof *spread, compare_doubles);
    double median = n ? spread[n / 2] : NAN;
    free(spread);
    return median;
}

struct polled {
    const struct select_options *o;
    struct evolve *e;
};

static void poll_infer(void *state)
{
    const struct polled *p = state;
    p->o->poll(p->o->poll_state, p->e);
}

static void walk_on(struct annealer *walk, uint64_t moves, double heat, double seconds)
{
    double begun = clock_seconds();

    while (moves > 0 && !(seconds > 0 && clock_seconds() - begun >= seconds) && !watch_over()) {
        uint64_t step = moves < WALK_STEP ? moves : WALK_STEP;
        anneal_run(walk, step, heat);
        moves -= step;
    }
}

/* Collects the individuals of @e and samples of walks from them. Individuals have independent
 * starts and end in different optima. The walks show the width of each optimum. */
static void gather(struct committee *c, struct evolve *e, const struct genome *best,
                   const struct evolve_options *o)
{
    struct problem *p = evolve_problem(e);
    struct anneal_prices prices = evolve_prices(e);
    struct annealer *walk = anneal_new(p, best->ports, best->width, &prices, o->seed);
    struct ports ports;
    size_t n;
    struct genome **population = evolve_population(e, &n, NULL);

    ports_number(&ports, best->ports);
    c->mappings[c->count++] = genome_mapping(best, p, &ports);
    for (size_t i = 1; i < n && c->count < COMMITTEE / 2; i++)
        c->mappings[c->count++] = genome_mapping(population[i], p, &ports);
    size_t origins = c->count, share = (COMMITTEE - c->count) / origins;
    for (size_t i = 0; i < origins; i++) {
        anneal_load(walk, i ? population[i] : best);
        for (size_t k = 0; k < share; k++) {
            walk_on(walk, WALK_MOVES * p->forms, WALK_HEAT * c->noise,
                    WALK_SHARE * o->seconds / COMMITTEE);
            c->mappings[c->count++] = genome_mapping(anneal_genome(walk), p, &ports);
        }
    }
    for (size_t i = 0; i < n; i++)
        genome_free(population[i]);
    free(population);
    anneal_free(walk);
    problem_free(p);
}

/* Returns the residual of each form. For forms with few experiments the residual is shrunk towards
 * the mean. Callers divide the disagreement by the residual, because more experiments do not help
 * with a form that no usage explains. The caller frees the array. */
static double *residual_of_forms(const struct mapping *best, const struct experiments *t,
                                 double noise)
{
    size_t forms = t->forms.count;
    double *cycles = shortage_alloc((t->rows.count + 1) * sizeof *cycles),
           *sum = mem_alloc((forms + 1) * sizeof *sum), *n = mem_alloc((forms + 1) * sizeof *n);

    for (size_t f = 0; f < forms; f++) {
        sum[f] = MEAN_WEIGHT * noise;
        n[f] = MEAN_WEIGHT;
    }
    if (cycles)
        throughput_predict(best, t, cycles);
    for (size_t i = 0; cycles && i < t->rows.count; i++)
        for (uint32_t k = 0; k < t->rows.items[i].count; k++)
            if (experiments_measured(t, i) && !isnan(cycles[i])) {
                uint32_t f = experiments_terms(t, i)[k].form;
                sum[f] += fabs(cycles[i] / t->rows.items[i].cycles - 1);
                n[f]++;
            }
    for (size_t f = 0; f < forms; f++)
        sum[f] = fmax(sum[f] / n[f], SELECT_NOISE_LEAST);
    free(cycles);
    free(n);
    return sum;
}

static bool infer(const struct experiments *t, const struct select_options *so,
                  const struct evolve_options *o, struct committee *out, struct err *err)
{
    struct problem *p = problem_new(t, NULL, err);
    struct evolve *e = p ? evolve_new(p, o, NULL, 0, err) : NULL;
    struct polled polled = {so, e};

    *out = (struct committee){.count = 0};
    if (e)
        evolve_worker(e, 0, so->poll ? poll_infer : NULL, &polled);
    struct genome *best = e ? evolve_best(e, NULL) : NULL;
    if (e && !best)
        err_set(err, ERR_INTERRUPTED, NULL, "stopped before the first mapping was found");
    if (best && watch_goes_on(err)) {
        out->noise = fmax(fmax(best->d_avg, SELECT_NOISE_LEAST), median_spread(t));
        gather(out, e, best, o);
        out->form_noise = residual_of_forms(out->mappings[0], t, out->noise);
    }
    genome_free(best);
    evolve_free(e);
    problem_free(p);
    return out->count > 0;
}

/* Returns the mean relative error of @m on the rows of @t marked in @fresh; NaN if @m covers none
 * of them, or if memory is exhausted. */
static double error_on(const struct mapping *m, const struct experiments *t, const bool *fresh)
{
    double *cycles = shortage_alloc((t->rows.count + 1) * sizeof *cycles), sum = 0;
    size_t n = 0;

    if (!cycles)
        return NAN;
    throughput_predict(m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (fresh[i] && experiments_measured(t, i) && !isnan(cycles[i])) {
            sum += fabs(cycles[i] / t->rows.items[i].cycles - 1);
            n++;
        }
    free(cycles);
    return n ? sum / (double)n : NAN;
}

/* Measures pending rows. Sets *@error to the mean relative error of @m on these rows; NaN if @m is
 * NULL or no row was measured. Returns false with err. */
static bool measure_fresh(struct experiments *t, select_measure *measure, void *state,
                          const struct mapping *m, double *error, struct err *err)
{
    size_t n = t->rows.count;
    bool *fresh = mem_try_alloc((n + 1) * sizeof *fresh);

    if (!fresh)
        return err_memory_for(err, "the experiments", n);
    for (size_t i = 0; i < n; i++)
        fresh[i] = !experiments_measured(t, i);
    bool ok = measure(t, state, err);
    *error = ok && m ? error_on(m, t, fresh) : NAN;
    free(fresh);
    return ok;
}

/* Lists the forms with measured cycles in isolation, because experiments with other forms would
 * fail. Returns their number. Stores the forms in @out. */
static size_t usable_forms(const struct experiments *t, uint32_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *term = experiments_terms(t, i);
        bool fresh = t->rows.items[i].count == 1 && term->count == 1 && experiments_measured(t, i);
        for (size_t k = 0; fresh && k < n; k++)
            fresh = out[k] != term->form;
        if (fresh)
            out[n++] = term->form;
    }
    return n;
}

/* Returns the number of rows with more than one instruction, measured or not. */
static size_t measurements_in(const struct experiments *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        n += experiments_size(t, i) > 1;
    return n;
}

/* Adds random experiments, about an equal number of each size. Returns their number. */
static size_t add_by_chance(struct experiments *t, const struct select_pool *pool, size_t count,
                            struct rng *rng)
{
    size_t added = 0;
    for (unsigned k = 2; k <= pool->size; k++)
        added += draw_some(t, pool, (count - added) / (pool->size + 1 - k), k, rng);
    return added;
}

/* Adds the experiments of the next round and returns their number. If the number is 0, sets the
 * reason in @round. @predicted: number of consecutive rounds whose measurements were predicted. */
static size_t ask(struct experiments *t, const struct select_options *o, const struct committee *c,
                  unsigned predicted, struct rng *rng, struct select_round *round)
{
    size_t needed = round->measurements < o->most ? o->most - round->measurements : 0, added = 0;
    uint32_t *forms = mem_alloc((t->forms.count + 1) * sizeof *forms);
    const struct select_pool pool = {.forms = forms,
                                     .forms_count = usable_forms(t, forms),
                                     .record = o->record,
                                     .size = o->size};

    needed = needed < o->batch ? needed : o->batch;
    round->disagreement = NAN;
    if (needed == 0)
        round->end = SELECT_MOST;
    else if (!o->random && predicted >= PREDICTED_ROUNDS)
        round->end = SELECT_PREDICTED;
    else if (o->random)
        added = add_by_chance(t, &pool, needed, rng);
    else
        added = select_experiments((const struct mapping *const *)c->mappings, c->count, t, &pool,
                                   needed, c->form_noise, rng, &round->disagreement);
    if (round->end == SELECT_GOES_ON && added == 0)
        round->end = SELECT_AGREED;
    free(forms);
    return added;
}

struct mapping *select_run(struct experiments *t, const struct select_options *o,
                           select_measure *measure, void *measure_state, select_report *report,
                           void *report_state, struct err *err)
{
    size_t forms = t->forms.count, had = measurements_in(t), asked = 0;
    uint32_t *all = mem_alloc((forms + 1) * sizeof *all);
    struct committee committee = {.count = 0};
    struct evolve_options each = o->evolve;
    struct mapping *best = NULL;
    struct rng rng;
    unsigned predicted = 0;
    bool ok = true, going = true;

    for (uint32_t f = 0; f < forms; f++)
        all[f] = f;
    rng_seed(&rng, o->evolve.seed);
    generate_singletons(t, all, forms);
    if (had < o->first)
        add_by_chance(t, &(struct select_pool){all, forms, o->record, o->size}, o->first - had,
                      &rng);
    while (ok && going) {
        struct select_round round = {.end = SELECT_GOES_ON};
        ok = measure_fresh(t, measure, measure_state,
                           committee.count ? committee.mappings[0] : NULL, &round.error, err);
        committee_done(&committee);
        ok = ok && infer(t, o, &each, &committee, err);
        if (!ok)
            break;
        round.measurements = measurements_in(t);
        round.noise = committee.noise;
        predicted =
            asked >= PREDICTED_LEAST && round.error <= PREDICTED * round.noise ? predicted + 1 : 0;
        asked = ask(t, o, &committee, predicted, &rng, &round);
        going = asked > 0;
        if (report)
            report(report_state, &round, committee.mappings[0]);
        each.seed++;
    }
    if (ok && committee.count)
        best = mapping_copy(committee.mappings[0]);
    committee_done(&committee);
    free(all);
    return best;
}
