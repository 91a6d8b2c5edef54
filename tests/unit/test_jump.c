/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jumps from the loop to the mapping, to experiments and back. They follow a form, and every
 * earlier position can be restored. */
#include <stdio.h>
#include <string.h>

#include "view/jumps.h"
#include "../support/screens.h"
#include "../support/support.h"

#define MUL "IMUL (R64, R64)"
#define ADD "ADD (R64, R64)"

/* Waits until the rows are sorted. */
static void settle(void)
{
    do
        (void)screen_holds("");
    while (frame_busy(&frame));
}

static void assert_at(const char *view, const char *form)
{
    struct str found = {0};

    settle();
    assert_string_equal(views[frame.current]->name, view);
    assert_true(views[frame.current]->form_at(frame.states[frame.current], &session, &found));
    assert_string_equal(str_text(&found), form);
    str_done(&found);
}

static void begin(void)
{
    struct str line = {0};

    work_put("two.s", "1: addq %rax, %rbx\nimulq %rcx, %rdx\naddq %rsi, %rdi\ndecl %ebp\njne 1b\n");
    work_put("few.csv", "experiment,cycles\n\"" ADD "\",0.25\n\"" MUL "\",1\n\"" ADD " + " MUL
                        "\",1\n\"" ADD " + 2*" MUL "\",2\n");
    work_expand("set machine skylake; kernel load @/two.s; experiments load @/few.csv", &line);
    run_to_end(str_text(&line));
    run_to_end("view kernel");
    str_done(&line);
}

static void test_follow(void **state)
{
    begin();
    press("j");
    assert_at("kernel", MUL);
    press("x");
    assert_at("mapping", MUL);
    press("x");
    settle();
    assert_string_equal(views[frame.current]->name, "experiments");
    assert_true(screen_holds("1/3 of 4"));   /* These are the experiments with the form. */
    press("j");
    assert_at("experiments", ADD);
    press("X");
    assert_at("kernel", ADD);
    const size_t line = session.document.row;
    press("x");
    assert_at("mapping", ADD);
    press("X");   /* The jump returns to the loop, to another instruction of the form. */
    assert_at("kernel", ADD);
    assert_int_not_equal(session.document.row, line);
}

/* Moves back through earlier positions, and forward again. A new jump discards the positions
 * ahead. */
static void test_back_and_forward(void **state)
{
    begin();
    press("jx");
    press("x");
    press("jj");
    settle();
    frame_run(&frame, "filter cycles>1");
    settle();
    assert_true(screen_holds("1/1 of 4"));
    frame_run(&frame, "view mapping");   /* A change of view is also recorded. */
    assert_string_equal(views[frame.current]->name, "mapping");
    press("\x0f");
    settle();
    assert_string_equal(views[frame.current]->name, "experiments");
    assert_true(screen_holds("1/1 of 4"));
    frame_run(&frame, "filter");
    settle();
    press("\x0f");
    assert_at("mapping", MUL);
    press("\x0f");
    assert_at("kernel", MUL);
    assert_int_equal(session.document.row, 1);
    press("\x06\x06");
    settle();
    assert_string_equal(views[frame.current]->name, "experiments");
    assert_true(screen_lacks("of 4"));   /* This is the earlier state, without the filter. */
    press("\x0f");
    assert_at("mapping", MUL);
    press("X");
    assert_at("kernel", MUL);
    frame_run(&frame, "jump forward");
    assert_true(frame.failed);
    for (int i = 0; i < 300; i++)
        frame_run(&frame, i % 2 ? "view mapping" : "view kernel");
    assert_int_equal(frame.jumps.back.list.count, JUMPS_MOST);
    for (int i = 0; i < JUMPS_MOST; i++) {
        frame_run(&frame, "jump back");
        assert_false(frame.failed);
    }
    frame_run(&frame, "jump back");
    assert_true(frame.failed);
    assert_true(screen_holds("no earlier place"));
}

/* A jump without a target is reported, and the position does not change. */
static void test_refused(void **state)
{
    begin();
    press("jjj");
    const size_t stops = frame.jumps.back.list.count;
    static const struct { const char *line, *says;
    } refused[] = {
        {"jump experiments", "no experiment has "},
        {"jump forward", "no later place"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        frame_run(&frame, refused[i].line);
        assert_true(frame.failed);
        assert_true(screen_holds(refused[i].says));
        assert_string_equal(views[frame.current]->name, "kernel");
        assert_int_equal(frame.jumps.back.list.count, stops);
    }
    frame_run(&frame, "view help");
    frame_run(&frame, "jump");
    assert_true(screen_holds("no form is selected in the help view"));
    /* A jump removes a filter that hides the form. */
    frame_run(&frame, "view mapping");
    frame_run(&frame, "filter form~VADD");
    settle();
    frame_run(&frame, "view kernel");
    press("g");
    assert_at("kernel", ADD);
    press("x");
    assert_at("mapping", ADD);
    /* The machine lacks this form. */
    work_put("new.s", "1: aesenc %xmm0, %xmm1\ndecl %ebp\njne 1b\n");
    struct str line = {0};
    work_expand("mapping new 4; kernel load @/new.s", &line);
    run_to_end(str_text(&line));
    str_done(&line);
    press("x");
    assert_true(frame.failed);
    assert_true(screen_holds("AESENC (XMM, XMM) is not in the mapping view"));
    assert_string_equal(views[frame.current]->name, "kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_follow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_back_and_forward, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
