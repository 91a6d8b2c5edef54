/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/select.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "infer/generate.h"
#include "model/metrics.h"

#define CANDIDATES 40         /* drawn per wanted experiment */
#define SAMPLES 12            /* mappings that are asked */
#define SAMPLE_HEAT 0.1       /* temperature they are drawn at: as likely as the best within what is known */
#define SAMPLE_MOVES 1000     /* per form, between two of them */

struct candidate {
    size_t row;
    double disagreement;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->disagreement != y->disagreement)
        return x->disagreement < y->disagreement ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* (max - min) / mean over the mappings for every row of @t from @first on. */
static struct candidate *disagreements(const struct mapping *const *mappings, size_t n, const struct experiments *t, size_t first)
{
    size_t rows = t->rows.count;
    double *cycles = mem_alloc((rows + 1) * sizeof *cycles), *low = mem_alloc((3 * rows + 1) * sizeof *low), *high = low + rows, *sum = high + rows;
    struct candidate *out = mem_alloc((rows + 1) * sizeof *out);

    for (size_t i = 0; i < n; i++) {
        metrics_predict(mappings[i], t, cycles);
        for (size_t r = first; r < rows; r++) {
            low[r] = i ? fmin(low[r], cycles[r]) : cycles[r];
            high[r] = i ? fmax(high[r], cycles[r]) : cycles[r];
            sum[r] = (i ? sum[r] : 0) + cycles[r];
        }
    }
    for (size_t r = first; r < rows; r++)
        out[r - first] = (struct candidate){r, sum[r] > 0 ? (high[r] - low[r]) * (double)n / sum[r] : 0};
    free(cycles);
    free(low);
    return out;
}

size_t select_experiments(const struct mapping *const *mappings, size_t n, struct experiments *t, size_t count, unsigned size, double noise, struct rng *rng)
{
    struct experiments *pool = experiments_copy(t, NULL);
    size_t forms = t->forms.count, before = pool->rows.count, added = 0;
    uint32_t *all = mem_alloc((forms + 1) * sizeof *all), *used = mem_zero(forms + 1, sizeof *used);
    /* A form that is in doubt would fill the whole batch with experiments that all ask the same. */
    uint32_t share = (uint32_t)(2 + 2 * count * size / (forms ? forms : 1));

    for (uint32_t f = 0; f < forms; f++)
        all[f] = f;
    size_t drawn = generate_random(pool, all, forms, CANDIDATES * count, size, rng);
    struct candidate *list = disagreements(mappings, n, pool, before);
    if (drawn > 1)
        qsort(list, drawn, sizeof *list, compare_candidates);
    for (size_t i = 0; i < drawn && added < count && list[i].disagreement > noise; i++) {
        const struct flat_term *terms = experiments_terms(pool, list[i].row);
        uint32_t terms_count = pool->rows.items[list[i].row].count;
        bool full = false;
        for (uint32_t k = 0; k < terms_count; k++)
            full |= used[terms[k].form] >= share;
        if (full)
            continue;
        for (uint32_t k = 0; k < terms_count; k++)
            used[terms[k].form]++;
        experiments_add(t, terms, terms_count);
        added++;
    }
    free(list);
    free(all);
    free(used);
    experiments_free(pool);
    return added;
}

static void number_ports(unsigned count, struct ports *out)
{
    char name[2] = {0};
    *out = (struct ports){0};
    for (unsigned i = 0; i < count; i++) {
        name[0] = "0123456789ABCDEFGHIJKLMNOPQRSTUV"[i];
        ports_add(out, name, NULL);
    }
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

/* The best mapping of the measured rows, then others about as likely: the best genomes all find the same optimum, and say nothing of
 * how wide it is; a walk at a temperature does. */
static struct mapping **infer(const struct experiments *t, const struct select_options *so, const struct evolve_options *o, size_t *count, struct err *err)
{
    struct problem *p = problem_new(t, NULL, err);
    struct mapping **mappings = NULL;
    struct ports ports;

    *count = 0;
    struct evolve *e = p ? evolve_new(p, o, NULL, 0, err) : NULL;
    struct polled polled = {so, e};
    if (e)
        evolve_worker(e, 0, so->poll ? poll_infer : NULL, &polled);
    struct genome *best = e ? evolve_best(e) : NULL;
    if (e && !best)
        err_set(err, ERR_INTERRUPTED, NULL, "the inference was stopped before it had a mapping");
    if (best) {
        struct search_prices prices = evolve_prices(e);
        struct search *walk = search_new(p, best->ports, (unsigned)best->width, &prices, o->seed);
        search_load(walk, best);
        number_ports(best->ports, &ports);
        mappings = mem_alloc((SAMPLES + 1) * sizeof *mappings);
        mappings[(*count)++] = genome_mapping(best, p, &ports);
        while (*count < SAMPLES) {
            search_run(walk, SAMPLE_MOVES * p->forms, SAMPLE_HEAT);
            mappings[(*count)++] = genome_mapping(search_genome(walk), p, &ports);
        }
        search_free(walk);
        genome_free(best);
    }
    evolve_free(e);
    problem_free(p);
    return mappings;
}

static void free_mappings(struct mapping **mappings, size_t count, size_t first)
{
    for (size_t i = first; i < count; i++)
        mapping_free(mappings[i]);
    free(mappings);
}

struct mapping *select_run(struct experiments *t, const struct select_options *o, select_measure *measure, void *measure_state, select_report *report,
                           void *report_state, struct err *err)
{
    size_t forms = t->forms.count, taken = 0, count = 0;
    uint32_t *all = mem_alloc((forms + 1) * sizeof *all);
    struct mapping **mappings = NULL, *best = NULL;
    struct evolve_options round = o->evolve;
    struct rng rng;
    bool ok = true;

    for (uint32_t f = 0; f < forms; f++)
        all[f] = f;
    rng_seed(&rng, o->evolve.seed);
    generate_singletons(t, all, forms);
    taken = generate_random(t, all, forms, o->first, o->size, &rng);
    while (ok) {
        size_t found = 0;
        ok = measure(t, measure_state, err);
        struct mapping **fresh = ok ? infer(t, o, &round, &found, err) : NULL;
        ok = fresh != NULL && found > 0;
        free_mappings(mappings, count, 0);
        mappings = fresh;
        count = fresh ? found : 0;
        if (!ok)
            break;
        if (report)
            report(report_state, taken, mappings[0]);
        size_t wanted = taken < o->most ? (o->batch < o->most - taken ? o->batch : o->most - taken) : 0;
        size_t added = wanted == 0 ? 0 : o->random ? generate_random(t, all, forms, wanted, o->size, &rng)
                                                   : select_experiments((const struct mapping *const *)mappings, count, t, wanted, o->size, o->noise, &rng);
        if (added == 0)
            break;
        taken += added;
        round.seed++;
    }
    if (count)
        best = mappings[0];
    free_mappings(mappings, count, 1);
    free(all);
    if (!ok && best) {
        mapping_free(best);
        best = NULL;
    }
    return best;
}
