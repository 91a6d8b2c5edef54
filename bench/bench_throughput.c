/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nanoseconds per throughput evaluation, compared with the definition (all 2^ports sets) and with
 * the linear program (GLPK) in the same run. Thousands of different experiments are evaluated in
 * turn. Otherwise caches and branch prediction would hide costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../tests/support/oracle.h"
#include "base/vec.h"
#include "io/machine_file.h"

#define EXPERIMENTS 4096

/* Returns the processor time in nanoseconds, which other processes do not change. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The µops of all experiments, consecutively. */
struct bench {
    VEC(struct mass) masses;
    size_t start[EXPERIMENTS + 1];
    struct throughput *engine;
    double cycles[EXPERIMENTS];
};

/* Returns the nanoseconds per evaluation in the fastest pass. There are at least nine passes and 20
 * ms. */
static double time_engine(struct bench *b)
{
    double best = INFINITY, begin = now();
    for (int done = 0; done < 9 || now() - begin < 2e7; done++) {
        double start = now();
        for (size_t i = 0; i < EXPERIMENTS; i++)
            b->cycles[i] = throughput_of_masses(b->engine, b->masses.items + b->start[i],
                                                b->start[i + 1] - b->start[i]);
        best = fmin(best, (now() - start) / EXPERIMENTS);
    }
    return best;
}

static const char *const ENGINES[] = {"avx512", "avx2", "portable"};

typedef double oracle(const struct mass *masses, size_t n, unsigned ports);

/* Returns the nanoseconds per evaluation by an oracle, over about a tenth of a second. Exits if a
 * result differs. */
static double time_oracle(const struct bench *b, oracle *solve, unsigned ports)
{
    double start = now(), spent = 0;
    size_t i = 0;
    for (; i < EXPERIMENTS && spent < 1e8; i++) {
        size_t n = b->start[i + 1] - b->start[i];
        double t = n ? solve(b->masses.items + b->start[i], n, ports) : 0;
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
        ours[k] = throughput_use_engine(b->engine, ENGINES[k]) ? time_engine(b) : NAN;
    naive = ports <= 20 ? time_oracle(b, oracle_naive, ports) : NAN;
    lp = time_oracle(b, oracle_lp, ports);
    double best = fmin(fmin(ours[0], ours[1]), ours[2]);
    printf("%-34s %9.1f %9.1f %9.1f %12.0f %10.0f %9.0fx %8.0fx\n", what, ours[0], ours[1], ours[2],
           naive, lp, naive / best, lp / best);
}

static void draw_experiments(struct rng *rng, const struct mapping *m, unsigned size,
                             struct bench *b)
{
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        for (unsigned k = 0; k < size; k++) {
            const struct usage *usage = &mapping_at(m, rng_below(rng, mapping_count(m)))->usage;
            uint32_t count = 1 + (size == 2 ? (uint32_t)rng_below(rng, 3) : 0);
            for (unsigned u = 0; u < usage->count; u++)
                vec_push(&b->masses,
                         ((struct mass){usage->uops[u].ports, usage->uops[u].count * count}));
        }
        b->start[i + 1] = b->masses.count;
    }
}

/* Returns a random three-level mapping. Each form has one to three kinds of µop on random port
 * sets, each one to three times. */
static struct mapping *random_mapping(struct rng *rng, unsigned ports, size_t forms)
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
    return m;
}

static void mapping_row(struct rng *rng, const char *what, const struct mapping *m, unsigned size)
{
    unsigned ports = mapping_ports(m)->count;
    struct bench b = {.engine = throughput_new(ports)};

    draw_experiments(rng, m, size, &b);
    row(&b, what, ports);
    throughput_free(b.engine);
    vec_done(&b.masses);
}

static void random_row(struct rng *rng, const char *what, unsigned ports, unsigned size)
{
    struct mapping *m = random_mapping(rng, ports, 300);
    mapping_row(rng, what, m, size);
    mapping_free(m);
}

static void real_rows(struct rng *rng)
{
    struct err err = {0};
    struct machine *m = machine_load("skylake", &err);
    if (!m) {
        printf("skylake is not there: %s\n", err.what);
        return;
    }
    mapping_row(rng, "(a) skylake, pairs", m->mapping, 2);
    mapping_row(rng, "(a) skylake, four forms", m->mapping, 4);
    machine_free(m);
}

int main(void)
{
    struct rng rng;
    char what[64];

    rng_seed(&rng, 1);
    printf("%-34s %9s %9s %9s %12s %10s %10s %9s\n", "ns per evaluation", "avx512", "avx2",
           "portable", "2^ports", "glpk", "2^ports", "glpk");
    real_rows(&rng);
    for (unsigned ports = 4; ports <= 20; ports += 2) {
        snprintf(what, sizeof what, "(b) random, %u ports, four forms", ports);
        random_row(&rng, what, ports, 4);
    }
    for (unsigned size = 1; size <= 10; size++) {
        snprintf(what, sizeof what, "(c) random, 10 ports, %u forms", size);
        random_row(&rng, what, 10, size);
    }
    return 0;
}
