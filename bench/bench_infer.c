/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures inference: cross-validated error, the published algorithm compared with ours, engines
 * compared with each other, and processors with a known mapping.
 *
 *     bench_infer DIRECTORY [SECONDS [cv|transfer|triples|pmevo|engines|curve|known|ports]...]
 *     bench_infer DIRECTORY SECONDS noisy|agreed|forms306
 *
 * DIRECTORY has exps_singletons.json, len_02.json and len_03.json as published by PMEvo. For noisy
 * it has exps_singletons.json and exps_five_first_half.json. With "-" only tests without data are
 * run. SECONDS is CPU time on one thread, which does not depend on other load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/file.h"
#include "known_cpu.h"
#include "infer/evolve.h"
#include "infer/pmevo.h"
#include "io/experiments_file.h"
#include "io/machine_file.h"
#include "io/pmevo_json.h"
#include "throughput/predict.h"

#define FOLDS 5
#define SEEDS 3
#define PAIRED_SEEDS 5
#define PORTS_SEEDS 20
#define PORTS_FORMS 16
/* largest difference of errors on unseen experiments at which two mappings count as equivalent */
#define EQUIVALENT 0.002

struct data {
    struct experiments *t;
    size_t end[4];   /* end[k] is the number of leading rows that have at most k forms */
};

static struct data load(const char *directory, const char *const *files, int count)
{
    struct data d = {.t = experiments_new()};
    struct err err = {0};

    for (int i = 0; i < count; i++) {
        struct str path = {0};
        str_addf(&path, "%s/%s", directory, files[i]);
        struct experiments *part = pmevo_experiments_load(str_text(&path), &err);
        if (!part)
            fail(&err);
        experiments_append(d.t, part);
        experiments_free(part);
        d.end[i + 1] = d.t->rows.count;
        str_done(&path);
    }
    return d;
}

static struct mapping *named(const struct genome *g, const struct problem *p)
{
    struct ports names = {0};
    char name[2] = {0};
    for (unsigned i = 0; i < g->ports; i++) {
        name[0] = "0123456789ABCDEF"[i];
        ports_add(&names, name, NULL);
    }
    return genome_mapping(g, p, &names);
}

static struct mapping *infer(const struct experiments *t, const bool *keep,
                             const struct evolve_options *o, struct evolve_status *status)
{
    struct err err = {0};
    struct problem *p = problem_new(t, keep, &err);
    struct evolve *e = p ? evolve_new(p, o, NULL, 0, &err) : NULL;
    if (!e)
        fail(&err);
    evolve_worker(e, 0, NULL, NULL);
    evolve_get_status(e, status);
    struct genome *g = evolve_best(e, NULL);
    struct mapping *m = named(g, p);
    genome_free(g);
    evolve_free(e);
    problem_free(p);
    return m;
}

/* Returns the mean relative error on the rows [from, to) for which @test is true. */
static double error_on(const struct mapping *m, const struct experiments *t, const bool *test,
                       size_t from, size_t to)
{
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles), sum = 0;
    size_t n = 0;

    throughput_predict(m, t, cycles);
    for (size_t i = from; i < to; i++)
        if (test[i] && experiments_measured(t, i)) {
            sum += fabs(cycles[i] - t->rows.items[i].cycles) / t->rows.items[i].cycles;
            n++;
        }
    free(cycles);
    return sum / (double)n;
}

/* Splits the rows [@from, @to), shuffled by @seed. Every FOLDS-th row, beginning with row @fold, is
 * for testing. All other rows before @to are for training. */
static void split(uint64_t seed, unsigned fold, size_t from, size_t to, size_t rows, bool *keep,
                  bool *test)
{
    size_t n = to - from, *order = mem_alloc(n * sizeof *order);
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t k = rng_below(&rng, i), x = order[i - 1];
        order[i - 1] = order[k];
        order[k] = x;
    }
    for (size_t i = 0; i < rows; i++) {
        keep[i] = i < to;
        test[i] = false;
    }
    for (size_t i = fold; i < n; i += FOLDS) {
        keep[from + order[i]] = false;
        test[from + order[i]] = true;
    }
    free(order);
}

/* Cross-validates on the rows of file @part. Trains on the rows before it and the other folds, with
 * or without a consensus at the end of each run. */
static void cross_validate(const struct data *d, unsigned part, bool consensus, double seconds)
{
    size_t rows = d->t->rows.count, from = d->end[part - 1], to = d->end[part];
    bool *keep = mem_zero(rows, 1), *test = mem_zero(rows, 1);

    printf(
        "%u-fold cross validation, experiments of %llu forms held out, %g CPU-seconds a fold, %s\n",
        FOLDS, (unsigned long long)experiments_size(d->t, from), seconds,
        consensus ? "a consensus where the mappings disagree (the default)"
                  : "the mapping of the least cost");
    printf("  %4s %9s %9s %9s %9s   %s\n", "seed", "train %", "held %", "µops", "volume",
           "folds, held %");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double held = 0, train = 0, distinct = 0, volume = 0;
        struct str folds = {0};
        for (unsigned fold = 0; fold < FOLDS; fold++) {
            struct evolve_options o;
            struct evolve_status status;
            evolve_defaults(&o);
            o.seconds = seconds;
            o.seed = seed;
            o.consensus = consensus;
            split(seed, fold, from, to, rows, keep, test);
            struct mapping *m = infer(d->t, keep, &o, &status);
            double error = error_on(m, d->t, test, from, to);
            held += error / FOLDS;
            train += status.d_avg / FOLDS;
            distinct += (double)status.distinct / FOLDS;
            volume += (double)status.volume / FOLDS;
            str_addf(&folds, " %.2f", 100 * error);
            mapping_free(m);
        }
        printf("  %4llu %9.2f %9.2f %9.1f %9.0f  %s\n", (unsigned long long)seed, 100 * train,
               100 * held, distinct, volume, str_text(&folds));
        fflush(stdout);
        str_done(&folds);
    }
    free(keep);
    free(test);
}

/* Training set and test set of a run. */
struct contest {
    const struct experiments *train, *judge;
    bool *keep, *test;   /* rows of training set and test set; @keep is NULL for all rows */
};

/* Prints the error of five runs with different seeds over their time, and the median. @next
 * prepares the sets for each seed. */
static void over_time(double most, struct contest *c,
                      void (*next)(struct contest *c, unsigned seed, void *state), void *state)
{
    for (double seconds = 2.5; seconds <= most; seconds *= 2) {
        double error[FOLDS];
        struct str each = {0};
        for (unsigned seed = 1; seed <= FOLDS; seed++) {
            struct evolve_options o;
            struct evolve_status status;
            evolve_defaults(&o);
            o.seconds = seconds;
            o.seed = seed;
            if (next)
                next(c, seed, state);
            struct mapping *m = infer(c->train, c->keep, &o, &status);
            error[seed - 1] = error_on(m, c->judge, c->test, 0, c->judge->rows.count);
            str_addf(&each, " %.2f (%u, %.2f)", 100 * error[seed - 1], status.ports,
                     100 * status.d_avg);
            mapping_free(m);
        }
        qsort(error, FOLDS, sizeof *error, compare_doubles);
        printf("  %5.1f %6.2f  %s\n", seconds, 100 * error[FOLDS / 2], str_text(&each));
        fflush(stdout);
        str_done(&each);
    }
}

static void next_fold(struct contest *c, unsigned seed, void *state)
{
    const struct data *d = state;
    split(1, seed - 1, d->end[2], d->end[3], d->t->rows.count, c->keep, c->test);
}

static void curve(struct data *d, double most)
{
    size_t rows = d->t->rows.count;
    struct contest c = {d->t, d->t, mem_zero(rows, 1), mem_zero(rows, 1)};

    printf("triples, a fifth held out, another one for each seed: CPU-seconds, median error %%, "
           "each seed's (ports, train %%)\n");
    over_time(most, &c, next_fold, d);
    free(c.keep);
    free(c.test);
}

static struct experiments *measured_here(const char *file)
{
    struct err err = {0};
    char *path = file_data_path(file);
    struct experiments *t = path ? experiments_load(path, &err) : NULL;
    if (!t)
        fail(&err);
    free(path);
    return t;
}

/* Infers 306 forms of a Golden Cove from its measurements of single forms and experiments of two to
 * five forms. Tests on experiments of five forms that were measured later. */
static void forms306(double most)
{
    struct experiments *t = measured_here("experiments/golden-cove.csv"),
                       *later = measured_here("experiments/golden-cove-five.csv");
    struct contest c = {t, later, NULL, mem_alloc(later->rows.count + 1)};

    memset(c.test, true, later->rows.count);
    printf("306 forms of a Golden Cove, judged by experiments of five measured later: CPU-seconds, "
           "median error %%, each seed's (ports, train %%)\n");
    over_time(most, &c, NULL, NULL);
    free(c.test);
    experiments_free(t);
    experiments_free(later);
}

/* Trains on singletons and pairs and tests on all triples. Prints the published mappings' errors on
 * the same triples. */
static void transfer(const struct data *d, const char *directory, double seconds)
{
    static const char *const published[] = {"mapping_pmevo.json", "mapping_uops_info.json"};
    bool *keep = mem_zero(d->t->rows.count, 1), *test = mem_zero(d->t->rows.count, 1);

    for (size_t i = 0; i < d->t->rows.count; i++) {
        keep[i] = i < d->end[2];
        test[i] = !keep[i];
    }
    printf("trained on singletons and pairs only, error on the triples\n");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct evolve_options o;
        struct evolve_status status;
        evolve_defaults(&o);
        o.seconds = seconds;
        o.seed = seed;
        struct mapping *m = infer(d->t, keep, &o, &status);
        printf("  seed %llu: train %.2f %%, triples %.2f %%, %llu distinct µops, volume %llu\n",
               (unsigned long long)seed, 100 * status.d_avg,
               100 * error_on(m, d->t, test, d->end[2], d->end[3]),
               (unsigned long long)status.distinct, (unsigned long long)status.volume);
        fflush(stdout);
        mapping_free(m);
    }
    for (int i = 0; i < 2; i++) {
        struct str path = {0};
        str_addf(&path, "%s/%s", directory, published[i]);
        struct mapping *m = pmevo_mapping_load(str_text(&path), NULL);
        if (m)
            printf("  %s: triples %.2f %%\n", published[i],
                   100 * error_on(m, d->t, test, d->end[2], d->end[3]));
        mapping_free(m);
        str_done(&path);
    }
    free(keep);
    free(test);
}

static void paper(const struct data *d)
{
    bool *keep = mem_zero(d->t->rows.count, 1);
    struct err err = {0};

    for (size_t i = 0; i < d->end[2]; i++)
        keep[i] = true;
    struct problem *p = problem_new(d->t, keep, &err);
    printf("the paper's algorithm, 9 ports, population 1000, 120 generations\n");
    for (int tolerant = 0; tolerant < 2; tolerant++) {
        uint64_t evaluations = 1000;
        double begun = cpu_seconds();
        struct pmevo *m = pmevo_new(p, 9, 1000, 1, tolerant, 1);
        for (int g = 0; g < 120 && pmevo_generation(m, &evaluations); g++) {
        }
        double seconds = cpu_seconds() - begun, before = pmevo_individual(m, 0)->d_avg;
        double rate = (double)evaluations / seconds;
        pmevo_climb(m, 0, NULL, NULL, &evaluations);
        printf("  %s: D_avg %.2f %%, after hill climbing %.2f %%; %.0f fitness evaluations a "
               "CPU-second (the authors' program: 343)\n",
               tolerant ? "with the program's departures" : "as in the paper", 100 * before,
               100 * pmevo_individual(m, 0)->d_avg, rate);
        fflush(stdout);
        pmevo_free(m);
    }
    problem_free(p);
    free(keep);
}

static void engines(const struct data *d)
{
    static const char *const names[] = {"portable", "avx2", "avx512"};
    struct err err = {0};
    struct problem *p = problem_new(d->t, NULL, &err);
    struct evolve_options o;

    evolve_defaults(&o);
    printf("ns per experiment, all forms changed in turn, singletons to triples\n  %8s", "ports");
    for (int k = 0; k < 3; k++)
        printf(" %9s", names[k]);
    printf("\n");
    for (unsigned ports = 6; ports <= 12; ports += 2) {
        printf("  %8u", ports);
        struct annealer *s = anneal_new(p, ports, 4, &o.prices, 1);
        struct columns columns;
        columns_init(&columns, ports);
        anneal_random(s);
        anneal_run(s, 1000 * p->forms, 0.1);
        const struct genome *g = anneal_genome(s);
        for (size_t f = 0; f < p->forms; f++)
            for (unsigned i = 0; i < g->genes[f].uops; i++)
                columns_add(&columns, g->genes[f].set[i], 1u << ports);
        size_t stride = columns_lanes(columns.count);
        struct tables tables = problem_tables(p, &columns, g->genes, stride);
        float *errors = mem_alloc(p->experiments * sizeof *errors);
        for (int k = 0; k < 3; k++) {
            const struct table_engine *engine = table_engine(names[k]);
            double begun = cpu_seconds();
            size_t n = 0;
            for (size_t f = 0; engine && f < p->forms; f++)
                engine->fill(&g->genes[f], &columns, 0, 4, tables.values + f * stride);
            for (int round = 0; engine && round < 20; round++)
                for (uint32_t f = 0; f < p->forms; f++) {
                    engine->errors(&tables, columns.count, f, tables.values + f * stride, INFINITY,
                                   errors);
                    n += p->link_start[f + 1] - p->link_start[f];
                }
            if (engine)
                printf(" %9.1f", 1e9 * (cpu_seconds() - begun) / (double)n);
            else
                printf(" %9s", "-");
        }
        printf("   %u columns\n", columns.count);
        free(tables.values);
        free(errors);
        columns_done(&columns);
        anneal_free(s);
    }
    problem_free(p);
}

/* Returns the fraction of forms with one µop whose port set is correct, after the best renaming of
 * ports. */
static double exact_share(const struct mapping *truth, const struct mapping *found,
                          const struct problem *p)
{
    struct genome *a = genome_of_mapping(truth, p, NULL), *b = genome_of_mapping(found, p, NULL);
    uint8_t to[PROBLEM_PORTS_MAX];
    size_t single = 0, exact = 0;

    if (a && b) {
        a->ports = b->ports;   /* Further ports (pipes) occur in no usage here. */
        genome_align(a, b, to);
        genome_rename(b, to);
        for (size_t f = 0; f < p->forms; f++) {
            const struct gene *x = &a->genes[f], *y = &b->genes[f];
            if (x->uops != 1 || x->count[0] != 1)
                continue;
            single++;
            exact += y->uops == 1 && y->count[0] == 1 && y->set[0] == x->set[0];
        }
    }
    genome_free(a);
    genome_free(b);
    return single ? (double)exact / (double)single : NAN;
}

/* A shipped machine with limits on its forms, ports and µops per form. */
struct known_case {
    const char *id;
    unsigned most_ports;
    uint32_t most_uops;
    double noise;
    bool congruence;         /* searches classes of congruent forms first */
};

static const struct known_case known_cases[] = {
    {"skylake", 8, 6, 0.01, true},
    {"znver2", 12, 6, 0.01, true},
    {"skylake", 8, 6, 0.01, false},
    {"znver2", 12, 6, 0.01, false},
    {"skylake", PROBLEM_PORTS_MAX, GENE_COUNT_MAX, 0.01, true},
    {"znver2", PROBLEM_PORTS_MAX, GENE_COUNT_MAX, 0.01, true},
    {"znver2", 12, 6, 0.05, true},
    {"cortex-a72", PROBLEM_PORTS_MAX, GENE_COUNT_MAX, 0.05, true},
};

static struct mapping *truth_of(const struct known_case *c)
{
    struct err err = {0};
    struct machine *machine = machine_load(c->id, &err);
    if (!machine)
        fail(&err);
    struct mapping *truth = some_forms(machine, 200, c->most_ports, c->most_uops);
    machine_free(machine);
    return truth;
}

static void print_case(const struct known_case *c, const struct mapping *truth)
{
    printf("  %s, %u ports, %s, %g %% noise, %s:", c->id, mapping_ports(truth)->count,
           c->most_uops > 6 ? "dividers too" : "no dividers", 100 * c->noise,
           c->congruence ? "congruence classes first" : "all forms from the start");
}

/* A run that is repeated with each seed, and its last result. */
struct seeded {
    struct evolve_options o;
    struct evolve_status status;
    /* @error is on unseen experiments. @exact is the result of exact_share, or NaN if the number of
     * ports is searched. */
    double error, exact;
    double cost;             /* CPU seconds of the runs of all seeds so far */
};

/* A run to which the number of ports of @truth is given. */
static struct seeded given_ports(const struct mapping *truth)
{
    struct seeded r = {.cost = 0};

    evolve_defaults(&r.o);
    r.o.ports = mapping_ports(truth)->count;
    r.o.width = 0;
    return r;
}

/* Performs each of the @n runs with every seed on the measurements @t of @truth. Calls @tell after
 * each seed. */
static void run_seeds(const struct mapping *truth, const struct experiments *t, struct seeded *runs,
                      unsigned n, unsigned seeds,
                      void (*tell)(void *state, const struct seeded *runs), void *state)
{
    struct err err = {0};
    struct problem *p = problem_new(t, NULL, &err);
    if (!p)
        fail(&err);

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        for (unsigned i = 0; i < n; i++) {
            struct seeded *r = &runs[i];
            double begun = cpu_seconds();
            r->o.seed = seed;
            struct mapping *m = infer(t, NULL, &r->o, &r->status);
            r->cost += cpu_seconds() - begun;
            r->error = unseen(truth, m);
            /* This is comparable only with the same number of ports. */
            r->exact = r->o.ports ? exact_share(truth, m, p) : NAN;
            mapping_free(m);
        }
        tell(state, runs);
        fflush(stdout);
    }
    problem_free(p);
}

/* Calls run_seeds on processor @c with runs of @seconds each. With @consensus, each run ends with a
 * consensus. */
static void run_case(const struct known_case *c, const bool *consensus, unsigned n, double seconds,
                     unsigned seeds, void (*tell)(void *state, const struct seeded *runs),
                     void *state)
{
    struct mapping *truth = truth_of(c);
    struct experiments *t = known_pairs(truth, c->noise, true);
    struct seeded runs[2];

    for (unsigned i = 0; i < n; i++) {
        runs[i] = given_ports(truth);
        runs[i].o.seconds = seconds;
        runs[i].o.congruence = c->congruence;
        runs[i].o.consensus = consensus[i];
    }
    print_case(c, truth);
    run_seeds(truth, t, runs, n, seeds, tell, state);
    experiments_free(t);
    mapping_free(truth);
}

static void tell_recovered(void *state, const struct seeded *run)
{
    (void)state;
    printf("  %.2f %.2f %.1f", 100 * run->status.d_avg, 100 * run->error, 100 * run->exact);
}

static void known(double seconds)
{
    printf("known mappings: 200 forms, all pairs, %g CPU-seconds; per seed D_avg %%, unseen "
           "five-form experiments %%, single µops exact %%\n",
           seconds);
    for (size_t i = 0; i < sizeof known_cases / sizeof *known_cases; i++) {
        run_case(&known_cases[i], &(const bool){true}, 1, seconds, SEEDS, tell_recovered, NULL);
        printf("\n");
    }
}

/* Prints and accumulates errors. @state is the mean errors without and with a consensus. */
static void tell_agreed(void *state, const struct seeded *runs)
{
    double *mean = state;

    for (unsigned i = 0; i < 2; i++)
        mean[i] += runs[i].error / PAIRED_SEEDS;
    printf("  %.2f/%.2f", 100 * runs[1].error, 100 * runs[0].error);
}

/* Compares runs of the same seeds with and without a consensus, on processors with a known
 * mapping. */
static void known_agreed(double seconds)
{
    static const bool consensus[] = {false, true};

    printf("known mappings, %g CPU-seconds: unseen five-form experiments %%, with a consensus "
           "where one is due / without, per seed and mean\n",
           seconds);
    for (size_t i = 0; i < sizeof known_cases / sizeof *known_cases; i++) {
        double mean[2] = {0};
        run_case(&known_cases[i], consensus, 2, seconds, PAIRED_SEEDS, tell_agreed, mean);
        printf("  mean %.3f/%.3f\n", 100 * mean[1], 100 * mean[0]);
    }
}

/* Statistics of the searched numbers of ports. */
struct sought {
    unsigned right, equivalent;
};

static void tell_ports(void *state, const struct seeded *runs)
{
    const struct seeded *given = &runs[0], *sought = &runs[1];
    struct sought *s = state;
    bool right = sought->status.ports == given->o.ports;

    s->right += right;
    s->equivalent += !right && sought->error <= given->error + EQUIVALENT;
    printf(" %u:%.2f/%.2f:%.2f", sought->status.ports, 100 * sought->error, 100 * given->error,
           sought->cost / given->cost);
}

/* Measures the cost of searching for the number of ports, compared with a run to which it is given.
 * Runs are limited by generations instead of time. A number is equivalent if its error on unseen
 * experiments is within EQUIVALENT of that of the correct number. */
static void seek_ports(const char *id, unsigned most_ports)
{
    struct err err = {0};
    struct machine *machine = machine_load(id, &err);
    if (!machine)
        fail(&err);
    struct mapping *truth = some_forms(machine, PORTS_FORMS, most_ports, 6);
    struct experiments *t = known_pairs(truth, 0.01, true);
    struct seeded runs[] = {given_ports(truth), given_ports(truth)};
    struct sought sought = {0};

    printf("number of ports sought: %s, %u ports, %d forms, 1 %% noise, one generation; per seed "
           "the number found, its error and that of a run given, %%, and how many times that run's "
           "CPU time so far\n ",
           id, runs[0].o.ports, PORTS_FORMS);
    runs[0].o.generations = runs[1].o.generations = 1;
    runs[1].o.ports = 0;
    run_seeds(truth, t, runs, 2, PORTS_SEEDS, tell_ports, &sought);
    printf("\n  right %u, equivalent %u of %d; CPU time %.2f times that of runs given\n",
           sought.right, sought.equivalent, PORTS_SEEDS, runs[1].cost / runs[0].cost);
    experiments_free(t);
    mapping_free(truth);
    machine_free(machine);
}

static bool is_requested(int argc, char **argv, const char *part)
{
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], part) == 0)
            return true;
    return argc <= 3;
}

int main(int argc, char **argv)
{
    const char *shared = getenv("PORTOLAN_SHARED");
    struct str directory = {0};
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 60;

    if (argc > 1)
        str_add(&directory, argv[1]);
    else if (shared)
        str_addf(&directory, "%s/data/pmevo-skl", shared);
    clock_set_source(cpu_seconds);
    if (argc > 3 && is_requested(argc, argv, "noisy")) {
        struct data d =
            load(str_text(&directory),
                 (const char *const[]){"exps_singletons.json", "exps_five_first_half.json"}, 2);
        for (int consensus = 0; consensus < 2; consensus++)
            cross_validate(&d, 2, consensus, seconds);
        experiments_free(d.t);
    } else if (directory.length && strcmp(str_text(&directory), "-") != 0) {
        struct data d =
            load(str_text(&directory),
                 (const char *const[]){"exps_singletons.json", "len_02.json", "len_03.json"}, 3);
        if (is_requested(argc, argv, "engines"))
            engines(&d);
        if (is_requested(argc, argv, "pmevo"))
            paper(&d);
        if (is_requested(argc, argv, "cv"))
            cross_validate(&d, 2, true, seconds);
        if (is_requested(argc, argv, "transfer"))
            transfer(&d, str_text(&directory), seconds);
        if (is_requested(argc, argv, "triples"))
            cross_validate(&d, 3, true, seconds);
        if (is_requested(argc, argv, "curve"))
            curve(&d, seconds);
        experiments_free(d.t);
    } else {
        printf("no directory of published experiments: what needs them is left out\n");
    }
    if (is_requested(argc, argv, "known"))
        known(seconds);
    if (argc > 3 && is_requested(argc, argv, "forms306"))
        forms306(seconds);
    if (argc > 3 && is_requested(argc, argv, "agreed"))
        known_agreed(seconds);
    if (is_requested(argc, argv, "ports"))
        seek_ports("skylake", 8);
    str_done(&directory);
    return 0;
}
