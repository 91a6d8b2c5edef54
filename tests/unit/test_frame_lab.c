/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panes of LAB in the frame: experiments, measurements, charts, checks and inference, with golden
 * screens. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "chart/stage_log.h"
#include "view/frame.h"
#include "work/job.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

/* Draws a short run of one thread on a simulated processor, which is reproducible. */
static void test_golden_of_evolution(void **state)
{
    run_to_end("view evolution");
    compare_sizes("evolution-none");
    run_to_end("set machine skylake; forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, "
               "I8)' 'MOV (R64, M64)'; experiments generate");
    run_to_end("experiments measure --simulate skylake");
    run_to_end("evolve start --algorithm pmevo --ports 4 --population 20 --generations 6 --seed 1 "
               "--threads 1");
    run_to_end("view evolution");
    press("x");   /* The axis shows generations, because the clock stands still. */
    compare_sizes("evolution");
}

static void test_experiments(void **state)
{
    const char *prefill;

    frame_run(&frame, "view experiments");
    assert_true(screen_holds("Experiments are loops of a few forms"));
    frame_run(&frame, "view accuracy");
    assert_true(screen_holds("Predicted cycles against measured cycles"));
    add_experiments();
    frame_run(&frame, "view experiments");
    assert_true(screen_holds("6 experiments"));
    assert_true(screen_holds("SIGFPE"));
    assert_true(screen_holds("-16.7%"));   /* 1.2 measured, 1 predicted */
    frame_run(&frame, "sort -cycles");
    frame_run(&frame, "filter cycles>1 & experiment~IMUL");
    assert_true(screen_holds("1/2 of 6"));
    prefill = NULL;
    assert_int_equal(frame_key(&frame, '\\', &prefill), FRAME_PROMPT);
    /* This is the current value, for editing. */
    assert_string_equal(prefill, "filter cycles>1 & experiment~IMUL");
    frame_run(&frame, "filter cycles>much");
    assert_true(frame.failed);
    frame_run(&frame, "filter");
    frame_run(&frame, "view accuracy");
    assert_true(screen_holds("4 experiments"));
    compare_sizes("accuracy");
    frame_key(&frame, KEYCODE_ENTER, &prefill);
    assert_string_equal(views[frame.current]->name, "experiments");
    compare_sizes("experiments");
}

static void test_detail(void **state)
{
    const char *prefill;

    frame_run(&frame, "view machine");
    assert_true(screen_holds("Not calibrated"));
    add_experiments();
    frame_run(&frame, "view experiments");
    frame_key(&frame, KEYCODE_ENTER, &prefill);
    assert_true(screen_holds("No samples"));
    job_wait(0);   /* This encodes the code. */
    assert_true(screen_holds("as it would be run: 200 times"));
    fill_record();
    assert_true(screen_holds("code as run: 1 time in 10 bytes"));
    assert_true(screen_holds("imul rax, r10"));
    assert_true(screen_holds("3.7000 GHz"));
    press("J");
    assert_true(screen_lacks(" add rax, r8"));
    press("K");
    compare_sizes("detail");
    session.settings.ascii = true;
    compare(&frame, "detail-ascii", 80, 24);
    session.settings.ascii = false;
    /* There are rows of every kind, at every size. */
    for (int row = 0; row < 6; row++) {
        for (unsigned width = 20; width < 200; width += 9)
            for (unsigned height = 6; height < 60; height += 3) {
                struct str text = {0};
                screen_text(&frame, width, height, false, &text);
                str_done(&text);
            }
        press("j");
    }
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
    assert_true(screen_lacks("as it would be run"));
    frame_run(&frame, "view machine");
    compare_sizes("machine");
    session.settings.ascii = true;
    compare(&frame, "machine-ascii", 80, 24);
    session.settings.ascii = false;
}

/* The view shows a chart in progress: finished stages with their results, the current stage, later
 * stages, and progress over time. */
static void test_chart_stages(void **state)
{
    struct stage_log *log;

    frame_run(&frame, "set panes off");
    add_experiments();
    fill_record();   /* These are the measurements of the charted CPU, and not of this one. */
    chart_clock_begin();
    log = session.document.chart = stage_log_new("chart of mine", "of the stage");
    frame_run(&frame, "view machine");
    assert_true(screen_lacks("chart of mine"));
    chart_runs(log);
    assert_true(screen_holds("1 single forms   1:15 100 %  forms with a stable time: 2 of 3"));
    assert_true(screen_holds("> 3 ports          0:09  25 %  forms added one by one"));
    compare_sizes("chart");
    session.settings.ascii = true;
    compare(&frame, "chart-ascii", 80, 24);
    session.settings.ascii = false;
    for (unsigned width = 20; width < 200; width += 9)
        for (unsigned height = 6; height < 60; height += 3) {
            struct str text = {0};
            screen_text(&frame, width, height, false, &text);
            str_done(&text);
        }
    stage_log_end(log);
    assert_true(screen_lacks("> 3 ports"));
    clock_set_source(NULL);
    stage_log_free(log);
    session.document.chart = NULL;
}

/* Replaces the chart's mapping by one that places IMUL on @imul. */
static void place(struct stage_log *log, portset imul)
{
    struct ports ports = {0};

    ports_number(&ports, 3);
    struct mapping *m = mapping_new(&ports);
    const struct {
        const char *form, *source;
        portset set;
    } forms[] = {{"ADD (R64, R64)", "charted: core, confidence 1.00", 7},
                 {"IMUL (R64, R64)", "charted: confidence 0.60", imul}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct mapping_entry entry = {.form = (char *)forms[i].form,
                                      .latency = NAN,
                                      .micro_ops = 1,
                                      .source = (char *)forms[i].source};
        usage_add(&entry.usage, forms[i].set, 1);
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    stage_log_mapping(log, m, session.document.experiments);
    mapping_free(m);
}

/* During a chart the matrix shows its mapping, and marks the cells that changed last. */
static void test_mapping_of_a_chart(void **state)
{
    struct stage_log *log;

    frame_run(&frame, "set panes off");
    add_experiments();
    chart_clock_begin();
    log = session.document.chart = stage_log_new("chart of mine", "of the stage");
    chart_runs(log);
    frame_run(&frame, "view matrix");
    assert_true(screen_holds("Stage 3 of the chart finds the ports."));
    place(log, 1);
    assert_true(screen_holds("chart of mine  2 forms, 3 ports, 2 distinct µops"));
    place(log, 2);
    assert_true(screen_holds("changed: 2 cells"));
    frame_run(&frame, "view mapping");
    assert_true(screen_holds("v inferred"));
    press("v");
    assert_string_equal(views[frame.current]->name, "matrix");
    compare_sizes("matrix-chart");
    stage_log_end(log);
    assert_true(screen_holds("chart of mine, ended  2 forms"));
    clock_set_source(NULL);
    stage_log_free(log);
    session.document.chart = NULL;
}

/* The view check is shown from the start of a check, with the forms that are not measured yet. */
static void test_check_from_its_start(void **state)
{
    frame_run(&frame, "set panes off; set machine skylake");
    frame_run(&frame, "machine check 'ADD (R64, R64)' 'IMUL (R64, R64)' --simulate haswell");
    assert_string_equal(views[frame.current]->name, "check");
    while (job_running())
        frame_jobs(&frame);
    frame_jobs(&frame);
    assert_null(session.checking);
    assert_string_equal(views[frame.current]->name, "check");
    assert_true(screen_holds("skylake compared with simulated haswell"));
    assert_true(screen_lacks("not measured yet"));
}

static bool half_done(void *state, struct err *err)
{
    job_progress(915, 1830, "12 s left, 0 settled");
    while (!job_cancelled(NULL))
        usleep(1000);
    return false;
}

/* During a measurement, the view machine shows the measured object, the progress, and the remaining
 * time. */
static void test_what_measures(void **state)
{
    static const struct job_ops ops = {.run = half_done, .measures = true};
    struct job_info info;
    struct err err = {0};
    char message[40];

    frame_run(&frame, "set panes off; view machine");
    assert_true(screen_lacks("now "));
    const unsigned number = job_start("experiments measure", &ops, NULL, &err);
    assert_true(number > 0);
    while (job_find(number, &info) && !*info.note)
        ;
    assert_true(screen_holds("now     experiments measure  50 %  12 s left, 0 settled"));
    snprintf(message, sizeof message, "job %u 50 %% 12 s left", number);
    assert_true(screen_holds(message));   /* The message also fits on the bottom line. */
    job_cancel(number);
    job_wait(number);
    assert_true(screen_lacks("now "));
}

/* Measures as a job of the workbench, which can be paused, resumed and ended. The table and the
 * view machine show its values. */
static void test_measuring(void **state)
{
    frame_run(&frame, "set panes off");
    add_experiments();
    frame_run(&frame, "experiments pause");
    assert_true(frame.failed);
    for (size_t i = 0; i < 4; i++)
        experiments_set(session.document.experiments, i, NAN, NAN, 0, EXPERIMENT_PENDING);
    frame_run(&frame, "experiments measure --simulate skylake cycles>");
    assert_true(frame.failed);
    frame_run(&frame, "experiments measure --simulate skylake form~IMUL");
    assert_false(frame.failed);
    frame_run(&frame, "experiments pause");
    bool ended = frame.failed;   /* The job may have ended before it was paused. */
    if (!ended) {
        frame_run(&frame, "jobs");
        frame_run(&frame, "experiments resume");
    }
    while (job_running())
        frame_jobs(&frame);
    const struct experiment_row *rows = session.document.experiments->rows.items;
    assert_true(isnan(rows[0].cycles) && isnan(rows[4].cycles));
    assert_true(fabs(rows[1].cycles - 1) < 0.01 && fabs(rows[3].cycles - 4) < 0.04);
    frame_run(&frame, "view experiments");
    assert_true(screen_holds("same"));
    frame_run(&frame, "filter form~IMUL & lengths=same");
    assert_true(screen_holds("1/3 of 6"));
    frame_run(&frame, "view machine");
    assert_true(screen_holds("simulated"));
    assert_true(screen_holds("windows lost"));
    frame_run(&frame, "experiments show 2");
    assert_true(screen_holds("pass 1, about 50 instructions"));
    frame_run(&frame, "experiments show 7");
    assert_true(frame.failed);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden_of_evolution, setup, teardown),
        cmocka_unit_test_setup_teardown(test_experiments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_detail, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chart_stages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mapping_of_a_chart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_check_from_its_start, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_measures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_measuring, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
