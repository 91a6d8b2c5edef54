/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures a live run: error on unseen experiments over the time since the last measurement
 * arrived, compared with a run started at that time.
 *
 *     bench_live [MACHINE [FORMS [ARRIVING [AFTER [SEEDS]]]]]
 *
 * The processor is simulated and has FORMS forms of a shipped machine, with 1 % noise. All single
 * forms and all pairs arrive one after the other within ARRIVING seconds, and the search continues
 * for AFTER seconds. Seconds are CPU time on one thread, including all work. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "infer/evolve.h"
#include "io/machine_file.h"
#include "known_cpu.h"

#define NOISE 0.01
#define JOIN_SECONDS 1
#define MOST_PORTS 8
#define MOST_UOPS 6

static const double times[] = {0.5, 1, 2, 5, 10, 20, 30};
#define TIMES (sizeof times / sizeof *times)

struct live_bench {
    struct evolve *e;
    const struct mapping *truth;
    const struct experiments *t;
    double begun, arriving;     /* in seconds; @arriving is 0 if all rows are present at first */
    size_t come;                /* number of rows that have arrived */
    double joined;              /* time in seconds when the last row arrived */
    double errors[TIMES];       /* mean error at each time; NaN if not reached yet */
};

static struct problem *first_rows(const struct experiments *t, size_t count)
{
    bool *keep = mem_zero(t->rows.count + 1, sizeof *keep);
    struct err err = {0};

    for (size_t i = 0; i < count; i++)
        keep[i] = true;
    struct problem *p = problem_new(t, keep, &err);
    if (!p)
        fail(&err);
    free(keep);
    return p;
}

static double error_now(struct live_bench *b)
{
    struct problem *p;
    struct genome *g = evolve_best(b->e, &p);
    struct ports names;
    double error = NAN;

    if (g) {
        ports_number(&names, g->ports);
        struct mapping *m = genome_mapping(g, p, &names);
        error = unseen(b->truth, m);
        mapping_free(m);
    }
    genome_free(g);
    problem_free(p);
    return error;
}

static void poll_bench(void *state)
{
    struct live_bench *b = state;
    double now = clock_seconds() - b->begun,
           share = b->arriving > 0 ? fmin(1, now / b->arriving) : 1;
    size_t come = (size_t)(share * (double)b->t->rows.count);

    if (come > b->come && (come == b->t->rows.count || now - b->joined >= JOIN_SECONDS)) {
        evolve_join(b->e, first_rows(b->t, come));
        b->come = come;
        b->joined = now;
    }
    for (size_t i = 0; i < TIMES; i++)
        if (isnan(b->errors[i]) && now >= b->arriving + times[i])
            b->errors[i] = error_now(b);
}

/* Adds the mean errors at each time to @sum. */
static void run(const struct mapping *truth, const struct experiments *t, unsigned ports,
                uint64_t seed, double arriving, double after, double *sum)
{
    struct evolve_options o;
    struct evolve_status status;
    struct err err = {0};
    struct live_bench b = {.truth = truth, .t = t, .arriving = arriving, .begun = clock_seconds()};

    evolve_defaults(&o);
    o.ports = ports;
    o.width = 0;
    o.seed = seed;
    o.seconds = arriving + after;
    o.begun = b.begun;
    b.come = arriving > 0 ? mapping_count(truth) : t->rows.count;
    for (size_t i = 0; i < TIMES; i++)
        b.errors[i] = NAN;
    struct problem *p = first_rows(t, b.come);
    b.e = evolve_new(p, &o, NULL, 0, &err);
    problem_free(p);
    if (!b.e)
        fail(&err);
    evolve_worker(b.e, 0, poll_bench, &b);
    evolve_get_status(b.e, &status);
    printf("  %llu %-6s", (unsigned long long)seed, arriving > 0 ? "live" : "begun");
    for (size_t i = 0; i < TIMES; i++) {
        printf(" %6.2f", 100 * b.errors[i]);
        sum[i] += b.errors[i];
    }
    printf("   end %.2f, %u ports, joined %u times\n", 100 * error_now(&b), status.ports,
           status.joined);
    fflush(stdout);
    evolve_free(b.e);
}

int main(int argc, char **argv)
{
    const char *id = argc > 1 ? argv[1] : "skylake";
    size_t forms = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
    double arriving = argc > 3 ? strtod(argv[3], NULL) : 30,
           after = argc > 4 ? strtod(argv[4], NULL) : 30;
    uint64_t seeds = argc > 5 ? strtoul(argv[5], NULL, 10) : 3;
    struct err err = {0};
    double sums[2][TIMES] = {{0}};
    struct machine *machine = machine_load(id, &err);

    if (!machine)
        fail(&err);
    clock_set_source(cpu_seconds);
    struct mapping *truth = some_forms(machine, forms, MOST_PORTS, MOST_UOPS);
    struct experiments *t = known_pairs(truth, NOISE, false);
    printf("%s, %zu forms, %zu experiments in %g s; unseen five-form experiments, %%, after\n  "
           "seed      ",
           id, forms, t->rows.count, arriving);
    for (size_t i = 0; i < TIMES; i++)
        printf(" %5.3gs", times[i]);
    printf("\n");
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        run(truth, t, mapping_ports(truth)->count, seed, arriving, after, sums[0]);
        run(truth, t, mapping_ports(truth)->count, seed, 0, after, sums[1]);
    }
    for (int k = 0; k < 2; k++) {
        printf("  mean %-6s", k ? "begun" : "live");
        for (size_t i = 0; i < TIMES; i++)
            printf(" %6.2f", 100 * sums[k][i] / (double)seeds);
        printf("\n");
    }
    experiments_free(t);
    mapping_free(truth);
    machine_free(machine);
    return 0;
}
