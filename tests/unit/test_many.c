/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views with large contents: long output, export of all rows of a large table, a mapping of many
 * forms. Long work proceeds with each drawing, or in a job. The test counts the steps of this
 * thread. */
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/steps.h"
#include "cmd/pending_results.h"
#include "view/pager.h"
#include "view/pressures.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

#define LINES 300000
#define ROWS 30000

/* Draws until no work is left. Returns the number of drawings, and the most steps of one. */
static unsigned draw_on(uint64_t *most)
{
    struct str text = {0};
    unsigned n = 0;

    *most = 0;
    do {
        uint64_t before = steps_taken;
        screen_text(&frame, 80, 24, false, &text);
        *most = steps_taken - before > *most ? steps_taken - before : *most;
        n++;
    } while (frame_busy(&frame));
    str_done(&text);
    return n;
}

static void test_output(void **state)
{
    struct str text = {0};
    uint64_t most;

    for (size_t i = 0; i < LINES; i++)
        str_addf(&text, "line %06zu of the output\n", i);
    size_t output = view_find("output");
    run_to_end("view output");
    assert_true(screen_lacks("line 0"));
    output_view_set(frame.states[output], "much", str_take(&text));
    assert_true(frame_busy(&frame));
    assert_true(draw_on(&most) >= LINES / PAGER_STEPS);
    assert_true(most <= PAGER_STEPS + 10);
    press("G");
    assert_true(screen_holds("line 299999"));
    press("g");
    /* A search proceeds with each drawing. Esc ends it. */
    uint64_t before = steps_taken;
    frame_run(&frame, "find nowhere");
    assert_false(frame.failed);
    assert_true(steps_taken - before <= PAGER_STEPS + 10 && frame_busy(&frame));
    assert_true(screen_holds("searching"));
    assert_true(draw_on(&most) > 2 && most <= PAGER_STEPS + 10);
    assert_true(screen_holds("\"nowhere\" not found"));
    frame_run(&frame, "find 'line 222222'");
    draw_on(&most);
    assert_true(screen_holds("line 222222"));
    frame_run(&frame, "find nowhere");
    assert_true(frame_busy(&frame));
    press("\x1b");
    assert_false(frame_busy(&frame));
    /* Few lines are displayed and searched immediately. */
    output_view_set(frame.states[output], "little", mem_strdup("one\ntwo\n"));
    assert_int_equal(draw_on(&most), 1);
    assert_true(screen_holds("two"));
    frame_run(&frame, "find three");
    assert_true(frame.failed);
}

/* A search does not proceed while its view is not drawn, so it must not request drawings in a loop.
 * It continues when the view is shown again. */
static void test_nothing_drawn(void **state)
{
    struct str text = {0};
    uint64_t most;

    size_t output = view_find("output");
    run_to_end("view output");
    screen_text(&frame, 80, 24, false, &text);
    str_clear(&text);
    for (size_t i = 0; i < LINES; i++)
        str_add(&text, "a line\n");
    output_view_set(frame.states[output], "much", str_take(&text));
    draw_on(&most);
    frame_run(&frame, "find nowhere");
    assert_true(frame_busy(&frame));
    screen_text(&frame, 10, 2, false, &text);
    assert_false(frame_busy(&frame));
    screen_text(&frame, 80, 24, false, &text);
    assert_true(frame_busy(&frame));
    frame_run(&frame, "kernel paste");
    assert_true(frame.collecting);
    screen_text(&frame, 80, 24, false, &text);
    assert_false(frame_busy(&frame));
    press("\x1b");
    screen_text(&frame, 80, 24, false, &text);
    assert_true(frame_busy(&frame));
    draw_on(&most);
    assert_true(screen_holds("\"nowhere\" not found"));
    str_done(&text);
}

/* Writes the first line of @text that begins at or after index @index. */
static void line_of(const char *text, size_t index, char *out, size_t size)
{
    for (size_t i = 0; i < index; i++)
        text += strcspn(text, "\n") + 1;
    snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
}

/* A job filters, sorts and writes the rows of a view. The view may change concurrently. */
static void test_export_rows(void **state)
{
    struct str text = {0};
    struct err err;
    char line[300];
    size_t lines = 0;

    str_add(&text, "experiment,cycles\n");
    for (size_t i = 0; i < ROWS; i++)
        str_addf(&text, "%zu*NOP (),%zu\n", i * 7919 % 9973 + 1, i + 1);
    work_put("many.csv", str_text(&text));
    snprintf(line, sizeof line, "experiments load %s", work_path("many.csv"));
    run_to_end(line);
    run_to_end("view experiments; filter cycles>100; sort -cycles");
    uint64_t most;
    draw_on(&most);
    session.patience = 0;
    snprintf(line, sizeof line, "export %s", work_path("rows.csv"));
    uint64_t before = steps_taken;
    frame_run(&frame, line);
    assert_false(frame.failed);
    assert_true(steps_taken - before < ROWS / 10);
    frame_run(&frame, "filter; sort experiment; experiments clear");
    job_wait(0);
    frame_jobs(&frame);
    str_clear(&text);
    assert_true(file_read(work_path("rows.csv"), 1 << 24, &text, &err));
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    assert_int_equal(lines, 1 + ROWS - 100);
    line_of(str_text(&text), 1, line, sizeof line);
    assert_non_null(strstr(line, ",30000,"));
    line_of(str_text(&text), ROWS - 100, line, sizeof line);
    assert_non_null(strstr(line, ",101,"));
    session.patience = 0.05;
    str_done(&text);
}

/* In a mapping by ports, rows are displayed immediately, and cycles and ports after a job has
 * computed them. */
static void test_mapping(void **state)
{
    static const char facts[] =
        "key,value,unit,source\nname,Many,,\nisa,x86-64,,\nports,0 1 2 3,,\n";
    static const char *const usages[] = {"1*p01", "3*p2", "1*p01+1*p3"};
    struct str text = {0};
    char line[300];

    assert_int_equal(mkdir(work_path("many"), 0777), 0);
    work_put("many/machine.csv", facts);
    str_add(&text, "form,usage\n");
    enum { MANY_FORMS = 20001 };
    _Static_assert(MANY_FORMS > PRESSURES_AT_ONCE, "the pressures are computed by a job");
    for (size_t i = 0; i < MANY_FORMS; i++)
        str_addf(&text, "F%05zu,%s\n", i, usages[i % 3]);
    work_put("many/mapping.csv", str_text(&text));
    snprintf(line, sizeof line, "set machine %s", work_path("many"));
    run_to_end(line);
    frame_run(&frame, "view mapping");
    assert_true(screen_holds("F00001"));
    assert_true(job_running() == 1 || screen_holds("distinct"));
    job_wait(0);
    frame_jobs(&frame);
    assert_true(screen_holds("20001 forms, 3 distinct"));
    assert_true(screen_holds("6666 other forms with this usage: F00003; F00006; F00009; F00012"));
    press("j");
    assert_true(screen_holds("6666 other forms with this usage: F00004; F00007"));
    frame_run(&frame, "sort -cycles");
    uint64_t most;
    draw_on(&most);
    assert_true(screen_holds("3.00"));
    assert_int_equal(job_running(), 0);
    /* Changing the usage of one form makes a new mapping. */
    run_to_end("mapping set F00000 4*p2");
    draw_on(&most);   /* Sorting takes several frames. */
    assert_true(screen_holds("F00000"));
    job_wait(0);
    frame_jobs(&frame);
    draw_on(&most);
    press("g");
    assert_true(screen_holds("4.00"));
    /* A job copies the table if other threads read it. */
    struct err err = {0};
    struct machine *held = machine_hold(session_current(&session, &err));
    session.patience = 0;
    uint64_t before = steps_taken;
    frame_run(&frame, "mapping set F00000 5*p2");
    assert_false(frame.failed);
    assert_true(steps_taken - before < PRESSURES_AT_ONCE / 10);
    job_wait(0);
    frame_jobs(&frame);
    session.patience = 0.05;
    draw_on(&most);
    press("g");
    assert_true(session_current(&session, &err) != held);
    job_wait(0);   /* Another thread computes the view's cycles. */
    frame_jobs(&frame);
    draw_on(&most);
    assert_true(screen_holds("5.00"));
    assert_true(mapping_find(held->mapping, "F00000")->usage.uops[0].count == 4);
    machine_free(held);
    str_done(&text);
}

static void load_rows(size_t count)
{
    struct str text = {0};
    char line[300];

    str_add(&text, "experiment,cycles,note\n");
    for (size_t i = 0; i < count; i++)
        str_addf(&text, "\"%zu*ADD (R64, R64)%s\",%zu,n\n", i % 97 + 1,
                 i % 2 ? " + IMUL (R64, R64)" : "", i % 7 + 1);
    work_put("many.csv", str_text(&text));
    snprintf(line, sizeof line, "experiments load %s", work_path("many.csv"));
    run_to_end(line);
    assert_int_equal(session.document.experiments->rows.count, count);
    str_done(&text);
}

/* A job creates the first table of active experiments. */
static void test_active(void **state)
{
    struct job_info info;
    load_rows(ROWS);
    run_to_end("view help");
    session.patience = 0;
    uint64_t before = steps_taken;
    frame_run(&frame, "evolve start --active --simulate skylake --seconds 60 --checkpoint none");
    assert_false(frame.failed);
    for (bool begun = false; !begun;) {   /* This waits until the measuring job has started. */
        frame_jobs(&frame);
        for (size_t i = 0; !begun && job_get(i, &info); i++)
            begun = strcmp(info.title, "active experiments") == 0;
    }
    /* The limit includes the copy of the simulated machine. */
    if (steps_taken - before > ROWS / 3)
        fail_msg("%llu steps", (unsigned long long)(steps_taken - before));
    job_cancel(info.number);
    job_wait(0);
    frame_jobs(&frame);
    session.patience = 0.05;
}

static void arrive(struct pending_results *a, size_t count)
{
    struct measured m = {.cycles = 1.5, .repeats = 3, .state = EXPERIMENT_OK, .lengths = "same"};
    for (size_t i = 0; i < count; i++)
        pending_results_add(a, i, &m);
}

/* Results arrive while a job reads the table. A second job stores them in a copy. Typed keys
 * wait. */
static void test_pending_results(void **state)
{
    struct pending_results pending = {0};
    load_rows(ROWS);
    for (int round = 0; round < 2; round++) {
        struct experiments *table = session.document.experiments, *held = experiments_hold(table);
        double old = table->rows.items[3].cycles;
        arrive(&pending, 5);
        uint64_t before = steps_taken;
        pending_results_finish(&session, table->serial, &pending);
        assert_int_equal(pending.list.count, 0);
        assert_true(session.replacing);
        if (round)   /* A cancelled job also stores the results. */
            job_cancel(session.replacing);
        assert_true(steps_taken - before < ROWS / 10);
        frame_run(&frame, "experiments clear");
        assert_true(frame.failed && screen_holds("results"));
        job_wait(0);
        frame_jobs(&frame);
        assert_false(session.replacing);
        assert_true(session.document.experiments != held &&
                    session.document.experiments->serial == held->serial);
        assert_true(session.document.experiments->rows.items[3].cycles == 1.5 &&
                    session.document.experiments->rows.items[5].cycles == 6);
        assert_string_equal(experiments_extra(session.document.experiments, 3, 1), "same");
        assert_string_equal(experiments_extra(session.document.experiments, 5, 0), "n");
        assert_string_equal(experiments_extra(session.document.experiments, 5, 1), "");
        assert_true(held->rows.items[3].cycles == old);
        experiments_free(held);
    }
    /* During a measurement each drawing stores a part of the results. */
    arrive(&pending, ROWS);
    pending_results_put(&session, session.document.experiments->serial, &pending,
                        PENDING_RESULTS_AT_ONCE);
    assert_int_equal(pending.list.count - pending.put, ROWS - PENDING_RESULTS_AT_ONCE);
    pending_results_finish(&session, session.document.experiments->serial, &pending);
    assert_true(session.replacing);
    job_wait(0);
    frame_jobs(&frame);
    assert_true(session.document.experiments->rows.items[ROWS - 1].cycles == 1.5);
    /* Few results are stored at once. Results for another table are dropped. */
    arrive(&pending, 5);
    pending_results_finish(&session, session.document.experiments->serial, &pending);
    assert_false(session.replacing);
    arrive(&pending, 5);
    session.document.experiments->rows.items[0].cycles = 9;
    pending_results_finish(&session, session.document.experiments->serial + 1, &pending);
    assert_true(session.document.experiments->rows.items[0].cycles == 9 && pending.list.count == 0);
    pending_results_done(&pending);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_output, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(test_export_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_active, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pending_results, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mapping, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
