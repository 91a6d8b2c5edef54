/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame and its views on a grid, compared with golden screens (GENERATE=1 rewrites them), and
 * keys. */
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "view/frame.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

static void test_golden(void **state)
{
    compare_sizes("empty");
    load();
    for (size_t i = 0; i < SCREEN_SIZES; i++) {
        press("G");
        compare(&frame, "kernel", screen_sizes[i][0], screen_sizes[i][1]);
        session.settings.ascii = true;
        press("gjj");
        compare(&frame, "kernel-ascii", screen_sizes[i][0], screen_sizes[i][1]);
        session.settings.ascii = false;
    }
}

/* A character of several bytes in one column does not move the next tab stop of the source view. */
static void test_tabs(void **state)
{
    const char *code = ".L1:\n\taddq\t%rax, %rbx\n\tjne\t.L1\t# µµµµ\tend\n";

    session_set_kernel(&session, kernel_of(code), 0);
    run_to_end("view source");
    assert_true(screen_holds("┃         addq    %rax, %rbx"));
    assert_true(screen_holds("jne     .L1     # µµµµ  end"));
}

/* Compares the rows around a view: its name, and the keys of each view. The first view is drawn
 * with colours, and in ASCII without colours. */
static void test_golden_of_the_bars(void **state)
{
    load();
    for (size_t i = 0; i < SCREEN_SIZES; i++) {
        const unsigned width = screen_sizes[i][0], height = screen_sizes[i][1];
        struct str text = {0};
        char line[64], path[64];

        for (size_t v = 0; v < view_count(); v++)
            for (int plain = 0; plain < (v ? 1 : 2); plain++) {
                struct grid g, bars;
                int x, y;
                snprintf(line, sizeof line, "view %s", views[v]->name);
                run_to_end(line);
                grid_init(&g, width, height, plain);
                g.mono = plain;
                frame_draw(&frame, NULL, &g, &x, &y);
                bars = g;
                bars.height = 1;
                grid_text(&bars, v == 0, &text);
                bars.cells += (size_t)(height - 1) * width;
                grid_text(&bars, v == 0, &text);
                grid_done(&g);
            }
        snprintf(path, sizeof path, "tests/screen/frame-%u.txt", width);
        assert_true(golden_matches(path, str_text(&text)));
        str_done(&text);
    }
}

static void test_golden_of_the_loop(void **state)
{
    load();
    run_to_end("view timeline");
    compare_sizes("timeline");
    run_to_end("set machine skylake; kernel whatif issue_width=1..6");
    run_to_end("view whatif");
    compare_sizes("whatif");
    run_to_end("view mapping; filter form~VFMADD; sort -form");
    compare_sizes("mapping");
}

/* When other machines are selected, the displayed one remains. A removed one is not accessed. */
static void test_machine_in_view_stays(void **state)
{
    run_to_end("set machine skylake,haswell,znver4");
    session.document.in_view = 2;
    run_to_end("set machine znver4,skylake");
    assert_string_equal(session.document.selected[session.document.in_view], "znver4");
    session.document.in_view = 1;
    run_to_end("set machine haswell");
    assert_int_equal(session.document.in_view, 0);
}

static void test_golden_of_text(void **state)
{
    run_to_end("kernel hex 4801d8480fafc3");
    run_to_end("kernel analyze --machine skylake");
    compare_sizes("output");
    frame_run(&frame, "flumb");
    assert_true(frame.failed);
    run_to_end("view log");
    compare_sizes("log");
    run_to_end("view kernel");
    press("?");
    compare_sizes("help");
}

/* A usage with long port names is truncated, so that the columns after it fit. */
static void test_detail_is_whole(void **state)
{
    struct str shown = {0};
    char line[PATH_MAX];

    load();
    snprintf(line, sizeof line, "kernel load %s", source_path("data/kernels/pi-O1.s"));
    frame_run(&frame, line);
    frame_run(&frame, "set machine znver4");
    press("gjjjjjjj");
    screen_text(&frame, 80, 24, false, &shown);
    assert_non_null(strstr(str_text(&shown), "VADDSD (XMM, XMM, M64)  1*AGU0-2+1*FP2-3+1*FP4-5"
                                             "  latency 10  issue 1"));
    str_done(&shown);
}

/* Key m also selects the timeline's machine: always one of the selected machines. */
static void test_machine_in_view(void **state)
{
    load();
    press("m");
    frame_run(&frame, "view timeline");
    assert_true(screen_holds("Golden Cove"));
    press("mmmq");
    assert_true(screen_holds(">sapphirerapids"));
    frame_run(&frame, "set machine haswell");
    assert_true(screen_holds(">haswell"));
    press("m");
    frame_run(&frame, "view timeline");
    assert_true(screen_holds("Haswell"));
}

/* Returns the column of @text on the last row of a screen. */
static int column_of(const char *text, unsigned width, unsigned height)
{
    struct str shown = {0};

    screen_text(&frame, width, height, false, &shown);
    const char *row = strrchr(str_text(&shown), '\n');
    while (row[-1] != '\n')
        row--;
    assert_non_null(strstr(row, text));
    const int column = (int)(strstr(row, text) - row);
    str_done(&shown);
    return column;
}

/* A message longer than a row is shown to its end, which has the remedy. A click dismisses it. */
static void test_long_message(void **state)
{
    struct str shown = {0};
    const char *prefill;

    frame_run(&frame, "mapping use "
                      "a-machine-whose-name-is-so-long-that-no-row-of-a-terminal-holds-it-and-what-"
                      "to-do-about-it");
    screen_text(&frame, 80, 24, false, &shown);
    assert_non_null(strstr(str_text(&shown), "machine list lists all machines"));
    assert_non_null(strstr(str_text(&shown), " LOOP 1 "));
    assert_int_equal(frame_click(&frame, 25, 23, 80, 24, &prefill), FRAME_DONE);
    assert_int_equal(frame_click(&frame, column_of(": command", 80, 24), 23, 80, 24, &prefill),
                     FRAME_PROMPT);
    str_done(&shown);
}

/* Every view can be drawn at every size without access to a cell outside of the grid (checked by
 * sanitizers). */
static void test_all_sizes(void **state)
{
    load();
    for (size_t v = 0; v < view_count(); v++) {
        char line[64];
        snprintf(line, sizeof line, "view %s", views[v]->name);
        run_to_end(line);
        for (unsigned width = 1; width < 250; width += width < 50 ? 3 : 37)
            for (unsigned height = 1; height < 85; height += height < 30 ? 2 : 11) {
                struct str text = {0};
                screen_text(&frame, width, height, false, &text);
                assert_true(text.length >= height);
                str_done(&text);
            }
    }
}

static void test_views_and_keys(void **state)
{
    const char *prefill;

    load();
    press("?");
    assert_string_equal(views[frame.current]->name, "help");
    assert_true(screen_holds("next loop"));
    assert_true(screen_lacks("previous pane"));
    press("?");
    assert_true(screen_holds("Keys of all panes"));
    frame_run(&frame, "find Shift-Tab");
    assert_true(screen_holds("previous pane"));
    press("q");
    assert_string_equal(views[frame.current]->name, "kernel");
    press("\t");
    assert_string_equal(views[frame.current]->name, "why");
    frame_run(&frame, "view mapping");
    assert_true(screen_holds("ADC (M16, I16)"));   /* The drawing starts to compute pressures. */
    job_wait(0);
    assert_true(screen_holds("distinct"));
    press("1");
    assert_string_equal(views[frame.current]->name, "why");   /* the view's previous pane */
    frame_key(&frame, KEYCODE_BACKTAB, &prefill);
    assert_string_equal(views[frame.current]->name, "kernel");
    frame_run(&frame, "kernel analyze");
    assert_string_equal(views[frame.current]->name, "output");
    assert_true(screen_holds("cycles per iteration"));
    frame_run(&frame, "view log");
    assert_true(screen_holds(":kernel analyze"));
    frame_run(&frame, "view nowhere");
    assert_true(frame.failed);
    assert_true(screen_holds("unknown view \"nowhere\""));
    assert_int_equal(frame_key(&frame, '/', &prefill), FRAME_PROMPT);
    assert_string_equal(prefill, "find ");
    assert_int_equal(frame_key(&frame, KEYCODE_F1 + 2, &prefill), FRAME_PROMPT);
    assert_int_equal(frame_key(&frame, 26, &prefill), FRAME_SUSPEND);
    assert_int_equal(frame_key(&frame, 12, &prefill), FRAME_REDRAW);
    frame_key(&frame, 3, &prefill);
    assert_false(session.quit);
    press("1");
    press("q");
    assert_true(session.quit);
}

static void test_find(void **state)
{
    load();
    frame_run(&frame, "find vfmadd");
    assert_false(frame.failed);
    assert_true(screen_holds("VFMADD132PD (YMM, YMM, M256)"));
    frame_run(&frame, "find ADD (");
    assert_true(screen_holds("ADD (R64, I8)"));
    press("n");
    assert_true(screen_holds("ADD (R32, I8)"));
    press("N");
    assert_true(screen_holds("ADD (R64, I8)"));
    frame_run(&frame, "find nowhere");
    assert_true(frame.failed);
    frame_run(&frame, "filter x");
    assert_true(frame.failed);
}

static void test_click(void **state)
{
    const char *prefill;

    load();
    assert_true(screen_holds("vmovapd"));
    frame_click(&frame, 60, 8, 120, 40, &prefill);
    assert_true(screen_holds("VFMADD132PD (YMM, YMM, M256)"));
    frame_click(&frame, 100, 28, 120, 40, &prefill);
    assert_string_equal(views[frame.current]->name, "source");
    frame_click(&frame, column_of("? help", 120, 40), 39, 120, 40, &prefill);
    assert_string_equal(views[frame.current]->name, "help");
    frame_click(&frame, 2, 0, 120, 40, &prefill);
    assert_string_equal(views[frame.current]->name, "source");
    assert_int_equal(frame_click(&frame, column_of(": command", 120, 40), 39, 120, 40, &prefill),
                     FRAME_PROMPT);
}

/* A finished job shows the output view. Before that its messages are on the status line. */
static void test_job(void **state)
{
    struct job_info info;
    char message[80];

    frame_run(&frame, "forms scan /proc/self/exe");
    assert_false(frame.failed);
    job_wait(0);
    assert_true(job_get(0, &info));
    assert_int_equal(info.state, JOB_DONE);
    /* job_wait has printed the message. The frame shows output after draining. */
    frame_run(&frame, "forms scan /proc/self/exe");
    struct pollfd wake = {.fd = job_wake_fd(), .events = POLLIN};
    while (!strstr(views[frame.current]->name, "output") && poll(&wake, 1, 1000 * HANG_SECONDS) > 0)
        frame_jobs(&frame);
    assert_true(screen_holds("instructions"));
    snprintf(message, sizeof message, "job %u forms scan /proc/self/exe: done after",
             info.number + 1);
    assert_true(screen_holds(message));   /* The key bar reports the job's end. */
    frame_run(&frame, "job wait");
    assert_true(screen_holds("no job is running"));
    frame_run(&frame, "job wait 77");
    assert_true(frame.failed);
    frame_run(&frame, "job cancel 77");
    assert_true(frame.failed);
}

/* Keys that are typed before the next drawing apply to the rows of the newly selected machine or
 * table. */
static void test_type_ahead(void **state)
{
    const char *prefill;

    frame_run(&frame, "set machine skylake");
    frame_run(&frame, "view mapping");
    assert_true(screen_holds("Skylake"));
    /* The next machine lacks this port and therefore its column. */
    frame_run(&frame, "sort FPDV");
    frame_run(&frame, "filter FPDV>0");
    assert_false(frame.failed);
    press("G");
    frame_run(&frame, "mapping new 4");
    frame_run(&frame, "mapping set 'ADD (R64, R64)' 1*p0");
    assert_int_equal(frame_key(&frame, KEYCODE_ENTER, &prefill), FRAME_PROMPT);
    assert_non_null(strstr(prefill, "ADD (R64, R64)"));
    press("G/n");
    assert_true(screen_holds("1 form, "));
}

static void until_awaited(void)
{
    struct pollfd wake = {.fd = job_wake_fd(), .events = POLLIN};

    frame_jobs(&frame);
    while (session.queue.job && poll(&wake, 1, 1000 * HANG_SECONDS) > 0)
        frame_jobs(&frame);
}

/* Writes a text that takes about a second to assemble unless cancelled. Returns its path. */
static const char *write_long(void)
{
    struct str text = {0};
    struct err err;
    for (int i = 0; i < 400000; i++)
        str_addf(&text, " addq $%d, %%rax\n", i % 100);
    assert_true(file_write(work_path("long.s"), text.data, text.length, &err));
    str_done(&text);
    return work_path("long.s");
}

/* Long commands continue in the background. The remaining commands of the line wait for them, and
 * for the jobs of `job wait`. */
static void test_waiting(void **state)
{
    char line[4400];
    const char *path;
    const char *prefill;

    session.patience = 0;
    snprintf(line, sizeof line, "kernel load %s; view log",
             source_path("data/kernels/triad-skl-O3.s"));
    frame_run(&frame, line);
    assert_false(frame.failed);
    until_awaited();
    assert_non_null(session.document.kernel);
    assert_string_equal(views[frame.current]->name, "log");
    snprintf(line, sizeof line, "kernel load %s", source_path("data/kernels/triad-skl-O3.s"));
    frame_run(&frame, line);
    until_awaited();
    /* The view shows the newly loaded kernel. */
    assert_string_equal(views[frame.current]->name, "kernel");
    snprintf(line, sizeof line, "forms scan /proc/self/exe; job wait; view mapping");
    frame_run(&frame, line);
    assert_true(session.queue.job == AWAIT_ALL ||
                strcmp(views[frame.current]->name, "mapping") == 0);
    until_awaited();
    assert_string_equal(views[frame.current]->name, "mapping");

    /* Esc ends the command's job, and drops the pending commands. */
    path = write_long();
    snprintf(line, sizeof line, "kernel load %s; view log", path);
    frame_run(&frame, line);
    assert_true(session.queue.job && session.queue.count == 1);
    assert_non_null(strstr(str_text(&frame.message), "Esc ends it"));
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
    assert_int_equal(session.queue.job, 0);
    job_wait(0);
    frame_jobs(&frame);
    assert_string_equal(views[frame.current]->name, "mapping");
    assert_true(screen_holds("cancelled after"));

    /* Loading another kernel replaces one that is still being loaded. */
    snprintf(line, sizeof line, "kernel load %s", path);
    frame_run(&frame, line);
    frame_run(&frame, "kernel hex 4801d8");
    snprintf(line, sizeof line, "kernel load %s", source_path("data/kernels/pi-O2.s"));
    frame_run(&frame, line);
    until_awaited();
    job_wait(0);
    assert_non_null(strstr(session.document.kernel->name, "pi-O2.s"));
}

/* A script continues at the line after the one that waited. */
static void test_waiting_script(void **state)
{
    char line[4400];
    struct err err;
    struct str text = {0};

    session.patience = 0;
    const char *path = work_path("script.pf");
    str_addf(&text, "kernel load %s\n\nkernel analyze --machine skylake\nflumb\n",
             source_path("data/kernels/triad-skl-O3.s"));
    assert_true(file_write(path, text.data, text.length, &err));
    snprintf(line, sizeof line, "source %s; view help", path);
    frame_run(&frame, line);
    until_awaited();
    assert_non_null(session.document.kernel);
    assert_true(frame.failed);
    assert_non_null(strstr(str_text(&frame.message), ".pf:4: \"flumb\" is no command"));
    assert_string_equal(views[frame.current]->name, "output");
    assert_int_equal(session.queue.count, 0);
    str_done(&text);
}

/* A job may request a view after its command's output stream was closed. */
static void test_view_of_a_finished_job(void **state)
{
    char line[4400];
    struct str text = {0};
    struct err err;

    session.patience = 0;
    str_add(&text, ".L1:\n");
    for (int i = 0; i < 1900; i++)
        str_addf(&text, " addq $%d, %%rax\n", i % 100);
    str_add(&text, " jne .L1\n");
    assert_true(file_write(work_path("job.s"), text.data, text.length, &err));
    str_done(&text);
    snprintf(line, sizeof line, "kernel load %s", work_path("job.s"));
    run_to_end(line);
    frame_run(&frame, "kernel compare --machine skylake --machine haswell");
    assert_false(frame.failed);
    assert_null(session.out);
    until_awaited();
    assert_null(session.out);
    assert_false(frame.failed);
    assert_string_equal(views[frame.current]->name, "compare");
}



int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        /* This is first, because the log contains the output of all tests. */
        cmocka_unit_test_setup_teardown(test_golden_of_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden_of_the_bars, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tabs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden_of_the_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machine_in_view_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machine_in_view, setup, teardown),
        cmocka_unit_test_setup_teardown(test_detail_is_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_message, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_views_and_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_click, setup, teardown),
        cmocka_unit_test_setup_teardown(test_job, setup, teardown),
        cmocka_unit_test_setup_teardown(test_view_of_a_finished_job, setup, teardown),
        cmocka_unit_test_setup_teardown(test_type_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waiting, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waiting_script, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
