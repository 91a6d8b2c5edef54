/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work for reading complete programs grows linearly with the input: descriptions, traces, the text
 * between braces. test_work.c has other inputs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program/program.h"
#include "program/runs.h"
#include "program/runtime/layout.h"
#include "program/words.h"
#include "../support/support.h"

static struct program *program_of(const struct str *bytes)
{
    struct err err = {0};
    struct program *p = program_read("program", bytes, &err);
    if (!p)
        fail_msg("%s", err.what);
    return p;
}

static void add_unit(struct str *out, const char *json)
{
    str_addf(out, "%s %zu\n%s\n", PORTOLAN_ABOUT_MAGIC, strlen(json), json);
}

static struct program *program_of_units(size_t count)
{
    struct str bytes = {0};
    for (size_t i = 0; i < count; i++) {
        char json[256];
        snprintf(json, sizeof json,
                 "{\"key\":\"unit%zu\",\"functions\":[{\"name\":\"f\",\"blocks\":[{\"line\":1,"
                 "\"ops\":[],\"next\":[],\"calls\":[]}]}],\"references\":[]}",
                 i);
        add_unit(&bytes, json);
    }
    struct program *p = program_of(&bytes);
    str_done(&bytes);
    assert_int_equal(p->unit_count, count);
    return p;
}

static void units(size_t count)
{
    program_free(program_of_units(count));
}

/* Makes one unit of @count blocks with three operations each. An operation reads all previous ones
 * of its block. */
static void blocks(size_t count)
{
    struct str json = {0}, bytes = {0};
    str_add(&json, "{\"key\":\"a\",\"functions\":[{\"name\":\"f\",\"blocks\":[");
    for (size_t i = 0; i < count; i++)
        str_addf(&json,
                 "%s{\"line\":1,\"ops\":[\"fadd\",\"fmul 0\",\"fadd 0 "
                 "1\"],\"next\":[0,%zu],\"calls\":[\"g%zu\"]}",
                 i ? "," : "", i, i);
    str_add(&json, "]}],\"references\":[");
    for (size_t i = 0; i < count; i++)
        str_addf(&json, "%s{\"block\":%zu,\"bytes\":8,\"write\":false}", i ? "," : "", i);
    str_add(&json, "]}");
    add_unit(&bytes, str_text(&json));
    program_free(program_of(&bytes));
    str_done(&json);
    str_done(&bytes);
}

static void trace(const struct program *p, struct str *text)
{
    struct program_run run = {.mode = TRACE_EXACT};
    struct err err = {0};
    bool ok = program_trace_parse(p, "trace", text, &run, &err);
    program_run_done(p, &run);
    if (!ok)
        fail_msg("%s", err.what);
    str_done(text);
}

/* A trace with a line for each unit, found by its name, and for a block of it. */
static void trace_units(size_t count)
{
    struct program *p = program_of_units(count);
    struct str text = {0};
    str_add(&text, "portolan-trace 3 exact\n");
    for (size_t i = count; i-- > 0;)
        str_addf(&text, "unit unit%zu 1 0\nblock 0 %zu 0\n", i, i);
    str_add(&text, "end\n");
    trace(p, &text);
    program_free(p);
}

static void trace_long_lines(size_t count)
{
    struct program *p = program_of_units(1);
    struct str text = {0};
    str_add(&text, "portolan-trace 3 exact\nportolan-trace 3 ");
    for (size_t i = 0; i < 100 * count; i++)
        str_add_char(&text, ' ');
    str_add(&text, "\nend\n");
    trace(p, &text);
    program_free(p);
}

static void words_of(const char *template, const char *arguments, size_t expected)
{
    char name[] = "N", *const names[] = {name};
    const double inputs[] = {7};
    struct run_options options = {.how = {.template = (char *)(uintptr_t) template,
                                          .arguments = (char *)(uintptr_t)arguments}};
    struct words words;
    struct err err = {0};
    bool ok = words_make(names, inputs, 1, &options.how, work_path(""), &words, &err);
    size_t n = words.list.count;
    words_done(&words);
    if (!ok)
        fail_msg("%s", err.what);
    assert_int_equal(n, expected);
}

/* A file of braces that are open, or closed far away. */
static void template_braces(size_t count)
{
    struct str text = {0};
    for (size_t i = 0; i < count; i++)
        str_add_char(&text, '{');
    str_add(&text, "}{N}\n");
    work_put("in/braces", str_text(&text));
    words_of(work_path("in/braces"), "{directory}/braces", 1);
    /* Everything except the known values is unchanged. */
    text.data[text.length - 4] = '\0';
    text.length -= 4;
    str_add(&text, "7\n");
    assert_true(work_holds("braces", str_text(&text)));
    str_done(&text);
}

static void test_programs(void **state)
{
    assert_grows(units, 2000);
    assert_grows(blocks, 2000);
    assert_grows(trace_units, 2000);
    assert_grows(trace_long_lines, 500);
}

/* References of an unrolled loop traverse one column together. Those of another array do not. */
static void test_walks(void **state)
{
    static const char json[] =
        "{\"key\":\"a\",\"functions\":[{\"name\":\"f\",\"blocks\":[{\"line\":1,\"ops\":[],"
        "\"next\":[0],\"calls\":[]}]}],\"references\":["
        "{\"block\":0,\"bytes\":8,\"write\":false},{\"block\":0,\"bytes\":8,\"write\":false},"
        "{\"block\":0,\"bytes\":8,\"write\":false},{\"block\":0,\"bytes\":8,\"write\":true}]}";
    struct str bytes = {0}, text = {0};
    struct program_run run = {.mode = TRACE_EXACT};
    struct err err = {0};

    add_unit(&bytes, json);
    struct program *p = program_of(&bytes);
    str_add(&text, "portolan-trace 3 exact\nunit a 1 4\nblock 0 9 8\ncalls 0 9 0 0 12\n"
                   "access 0 9 30:9:900:7:7168\nplace 0 40960 18446744073709543424\n"
                   "access 1 9 30:9:900:7:7168\nplace 1 41472 18446744073709543424\n"
                   "access 2 9 30:9:900:7:7168\nplace 2 90112 77\n"
                   "access 3 9 30:9:900:7:7168\nplace 3 89600 77\nend\n");
    assert_true(program_trace_parse(p, "trace", &text, &run, &err));
    /* Callbacks are known even if no call has a time. */
    assert_true(isnan(run.calls[0]) && run.callbacks[0] == 12);
    assert_int_equal(run.references[0].lead, 0);
    assert_int_equal(run.references[1].lead, 1);
    assert_float_equal(run.references[1].apart, 0.5, 1e-12);
    assert_int_equal(run.references[2].lead, 0);
    assert_int_equal(run.references[3].lead, 3);
    assert_float_equal(run.references[3].apart, -0.5, 1e-12);
    program_run_done(p, &run);
    program_free(p);
    str_done(&bytes);
    str_done(&text);
}

static void test_braces(void **state)
{
    assert_int_equal(mkdir(work_path("in"), 0777), 0);
    work_put("in/none", "{ {N {} {M} {N}{N} {directory\n");
    words_of(work_path("in/none"), "a {N}b{N} {directory}/none {", 4);
    assert_true(work_holds("none", "{ {N {} {M} 77 {directory\n"));
    assert_grows(template_braces, 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_walks),
                                       cmocka_unit_test(test_braces)};
    return cmocka_run_group_tests_name("work_program", tests, NULL, NULL);
}
