/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares ways to choose experiments: error on unseen experiments of five forms over the number
 * of measurements. Experiments are chosen actively, at random, or are all pairs.
 *
 *     bench_active [SECONDS [SEEDS [FORMS [NOISE]]]] [real|MACHINE]...
 *     bench_active SECONDS SEEDS RECORD.csv...
 *
 * The processor is simulated and has FORMS forms of a shipped machine (default skylake). With real
 * it is this CPU. The forms are then drawn at random from those that take at most 4 cycles alone,
 * and the unseen experiments are also measured. With a record (singletons, pairs and larger
 * experiments of a CPU, in one or several files) half of the largest experiments are unseen. The
 * other half may be chosen. SECONDS is the CPU time of the last inference on one thread. Each
 * earlier round has a fifth of it. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "infer/generate.h"
#include "infer/select.h"
#include "io/experiments_file.h"
#include "io/machine_file.h"
#include "known_cpu.h"
#include "measure/cpu_source.h"
#include "measure/runner.h"
#include "model/metrics.h"
#include "throughput/predict.h"

#define UNSEEN 2000
#define CYCLES_MOST 4.2
#define SHARE 0.1           /* fraction of all pairs that is measured */
#define SHARE_RECORDED 0.15 /* the same fraction for a record, whose pairs include weighted ones */
#define ROUNDS 8
#define MODES 4

struct bench {
    double seconds;
    struct measured_known cpu;
    /* source that measures on this CPU; NULL for a simulated CPU or a record */
    struct source *real;
    /* experiments of a record without the held-out ones; may be NULL */
    struct experiments *record;
    unsigned most_forms;             /* maximum number of forms in an experiment */
    double width;                    /* issue width for the inference */
    struct experiments *forms;       /* a table without rows that has the forms under test */
    struct experiments *unseen;
    const char *mode;
    uint64_t seed;
};

static const struct {
    const char *name;
    unsigned size;                   /* forms per experiment; 0 for all pairs */
    bool random;
} modes[MODES] = {{"pairs by chance", 2, true},
                  {"all by chance", 4, true},
                  {"all chosen", 4, false},
                  {"all pairs", 0, false}};

static void take_value(void *state, size_t index, const struct measured *m)
{
    experiments_set(state, index, m->cycles, m->spread, m->repeats, m->state);
}

static bool never(void *state)
{
    (void)state;
    return false;
}

static void ignore(void *state, const struct runner_summary *so_far, size_t total)
{
    (void)state;
    (void)so_far;
    (void)total;
}

static bool measure(struct experiments *t, void *state, struct err *err)
{
    struct bench *b = state;
    if (b->record)
        return replay_measure(t, b->record, err);
    if (!b->real)
        return measure_known(t, &b->cpu, err);
    struct experiments *copy = experiments_copy(t, NULL);
    const struct runner_options options = {0};
    const struct runner_hooks hooks = {
        .cancelled = never, .result = take_value, .progress = ignore, .state = t};
    struct runner_summary summary;
    /* The wait for an idle machine uses the wall clock. */
    clock_set_source(NULL);
    bool ok = runner_run(b->real, copy, NULL, &options, &hooks, &summary, err);
    clock_set_source(cpu_seconds);
    experiments_free(copy);
    return ok;
}

static double error_of(const struct bench *b, const struct mapping *m)
{
    double *cycles = mem_alloc((b->unseen->rows.count + 1) * sizeof *cycles);
    throughput_predict(m, b->unseen, cycles);
    double error = metrics_accuracy(b->unseen, cycles).mape;
    free(cycles);
    return error;
}

static void print_round(void *state, const struct select_round *r, const struct mapping *best)
{
    const struct bench *b = state;
    printf("  %llu %-16s %6zu %7.2f %7.2f %7.2f %7.2f   %s\n", (unsigned long long)b->seed, b->mode,
           r->measurements, 100 * error_of(b, best), 100 * r->error, 100 * r->noise,
           100 * r->disagreement, r->end ? select_end_names[r->end] : "");
    fflush(stdout);
}

static struct evolve_options options_of(const struct bench *b, double seconds)
{
    struct evolve_options o;
    evolve_defaults(&o);
    o.seed = b->seed;
    o.width = b->width;
    o.seconds = seconds;
    return o;
}

/* Returns the error of a mapping inferred from all of @t, without an earlier mapping. */
static double infer_all(const struct bench *b, const struct experiments *t)
{
    struct evolve_options o = options_of(b, b->seconds);
    struct ports ports = {0};
    struct err err = {0};
    struct problem *p = problem_new(t, NULL, &err);
    struct evolve *e = p ? evolve_new(p, &o, NULL, 0, &err) : NULL;

    if (!e)
        fail(&err);
    evolve_worker(e, 0, NULL, NULL);
    struct genome *g = evolve_best(e, NULL);
    for (unsigned i = 0; i < g->ports; i++)
        ports_add(&ports, (const char[]){"0123456789ABCDEF"[i], 0}, NULL);
    struct mapping *m = genome_mapping(g, p, &ports);
    double error = error_of(b, m);
    mapping_free(m);
    genome_free(g);
    evolve_free(e);
    problem_free(p);
    return error;
}

static size_t recorded_pairs(const struct experiments *record)
{
    size_t n = 0;
    for (size_t i = 0; i < record->rows.count; i++)
        n += record->rows.items[i].count == 2;
    return n;
}

static void run_mode(struct bench *b, size_t mode, double *error, size_t *measured)
{
    struct experiments *t = experiments_copy(b->forms, NULL);
    size_t n = t->forms.count, pairs = b->record ? recorded_pairs(b->record) : n * (n - 1) / 2,
           share = (size_t)((b->record ? SHARE_RECORDED : SHARE) * (double)pairs),
           most = share > n ? share : n;
    const struct select_options o = {
        .evolve = options_of(b, b->seconds / 5),
        .first = most / ROUNDS + 1,
        .batch = most / ROUNDS + 1,
        .most = most,
        .size = b->record && modes[mode].size > b->most_forms ? b->most_forms : modes[mode].size,
        .random = modes[mode].random,
        .record = b->record};
    struct err err = {0};

    b->mode = modes[mode].name;
    rng_seed(&b->cpu.rng, b->seed);
    if (modes[mode].size) {
        struct mapping *m = select_run(t, &o, measure, b, print_round, b, &err);
        if (!m)
            fail(&err);
        mapping_free(m);
    } else {
        uint32_t *all = mem_alloc((n + 1) * sizeof *all);
        for (uint32_t f = 0; f < n; f++)
            all[f] = f;
        generate_singletons(t, all, n);
        if (!measure(t, b, &err))
            fail(&err);
        if (b->record)
            generate_recorded(t, b->record, SIZE_MAX, 2, &b->cpu.rng);
        else
            generate_pairs(t, all, n);
        if (!measure(t, b, &err))
            fail(&err);
        free(all);
    }
    *measured = t->rows.count - n;
    *error = infer_all(b, t);
    experiments_free(t);
}

/* Compares all methods on one processor with each seed. */
static void compare(struct bench *b, unsigned seeds, const char *name)
{
    double error[MODES] = {0}, sum[MODES] = {0}, count[MODES] = {0};
    struct str lines = {0};

    printf("%s: %zu forms\n  seed, way, measurements besides the single forms, %% error on %zu "
           "unseen five-form experiments, on what was asked, noise, "
           "disagreement on the most disputed\n",
           name, b->forms->forms.count, b->unseen->rows.count);
    for (b->seed = 1; b->seed <= seeds; b->seed++)
        for (size_t k = 0; k < MODES; k++) {
            size_t measured;
            run_mode(b, k, &error[k], &measured);
            sum[k] += error[k];
            count[k] += (double)measured;
            str_addf(&lines, "  %llu %-16s %6zu %7.2f\n", (unsigned long long)b->seed,
                     modes[k].name, measured, 100 * error[k]);
        }
    printf("inferred anew from all of it, %g CPU-seconds: seed, way, measurements, %% error\n%s",
           b->seconds, str_text(&lines));
    for (size_t k = 0; k < MODES; k++)
        printf("  mean %-13s %6.0f %7.2f\n", modes[k].name, count[k] / seeds, 100 * sum[k] / seeds);
    fflush(stdout);
    str_done(&lines);
}

static void simulated(struct bench *b, const char *id, size_t forms, unsigned seeds)
{
    struct err err = {0};
    struct machine *machine = machine_load(id, &err);
    struct rng rng;
    uint32_t *all = mem_alloc((forms + 1) * sizeof *all);

    if (!machine)
        fail(&err);
    struct mapping *truth = some_forms(machine, forms, PROBLEM_PORTS_MAX, 6);
    struct measured_known exact = {.m = truth};
    b->cpu.m = truth;
    b->width = 0;
    b->forms = experiments_new();
    for (uint32_t f = 0; f < mapping_count(truth); f++)
        all[f] = names_add(&b->forms->forms, mapping_at(truth, f)->form);
    rng_seed(&rng, 77);
    b->unseen = experiments_copy(b->forms, NULL);
    generate_random(b->unseen, all, mapping_count(truth), UNSEEN, 5, &rng);
    measure_known(b->unseen, &exact, &err);
    compare(b, seeds, id);
    experiments_free(b->forms);
    experiments_free(b->unseen);
    mapping_free(truth);
    machine_free(machine);
    free(all);
}

/* Draws random forms that this CPU can measure in a short time. */
static struct experiments *forms_here(struct bench *b, const struct forms *known, size_t count)
{
    struct experiments *t = experiments_new(), *out = experiments_new();
    struct err err = {0};
    struct rng rng;

    rng_seed(&rng, 12);
    for (size_t tries = 0; t->rows.count < 4 * count && tries < 100 * count; tries++) {
        size_t before = t->forms.count;
        uint32_t f =
            names_add(&t->forms, forms_at(known, rng_below(&rng, forms_count(known)))->form);
        if (t->forms.count > before)
            experiments_add(t, &(struct flat_term){f, 1}, 1);
    }
    if (!measure(t, b, &err))
        fail(&err);
    for (size_t i = 0; i < t->rows.count && out->forms.count < count; i++)
        if (experiments_measured(t, i) && t->rows.items[i].cycles <= CYCLES_MOST)
            names_add(&out->forms, t->forms.items[experiments_terms(t, i)->form]);
    experiments_free(t);
    return out;
}

static void here(struct bench *b, size_t count, unsigned seeds)
{
    struct err err = {0};
    struct forms *known = forms_load(ISA_X86_64, NULL, &err);
    struct rng rng;
    uint32_t *all = mem_alloc((count + 1) * sizeof *all);

    if (!known || !(b->real = source_cpu(known, -1, 0, NULL, NULL, NULL, &err)))
        fail(&err);
    b->width = NAN;
    b->forms = forms_here(b, known, count);
    b->unseen = experiments_copy(b->forms, NULL);
    for (uint32_t f = 0; f < b->forms->forms.count; f++)
        all[f] = f;
    rng_seed(&rng, 77);
    generate_random(b->unseen, all, b->forms->forms.count, UNSEEN, 5, &rng);
    if (!measure(b->unseen, b, &err))
        fail(&err);
    compare(b, seeds, "this CPU");
    source_free(b->real);
    b->real = NULL;
    experiments_free(b->forms);
    experiments_free(b->unseen);
    forms_free(known);
    free(all);
}

/* Holds out half of the largest experiments of @record, drawn at random, and removes them from
 * it. */
static void keep_aside(struct bench *b, struct experiments *record)
{
    bool *aside = mem_zero(record->rows.count + 1, sizeof *aside),
         *left = mem_zero(record->rows.count + 1, sizeof *left);
    struct rng rng;

    rng_seed(&rng, 77);
    for (size_t i = 0; i < record->rows.count; i++)
        b->most_forms = record->rows.items[i].count > b->most_forms ? record->rows.items[i].count
                                                                    : b->most_forms;
    for (size_t i = 0; i < record->rows.count; i++) {
        aside[i] = record->rows.items[i].count == b->most_forms && rng_below(&rng, 2);
        left[i] = !aside[i];
    }
    b->unseen = experiments_copy(record, aside);
    b->record = experiments_copy(record, left);
    free(aside);
    free(left);
}

static void replayed(struct bench *b, char *const *paths, int count, unsigned seeds)
{
    struct err err = {0};
    struct experiments *all = experiments_new();

    for (int i = 0; i < count; i++) {
        struct experiments *part = experiments_load(paths[i], &err);
        if (!part)
            fail(&err);
        experiments_append(all, part);
        experiments_free(part);
    }
    b->width = NAN;
    bool *none = mem_zero(all->rows.count + 1, sizeof *none);
    b->forms = experiments_copy(all, none);
    free(none);
    keep_aside(b, all);
    compare(b, seeds, "a record");
    experiments_free(all);
    experiments_free(b->forms);
    experiments_free(b->record);
    experiments_free(b->unseen);
    b->record = NULL;
}

int main(int argc, char **argv)
{
    double numbers[] = {8, 3, 120, 0.005};
    size_t given = 0;
    bool named = false;

    clock_set_source(cpu_seconds);
    for (int i = 1; i < argc && given < 4 && isdigit((unsigned char)argv[i][0]); i++)
        numbers[given++] = strtod(argv[i], NULL);
    struct bench b = {.seconds = numbers[0], .cpu = {.noise = numbers[3]}};
    size_t forms = (size_t)numbers[2];
    unsigned seeds = (unsigned)numbers[1];
    if (1 + (int)given < argc && strstr(argv[1 + given], ".csv")) {
        replayed(&b, argv + 1 + given, argc - 1 - (int)given, seeds);
        return 0;
    }
    for (int i = 1 + (int)given; i < argc; i++) {
        named = true;
        if (strcmp(argv[i], "real") == 0)
            here(&b, forms, seeds);
        else
            simulated(&b, argv[i], forms, seeds);
    }
    if (!named)
        simulated(&b, "skylake", forms, seeds);
    return 0;
}
