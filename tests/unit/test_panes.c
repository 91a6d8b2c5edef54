/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places and their panes: layout, focus, return to previous places, empty panes, changes of
 * size. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "model/experiments.h"
#include "work/evolve_job.h"
#include "work/job.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

static void draw(unsigned width, unsigned height)
{
    struct str text = {0};

    screen_text(&frame, width, height, false, &text);
    str_done(&text);
}

/* Waits until the visible views have the data that jobs compute. */
static void await_content(void)
{
    draw(200, 60);
    job_wait(0);
    draw(200, 60);
}

static bool large_holds(const char *text)
{
    struct str shown = {0};

    screen_text(&frame, 200, 60, false, &shown);
    bool found = strstr(str_text(&shown), text) != NULL;
    str_done(&shown);
    return found;
}

static const char *focused(void)
{
    return views[frame.current]->name;
}

/* Compares the whole screen with all panes of the place. Returns the number of differences. */
static unsigned differing(const char *name, const unsigned (*sizes)[2], size_t count)
{
    unsigned differ = 0;

    screen_lacks("");   /* This starts the jobs of the panes. */
    job_wait(0);
    for (size_t i = 0; i < count; i++) {
        struct str text = {0};
        char path[256];
        screen_text(&frame, sizes[i][0], sizes[i][1], true, &text);
        snprintf(path, sizeof path, "tests/screen/places/%s-%ux%u.txt", name, sizes[i][0],
                 sizes[i][1]);
        differ += !golden_matches(path, str_text(&text));
        str_done(&text);
    }
    return differ;
}

static void show_empty(void)
{
    session_select_forms(&session, NULL, 0);
}

static void show_loop(void)
{
    load();
    press("jj");
}

static void show_overlay(void)
{
    load();
    press("?");
}

static void show_program(void)
{
    session.document.profile = profile_made();
    run_to_end("view PROGRAM");
}

static void show_empty_program(void)
{
    run_to_end("view PROGRAM");
}

/* The measurements come from a simulated processor. */
static void show_lab(void)
{
    run_to_end("set machine skylake; forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, "
               "I8)' 'MOV (R64, M64)'; experiments generate");
    run_to_end("experiments measure --simulate skylake");
    run_to_end("evolve start --algorithm pmevo --ports 4 --population 20 --generations 6 --seed 1 "
               "--threads 1");
    fill_record();
    run_to_end("view matrix");
    await_content();
}

static void show_empty_lab(void)
{
    fill_record();
    run_to_end("set machine skylake; view LAB");
}

static void test_golden(void **state)
{
    static const unsigned sizes[][2] = {{40, 10}, {80, 24}, {120, 40}, {200, 60}};
    static const struct { const char *name; void (*show)(void);
    } contents[] = {
        {"loop", show_loop},
        {"loop-empty", show_empty},
        {"loop-help", show_overlay},
        {"program", show_program},
        {"program-empty", show_empty_program},
        {"lab", show_lab},
        {"lab-empty", show_empty_lab},
    };
    unsigned differ = 0;

    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        setup(state);
        contents[i].show();
        differ += differing(contents[i].name, sizes, 4);
        session.settings.ascii = true;
        differ += differing(i == 0   ? "loop-ascii"
                            : i == 5 ? "lab-ascii"
                                     : contents[i].name,
                            sizes + 1, i == 0 || i == 5);
        session.settings.ascii = false;
        teardown(state);
    }
    assert_int_equal(differ, 0);
}

/* The first row has the names of the places, and the position in the focused pane. A click on a
 * name shows its place. */
static void test_first_row(void **state)
{
    struct str shown = {0};
    const char *prefill;

    load();
    screen_text(&frame, 80, 24, false, &shown);
    assert_non_null(strstr(str_text(&shown), " LOOP 1  PROGRAM 2  LAB 3 "));
    assert_non_null(strstr(str_text(&shown), " 1/8\n"));
    frame_click(&frame, 20, 0, 80, 24, &prefill);
    assert_int_equal(frame.current, view_find("mapping"));
    str_clear(&shown);
    screen_text(&frame, 80, 24, false, &shown);
    assert_non_null(strstr(str_text(&shown), "1 Mapping"));
    frame_click(&frame, 1, 0, 80, 24, &prefill);
    assert_string_equal(views[frame.current]->name, "kernel");
    str_clear(&shown);
    screen_text(&frame, 40, 10, false, &shown);
    assert_non_null(strstr(str_text(&shown), " LOOP 1  2  3 "));
    str_done(&shown);
}

/* The last row has the keys of the focused pane and those of all panes, at any width, but never F1
 * to F10. */
static void test_key_bar(void **state)
{
    static const unsigned widths[] = {40, 60, 80, 120, 200};

    load();
    for (size_t v = 0; v < view_count(); v++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            struct str shown = {0};
            char line[64];
            snprintf(line, sizeof line, "view %s", views[v]->name);
            run_to_end(line);
            screen_text(&frame, widths[i], 24, false, &shown);
            const char *bar = strrchr(str_text(&shown), '\n');
            while (bar[-1] != '\n')
                bar--;
            if (!strstr(bar, "q back") || !strstr(bar, ": command") || strstr(bar, "F10") ||
                strstr(bar, "F3"))
                fail_msg("%s at %u columns: %s", views[v]->name, widths[i], bar);
            str_done(&shown);
        }
    run_to_end("view kernel");
    assert_true(screen_holds("t faster?  M measure  m machine"));
}

/* Returns whether the last row of a screen of 80 columns contains @text. */
static bool bar_holds(const char *text)
{
    struct str shown = {0};

    screen_text(&frame, 80, 24, false, &shown);
    const char *bar = str_text(&shown) + shown.length - 1;
    while (bar > str_text(&shown) && bar[-1] != '\n')
        bar--;
    const bool holds = strstr(bar, text) != NULL;
    str_done(&shown);
    return holds;
}

/* In LAB, the row names the keys that have an effect, the most needed first. These are the next
 * step without a run, pause, stop and adopt during a run, and adopt after it. */
static void test_lab_keys(void **state)
{
    static const char *const of_run[] = {"matrix", "evolution", "search", "tables"};

    clock_set_source(NULL);
    for (size_t i = 0; i < 4; i++) {
        char line[40];
        snprintf(line, sizeof line, "view %s", of_run[i]);
        run_to_end(line);
        assert_true(bar_holds("E experiments") && !bar_holds("s stop") && !bar_holds("a adopt") &&
                    !bar_holds("M measure") && !bar_holds("I infer"));
    }
    run_to_end("set machine skylake; forms select 'ADD (R64, R64)' 'IMUL (R64, R64)'; experiments "
               "generate");
    run_to_end("view matrix");
    assert_true(bar_holds("M measure") && !bar_holds("I infer"));
    run_to_end("experiments measure --simulate skylake");
    run_to_end("view matrix");
    assert_true(bar_holds("I infer") && !bar_holds("M measure"));
    frame_run(&frame, "evolve start --ports 4 --threads 1 --seconds 1000 --checkpoint none");
    while (!session.document.run_count ||
           isnan(evolve_run_status(session.document.runs[0])->d_avg))
        frame_jobs(&frame);
    for (size_t i = 0; i < 4; i++) {
        char line[40];
        snprintf(line, sizeof line, "view %s", of_run[i]);
        frame_run(&frame, line);
        assert_true(bar_holds("s stop") && bar_holds("a adopt") && !bar_holds("I infer"));
        assert_true(i == 3 || bar_holds("p pause or resume"));
    }
    frame_run(&frame, "evolve stop");
    job_wait(0);
    frame_jobs(&frame);
    str_clear(&frame.message);
    for (size_t i = 0; i < 4; i++) {
        char line[40];
        snprintf(line, sizeof line, "view %s", of_run[i]);
        run_to_end(line);
        assert_true(bar_holds(" a adopt") && !bar_holds("s stop") && !bar_holds("pause"));
    }
    run_to_end("view mapping");
    assert_true(bar_holds(" a adopt") && bar_holds("v inferred"));
}

/* At 120 by 40, all panes are visible. At 80 by 24 one fills the screen, and Tab reaches the
 * others. At every size they tile the area. */
static void test_sizes(void **state)
{
    load();
    for (unsigned p = 0; p < PLACE_COUNT; p++) {
        char line[32];
        snprintf(line, sizeof line, "view %s", places[p].name);
        run_to_end(line);
        draw(200, 60);
        assert_int_equal(frame.panes.count, place_panes(&places[p]));
        draw(120, 40);
        assert_int_equal(frame.panes.count, place_panes(&places[p]));
        for (unsigned i = 0; i < place_panes(&places[p]); i++) {
            press("\t");
            draw(80, 24);
            assert_int_equal(frame.panes.count, 1);
            assert_int_equal(frame.panes.items[0].view, frame.current);
        }
        frame_run(&frame, "set panes off");
        draw(200, 60);
        assert_int_equal(frame.panes.count, 1);
        frame_run(&frame, "set panes on");
        for (unsigned width = 20; width < 260; width += 7)
            for (unsigned height = 6; height < 100; height += 5) {
                unsigned area = 0;
                press(width % 2 ? "\t" : "");
                draw(width, height);
                for (size_t i = 0; i < frame.panes.count; i++) {
                    area += frame.panes.items[i].width * frame.panes.items[i].height;
                    assert_true(frame.panes.items[i].view == frame.current ||
                                frame.panes.count > 1);
                }
                assert_int_equal(area,
                                 width * (height - 2 - (places[p].draw_head && height - 2 >= 20)));
            }
    }
}

/* Keys go to the focused pane. Tab and l focus the next one, h the previous one. A place remembers
 * its focus, at every size. */
static void test_focus(void **state)
{
    const char *prefill;

    load();
    draw(200, 60);
    assert_string_equal(focused(), "kernel");
    press("\t");
    assert_string_equal(focused(), "why");
    press("lh");
    assert_string_equal(focused(), "why");
    frame_run(&frame, "pane source");
    assert_string_equal(focused(), "source");
    draw(80, 24);
    assert_string_equal(focused(), "source");
    press("l");
    assert_string_equal(focused(), "kernel");
    frame_run(&frame, "pane mapping");
    assert_true(frame.failed);
    draw(200, 60);
    frame_click(&frame, 150, 50, 200, 60, &prefill);
    assert_string_equal(focused(), "source");
    press("3");
    assert_string_equal(focused(), "mapping");
    press("1");
    assert_string_equal(focused(), "source");
    assert_false(session.quit);
}

/* q and Backspace return to the previous place and its cursor position. In the first place, q quits
 * and Backspace does nothing. */
static void test_back(void **state)
{
    const char *prefill;

    load();
    press("jjj");
    press("3");
    press("jj");
    frame_run(&frame, "view experiments");
    press("2");
    assert_string_equal(focused(), "program");
    press("~");
    assert_string_equal(focused(), "output");
    press("q");
    assert_string_equal(focused(), "program");
    press("q");
    assert_string_equal(focused(), "experiments");
    frame_key(&frame, KEYCODE_BACKSPACE, &prefill);
    assert_string_equal(focused(), "mapping");
    frame_key(&frame, KEYCODE_BACKSPACE, &prefill);
    assert_string_equal(focused(), "kernel");
    assert_int_equal(session.document.row, 3);
    assert_false(session.quit);
    press("3");
    press("2");
    press("1");   /* The previous place is shown again, from which Backspace still returns. */
    assert_string_equal(focused(), "kernel");
    frame_key(&frame, KEYCODE_BACKSPACE, &prefill);
    assert_false(session.quit);
    press("q");
    assert_true(session.quit);
}

/* A key cannot lose an unsaved profile, because the second Q confirms. */
static void test_quit_asks(void **state)
{
    load();
    session.document.profile = profile_made();
    press("Q");
    assert_false(session.quit);
    assert_true(screen_holds("the profile"));
    press("Q");
    assert_true(session.quit);
}

/* All panes select the same instruction. */
static void test_moving_together(void **state)
{
    const char *prefill;

    load();
    draw(200, 60);
    press("jjj");
    assert_true(large_holds("VFMADD132PD (YMM, YMM, M256)"));
    frame_run(&frame, "pane timeline");
    press("]j");
    assert_int_equal(session.document.row, 4);
    frame_run(&frame, "pane source");
    assert_true(large_holds("VMOVAPD (M256, YMM)"));
    press("j");
    assert_int_equal(session.document.row, 5);
    assert_true(large_holds("ADD (R64, I8)"));
    /* Selecting a row of the timeline moves all other panes. */
    struct pane *timeline = &frame.panes.items[4];
    assert_int_equal(timeline->view, view_find("timeline"));
    frame_click(&frame, 4, frame.panes_y + timeline->y + 1 + 2 + 3, 200, 60, &prefill);
    assert_int_equal(session.document.row, 3);
    frame_run(&frame, "kernel hex 4801d8480fafc3");
    assert_true(large_holds("1/2"));
    assert_int_equal(session.document.row, 0);
}

/* Every empty pane names a key. This key runs a command that succeeds, or opens the prompt. */
static void test_empty_panes(void **state)
{
    for (size_t v = 0; v < view_count(); v++) {
        unsigned place, pane, at;
        const char *prefill;
        char line[64];
        setup(state);
        frame_run(&frame, "set panes off");
        snprintf(line, sizeof line, "view %s", views[v]->name);
        frame_run(&frame, line);
        struct str text = {0};
        screen_text(&frame, 120, 40, true, &text);
        /* The key is in the third column. */
        const char *row = strstr(str_text(&text), ": 3-3 title bold");
        if (place_of(views[v], &place, &pane, &at) && row) {
            while (row > str_text(&text) && row[-1] != '\n')
                row--;
            const char *on = str_text(&text);
            for (int n = atoi(row); n > 1; n--)
                on += strcspn(on, "\n") + 1;
            const enum frame_reply reply = frame_key(&frame, on[2], &prefill);
            struct job_info job;
            for (size_t i = 0; job_get(i, &job); i++)
                job_cancel(job.number);
            job_wait(0);
            if (reply != FRAME_PROMPT && frame.failed)
                fail_msg("%s: the key %c: %s", views[v]->name, on[2], str_text(&frame.message));
        } else if (place_of(views[v], &place, &pane, &at) && views[v] != &mapping_view &&
                   views[v] != &machine_view) {
            fail_msg("%s names no key when it is empty:\n%s", views[v]->name, str_text(&text));
        }
        str_done(&text);
        teardown(state);
    }
}

/* A failed row does not hide the next step. A pending one does. */
static void test_steps_of_the_lab(void **state)
{
    show_lab();
    assert_true(large_holds("5 adopt ("));
    run_to_end("evolve adopt; view LAB");
    assert_true(large_holds("5 adopt ✓"));
    experiments_set(session.document.experiments, 0, NAN, NAN, 0, "illegal instruction");
    assert_true(large_holds("3 measured ✓ 9, 1 failed"));
    experiments_set(session.document.experiments, 1, NAN, NAN, 0, EXPERIMENT_PENDING);
    assert_true(large_holds("3 measured 8, 1 failed ("));
}

/* Enter changes a usage of the inferred mapping and updates the mapping's error. The displayed
 * mapping predicts the experiments. The key of the differences swaps the displayed mapping. */
static void test_mapping_in_view(void **state)
{
    const char *prefill;
    char inferred[32];
    struct evolve_status before, after;
    show_lab();
    struct evolve *e = session.document.runs[0]->evolve;
    snprintf(inferred, sizeof inferred, "run %u: error", session.document.runs[0]->number);
    assert_true(large_holds(inferred) && large_holds("1 Inferred"));
    frame_run(&frame, "jump swap; jump swap");   /* The cursor returns to the row of its form. */
    assert_string_equal(focused(), "matrix");
    assert_int_equal(frame_key(&frame, KEYCODE_ENTER, &prefill), FRAME_PROMPT);
    assert_non_null(strstr(prefill, "evolve edit \"ADD (R64, R64)\" "));
    evolve_get_status(e, &before);
    frame_run(&frame, "evolve edit 'ADD (R64, R64)' 3*p0");
    assert_false(frame.failed);
    evolve_get_status(e, &after);
    assert_true(after.d_avg > before.d_avg && after.d_reached == before.d_reached);
    assert_true(large_holds("ADD (R64, R64)  3*p0"));
    frame_run(&frame, "evolve edit 'ADD (R64, I64)' 1*p0");
    assert_true(frame.failed);
    frame_run(&frame, "evolve edit 'ADD (R64, R64)' 1*pX");
    assert_true(frame.failed);
    press("v");
    assert_string_equal(focused(), "mapping");
    assert_true(large_holds("skylake: error") && large_holds("1 Mapping"));
    frame_run(&frame, "pane tables");
    await_content();   /* This waits for data of the changed mapping. */
    press("x");
    assert_string_equal(focused(), "tables");
    assert_true(large_holds(inferred) && large_holds("1 Inferred"));
    frame_key(&frame, KEYCODE_ENTER, &prefill);
    assert_string_equal(focused(), "experiments");
    assert_true(large_holds("filter form~"));
}

/* The versions of kernel tune are displayed for the loop that was tuned, and not for another
 * one. */
static void test_versions_of_another_loop(void **state)
{
    load();
    run_to_end("set machine skylake; kernel tune --model-only --tries 20; view faster");
    assert_true(large_holds("predicted cycles"));
    frame_run(&frame, "kernel hex 4801d8480fafc3");
    assert_false(large_holds("predicted cycles"));
    assert_true(large_holds("searches for faster versions"));
}

/* Each back key closes the help, the output and the log. None ends the program. */
static void test_help_closes(void **state)
{
    static const int keys[] = {'q', KEYCODE_ESCAPE, KEYCODE_BACKSPACE};
    static const char *const pages[] = {"help", "output", "log"};
    const char *prefill;

    load();
    press("\t");
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < 3; i++) {
            char line[32];
            snprintf(line, sizeof line, "view %s", pages[p]);
            frame_run(&frame, line);
            assert_string_equal(views[frame.current]->name, pages[p]);
            assert_int_equal(frame_key(&frame, keys[i], &prefill), FRAME_DONE);
            assert_string_equal(views[frame.current]->name, "why");
            assert_false(session.quit);
        }
}

/* A key without function in the focused pane prints the pane's keys. */
static void test_key_of_no_use(void **state)
{
    const char *prefill;

    load();
    press("V");
    assert_true(screen_holds("not available here: V; ? lists the keys of this pane"));
    press("j");
    assert_true(screen_lacks("not available here"));
    frame_key(&frame, KEYCODE_F1 + 6, &prefill);
    assert_true(screen_holds("not available here: F7"));
    run_to_end("view timeline");
    press("\\");   /* filters a table */
    assert_true(screen_holds("not available here: \\;"));
    press("?V");
    assert_true(screen_holds("not available here: V; ? lists"));
    frame_key(&frame, KEYCODE_WHEEL_DOWN, &prefill);
    assert_true(screen_lacks("not available here"));
}

static bool shows(unsigned width, unsigned height, const char *text)
{
    struct str shown = {0};

    screen_text(&frame, width, height, false, &shown);
    const bool holds = strstr(str_text(&shown), text) != NULL;
    str_done(&shown);
    return holds;
}

/* If not all reasons fit, the pane shows the number of hidden rows. Shown alone and scrolled to the
 * end, it hides none. */
static void test_all_reasons(void **state)
{
    static const char *const kernels[] = {"triad-skl-O3.s", "pi-skl-O3.s", "pi-O2.s",
                                          "triad-zen-O3.s"};
    static const unsigned sizes[][2] = {{80, 24}, {100, 30}, {120, 40}, {200, 60}};
    bool cut = false;

    for (size_t k = 0; k < 4; k++) {
        char line[80];
        snprintf(line, sizeof line, "kernel load data/kernels/%s", kernels[k]);
        run_to_end(line);
        run_to_end("set machine skylake; view why");
        for (size_t i = 0; i < 4; i++) {
            const unsigned width = sizes[i][0], height = sizes[i][1];
            const bool more = shows(width, height, " more rows: ");
            cut |= more;
            press("g");
            assert_true(more || shows(width, height, "busiest port"));
            press("\r");
            assert_true(shows(width, height, "Assumed:"));
            press("G");
            assert_false(shows(width, height, " more rows"));
            assert_true(shows(width, height, "busiest port"));
            press("g\r");
        }
    }
    assert_true(cut);
}

/* Fails unless the shown help has a key's explanation, complete or cut before a comma or by an
 * ellipsis. */
static void count_key(void *to, const char *keys, const char *command, const char *help)
{
    struct str *shown = to;
    char start[12];

    snprintf(start, sizeof start, "%.6s", help);
    bool well = false;
    const char *at = strstr(str_text(shown), "\n Help");
    while (!well && at && (at = strstr(at + 1, start))) {
        size_t same = 0;
        while (help[same] && at[same] == help[same])
            same++;
        well = !help[same] || strchr(";:,", help[same]) || strncmp(at + same, "…", 3) == 0;
    }
    if (!well)
        fail_msg("%s: \"%s\" is not there, or cut without a mark", keys, help);
}

static void test_help_is_whole(void **state)
{
    static const unsigned widths[] = {80, 100, 120, 160, 200, 240};

    load();
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 2; k++) {
            struct str shown = {0};
            run_to_end(k ? "view mapping" : "view kernel");
            press("?");
            screen_text(&frame, widths[i], 60, false, &shown);
            keymap_tell(session.keys, k ? "mapping" : "kernel", count_key, &shown);
            press("q");
            if (k == 0 && widths[i] == 200)
                assert_non_null(
                    strstr(str_text(&shown), "compile with the next installed compiler"));
            str_done(&shown);
        }
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test_setup_teardown(test_first_row, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lab_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_key_bar, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_focus, setup, teardown),
        cmocka_unit_test_setup_teardown(test_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_quit_asks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_moving_together, setup, teardown),
        cmocka_unit_test_setup_teardown(test_steps_of_the_lab, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mapping_in_view, setup, teardown),
        cmocka_unit_test(test_empty_panes),
        cmocka_unit_test_setup_teardown(test_versions_of_another_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_help_closes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_reasons, setup, teardown),
        cmocka_unit_test_setup_teardown(test_help_is_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_key_of_no_use, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
