/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `export` writes and `copy` copies the visible result. Both have the same rows, and nothing of a
 * failed command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "work/job.h"
#include "../support/screens.h"
#include "../support/support.h"

/* Runs @line, with the test's directory for each @. Returns the errors of the line and its jobs, or
 * "". */
static const char *fault_of(const char *line)
{
    struct str command = {0};

    work_expand(line, &command);
    frame_run(&frame, str_text(&command));
    for (bool waits = !frame.failed; waits; waits = session.queue.job != 0)
        frame_jobs(&frame);
    str_done(&command);
    return frame.failed ? str_text(&frame.message) : "";
}

static void refused(const char *line, const char *with)
{
    const char *fault = fault_of(line);

    if (!strstr(fault, with))
        fail_msg("%s: \"%s\" instead of \"%s\"", line, fault, with);
}

static void fails(const char *line)
{
    if (!*fault_of(line))
        fail_msg("%s: no fault", line);
}

static void works(const char *line)
{
    const char *fault = fault_of(line);

    if (*fault)
        fail_msg("%s: %s", line, fault);
}

/* After a failed command the earlier result is not exported until a command shows it again, or
 * another result. */
static void test_after_a_failure(void **state)
{
    refused("export @/a.csv", "no result to export");
    works("machine show skylake");
    works("export @/a.csv");
    refused("machine show nowhere", "nowhere");
    refused("export @/b.csv", "no result to export: machine show nowhere failed");
    assert_false(work_has("b.csv"));
    assert_non_null(strstr(str_text(&frame.message),
                           "view 'output' and export its text (machine show skylake)"));
    works("set machine skylake");   /* This command shows nothing. */
    refused("export @/b.csv", "failed");
    works("view output");
    works("export @/b.csv");
    fails("flumb");
    refused("export @/c.csv", "no result to export: flumb failed");
    works("machine show haswell");
    works("export @/c.csv");
    /* Commands that act on the visible result do not change it, and neither does a failed
     * export. */
    fails("pane nosuch");
    fails("sort nosuch");
    fails("export @/c.nosuch");
    works("export @/d.csv");
    session.patience = 0;   /* Without patience, the job fails after its command has returned. */
    frame_run(&frame, "forms scan /nowhere");
    job_wait(0);
    frame_jobs(&frame);
    assert_true(frame.failed);
    refused("export @/e.csv", "no result to export: forms scan /nowhere failed");
}

/* In a script with keep-going, export does not write the earlier result after a failed command. */
static void test_in_a_script(void **state)
{
    struct session s;
    struct err err = {0};
    struct str line = {0};

    session_init(&s);
    s.settings.keep_going = true;
    work_expand("machine show skylake; machine show nowhere; set seed 3; export @/script.csv",
                &line);
    assert_true(run_line(&s, str_text(&line), NULL, &err));
    assert_true(s.any_failed);
    assert_false(work_has("script.csv"));
    str_clear(&line);
    work_expand("export @/script.csv", &line);
    s.settings.keep_going = false;
    assert_false(run_line(&s, str_text(&line), NULL, &err));
    assert_non_null(strstr(err.what, "no result to export: machine show nowhere failed"));
    assert_string_equal(err.todo, "correct the command and run it again");
    session_done(&s);
    str_done(&line);
}

/* Writes the first column of each line of @text except the first, up to @separator, with or without
 * quotes. */
static void names_in(const char *text, char separator, struct str *out)
{
    for (const char *at = strchr(text, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
        const char *from = at + 1;
        const bool quoted = *from == '"';
        const char *end =
            quoted ? strchr(from + 1, '"') : from + strcspn(from, (char[]){separator, '\n', '\0'});
        str_addf(out, "%.*s\n", (int)(end - from - quoted), from + quoted);
    }
}

/* `copy table` has the rows and columns of `export`, in the same order. Options on the same line
 * apply to both. */
static void same_rows(size_t rows)
{
    struct str csv = {0}, exported = {0}, copied = {0}, columns = {0};
    struct err err = {0};
    size_t lines = 0;

    works("export @/rows.csv");
    assert_true(file_read(work_path("rows.csv"), 1 << 24, &csv, &err));
    works("copy table");
    for (const char *at = str_text(&session.copied); *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, rows + 1);
    names_in(str_text(&csv), ',', &exported);
    names_in(str_text(&session.copied), '\t', &copied);
    assert_string_equal(str_text(&copied), str_text(&exported));
    for (const char *at = str_text(&session.copied); *at != '\n'; at++)
        str_add_char(&columns, *at == '\t' ? ',' : *at);
    assert_memory_equal(str_text(&csv), str_text(&columns), columns.length);
    assert_int_equal(str_text(&csv)[columns.length], '\n');
    str_done(&csv);
    str_done(&exported);
    str_done(&copied);
    str_done(&columns);
}

static void test_same_rows(void **state)
{
    works("set machine skylake; view mapping");
    works("filter form~IMUL | form~SBB; sort -form");
    struct table_source source;
    assert_true(views[frame.current]->source(frame.states[frame.current], &session, &source));
    works("copy table");
    size_t all = 0;
    for (const char *at = str_text(&session.copied); *at; at++)
        all += *at == '\n';
    assert_true(all > 10);
    same_rows(all - 1);
    /* The view was not drawn in between. The copied row matches the filter. */
    works("filter form~SBB; copy");
    assert_memory_equal(str_text(&session.copied), "SBB", 3);
    works("filter form~IMUL | form~SBB; sort form");
    (void)screen_holds("SBB");
    press("g j ");
    same_rows(2);
    works("filter form~SBB");   /* The filter excludes the tagged rows. */
    refused("copy", "no visible row to copy");
    refused("copy table", "no visible row to copy");
    refused("export @/unseen.csv", "no visible row to export");
    assert_false(work_has("unseen.csv"));
    press("U");
    works("export @/unseen.csv");
}

/* Few rows are collected immediately, without a background job. */
static void test_few_rows(void **state)
{
    works("set machine skylake; forms select 'ADD (R64, *)'; experiments generate");
    works("view experiments; sort -experiment");
    same_rows(session.document.experiments->rows.count);
    works("filter experiment~ADD & experiment~zzz");
    refused("copy table", "no visible row");
}

/* `export` writes the text of the view output. */
static void test_output(void **state)
{
    works("view output");
    refused("copy", "no output to copy");
    works("machine show skylake");
    assert_string_equal(views[frame.current]->name, "output");
    works("export @/shown.txt");
    works("copy");
    assert_true(work_holds("shown.txt", str_text(&session.copied)));
    assert_true(screen_holds("lines, "));
    char *first = mem_strdup(str_text(&session.copied));
    press("y");
    assert_string_equal(str_text(&session.copied), first);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_after_a_failure, setup, teardown),
        cmocka_unit_test(test_in_a_script),
        cmocka_unit_test_setup_teardown(test_same_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_output, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
