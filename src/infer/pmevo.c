/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/pmevo.h"

#include <math.h>
#include <string.h>

/* relative error below which an experiment counts as explained, as in the authors' program */
#define TOLERANCE 0.1
#define INITIAL_UOPS 1   /* number of µops per form in the initial population */

struct individual {
    struct genome *genome;
    /* @d: D_avg, without errors below TOLERANCE if requested; genome->d_avg includes all errors */
    double d, fitness;
    double volume;
};

struct pmevo {
    const struct problem *p;
    const struct table_engine *engine;
    /* columns for all port sets, because individuals have different sets for almost every form */
    struct columns columns;
    struct tables tables;
    struct rng rng;
    bool tolerant;
    double volume_weight;
    size_t population;
    struct individual *pool;   /* 2p individuals: p parents, then p children */
    /* smallest and largest D_avg and volume in the last selection */
    double d_low, d_high, v_low, v_high;
};

static void evaluate(struct pmevo *m, struct individual *x, uint64_t *evaluations)
{
    const struct problem *p = m->p;
    double sum = 0, exact = 0;

    for (size_t f = 0; f < p->forms; f++)
        m->engine->fill(&x->genome->genes[f], &m->columns, 0, 0,
                        m->tables.values + f * m->tables.stride);
    for (uint32_t e = 0; e < p->experiments; e++) {
        double error = fabs((double)m->engine->cycles(&m->tables, e) * (double)p->inverse[e] -
                            (double)p->weight[e]);
        exact += error;
        sum += m->tolerant && error < TOLERANCE * (double)p->weight[e] ? 0 : error;
    }
    x->d = sum / p->weights;
    x->genome->d_avg = exact / p->weights;
    x->volume = (double)genome_volume(x->genome);
    ++*evaluations;
}

/* Draws a µop u, and its count n from [1, ⌈t(i)·|u|⌉] (section 4.4). A form that was not
 * measured in isolation is assumed to take one cycle. */
static void random_gene(struct pmevo *m, size_t f, unsigned ports, struct gene *gene)
{
    double t = isnan(m->p->single[f]) ? 1 : (double)m->p->single[f];
    uint64_t uops = 1 + rng_below(&m->rng, INITIAL_UOPS);

    memset(gene, 0, sizeof *gene);
    for (uint64_t i = 0; i < uops; i++) {
        unsigned set = 1 + (unsigned)rng_below(&m->rng, (1u << ports) - 1);
        double most = fmin(ceil(t * portset_size(set)), GENE_COUNT_MAX / INITIAL_UOPS);
        gene_add(gene, set, 1 + (unsigned)rng_below(&m->rng, (uint64_t)fmax(most, 1)));
    }
}

struct pmevo *pmevo_new(const struct problem *p, unsigned ports, unsigned population,
                        double volume_weight, bool tolerant, uint64_t seed)
{
    struct pmevo *m = mem_zero(1, sizeof *m);
    uint64_t evaluations = 0;

    m->p = p;
    m->engine = table_engine(NULL);
    columns_init(&m->columns, ports);
    columns_all(&m->columns);
    m->tables = problem_tables(p, &m->columns, NULL, columns_lanes(m->columns.count));
    m->population = population;
    m->tolerant = tolerant;
    m->volume_weight = volume_weight;
    rng_seed(&m->rng, seed);
    m->pool = mem_zero(2 * (size_t)population, sizeof *m->pool);
    for (size_t i = 0; i < 2 * m->population; i++) {
        m->pool[i].genome = genome_new(p->forms, ports, 0);
        for (size_t f = 0; i < m->population && f < p->forms; f++)
            random_gene(m, f, ports, &m->pool[i].genome->genes[f]);
        if (i < m->population)
            evaluate(m, &m->pool[i], &evaluations);
    }
    return m;
}

void pmevo_free(struct pmevo *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < 2 * m->population; i++)
        genome_free(m->pool[i].genome);
    free(m->pool);
    free(m->tables.values);
    columns_done(&m->columns);
    free(m);
}

/* Assigns each edge (set and count) of both parents to a random child. Each child has at least one
 * edge. */
static void cross(struct pmevo *m, const struct gene *a, const struct gene *b, struct gene *x,
                  struct gene *y)
{
    struct gene *child[2] = {x, y};
    const struct gene *parent[2] = {a, b};

    memset(x, 0, sizeof *x);
    memset(y, 0, sizeof *y);
    for (int side = 0; side < 2; side++)
        for (unsigned i = 0; i < parent[side]->uops; i++) {
            uint64_t to = rng_below(&m->rng, 2);
            if (!gene_add(child[to], parent[side]->set[i], parent[side]->count[i]))
                gene_add(child[!to], parent[side]->set[i], parent[side]->count[i]);
        }
    for (int side = 0; side < 2; side++)
        if (child[side]->uops == 0) {
            unsigned i = (unsigned)rng_below(&m->rng, parent[side]->uops);
            gene_add(child[side], parent[side]->set[i], parent[side]->count[i]);
        }
}

static double scaled(double x, double low, double high, bool thousand)
{
    double part = high > low ? (x - low) / (high - low) : 0;
    if (thousand)
        return 1 + 999 * (high > 0 ? x / high : 0);
    return part;
}

static double fitness_of(const struct pmevo *m, const struct individual *x)
{
    return scaled(x->d, m->d_low, m->d_high, m->tolerant) +
           m->volume_weight * scaled(x->volume, m->v_low, m->v_high, m->tolerant);
}

static int compare_fitness(const void *a, const void *b)
{
    double x = ((const struct individual *)a)->fitness, y = ((const struct individual *)b)->fitness;
    return (x > y) - (x < y);
}

bool pmevo_generation(struct pmevo *m, uint64_t *evaluations)
{
    size_t n = m->population;

    for (size_t i = 0; i + 1 < n + (n & 1); i += 2) {
        const struct genome *a = m->pool[rng_below(&m->rng, n)].genome,
                            *b = m->pool[rng_below(&m->rng, n)].genome;
        struct gene discarded;
        for (size_t f = 0; f < m->p->forms; f++)
            cross(m, &a->genes[f], &b->genes[f], &m->pool[n + i].genome->genes[f],
                  i + 1 < n ? &m->pool[n + i + 1].genome->genes[f] : &discarded);
        evaluate(m, &m->pool[n + i], evaluations);
        if (i + 1 < n)
            evaluate(m, &m->pool[n + i + 1], evaluations);
    }
    m->d_low = m->v_low = INFINITY;
    m->d_high = m->v_high = -INFINITY;
    for (size_t i = 0; i < 2 * n; i++) {
        m->d_low = fmin(m->d_low, m->pool[i].d);
        m->d_high = fmax(m->d_high, m->pool[i].d);
        m->v_low = fmin(m->v_low, m->pool[i].volume);
        m->v_high = fmax(m->v_high, m->pool[i].volume);
    }
    for (size_t i = 0; i < 2 * n; i++)
        m->pool[i].genome->cost = m->pool[i].fitness = fitness_of(m, &m->pool[i]);
    qsort(m->pool, 2 * n, sizeof *m->pool, compare_fitness);
    return m->pool[n - 1].fitness - m->pool[0].fitness > 1e-12;
}

void pmevo_climb(struct pmevo *m, size_t index, bool (*go_on)(void *), void *state,
                 uint64_t *evaluations)
{
    struct individual *x = &m->pool[index];
    bool better = true;

    evaluate(m, x, evaluations);
    x->fitness = fitness_of(m, x);
    while (better) {
        better = false;
        for (size_t f = 0; f < m->p->forms; f++) {
            struct gene *gene = &x->genome->genes[f];
            for (unsigned i = 0; i < gene->uops; i++)
                for (int step = -1; step <= 1; step += 2) {
                    double d = x->d, exact = x->genome->d_avg, volume = x->volume,
                           fitness = x->fitness;
                    if (gene->count[i] + step < 1 || gene->count[i] + step > GENE_COUNT_MAX)
                        continue;
                    if (go_on && !go_on(state))
                        return;
                    gene->count[i] = (uint8_t)(gene->count[i] + step);
                    evaluate(m, x, evaluations);
                    x->fitness = fitness_of(m, x);
                    if (x->fitness < fitness) {
                        better = true;
                        continue;
                    }
                    gene->count[i] = (uint8_t)(gene->count[i] - step);
                    x->d = d;
                    x->genome->d_avg = exact;
                    x->volume = volume;
                    x->fitness = fitness;
                }
        }
        x->genome->cost = x->fitness;
    }
}

size_t pmevo_population(const struct pmevo *m)
{
    return m->population;
}

const struct genome *pmevo_individual(const struct pmevo *m, size_t index)
{
    return m->pool[index].genome;
}
