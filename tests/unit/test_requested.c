/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of several results that arrive at once, the one requested last is shown. Keys that arrive with a
 * command apply to the rows that it selects. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

#define PROGRAM "/proc/self/exe"

/* Waits for the ends of all jobs, whose results remain unpublished. */
static void all_end(void)
{
    struct job_info info;
    bool running = true;

    while (running) {
        running = false;
        for (size_t i = 0; job_get(i, &info); i++)
            running |= info.state == JOB_RUNNING;
        if (running)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static void load_later(void)
{
    char line[4400];
    struct err err;

    assert_true(file_write(work_path("sum.s"), ".L1: addq %rax, %rbx\njne .L1\n", 29, &err));
    snprintf(line, sizeof line, "kernel load %s", work_path("sum.s"));
    frame_run(&frame, line);
    assert_false(frame.failed);
}

static void list_later(void)
{
    frame_run(&frame, "kernel functions " PROGRAM);
    assert_false(frame.failed);
}

static void test_two_results(void **state)
{
    if (access(PROGRAM, R_OK) != 0)
        skip();
    session.patience = 0;
    load_later();
    list_later();
    all_end();
    frame_jobs(&frame);
    assert_non_null(session.document.kernel);
    assert_non_null(session.document.functions);
    assert_string_equal(views[frame.current]->name, "functions");
    list_later();
    load_later();
    all_end();
    frame_jobs(&frame);
    assert_string_equal(views[frame.current]->name, "kernel");
}

/* A result that arrives after another one is also shown. */
static void test_one_after_the_other(void **state)
{
    if (access(PROGRAM, R_OK) != 0)
        skip();
    load();
    session.patience = 0;
    list_later();
    all_end();
    frame_jobs(&frame);
    assert_string_equal(views[frame.current]->name, "functions");
    load_later();
    all_end();
    frame_jobs(&frame);
    assert_string_equal(views[frame.current]->name, "kernel");
    list_later();
    all_end();
    frame_jobs(&frame);
    assert_string_equal(views[frame.current]->name, "functions");
}

/* Of several commands in one line, the result of the last one is shown. */
static void test_in_one_line(void **state)
{
    char line[4400];
    struct err err;

    if (access(PROGRAM, R_OK) != 0)
        skip();
    assert_true(file_write(work_path("sum.s"), ".L1: addq %rax, %rbx\njne .L1\n", 29, &err));
    snprintf(line, sizeof line, "kernel load %s; kernel functions %s", work_path("sum.s"), PROGRAM);
    run_to_end(line);
    assert_string_equal(views[frame.current]->name, "functions");
    snprintf(line, sizeof line, "kernel functions %s; kernel load %s", PROGRAM, work_path("sum.s"));
    run_to_end(line);
    assert_string_equal(views[frame.current]->name, "kernel");
}

/* Enter is sent with the line before it. It opens the row that the filter or the sorting selects,
 * although nothing was drawn in between. */
static void test_rows_of_the_filter(void **state)
{
    static const char *const forms[] = {"VFMADD213PD (YMM, YMM, YMM)", "IMUL (R64, R64)"};
    char line[128];
    const char *prefill;

    run_to_end("set machine skylake; view mapping");
    screen_holds("mapping");
    for (size_t i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "filter form~\"%s\"", forms[i]);
        frame_run(&frame, line);
        press("g");
        assert_int_equal(frame_key(&frame, '\n', &prefill), FRAME_PROMPT);
        if (!strstr(prefill, forms[i]))
            fail_msg("%s: %s", line, prefill);
    }
    frame_run(&frame, "filter form~IMUL");
    frame_run(&frame, "sort -form");
    press("g");
    assert_int_equal(frame_key(&frame, '\n', &prefill), FRAME_PROMPT);
    assert_non_null(strstr(prefill, "IMUL (R64, R64, I"));
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_results, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_after_the_other, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_one_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows_of_the_filter, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
