/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reported progress of a run: one measure of error for all its phases, a least error that never
 * rises, and the number of individuals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/steps.h"
#include "infer/classes.h"
#include "infer/evolve_state.h"
#include "../support/known.h"
#include "../support/support.h"

#define TICK 0.003      /* seconds per read of the clock */
#define SAMPLES 20000
/* maximum number of columns of a description */
#define ROW 80
/* A run that is stopped at once makes more moves than this number. Without the final cooling, it
 * would make a third fewer. */
#define QUENCHED 20000
/* Steps of some polls. A search to the end would take several times this number. */
#define STEPS_LEFT 60000

static double now, tick = TICK;

static double ticking(void)
{
    return now += tick;
}

struct seen {
    struct evolve *e;
    double reached;     /* smallest error in the last status */
    size_t looks;
};

static void look(void *state)
{
    struct seen *seen = state;
    struct evolve_status status;

    evolve_get_status(seen->e, &status);
    assert_true(*status.phase && *status.meaning && strlen(status.meaning) <= ROW &&
                (status.state > EVOLVE_PAUSED || !isnan(status.seconds_left)));
    if (isnan(status.d_reached))
        return;
    assert_true(isnan(seen->reached) || status.d_reached <= seen->reached);
    assert_true(isnan(status.d_avg) || status.d_reached <= status.d_avg);
    seen->reached = status.d_reached;
    seen->looks++;
}

/* Equivalent forms are searched as one, whose mean times have far less noise than any experiment.
 * No curve may show the errors of these means. */
static void test_one_measure(void **state)
{
    static struct evolve_sample samples[SAMPLES];
    struct known_bed b;
    struct err err = {0};
    struct evolve_options o;
    known_set_up(&b, 42, 0.02, 0);
    struct problem *p = b.p;
    struct classes *classes = classes_new(p);
    struct genome *exact = genome_of_mapping(b.truth, p, &err);
    assert_non_null(classes);
    const double least = 0.8 * genome_error(exact, p);
    struct genome *class = classes_project(classes, exact);
    assert_true(genome_error(class, classes->p) < least);
    evolve_defaults(&o);
    o.ports = 4;
    o.width = 0;
    o.seconds = 20;
    o.begun = 0;
    now = 0;
    clock_set_source(ticking);
    struct seen seen = {.e = evolve_new(p, &o, NULL, 0, &err), .reached = NAN};
    evolve_worker(seen.e, 0, look, &seen);
    clock_set_source(NULL);
    size_t n = evolve_get_samples(seen.e, samples, SAMPLES);
    assert_true(n > 50 && seen.looks > 50);
    for (size_t i = 0; i < n; i++) {
        assert_true(samples[i].d_reached >= least && samples[i].d_median >= least &&
                    samples[i].d_worst >= samples[i].d_median);
        assert_true(i == 0 || samples[i].d_reached <= samples[i - 1].d_reached);
    }
    genome_free(class);
    genome_free(exact);
    classes_free(classes);
    evolve_free(seen.e);
    known_tear_down(&b);
}

/* Returns the number of individuals in a run of @seconds on two threads. */
static unsigned individuals(struct problem *p, double seconds, unsigned given)
{
    struct evolve_options o;
    struct evolve_status status;
    struct err err = {0};

    evolve_defaults(&o);
    o.population = given;
    o.seconds = seconds;
    o.threads = 2;
    struct evolve *e = evolve_new(p, &o, NULL, 0, &err);
    evolve_get_status(e, &status);
    evolve_free(e);
    return status.population;
}

/* The default population converges in time: more experiments per form reduce it. */
static void test_individuals_fit_the_time(void **state)
{
    struct mapping *m = known(14);
    struct experiments *few = measured(m, 0.01, 10), *many = measured(m, 0.01, 2000);
    struct err err = {0};
    struct problem *p = problem_new(few, NULL, &err), *q = problem_new(many, NULL, &err);

    assert_int_equal(individuals(p, 0, 0), 8);
    assert_int_equal(individuals(p, 60, 0), 8);
    assert_int_equal(individuals(p, 1e-3, 0), 4);
    assert_int_equal(individuals(q, 60, 0), 8);
    assert_int_equal(individuals(q, 1, 0), 4);
    assert_int_equal(individuals(q, 1, 6), 6);
    assert_true(individuals(p, 1, 0) > individuals(q, 1, 0));
    problem_free(p);
    problem_free(q);
    experiments_free(few);
    experiments_free(many);
    mapping_free(m);
}

static void stop(void *state)
{
    struct evolve_status status;

    evolve_get_status(state, &status);
    if (!isnan(status.d_avg))
        evolve_stop(state);
}

/* A stopped run, and its least reported error. The clock is also read during cooling, when there
 * are no polls. */
static struct seen *cooling;

static double ticking_and_looking(void)
{
    struct seen *seen = cooling;
    struct evolve_status status;

    if (seen && lock_try(&seen->e->lock)) {
        lock_give(&seen->e->lock);
        /* evolve_get_status reads the clock, which must neither advance nor call this function
         * again. */
        cooling = NULL;
        tick = 0;
        evolve_get_status(seen->e, &status);
        tick = TICK;
        assert_true(isnan(seen->reached) || status.d_reached <= seen->reached);
        seen->reached = status.d_reached;
        seen->looks++;
        cooling = seen;
    }
    return ticking();
}

/* A mapping of a run that is stopped in its first moments is at high temperature, and is cooled.
 * The mapping reported before is not lost. With seed 98, the second cooling ends slightly higher
 * than the first. */
static void test_stopped_at_once(void **state)
{
    static const unsigned seeds[] = {1, 2, 3, 4, 5, 6, 7, 8, 98};
    struct known_bed b;
    struct evolve_options o;
    struct evolve_status status;
    known_set_up(&b, 14, 0.01, 0);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        evolve_defaults(&o);
        o.ports = seeds[i] % 2 ? 4 : 0;
        o.seconds = 3600;
        o.seed = seeds[i];
        o.begun = 0;
        now = 0;
        clock_set_source(ticking_and_looking);
        struct evolve *e = evolve_new(b.p, &o, NULL, 0, NULL);
        struct seen seen = {.e = e, .reached = NAN};
        cooling = &seen;
        evolve_worker(e, 0, stop, e);
        cooling = NULL;
        clock_set_source(NULL);
        evolve_get_status(e, &status);
        struct genome *best = evolve_best(e, NULL);
        assert_int_equal(status.state, EVOLVE_STOPPED);
        /* At high temperature the error is at least 0.009 for most of these seeds. */
        assert_true(genome_error(best, b.p) < 0.006);
        uint64_t moves = 0;
        for (int k = 0; k < MOVE_KINDS; k++)
            moves += status.stats.tried[k];
        assert_true(moves > QUENCHED);
        assert_true(seen.looks > 0 && status.d_reached <= seen.reached);
        genome_free(best);
        evolve_free(e);
    }
    known_tear_down(&b);
}

static uint64_t steps_before;

/* Stops the run when the remaining work exceeds the remaining time. */
static void stop_short(void *state)
{
    stop(state);
    if (!evolve_stop_requested(state) || tick > TICK)
        return;
    tick = 10;
    steps_before = steps_taken;
}

/* With many forms the best mapping cools as far as time permits, and the run ends. */
static void test_stopped_at_once_with_many_forms(void **state)
{
    struct experiments *t = experiments_new();
    struct err err = {0};
    struct evolve_options o;
    struct evolve_status status;
    char name[16];
    for (uint32_t f = 0; f < 4000; f++) {
        snprintf(name, sizeof name, "F%u", f);
        experiments_set(t,
                        experiments_add(t, &(struct flat_term){names_add(&t->forms, name), 1}, 1),
                        1 + f % 3, NAN, 1, NULL);
        for (uint32_t k = f > 4 ? f - 4 : 0; k < f; k++)
            experiments_set(t, experiments_add(t, (struct flat_term[]){{f, 1}, {k, 1}}, 2),
                            2 + (f + k) % 3, NAN, 1, NULL);
    }
    struct problem *p = problem_new(t, NULL, &err);
    evolve_defaults(&o);
    o.ports = 4;
    o.seconds = 3600;
    o.begun = 0;
    now = 0;
    clock_set_source(ticking);
    struct evolve *e = evolve_new(p, &o, NULL, 0, NULL);
    evolve_worker(e, 0, stop_short, e);
    clock_set_source(NULL);
    tick = TICK;
    evolve_get_status(e, &status);
    assert_int_equal(status.state, EVOLVE_STOPPED);
    assert_true(steps_taken - steps_before < STEPS_LEFT);
    evolve_free(e);
    problem_free(p);
    experiments_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_measure),
                                       cmocka_unit_test(test_individuals_fit_the_time),
                                       cmocka_unit_test(test_stopped_at_once),
                                       cmocka_unit_test(test_stopped_at_once_with_many_forms)};
    return cmocka_run_group_tests_name("evolve curves", tests, NULL, NULL);
}
