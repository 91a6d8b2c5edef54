/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame and its views on a grid, compared with golden screens (GENERATE=1 rewrites them), and
 * keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "chart/stage_log.h"
#include "io/experiments_file.h"
#include "view/frame.h"
#include "view/pager.h"
#include "work/job.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

static void test_golden(void **state)
{
    (void)state;
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

/* The rows around a view: its name, and the keys of each view. The first view is drawn with
 * colours, and in ASCII without colours. */
static void test_golden_of_the_bars(void **state)
{
    (void)state;
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
    (void)state;
    load();
    run_to_end("view timeline");
    compare_sizes("timeline");
    run_to_end("set machine skylake; kernel whatif issue_width=1..6");
    run_to_end("view whatif");
    compare_sizes("whatif");
    run_to_end("view mapping; filter form~VFMADD; sort -form");
    compare_sizes("mapping");
}

/* When other machines are selected, the displayed one stays. A removed one is not accessed. */
static void test_machine_in_view_stays(void **state)
{
    (void)state;
    run_to_end("set machine skylake,haswell,znver4");
    session.document.in_view = 2;
    run_to_end("set machine znver4,skylake");
    assert_string_equal(session.document.selected[session.document.in_view], "znver4");
    session.document.in_view = 1;
    run_to_end("set machine haswell");
    assert_int_equal(session.document.in_view, 0);
}

/* A short run of one thread on a simulated processor, which is reproducible. */
static void test_golden_of_evolution(void **state)
{
    (void)state;
    run_to_end("view evolution");
    compare_sizes("evolution-none");
    run_to_end("set machine skylake; forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, "
               "I8)' 'MOV (R64, M64)'; experiments generate");
    run_to_end("experiments measure --simulate skylake");
    run_to_end("evolve start --algorithm pmevo --ports 4 --population 20 --generations 6 --seed 1 "
               "--threads 1");
    run_to_end("view evolution");
    press("x");   /* the axis shows generations, because the clock stands still */
    compare_sizes("evolution");
}

static void test_golden_of_text(void **state)
{
    (void)state;
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

    (void)state;
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
    (void)state;
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

/* A message longer than a row can be read to its end, which has the remedy. A key press dismisses
 * it. */
static void test_long_message(void **state)
{
    struct str shown = {0};
    const char *prefill;

    (void)state;
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
    (void)state;
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

    (void)state;
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
    assert_true(screen_lacks("ADC (M16, I16)") | job_wait(0));
    assert_true(screen_holds("distinct"));
    press("1");
    assert_string_equal(views[frame.current]->name, "why");   /* the previous pane of the view */
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

static void test_experiments(void **state)
{
    const char *prefill;

    (void)state;
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
    /* the current value, for editing */
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

    (void)state;
    frame_run(&frame, "view machine");
    assert_true(screen_holds("Not calibrated"));
    add_experiments();
    frame_run(&frame, "view experiments");
    frame_key(&frame, KEYCODE_ENTER, &prefill);
    assert_true(screen_holds("No samples"));
    assert_true(screen_holds("as it would be executed: 200 times"));
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
    /* rows of every kind, at every size */
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
    assert_true(screen_lacks("as it would be executed"));
    frame_run(&frame, "view machine");
    compare_sizes("machine");
    session.settings.ascii = true;
    compare(&frame, "machine-ascii", 80, 24);
    session.settings.ascii = false;
}

/* A chart in progress: finished stages with their results, the current stage, later stages;
 * progress over time. */
static void test_chart_stages(void **state)
{
    struct stage_log *log;

    (void)state;
    frame_run(&frame, "set panes off");
    add_experiments();
    fill_record();   /* the measurements of the charted CPU, not of this one */
    chart_clock_begin();
    log = session.document.chart = stage_log_new("chart of mine", "of the stage");
    frame_run(&frame, "view machine");
    assert_true(screen_lacks("chart of mine"));
    chart_runs(log);
    assert_true(screen_holds("1 single forms   1:15 100 %  2 of 3 forms have a stable time"));
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

static bool half_done(struct job *job, void *state, struct err *err)
{
    (void)state;
    (void)err;
    job_progress(job, 915, 1830, "12 s left, 0 settled");
    while (!job_cancelled(job))
        usleep(1000);
    return false;
}

/* During a measurement the view machine shows what is measured, the progress, and the remaining
 * time. */
static void test_what_measures(void **state)
{
    static const struct job_ops ops = {.run = half_done, .measures = job_measures_always};
    struct job_info info;
    struct err err = {0};
    char told[40];

    (void)state;
    frame_run(&frame, "set panes off; view machine");
    assert_true(screen_lacks("now "));
    const unsigned number = job_start("experiments measure", &ops, NULL, &err);
    assert_true(number > 0);
    while (job_find(number, &info) && !*info.note)
        ;
    assert_true(screen_holds("now     experiments measure  50 %  12 s left, 0 settled"));
    snprintf(told, sizeof told, "job %u 50 %% 12 s left", number);
    assert_true(screen_holds(told));   /* the message also fits on the bottom line */
    job_cancel(number);
    job_wait(number);
    assert_true(screen_lacks("now "));
}

/* Measures as a job of the workbench, which can be paused, resumed and ended. The table and the
 * view machine show its values. */
static void test_measuring(void **state)
{
    (void)state;
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
    bool ended = frame.failed;   /* the job may have ended before it was paused */
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

static void test_find(void **state)
{
    (void)state;
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

static void test_collect(void **state)
{
    const char *prefill;

    (void)state;
    frame_run(&frame, "kernel paste");
    assert_true(frame.collecting);
    assert_true(screen_holds("Ctrl-D loads it"));
    press("x:\r imul %rax, %rbx\r jmp x\r");
    assert_true(screen_holds("imul %rax, %rbx"));
    frame_key(&frame, 4, &prefill);
    assert_false(frame.collecting);
    assert_non_null(session.document.kernel);
    assert_true(screen_holds("IMUL (R64, R64)"));
    frame_run(&frame, "kernel paste");
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
    assert_false(frame.collecting);
    static const char garbage[] = "\001\002 this is \377 no assembler\n%%%\n";
    frame_paste(&frame, garbage, sizeof garbage - 1);
    assert_true(frame.failed);
    assert_non_null(session.document.kernel);
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
}

/* Rejected text is offered for correction. The view shows no outdated kernel. */
static void test_refused_paste(void **state)
{
    static const char text[] = "y:\n\taddq $1, %rcx\n\tjnee y\n";
    const char *prefill;

    (void)state;
    load();
    const struct kernel *before = session.document.kernel;
    frame_paste(&frame, text, sizeof text - 1);
    assert_true(frame.collecting);
    assert_true(screen_holds("Not loaded. Ctrl-D tries again"));
    assert_true(screen_holds("no such instruction: `jnee y'"));
    assert_true(screen_holds("   3  jnee y"));
    assert_ptr_equal(session.document.kernel, before);
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    press("j");   /* the edit adds an error, so the prompt appears again */
    frame_key(&frame, 4, &prefill);
    assert_true(frame.collecting);
    assert_true(screen_holds("   3  jjnee y"));
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    frame_key(&frame, KEYCODE_DELETE, &prefill);
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    frame_key(&frame, KEYCODE_RIGHT, &prefill);
    frame_key(&frame, KEYCODE_DELETE, &prefill);
    frame_key(&frame, 4, &prefill);
    assert_false(frame.collecting);
    assert_true(screen_holds("addq $1, %rcx"));
    assert_int_equal(session.document.kernel->loops[0].count, 2);
    before = session.document.kernel;
    frame_paste(&frame, text, sizeof text - 1);
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
    assert_true(screen_holds("dropped; the kernel is still pasted"));
    assert_ptr_equal(session.document.kernel, before);
    frame_paste(&frame, text, sizeof text - 1);
    frame_key(&frame, 15, &prefill);
    assert_false(frame.collecting);
    assert_true(screen_holds("1 line skipped"));
    assert_true(session.document.kernel != before);
}

/* A paste while rejected text is offered replaces that text, although no command requested it. */
static void test_paste_over_refused(void **state)
{
    static const char refused[] = "hello world\n", text[] = "y:\n\taddq $1, %rcx\n\tjne y\n";

    (void)state;
    load();
    session.paste_command[0] = '\0';
    frame_paste(&frame, refused, sizeof refused - 1);
    assert_true(frame.collecting);
    frame_paste(&frame, text, sizeof text - 1);
    assert_false(frame.collecting);
    assert_true(screen_holds("addq $1, %rcx"));
}

/* The view shows the number of omitted lines of a paste, and why they were omitted. The samples of
 * a profile are a column. */
static void test_left_out(void **state)
{
    static const char text[] = " Percent |\tSource code & Disassembly of d for cycles\n    0.11 :  "
                               " 112d:   movslq %edi,%rdi\n         : 4    y[i] += a * x[i];\n"
                               "   61.50 :   1146:   addsd  (%rdx,%rax,1),%xmm1\n    0.00 :   "
                               "1157:   jne    1146 <daxpy+0x14>\n";
    const char *prefill;

    (void)state;
    frame_paste(&frame, text, sizeof text - 1);
    assert_true(screen_holds("1 line skipped"));
    assert_true(screen_holds("samples"));
    assert_true(screen_holds(" 61.50%"));
    frame_key(&frame, KEYCODE_ENTER, &prefill);
    assert_true(screen_holds("no instruction with an address"));
    assert_true(screen_holds("y[i] += a * x[i];"));
    frame_key(&frame, 'q', &prefill);
}

static void test_click(void **state)
{
    const char *prefill;

    (void)state;
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
    char told[80];

    (void)state;
    frame_run(&frame, "forms scan /proc/self/exe");
    assert_false(frame.failed);
    job_wait(0);
    assert_true(job_get(0, &info));
    assert_int_equal(info.state, JOB_DONE);
    /* job_wait has printed the message; the frame shows output after draining. */
    frame_run(&frame, "forms scan /proc/self/exe");
    struct pollfd wake = {.fd = job_wake_fd(), .events = POLLIN};
    while (!strstr(views[frame.current]->name, "output") && poll(&wake, 1, 1000 * HANG_SECONDS) > 0)
        frame_jobs(&frame);
    assert_true(screen_holds("instructions"));
    snprintf(told, sizeof told, "job %u forms scan /proc/self/exe: done after", info.number + 1);
    assert_true(screen_holds(told));   /* the key bar reports the job's end */
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

    (void)state;
    frame_run(&frame, "set machine skylake");
    frame_run(&frame, "view mapping");
    assert_true(screen_holds("Skylake"));
    /* a port, and therefore a column, that the next machine lacks */
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

    (void)state;
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
    /* the view shows the newly loaded kernel */
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

    (void)state;
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
static void test_view_of_a_late_job(void **state)
{
    char line[4400];
    struct str text = {0};
    struct err err;

    (void)state;
    session.patience = 0;
    str_add(&text, ".L1:\n");
    for (int i = 0; i < 1900; i++)
        str_addf(&text, " addq $%d, %%rax\n", i % 100);
    str_add(&text, " jne .L1\n");
    assert_true(file_write(work_path("late.s"), text.data, text.length, &err));
    str_done(&text);
    snprintf(line, sizeof line, "kernel load %s", work_path("late.s"));
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
        /* first, because the log contains the output of all tests */
        cmocka_unit_test_setup_teardown(test_golden_of_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden_of_the_bars, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden_of_the_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden_of_evolution, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machine_in_view_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machine_in_view, setup, teardown),
        cmocka_unit_test_setup_teardown(test_detail_is_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_message, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_views_and_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_experiments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_detail, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chart_stages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_measures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_measuring, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_collect, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_paste, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paste_over_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_click, setup, teardown),
        cmocka_unit_test_setup_teardown(test_job, setup, teardown),
        cmocka_unit_test_setup_teardown(test_view_of_a_late_job, setup, teardown),
        cmocka_unit_test_setup_teardown(test_type_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waiting, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waiting_script, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
