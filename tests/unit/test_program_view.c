/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Program view for a study and profile made here: golden screens, keys, and the text of the
 * empty view. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "profile/profile.h"
#include "program/study.h"
#include "../support/contents.h"
#include "../support/screens.h"
#include "../support/support.h"

/* A block without a prediction shows why instead of a bound. */
static void test_loop_without_a_bound(void **state)
{
    struct kernel_loop loop = {.count = 2345};
    struct kernel kernel = {.isa = isa_host(), .loops = &loop, .loop_count = 1};
    struct run_profile *p = profile_made();
    struct profile_loop *l = &p->loops.items[0];

    l->measured = 4.1;
    l->predicted = l->bound = NAN;
    free(l->bottleneck);
    l->bottleneck = NULL;
    session.document.profile = p;
    run_to_end("view program");
    assert_true(screen_holds("no machine has this CPU's instruction set"));
    p->machine = mem_strdup("skylake");
    l->kernel = &kernel;
    assert_true(screen_holds("the loop is too long (2345 instructions)"));
    l->kernel = NULL;
    frame_run(&frame, "filter at bound>0");
    assert_true(screen_holds("1/1 of 2"));
}

/* A study of a program that was traced may have no references. */
static void test_study_without_references(void **state)
{
    struct study *s = study_made();

    s->reuse = (struct octaves){.all = 0};
    s->size_count = s->level_count = 0;
    session.document.program.study = s;
    run_to_end("view program");
    press(">");
    assert_true(screen_holds("No references"));
    assert_false(screen_holds("nan"));
    press(">");
    assert_true(screen_holds("No references"));
}

/* The predecessor with the most executions is first, wherever it is in the table. */
static void test_order_of_predecessors(void **state)
{
    struct study *s = study_made();

    s->blocks.items[1].ways[s->blocks.items[1].way_count++] = (struct study_way){2, 0.001};
    s->blocks.items[3].ways[s->blocks.items[3].way_count++] = (struct study_way){2, 0.5};
    s->blocks.items[3].count = 100;
    session.document.program.study = s;
    run_to_end("view program");
    frame_run(&frame, "find norm");
    assert_true(screen_holds("norm:0 follows main:0 96.15 %, main:2 3.846 %"));
}

static void compare_program(const char *name)
{
    static const unsigned sizes[][2] = {{40, 10}, {80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare(&frame, name, sizes[i][0], sizes[i][1]);
}

static void test_golden_of_a_study(void **state)
{
    run_to_end("view program");
    compare_program("program-none");
    session.document.program.study = study_made();
    vec_push(&session.document.program.measured.list, ((struct program_point){{500, 2}, 0.003}));
    vec_push(&session.document.program.measured.list, ((struct program_point){{2000, 2}, 0.06}));
    vec_push(&session.document.program.measured.list, ((struct program_point){{2000, 4}, 0.2}));
    compare_program("program");
    press(">");
    compare(&frame, "program-reuse", 80, 24);
    press(">");
    compare(&frame, "program-misses", 80, 24);
    press(">");
    compare(&frame, "program-time", 80, 24);
    press(">");
    compare(&frame, "program-effects", 80, 24);
    session.settings.ascii = true;
    compare(&frame, "program-ascii", 120, 40);
    session.settings.ascii = false;
}

static void test_golden_of_a_profile(void **state)
{
    session.document.program.study = study_made();
    run_to_end("view program");
    assert_true(screen_holds("heat.c at N=1000 M=2"));
    session.document.profile = profile_made();
    compare_program("program-profile");
    press("b");
    assert_true(screen_holds("heat.c at N=1000 M=2"));
    assert_true(screen_holds("b shows the profile"));
    press("b");
    assert_true(screen_holds("relax+0x40"));
    /* This is the complete name, of which the screen shows both ends. */
    frame_run(&frame, "filter place ~ far_too_long_for_a_row");
    assert_true(screen_holds("1/1 of 2"));
    frame_run(&frame, "filter");
    press(" ");
    assert_true(screen_holds("1 tagged"));
    /* A tag remains with its loop, however often the view is refreshed. */
    session.document.profile->loops.items[1].samples = 900;
    assert_true(screen_holds("1 tagged"));
    frame_run(&frame, "copy names");
    assert_string_equal(str_text(&session.copied), "a_function_with_a_name_th..or_a_row+0x1c\n");
}

/* Keys run commands, columns sort and filter, and every size can be drawn. */
static void test_program_keys(void **state)
{
    const char *prefill;

    session.document.program.study = study_made();
    run_to_end("view program");
    frame_run(&frame, "filter share>0.5");
    assert_true(screen_holds("1/1 of 4"));
    frame_run(&frame, "filter");
    frame_run(&frame, "sort line");
    assert_true(screen_holds("1/4"));
    press("g");
    assert_true(screen_holds("main:0 follows outside"));
    assert_int_equal(frame_key(&frame, 'i', &prefill), FRAME_PROMPT);
    assert_string_equal(prefill, "program show ");
    press("\n");   /* Nothing was built, so there is no code to open. */
    assert_true(frame.failed);
    frame_run(&frame, "find norm");
    assert_true(screen_holds("norm:0 follows outside"));
    session.document.program.study->traced = false;
    press(">");
    assert_true(screen_holds("--mode counts"));
    frame_run(&frame, "program open 1");
    assert_true(screen_holds("no program has been profiled"));
    session.document.profile = profile_made();
    for (int profiled = 0; profiled < 2; profiled++) {
        for (unsigned width = 20; width < 260; width += 13)
            for (unsigned height = 3; height < 90; height += 4) {
                struct str text = {0};
                screen_text(&frame, width, height, false, &text);
                str_done(&text);
            }
        press("b");
    }
}

/* A study at the address of the last one, created while another view was displayed, is a different
 * study. */
static void test_study_in_the_same_place(void **state)
{
    session.document.program.study = study_made();
    session.document.program.study->serial = 1;
    run_to_end("view program");
    assert_true(screen_holds("1/4"));
    add_study_block(session.document.program.study, "it's:9", 9, 40, 5, "5", 0, 10, 0.0000001,
                    "issue");
    session.document.program.study->serial = 2;
    assert_true(screen_holds("1/5"));
    press("G\n");   /* This quotes the block's name. Nothing was built, so there is no code. */
    assert_true(frame.failed);
    assert_null(strstr(str_text(&frame.message), "quote"));
}

static void draw_to_end(void)
{
    assert_true(screen_holds("heat.c"));
    assert_true(frame_busy(&frame));
    for (int i = 0; frame_busy(&frame) && i < 100; i++)
        assert_true(screen_holds("heat.c"));
    assert_false(frame_busy(&frame));
}

/* Long sorts and searches continue without a key press, and exports wait until they end. */
static void test_many_blocks(void **state)
{
    enum { BLOCKS = 20000 };
    char name[32];
    struct str text = {0};

    struct study *s = session.document.program.study = study_made();
    for (uint32_t i = 0; i < BLOCKS; i++) {
        snprintf(name, sizeof name, "f%05u", (i * 7919 + 1) % BLOCKS);
        add_study_block(s, name, i, i + 100, i, "1", 0, 1, 0, "issue");
    }
    run_to_end("view program");
    frame_run(&frame, "find f00811");
    draw_to_end();
    assert_true(screen_holds("f00811"));
    frame_run(&frame, "sort block");
    draw_to_end();
    press("g");
    frame_run(&frame, "sort -block");
    char export[300];
    snprintf(export, sizeof export, "export %s", work_path("blocks.csv"));
    run_to_end(export);
    assert_true(file_read(work_path("blocks.csv"), 1 << 24, &text, NULL));
    const char *first = strstr(str_text(&text), "norm:0"),
               *last = strstr(str_text(&text), "f00000");
    assert_true(first && last && first < last);
    str_done(&text);
    frame_run(&frame, "sort block");
    assert_true(screen_holds("sorting"));
    assert_true(frame_busy(&frame));
    const char *prefill;
    frame_key(&frame, KEYCODE_ESCAPE, &prefill);
    assert_false(frame_busy(&frame));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden_of_a_study, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden_of_a_profile, setup, teardown),
        cmocka_unit_test_setup_teardown(test_program_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loop_without_a_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(test_study_without_references, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order_of_predecessors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_study_in_the_same_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_blocks, setup, teardown)};
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
