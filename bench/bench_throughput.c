/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nanoseconds per throughput evaluation, beside the definition (all 2^ports sets) and the linear program (GLPK) in the same run.
 * Thousands of different experiments are cycled through, so that neither caches nor branch prediction flatter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/support/oracle.h"
#include "io/machine_file.h"

#define EXPERIMENTS 4096
#define MAPPINGS 64

/* Processor time: what other programs take does not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct bench {
    struct flat_mapping *map;
    const struct flat_mapping **maps;   /* the shape of evolution: MAPPINGS of them */
    struct flat_experiments *experiments;
    struct throughput *engine;
    int16_t *rest;                      /* row of sums of each experiment without its first form */
    double cycles[EXPERIMENTS];
};

/* Masses of experiment @i, as the oracles take them. */
static size_t masses_of(const struct bench *b, size_t i, struct mass *out)
{
    size_t n = 0;
    for (uint32_t k = b->experiments->start[i]; k < b->experiments->start[i + 1]; k++) {
        struct flat_term term = b->experiments->terms[k];
        for (uint32_t j = b->map->start[term.form]; j < b->map->start[term.form + 1]; j++)
            out[n++] = (struct mass){b->map->masses[j].ports, b->map->masses[j].count * term.count};
    }
    return n;
}

/* Fills b->cycles and returns how many evaluations that took. */
typedef size_t pass(struct bench *b);

static size_t pass_batch(struct bench *b)
{
    throughput_batch(b->engine, b->map, b->experiments, b->cycles);
    return EXPERIMENTS;
}

/* Best pass of at least nine and a fiftieth of a second. */
static double time_engine(struct bench *b, pass *run)
{
    double best = INFINITY, begin = now();
    for (int done = 0; done < 9 || now() - begin < 2e7; done++) {
        double start = now();
        size_t evaluations = run(b);
        best = fmin(best, (now() - start) / (double)evaluations);
    }
    return best;
}

static const char *const ENGINES[] = {"avx512", "avx2", "portable"};

typedef double oracle(const struct mass *masses, size_t n, unsigned ports);

/* Over as many experiments as take about a tenth of a second; every answer is compared. */
static double time_oracle(const struct bench *b, oracle *solve, unsigned ports)
{
    struct mass masses[256];
    double start = now(), spent = 0;
    size_t i = 0;
    for (; i < EXPERIMENTS && spent < 1e8; i++) {
        size_t n = masses_of(b, i, masses);
        double t = n ? solve(masses, n, ports) : 0;
        if (fabs(t - b->cycles[i]) > 1e-9 * fmax(1, t)) {
            fprintf(stderr, "bench: experiment %zu: %.17g instead of %.17g\n", i, b->cycles[i], t);
            exit(1);
        }
        if (i % 32 == 31)
            spent = now() - start;
    }
    return spent / (double)i;
}

static void row(struct bench *b, const char *what, unsigned ports)
{
    double ours[3], naive, lp;
    for (int k = 0; k < 3; k++)
        ours[k] = throughput_use_engine(b->engine, ENGINES[k]) ? time_engine(b, pass_batch) : NAN;
    naive = ports <= 20 ? time_oracle(b, oracle_naive, ports) : NAN;
    lp = time_oracle(b, oracle_lp, ports);
    double best = fmin(fmin(ours[0], ours[1]), ours[2]);
    printf("%-34s %9.1f %9.1f %9.1f %12.0f %10.0f %9.0fx %8.0fx\n", what, ours[0], ours[1], ours[2], naive, lp, naive / best, lp / best);
}

static struct flat_experiments *random_experiments(struct rng *rng, size_t forms, unsigned size)
{
    struct flat_experiments *e = calloc(1, sizeof *e);
    e->count = EXPERIMENTS;
    e->start = calloc(EXPERIMENTS + 1, sizeof *e->start);
    e->terms = calloc((size_t)EXPERIMENTS * size, sizeof *e->terms);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        e->start[i] = (uint32_t)(i * size);
        for (unsigned k = 0; k < size; k++)
            e->terms[i * size + k] = (struct flat_term){(uint32_t)rng_below(rng, forms), 1 + (size == 2 ? (uint32_t)rng_below(rng, 3) : 0)};
    }
    e->start[EXPERIMENTS] = EXPERIMENTS * size;
    return e;
}

/* Three levels: each form has one to three µops on random port sets, once to three times. */
static struct flat_mapping *random_mapping(struct rng *rng, unsigned ports, size_t forms)
{
    struct ports names = {0};
    char name[24];

    for (unsigned i = 0; i < ports; i++) {
        snprintf(name, sizeof name, "P%u", i);
        ports_add(&names, name, NULL);
    }
    struct mapping *m = mapping_new(&names);
    for (size_t i = 0; i < forms; i++) {
        struct mapping_entry entry = {.form = name, .latency = NAN};
        snprintf(name, sizeof name, "F%zu", i);
        for (uint64_t k = 1 + rng_below(rng, 3); k > 0; k--)
            usage_add(&entry.usage, oracle_random_set(rng, ports), 1 + (uint32_t)rng_below(rng, 3));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    struct flat_mapping *flat = flat_mapping_new(m);
    mapping_free(m);
    return flat;
}

static void random_row(struct rng *rng, const char *what, unsigned ports, unsigned size)
{
    struct bench b = {.map = random_mapping(rng, ports, 300), .experiments = random_experiments(rng, 300, size), .engine = throughput_new(ports)};
    row(&b, what, ports);
    throughput_free(b.engine);
    flat_mapping_free(b.map);
    flat_experiments_free(b.experiments);
}

static void engine_row(struct bench *b, const char *what, pass *run)
{
    double ours[3];
    for (int k = 0; k < 3; k++)
        ours[k] = throughput_use_engine(b->engine, ENGINES[k]) ? time_engine(b, run) : NAN;
    printf("%-34s %9.1f %9.1f %9.1f\n", what, ours[0], ours[1], ours[2]);
}

/* Every experiment under all mappings. */
static size_t pass_across(struct bench *b)
{
    double cycles[MAPPINGS];
    for (size_t i = 0; i < EXPERIMENTS / MAPPINGS; i++) {
        uint32_t start = b->experiments->start[i], end = b->experiments->start[i + 1];
        throughput_across(b->engine, b->maps, MAPPINGS, b->experiments->terms + start, end - start, cycles);
        b->cycles[i] = cycles[0];
    }
    return EXPERIMENTS;
}

/* Every experiment as the row of its first form and the precomputed sum of the others. */
static size_t pass_rows(struct bench *b)
{
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        const struct flat_term *first = b->experiments->terms + b->experiments->start[i];
        const int16_t *rows[2] = {b->map->sums + b->map->rows[first->form].index * unions_row_size(b->map->unions),
                                  b->rest + i * unions_row_size(b->map->unions)};
        b->cycles[i] = throughput_of_rows(b->engine, b->map->unions, rows, (const uint32_t[]){first->count, 1}, 2);
    }
    return EXPERIMENTS;
}

/* One experiment under many mappings that have no sums, as in a population: 10 ports, three levels. */
static void across_row(struct rng *rng, unsigned size)
{
    char what[64];
    struct flat_mapping *maps[MAPPINGS];
    struct bench b = {.maps = (const struct flat_mapping **)maps, .experiments = random_experiments(rng, 300, size), .engine = throughput_new(10)};

    for (int i = 0; i < MAPPINGS; i++)
        maps[i] = random_mapping(rng, 10, 300);
    snprintf(what, sizeof what, "(d) %d mappings, 10 ports, %u forms", MAPPINGS, size);
    engine_row(&b, what, pass_across);
    for (int i = 0; i < MAPPINGS; i++)
        flat_mapping_free(maps[i]);
    flat_experiments_free(b.experiments);
    throughput_free(b.engine);
}

/* The shape of a local search: one form of an experiment varies, the others are summed ahead. */
static void rest_row(struct bench *b, const char *what)
{
    size_t size = unions_row_size(b->map->unions);
    struct mass masses[256];
    double before[EXPERIMENTS];

    pass_batch(b);
    memcpy(before, b->cycles, sizeof before);
    b->rest = unions_rows_new(b->map->unions, EXPERIMENTS);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        uint32_t first = b->experiments->terms[b->experiments->start[i]].form;
        size_t skip = b->map->start[first + 1] - b->map->start[first], n = masses_of(b, i, masses);
        unions_row(b->map->unions, masses + skip, n - skip, b->rest + i * size);
    }
    engine_row(b, what, pass_rows);
    for (size_t i = 0; i < EXPERIMENTS; i++)
        if (b->cycles[i] != before[i]) {
            fprintf(stderr, "bench: experiment %zu: %.17g by rows, %.17g before\n", i, b->cycles[i], before[i]);
            exit(1);
        }
    free(b->rest);
}

static void real_rows(struct rng *rng)
{
    struct err err = {0};
    struct machine *m = machine_load("skylake", &err);
    if (!m) {
        printf("skylake is not there: %s\n", err.what);
        return;
    }
    for (unsigned size = 2; size <= 4; size += 2) {
        unsigned ports = mapping_ports(m->mapping)->count;
        struct bench b = {.map = flat_mapping_new(m->mapping),
                          .experiments = random_experiments(rng, mapping_count(m->mapping), size),
                          .engine = throughput_new(ports)};
        row(&b, size == 2 ? "(a) skylake, pairs" : "(a) skylake, four forms", ports);
        if (b.map->unions)
            rest_row(&b, size == 2 ? "(e) the same, partner summed ahead" : "(e) the same, three summed ahead");
        throughput_free(b.engine);
        flat_mapping_free(b.map);
        flat_experiments_free(b.experiments);
    }
    machine_free(m);
}

int main(void)
{
    struct rng rng;
    char what[64];

    rng_seed(&rng, 1);
    printf("workspace of a thread: %zu KiB\n", throughput_size() >> 10);
    printf("%-34s %9s %9s %9s %12s %10s %10s %9s\n", "ns per evaluation", "avx512", "avx2", "portable", "2^ports", "glpk", "2^ports", "glpk");
    real_rows(&rng);
    for (unsigned ports = 4; ports <= 20; ports += 2) {
        snprintf(what, sizeof what, "(b) random, %u ports, four forms", ports);
        random_row(&rng, what, ports, 4);
    }
    for (unsigned size = 1; size <= 10; size++) {
        snprintf(what, sizeof what, "(c) random, 10 ports, %u forms", size);
        random_row(&rng, what, 10, size);
    }
    for (unsigned size = 2; size <= 4; size += 2)
        across_row(&rng, size);
    return 0;
}
