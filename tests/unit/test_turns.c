/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A turn of the UI thread while a search runs and results arrive. No view computes amounts that
 * grow with the number of experiments. Views draw data that the run's thread and jobs have
 * published. Work is counted in steps of this thread. */
#include <math.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/steps.h"
#include "cmd/forecast.h"
#include "work/evolve_job.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

#define ROWS 30000
#define FORMS 5
#define COUNTS 9         /* maximum number of copies of a form in an experiment */
#define TURN_STEPS 27000   /* maximum number of steps of a turn: less than one per row */
#define OUTLINES 3       /* outlines with which each view is drawn */

static _Atomic uint64_t ticks;

/* A clock for all threads, which each read advances. */
static double ticking(void)
{
    return 0.01 * (double)atomic_fetch_add(&ticks, 1);
}

static void load_experiments(size_t count)
{
    static const char *const forms[FORMS] = {"ADD (R64, R64)", "IMUL (R64, R64)", "SHL (R64, I8)",
                                             "VADDPD (YMM, YMM, YMM)", "VANDPD (YMM, YMM, YMM)"};
    struct str text = {0};
    char line[300];

    str_add(&text, "experiment,cycles\n");
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        str_add_char(&text, '"');
        for (unsigned f = 0; f < FORMS; f++, rest /= COUNTS)
            str_addf(&text, "%s%zu*%s", f ? " + " : "", rest % COUNTS + 1, forms[f]);
        str_addf(&text, "\",%zu\n", i % 13 + 3);
    }
    work_put("experiments.csv", str_text(&text));
    str_done(&text);
    snprintf(line, sizeof line, "set machine skylake; experiments load %s",
             work_path("experiments.csv"));
    run_to_end(line);
}

/* Stores a result like the runner, while no thread reads the table. */
static void measure_one(void)
{
    static size_t next;
    struct experiments *t = session.document.experiments;

    if (!experiments_held(t))
        experiments_set(t, next++ % t->rows.count, 4, 0.001, 3, NULL);
}

/* Returns the steps of one turn. */
static uint64_t turn(void)
{
    struct str text = {0};
    const uint64_t before = steps_taken;

    frame_jobs(&frame);
    screen_text(&frame, 200, 60, false, &text);
    const uint64_t took = steps_taken - before;
    str_done(&text);
    return took;
}

static uint64_t serial_of(struct evolve_run *run)
{
    const struct outline *o = evolve_run_outline(run);
    return o ? o->serial : 0;
}

static void test_turns_of_views(void **state)
{
    static const char *const shown[] = {"matrix",  "evolution", "search",  "tables", "experiments",
                                        "mapping", "accuracy",  "machine", "kernel"};
    clock_set_source(ticking);
    load_experiments(ROWS);
    frame_run(&frame, "evolve start --ports 4 --threads 1 --seconds 1000000 --checkpoint none");
    while (!session.document.run_count)
        frame_jobs(&frame);
    struct evolve_run *run = session.document.runs[0];
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char line[64];
        unsigned outlines = 0;
        snprintf(line, sizeof line, "view %s", shown[i]);
        frame_run(&frame, line);
        assert_false(frame.failed);
        for (uint64_t last = serial_of(run); outlines < OUTLINES;) {
            measure_one();
            const uint64_t steps = turn(), now = serial_of(run);
            if (steps > TURN_STEPS)
                fail_msg("%s: %llu steps", shown[i], (unsigned long long)steps);
            outlines += now != last;
            last = now;
        }
    }
    /* The view has the predictions and the comparison of one of the outlines. */
    frame_run(&frame, "view matrix");
    frame_run(&frame, "evolve stop");
    job_wait(0);
    for (int i = 0; i < 3; i++) {
        turn();
        job_wait(0);
    }
    struct str text = {0};
    turn();
    screen_text(&frame, 200, 60, false, &text);
    assert_non_null(strstr(str_text(&text), "forms equal"));
    assert_non_null(strstr(str_text(&text), "30000 experiments  run "));
    str_done(&text);
}

/* The counts of a table change with the table. */
static void test_counts(void **state)
{
    static const char *const states[] = {EXPERIMENT_PENDING, EXPERIMENT_ONCE, EXPERIMENT_CONTENDED,
                                         EXPERIMENT_OK, "SIGILL"};
    struct experiments *t;
    load_experiments(40);
    t = session.document.experiments;
    assert_true(t->measured == 40 && !t->failed);
    for (size_t i = 0; i < 400; i++) {
        size_t measured = 0, failed = 0;
        const char *is = states[i * 7 % 5];
        experiments_set(t, i * 13 % 40, i % 3 ? 2 : NAN, NAN, 1, is);
        struct experiments *copy = experiments_copy(t, NULL);
        for (size_t k = 0; k < 40; k++) {
            measured += experiments_measured(t, k);
            failed += !experiments_measured(t, k) && !experiment_state_open(t->rows.items[k].state);
        }
        assert_true(t->measured == measured && t->failed == failed);
        assert_true(copy->measured == measured && copy->failed == failed);
        experiments_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turns_of_views, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counts, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
