/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of inference with its threads: observed, paused, stopped, and resumed from its
 * checkpoint. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "infer/generate.h"
#include "io/experiments_file.h"
#include "io/population_file.h"
#include "model/metrics.h"
#include "throughput/predict.h"
#include "work/evolve_job.h"
#include "work/job.h"
#include "work/pool.h"
#include "../support/known.h"
#include "../support/support.h"

static struct experiments *some_experiments(void)
{
    static const char *const usages[] = {"1*p01", "1*p0", "1*p2", "1*p1+1*p2"};
    struct experiments *t = experiments_new();
    struct ports ports = {0};
    uint32_t forms[16];
    struct err err;
    char name[8];

    for (int i = 0; i < 3; i++)
        ports_add(&ports, (const char[]){(char)('0' + i), 0}, &err);
    struct mapping *m = mapping_new(&ports);
    for (uint32_t f = 0; f < 16; f++) {
        snprintf(name, sizeof name, "F%u", f);
        struct mapping_entry entry = {.form = name, .latency = NAN};
        usage_parse(usages[f % 4], &ports, &entry.usage, &err);
        mapping_set(m, &entry);
        usage_done(&entry.usage);
        forms[f] = names_add(&t->forms, name);
    }
    generate_singletons(t, forms, 16);
    generate_pairs(t, forms, 16);
    double *cycles = mem_alloc(t->rows.count * sizeof *cycles);
    throughput_predict(m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        experiments_set(t, i, cycles[i], NAN, 1, NULL);
    free(cycles);
    mapping_free(m);
    return t;
}

static struct evolve_options quick(void)
{
    struct evolve_options o = known_options();
    o.ports = 3;
    o.threads = 3;
    o.population = 3;
    o.price_scale = 1;   /* This makes the costs of two runs comparable. */
    return o;
}

static double error_of(const struct mapping *m, const struct experiments *t)
{
    double *cycles = mem_alloc(t->rows.count * sizeof *cycles);
    throughput_predict(m, t, cycles);
    struct accuracy a = metrics_accuracy(t, cycles);
    free(cycles);
    return a.mape;
}

static struct mapping *best_of(const struct evolve_run *run)
{
    struct problem *p;
    struct genome *g = evolve_best(run->evolve, &p);
    struct mapping *m = g ? evolve_run_mapping(run, g, p) : NULL;

    genome_free(g);
    problem_free(p);
    return m;
}

static void test_run_and_resume(void **state)
{
    struct experiments *t = some_experiments();
    struct evolve_options o = quick();
    struct evolve_status status;
    struct population p;
    struct err err = {0};
    const char *path = work_path("run.json");
    struct evolve_run *run = evolve_run_start(
        &(struct evolve_start){.take_problem = problem_new(t, NULL, &err), .checkpoint = path}, &o,
        &err);
    assert_non_null(run);
    for (int i = 0; i < 50; i++) {
        struct mapping *m = best_of(run);
        mapping_free(m);
        evolve_get_status(run->evolve, &status);
        evolve_pause(run->evolve, i % 2 == 0);
    }
    evolve_pause(run->evolve, false);
    evolve_run_wait(run);
    evolve_get_status(run->evolve, &status);
    assert_int_equal(status.state, EVOLVE_DONE);
    assert_true(status.d_avg < 0.02);
    assert_true(status.evaluations > 0);

    assert_true(population_load(path, &p, &err));
    assert_true(p.count > 0);
    struct problem *problem = evolve_problem(run->evolve);
    assert_true(p.fingerprint == problem->fingerprint);
    problem_free(problem);
    struct mapping *best = best_of(run);
    assert_float_equal(error_of(best, t), error_of(p.mappings[0], t), 1e-9);
    assert_int_equal(mapping_volume(best), mapping_volume(p.mappings[0]));
    mapping_free(best);
    evolve_run_free(run);

    run = evolve_run_start(&(struct evolve_start){.take_problem = problem_new(t, NULL, &err),
                                                  .from = (const struct mapping *const *)p.mappings,
                                                  .from_count = p.count,
                                                  .seconds_before = p.seconds},
                           &o, &err);
    assert_non_null(run);
    evolve_run_wait(run);
    struct evolve_status again;
    evolve_get_status(run->evolve, &again);
    /* The tolerance is needed, because single-precision sums are computed in another order. */
    assert_true(again.cost <= status.cost * (1 + 1e-5));
    evolve_run_free(run);
    population_done(&p);
    experiments_free(t);
}

/* Checks that an outline is complete: its predictions have the error of its mapping. Returns that
 * error. */
static double outlined(const struct outline *o)
{
    double sum = 0;

    for (size_t e = 0; e < o->problem->experiments; e++)
        sum += fabs(outline_error(o, e)) * (double)o->problem->weight[e];
    assert_true(fabs(sum / o->problem->weights - o->best->d_avg) < 1e-4);
    assert_true(o->worst_count && o->pair_count);
    assert_int_equal(mapping_count(o->machine->mapping), o->problem->forms);
    return o->best->d_avg;
}

/* A thread of the run publishes outlines while another reads them. The last outline shows the end
 * of the run, and changes with a later edit. */
static void test_outlines(void **state)
{
    struct experiments *t = some_experiments();
    struct evolve_options o = quick();
    struct evolve_status status = {0};
    struct err err = {0};
    uint64_t last = 0;
    struct evolve_run *run = evolve_run_start(
        &(struct evolve_start){.take_problem = problem_new(t, NULL, &err)}, &o, &err);
    assert_non_null(run);
    while (status.state <= EVOLVE_PAUSED) {
        const struct outline *seen = evolve_run_outline(run);
        assert_true(!seen || seen->serial >= last);
        last = seen ? seen->serial : 0;
        if (seen)
            outlined(seen);
        status = *evolve_run_status(run);
    }
    evolve_run_wait(run);
    evolve_get_status(run->evolve, &status);
    const struct outline *end = evolve_run_outline(run);
    assert_non_null(end);
    assert_true(outlined(end) == status.d_avg && end->sample_count && end->front_count);
    last = end->serial;
    assert_ptr_equal(evolve_run_outline(run), end);
    if (!evolve_run_edit(run, "F0", "3*p0", &err))
        fail_msg("%s", err.what);
    evolve_get_status(run->evolve, &status);
    end = evolve_run_outline(run);
    assert_true(end->serial > last && outlined(end) == status.d_avg);
    evolve_run_free(run);
    experiments_free(t);
}

/* Usages are edited on this thread while new measurements join the run on others. */
static void test_edits_while_results_join(void **state)
{
    struct experiments *t = some_experiments();
    struct evolve_options o = quick();
    struct evolve_status status;
    struct err err = {0};
    struct genome *g = NULL;
    unsigned edits = 0;

    o.generations = 1000000;
    struct evolve_run *run = evolve_run_start(
        &(struct evolve_start){.take_problem = problem_new(t, NULL, &err), .live = true}, &o, &err);
    assert_non_null(run);
    while (!(g = evolve_best(run->evolve, NULL)))
        usleep(1000);
    evolve_get_status(run->evolve, &status);
    /* The run may end before, if all its individuals become equal. */
    for (unsigned i = 0; i < 10 && status.state == EVOLVE_RUNNING; i++) {
        struct experiments *next = experiments_copy(t, NULL);
        experiments_set(next, 0, t->rows.items[0].cycles * (1 + 0.001 * (i + 1)), NAN, 1, NULL);
        evolve_run_feed(run, next);
        experiments_free(next);
        do {
            edits += evolve_edit(run->evolve, g);
            evolve_get_status(run->evolve, &status);
        } while (status.joined <= i && status.state == EVOLVE_RUNNING);
    }
    assert_true(status.joined && edits >= status.joined);
    genome_free(g);
    job_cancel(run->job);
    evolve_run_free(run);
    experiments_free(t);
}

/* Prices of µops for thousands of experiments must not exclude µops if there are six
 * experiments. */
static void test_few_experiments(void **state)
{
    static const char rows[] = "experiment,cycles\nA,0.25\nB,1\nC,0.5\nA + B,1\nA + C,0.5\nB + "
                               "C,1\n4*A + B,1.25\n2*A + C,1\n";
    struct err err = {0};
    struct experiments *t = experiments_parse("few", rows, sizeof rows - 1, &err);
    struct evolve_options o = quick();
    struct evolve_status status;

    assert_non_null(t);
    o.ports = 4;
    o.price_scale = NAN;
    struct evolve_run *run = evolve_run_start(
        &(struct evolve_start){.take_problem = problem_new(t, NULL, &err)}, &o, &err);
    assert_non_null(run);
    evolve_run_wait(run);
    evolve_get_status(run->evolve, &status);
    assert_true(status.d_avg < 0.05);
    assert_true(status.distinct >= 2);
    evolve_run_free(run);
    experiments_free(t);
}

static void test_stop_while_paused(void **state)
{
    struct experiments *t = some_experiments();
    struct evolve_options o = quick();
    struct evolve_status status;
    struct err err = {0};
    o.generations = 1000000;
    struct evolve_run *run = evolve_run_start(
        &(struct evolve_start){.take_problem = problem_new(t, NULL, &err)}, &o, &err);
    assert_non_null(run);
    evolve_pause(run->evolve, true);
    evolve_get_status(run->evolve, &status);
    assert_int_equal(status.state, EVOLVE_PAUSED);
    assert_true(job_cancel(run->job));
    evolve_run_wait(run);
    evolve_get_status(run->evolve, &status);
    assert_int_equal(status.state, EVOLVE_STOPPED);
    evolve_run_free(run);
    o.ports = 99;
    assert_null(evolve_run_start(&(struct evolve_start){.take_problem = problem_new(t, NULL, &err)},
                                 &o, &err));
    assert_true(err.what[0] != '\0');
    experiments_free(t);
}

/* The paper's algorithm runs on one thread. It ends regardless of the number of idle threads, also
 * if resumed from a population. */
static void test_pmevo_with_many_threads(void **state)
{
    struct experiments *t = some_experiments();
    struct evolve_options o = quick();
    struct evolve_status status;
    struct err err = {0};
    o.algorithm = EVOLVE_PMEVO;
    o.threads = 32;
    o.population = 20;
    for (int i = 0; i < 20; i++) {
        struct evolve_run *run = evolve_run_start(
            &(struct evolve_start){.take_problem = problem_new(t, NULL, &err)}, &o, &err);
        assert_non_null(run);
        evolve_run_wait(run);
        evolve_get_status(run->evolve, &status);
        assert_int_equal(status.state, EVOLVE_DONE);
        assert_int_equal(status.generation, 1);
        evolve_run_free(run);
    }
    experiments_free(t);
}

#define MEMBERS 32

static void count_call(void *state, unsigned worker)
{
    atomic_uint *calls = state;
    atomic_fetch_add(&calls[worker], 1);
}

/* Each member runs once, although each returns immediately. */
static void test_team(void **state)
{
    struct err err = {0};
    for (int round = 0; round < 50; round++) {
        atomic_uint calls[MEMBERS] = {0};
        assert_true(team_run(MEMBERS, count_call, calls, &err));
        for (unsigned i = 0; i < MEMBERS; i++)
            assert_int_equal(calls[i], 1);
    }
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

/* If the system denies threads no worker starts, and an error is returned. Runs in a child with a
 * low memory limit. */
static void test_team_refused(void **state)
{
#ifdef SANITIZED
    skip();   /* Sanitizers need the whole address space. */
#else
    if (!address_space_limited())
        skip();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static atomic_uint calls[1024];
        struct err err = {0};
        /* less than the stacks of the threads, 8 MiB each */
        const struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
        unsigned done = 0;
        if (setrlimit(RLIMIT_AS, &limit) != 0 || team_run(1024, count_call, calls, &err))
            _exit(1);
        for (unsigned i = 0; i < 1024; i++)
            done += calls[i];
        _exit(done == 0 && strstr(err.what, "of 1024 threads") ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

static _Atomic uint64_t stepped;

/* A clock that only work advances: a step (base/steps.h) of the calling thread takes 1 ms. */
static double clock_of_steps(void)
{
    static _Thread_local uint64_t seen;

    atomic_fetch_add(&stepped, steps_taken - seen);
    seen = steps_taken;
    return 1e-3 * (double)atomic_load(&stepped);
}

/* Returns the number of steps by which `evolve start --seconds 5` with @rows experiments exceeds a
 * run for which five seconds suffice. */
static uint64_t steps_too_many(size_t rows)
{
    struct str text = {0};
    struct session s;
    struct err err = {0};
    char line[4200];

    str_add(&text, "experiment,cycles\n");
    for (size_t i = 0; i < rows; i++)
        str_addf(&text, "%zu*F%zu + %zu*G%zu,%zu\n", 1 + i % 3, i / 300 % 300, 1 + i / 100000,
                 i % 300, 1 + i % 7);
    work_put("rows.csv", str_text(&text));
    str_done(&text);
    session_init(&s);
    snprintf(line, sizeof line, "experiments load %s", work_path("rows.csv"));
    if (!run_line(&s, line, NULL, &err))
        fail_msg("%s", err.what);
    (void)clock_of_steps();
    const uint64_t before = atomic_load(&stepped);
    clock_set_source(clock_of_steps);
    const bool ok =
        run_line(&s, "evolve start --seconds 5 --ports 4 --threads 1 --checkpoint none; job wait",
                 NULL, &err);
    clock_set_source(NULL);
    if (!ok && err.code != ERR_LIMIT && err.code != ERR_INTERRUPTED)
        fail_msg("%zu rows: %s", rows, err.what);
    const uint64_t steps = atomic_load(&stepped) - before;
    print_message("%zu rows: %llu steps, %s\n", rows, (unsigned long long)steps,
                  ok ? "a run" : err.what);
    session_done(&s);
    return steps > 5000 ? steps - 5000 : 0;
}

/* The time limit also applies to the layout of a large table. Little work follows the limit, for
 * any number of rows. */
static void test_limit_while_it_is_laid_out(void **state)
{
    assert_true(steps_too_many(50000) < 8 * WATCH_STEPS);
    assert_true(steps_too_many(200000) < 8 * WATCH_STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_and_resume),
        cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_edits_while_results_join),
        cmocka_unit_test(test_few_experiments),
        cmocka_unit_test(test_stop_while_paused),
        cmocka_unit_test(test_pmevo_with_many_threads),
        cmocka_unit_test(test_team),
        cmocka_unit_test(test_team_refused),
        cmocka_unit_test(test_limit_while_it_is_laid_out),
    };
    int failed = cmocka_run_group_tests_name("evolve job", tests, NULL, NULL);
    job_shutdown();
    return failed;
}
