/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every command that changes or writes something confirms it on the bottom line with its own
 * sentence, without changing the view. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "view/view.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

/* Replaces each @ in @line with the test's directory, runs the command and waits for its jobs.
 * Returns the bottom line. */
static const char *said(const char *line)
{
    struct str command = {0};

    work_expand(line, &command);
    frame_run(&frame, str_text(&command));
    if (!frame.failed) {
        job_wait(0);
        frame_jobs(&frame);
    }
    if (frame.failed)
        print_message("%s: %s\n", str_text(&command), str_text(&frame.message));
    str_done(&command);
    return str_text(&frame.message);
}

static void test_each_says_so(void **state)
{
    static const struct { const char *line, *says;
    } steps[] = {
        {"set ascii on", "ascii: on"},
        {"set threads 2", "threads: 2"},
        {"set machine skylake", "machine: skylake"},
        {"mapping use haswell", "current mapping: haswell"},
        {"mapping set 'ADD (R64, R64)' 1*p01",
         "ADD (R64, R64) on haswell: 1*p01; the command undo restores the old usage"},
        {"undo", "undone: mapping set ADD (R64, R64)"},
        {"redo", "redone: mapping set ADD (R64, R64)"},
        {"mapping save @/mapping.csv", "haswell saved to "},
        {"mapping save @/machine", "haswell saved to "},
        {"mapping load @/machine", "forms on 10 ports"},
        {"mapping export pmevo @/mapping.json", " forms exported to "},
        {"mapping import csv @/mapping.csv", " forms on "},
        {"mapping new 4", "new: 0 forms on 4 ports"},
        {"set machine skylake", "machine: skylake"},
        {"forms select 'ADD (R64, *)'", " forms selected"},
        {"experiments generate", "10 experiments added"},
        {"experiments save @/experiments.csv", "10 experiments saved to "},
        {"experiments load @/experiments.csv", "10 experiments with 4 forms"},
        {"experiments clear", "10 experiments deleted"},
        {"kernel save @/kernel.s", "kernel.s: 8 instructions"},
        {"kernel mark @/marked.s", "marked.s: "},
        {"kernel graph @/graph.dot", "graph.dot: "},
        {"kernel trace @/trace.html", "trace.html: "},
        {"kernel report @/report.md", "report.md: "},
        {"report @/session.md", "session.md: "},
        {"machine list", NULL},
        {"export @/list.csv", "list.csv: "},
        {"session save @/session", "session saved to "},
        {"session load @/session", " loaded"},
        {"bind F5 view why", "F5 in all views: view why"},
        {"unbind F5", "unbound: F5"},
        {"copy kernel", "copied 8 lines"},
    };
    size_t silent = 0;

    load();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const char *text = said(steps[i].line);
        if (steps[i].says && (frame.failed || !strstr(text, steps[i].says) ||
                              frame.current == view_find("output"))) {
            print_message("\"%s\" says \"%s\"%s, view %s\n", steps[i].line, text,
                          frame.failed ? " and fails" : "", views[frame.current]->name);
            silent++;
        }
        frame_run(&frame, "view kernel");
    }
    assert_int_equal(silent, 0);
}

static const char *current(void)
{
    return session.document.selected[0];
}

/* Loads a kernel of one instruction that adds @register_name. Returns the bottom line. */
static const char *load_one(const char *file, const char *register_name)
{
    char text[64], command[64];

    snprintf(text, sizeof text, "add rax, %s\n", register_name);
    work_put(file, text);
    snprintf(command, sizeof command, "kernel load @/%s", file);
    const char *line = said(command);
    assert_false(frame.failed);
    return line;
}

static bool kernel_adds(const char *register_name)
{
    return strstr(session.document.kernel->insns[0].text, register_name) != NULL;
}

/* An undone kernel replaces the one of the same file that was loaded after the edited one had left
 * the list. Redo restores that one. */
static void test_kernel_loaded_again(void **state)
{
    char name[16];

    load_one("again.s", "rbx");
    load_one("again.s", "rcx");
    for (unsigned i = 0; i < SHELF_MOST; i++) {
        snprintf(name, sizeof name, "other%u.s", i);
        const char *line = load_one(name, "rdi");
        /* A kernel that leaves the full list is named. */
        assert_true((strstr(line, "again.s, the oldest, was removed") != NULL) == (i == SHELF_MOST - 1));
    }
    load_one("again.s", "rdx");
    for (int round = 0; round < 2; round++) {
        const size_t count = session.document.shelf.list.count;
        assert_non_null(strstr(said("undo"), "undone: edit of again.s"));
        assert_true(kernel_adds("rbx"));
        assert_non_null(strstr(said("undo"), "nothing to undo"));
        assert_non_null(strstr(said("redo"), "redone: edit of again.s"));
        assert_true(kernel_adds("rdx"));
        assert_non_null(strstr(said("redo"), "nothing to redo"));
        assert_int_equal(session.document.shelf.list.count, count);
    }
}

/* Undo removes a loaded, imported or inferred object and its selection, and restores an object that
 * it replaced. Redo reverses the undo. */
static void test_arrivals_are_undone(void **state)
{
    struct err err = {0};

    run_to_end("set machine skylake,znver4");
    work_put("mine.csv", "form,usage\n\"ADD (R64, R64)\",1*p0156\n");
    said("mapping import csv @/mine.csv");
    assert_string_equal(current(), "mine");
    assert_non_null(strstr(said("undo"), "undone: mapping import csv (mine)"));
    assert_int_equal(session.document.selected_count, 2);
    assert_string_equal(current(), "skylake");
    assert_false(session_has_machine(&session, "mine"));
    assert_non_null(strstr(said("redo"), "redone: mapping import csv (mine)"));
    assert_string_equal(current(), "mine");
    assert_int_equal(session.document.selected_count, 3);
    work_put("mine.csv", "form,usage\n\"ADD (R64, R64)\",1*p01\n\"IMUL (R64, R64)\",1*p1\n");
    said("mapping import csv @/mine.csv");
    assert_int_equal(mapping_count(session_machine(&session, "mine", &err)->mapping), 2);
    said("undo");
    assert_int_equal(mapping_count(session_machine(&session, "mine", &err)->mapping), 1);
    said("undo");
    assert_string_equal(current(), "skylake");
    said("redo");
    said("redo");
    assert_int_equal(mapping_count(session_machine(&session, "mine", &err)->mapping), 2);

    /* It was selected after that change, so it remains selected when the machine is removed. */
    run_to_end("set machine haswell");
    said("undo");
    said("undo");
    assert_false(session_has_machine(&session, "mine"));
    assert_string_equal(current(), "haswell");
    assert_int_equal(session.document.selected_count, 1);
    said("redo");
    assert_string_equal(current(), "haswell");
    run_to_end("set machine mine,haswell");
    said("undo");
    assert_string_equal(current(), "haswell");
    assert_int_equal(session.document.selected_count, 1);

    run_to_end("set machine skylake,znver4");
    work_put("few.csv", "experiment,cycles\n\"ADD (R64, R64)\",0.25\n\"IMUL (R64, R64)\",1\n\"ADD "
                        "(R64, R64) + IMUL (R64, R64)\",1\n");
    said("experiments load @/few.csv");
    run_to_end("evolve start --ports 4 --generations 2 --population 4");
    run_to_end("evolve wait");
    /* The confirmation also names a form that the experiments do not determine. The output view has
     * both lines. */
    struct str shown = {0};
    said("evolve adopt");
    result_write(session.last, FORMAT_TEXT, &(struct result_style){0}, &shown);
    assert_non_null(strstr(str_text(&shown), "evolved: 2 forms"));
    assert_non_null(strstr(str_text(&shown), "not observable"));
    str_done(&shown);
    assert_string_equal(current(), "evolved");
    assert_non_null(strstr(said("undo"), "undone: evolve adopt (evolved)"));
    assert_string_equal(current(), "skylake");
    assert_false(session_has_machine(&session, "evolved"));
    said("redo");
    assert_string_equal(current(), "evolved");
}

/* What-ifs and runs are shown in separate views, not as output. */
static void test_own_views(void **state)
{
    load();
    run_to_end("set machine skylake");
    said("kernel whatif issue_width=2");
    assert_string_equal(views[frame.current]->name, "whatif");
    assert_true(screen_holds("issue_width=2 on skylake"));
    assert_true(screen_holds("unchanged        2.00       2.00  ports"));
    assert_true(screen_holds("changed          4.00"));
    assert_true(screen_holds("%"));
    frame_run(&frame, "view kernel");
    said("kernel whatif issue_width=1..6");
    assert_string_equal(views[frame.current]->name, "whatif");
    assert_true(screen_lacks("unchanged"));
    assert_int_equal(session.document.sweep.count, 6);
    /* The sweep is stored for plot and session save. */
    said("kernel whatif issue_width=2");
    assert_true(screen_holds("unchanged"));
    assert_int_equal(session.document.sweep.count, 6);
    work_put("few.csv", "experiment,cycles\n\"ADD (R64, R64)\",0.25\n\"IMUL (R64, R64)\",1\n\"ADD "
                        "(R64, R64) + IMUL (R64, R64)\",1\n");
    said("experiments load @/few.csv");
    said("evolve start --ports 4 --generations 2 --population 4");
    frame_run(&frame, "view kernel");
    said("evolve status");
    assert_string_equal(views[frame.current]->name, "evolution");
    frame_run(&frame, "mapping list");   /* A result without a view is shown as output. */
    assert_string_equal(views[frame.current]->name, "output");
    static const char *const mixed[] = {"evolve status; mapping list",
                                        "mapping list; evolve status",
                                        "evolve status; mapping list; evolve status"};
    /* The result hides no other message. */
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        frame_run(&frame, "view kernel");
        said(mixed[i]);
        assert_string_equal(views[frame.current]->name, "output");
        assert_true(screen_holds("skylake"));
        assert_true(screen_holds("best: mean error"));
    }
    frame_run(&frame, "view kernel");
    said("evolve status; set machine haswell");   /* A confirmation adds no other text. */
    assert_string_equal(views[frame.current]->name, "evolution");
}

/* A line number may follow the name, in the notation of compilers and editors. A file of exactly
 * this name takes precedence. */
static void test_lines_behind_a_name(void **state)
{
    static const char two[] =
        "a:\naddl $1, %eax\njne a\nb:\nimull $3, %ebx, %ebx\nsubl $1, %ecx\njne b\n";

    work_put("two.s", two);
    said("kernel load @/two.s:4-7");
    assert_false(frame.failed);
    assert_int_equal(session.document.kernel->loop_count, 1);
    assert_int_equal(session.document.kernel->loops[0].count, 3);
    said("kernel load @/two.s:1-3");
    assert_int_equal(session.document.kernel->loops[0].count, 2);
    said("kernel load @/two.s:3-1");
    assert_true(frame.failed);
    said("kernel load @/two.s:-5");
    assert_true(frame.failed);
    said("kernel load @/two.s:1--3");
    assert_true(frame.failed);
    said("kernel load @/none.s:1-3");
    assert_true(frame.failed);
    /* This is a bundled file, for any working directory. */
    said("kernel load data/kernels/triad-skl-O3.s:1-99");
    assert_false(frame.failed);
    work_put("two.s:1-3", "c:\nnop\nnop\nnop\njmp c\n");
    said("kernel load @/two.s:1-3");
    assert_int_equal(session.document.kernel->loops[0].count, 4);
}

static bool nothing_to_do(void *state, struct err *err)
{
    return true;
}

static void kernel_arrives(void *state, const struct job_info *info)
{
    session_set_kernel(&session, kernel_of("1:\nnop\nnop\njmp 1b\n"), 0);
}

/* On a busy machine, a job delivers a pasted loop without a key press afterwards. The hint to paste
 * a loop disappears nevertheless. */
static void test_hint_goes_with_what_a_job_brings(void **state)
{
    static const struct job_ops ops = {.run = nothing_to_do, .finish = kernel_arrives};
    struct err err = {0};

    guide_welcome(&frame.guide, &session, NULL, NULL);
    job_wait(0);
    frame_jobs(&frame);
    assert_true(screen_holds("Paste a loop, or press L"));
    assert_true(job_start("kernel paste", &ops, NULL, &err) > 0);
    job_wait(0);
    frame_jobs(&frame);
    assert_int_equal(session.document.kernel->loops[0].count, 3);
    assert_true(screen_lacks("Paste a loop, or press L"));
    assert_true(screen_holds("LOOP") && screen_holds("jmp 1b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hint_goes_with_what_a_job_brings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_each_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lines_behind_a_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_own_views, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arrivals_are_undone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kernel_loaded_again, setup, teardown),
    };
    return cmocka_run_group_tests_name("confirm", tests, NULL, NULL);
}
