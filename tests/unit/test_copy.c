/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tagged rows, the text that a view copies, and the sequence that sets a terminal's clipboard. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/shortage.h"
#include "view/clipboard.h"
#include "view/table.h"
#include "view/tags.h"
#include "../support/screens.h"
#include "../support/support.h"

/* Compares tags with a linear search of a list. */
static void test_tags(void **state)
{
    struct tags tags = {0}, other = {0};
    bool expected[200] = {false};
    struct rng rng;
    char name[16];

    rng_seed(&rng, 1);
    for (unsigned i = 0; i < 5000; i++) {
        const unsigned at = (unsigned)rng_below(&rng, 200);
        snprintf(name, sizeof name, "row %u", at);
        tags_turn(&tags, name, i);
        expected[at] = !expected[at];
    }
    tags_copy(&other, &tags);
    size_t count = 0;
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "row %u", i);
        assert_int_equal(tags_have(&tags, name), expected[i]);
        assert_int_equal(tags_have(&other, name), expected[i]);
        count += expected[i];
    }
    assert_int_equal(tags.list.count, count);
    tags_done(&tags);
    assert_false(tags_have(&tags, "row 1"));
    tags_done(&other);
}

static bool refuses_large(size_t size)
{
    return size > 100000;
}

static size_t count_rows(const void *context)
{
    return 30000;
}

static void text_of(const void *context, size_t row, int column, struct str *out)
{
    str_addf(out, "row %zu", row);
}

static void *hold(const void *context, struct table_source *source)
{
    static char held;
    return &held;
}

static void release(void *held)
{
}

/* If memory for a copy of the tags is missing, nothing is exported, not even untagged rows. */
static void test_tags_without_memory(void **state)
{
    static const struct table_column columns[] = {{.name = "name"}};
    const struct table_source source = {.columns = columns,
                                        .column_count = 1,
                                        .count = count_rows,
                                        .text = text_of,
                                        .hold = hold,
                                        .release = release};
    struct table t;
    struct rows_shown shown;
    struct err err = {0};

    table_init(&t);
    for (size_t i = 0; i < 20000; i++) {
        char name[32];
        snprintf(name, sizeof name, "row %zu", i);
        tags_turn(&t.tags, name, 0);
    }
    for (int short_of_it = 0; short_of_it < 2; short_of_it++) {
        struct result *out = result_new();
        mem_fault = short_of_it ? refuses_large : NULL;
        table_collect(&t, &source, NULL, 1, "rows", &shown);
        mem_fault = NULL;
        const bool ok = shown.collect(shown.state, out, &err);
        shown.free(shown.state);
        assert_int_equal(ok, !short_of_it);
        if (ok)
            assert_true(result_has_data(out));
        else
            assert_int_equal(err.code, ERR_MEMORY);
        result_free(out);
    }
    (void)shortage_unclaimed();
    table_done(&t);
}

/* Compares with the examples of RFC 4648, section 10, and with bytes that need the letters + and
 * /. */
static void test_sequence(void **state)
{
    static const struct {
        const char *text, *base64;
    } examples[] = {{"", ""},
                    {"f", "Zg=="},
                    {"fo", "Zm8="},
                    {"foo", "Zm9v"},
                    {"foob", "Zm9vYg=="},
                    {"fooba", "Zm9vYmE="},
                    {"foobar", "Zm9vYmFy"},
                    {"\xff\xfe\xfd", "//79"},
                    {"\xfb\xf0", "+/A="}};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct str out = {0}, expected = {0};
        clipboard_sequence(examples[i].text, strlen(examples[i].text), false, &out);
        str_addf(&expected, "\033]52;c;%s\a", examples[i].base64);
        assert_string_equal(str_text(&out), str_text(&expected));
        str_addf(&expected, "\033Ptmux;\033\033]52;c;%s\a\033\\", examples[i].base64);
        str_clear(&out);
        clipboard_sequence(examples[i].text, strlen(examples[i].text), true, &out);
        assert_string_equal(str_text(&out), str_text(&expected));
        str_done(&out);
        str_done(&expected);
    }
}

/* Returns the number of lines that @command copies. */
static size_t copied(const char *command)
{
    size_t lines = 0;

    session.interactive = true;
    frame_run(&frame, command);
    session.interactive = false;
    for (const char *at = str_text(&session.copied); *at; at++)
        lines += *at == '\n';
    return lines;
}

/* Waits until the rows are sorted. */
static void settle(void)
{
    do
        (void)screen_holds("");
    while (frame_busy(&frame));
}

static void test_rows(void **state)
{
    load();
    frame_run(&frame, "view mapping");
    frame_run(&frame, "filter form~ADD");
    frame_run(&frame, "sort form");
    press("g");
    settle();
    assert_int_equal(copied("copy"), 1);
    assert_non_null(strchr(str_text(&session.copied), '\t'));
    assert_int_equal(copied("copy names"), 1);
    assert_null(strchr(str_text(&session.copied), '\t'));
    char *first = mem_strdup(str_text(&session.copied));
    press(" j ");
    assert_true(screen_holds("2 tagged"));
    assert_int_equal(copied("copy names"), 2);
    assert_memory_equal(str_text(&session.copied), first, strlen(first));
    assert_true(screen_holds("copied 2 lines"));
    press("r");   /* Tags remain with their rows. */
    settle();
    assert_true(screen_holds("2 tagged"));
    assert_int_equal(copied("copy names"), 2);
    assert_non_null(strstr(str_text(&session.copied), first));
    char path[512], line[600];
    snprintf(path, sizeof path, "%s", work_path("tagged.csv"));
    snprintf(line, sizeof line, "export %s", path);
    frame_run(&frame, line);
    run_to_end("job wait");
    struct str csv = {0};
    struct err err = {0};
    assert_true(file_read(path, 1 << 20, &csv, &err));
    size_t lines = 0;
    for (const char *at = str_text(&csv); *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 3);   /* There are two rows and the header. */
    str_done(&csv);
    remove(path);
    press("U");
    assert_true(screen_lacks("tagged"));
    assert_int_equal(copied("copy names"), 1);
    free(first);
    frame_run(&frame, "view log");
    assert_int_equal(copied("copy"), 0);
    assert_true(frame.failed);
    assert_true(copied("copy kernel") > 2);
}

/* Text too long for any terminal is rejected. */
static void test_too_much(void **state)
{
    struct str text = {0};

    for (unsigned i = 0; i < 4000; i++)
        str_add(&text, "addq $8, %rcx   # a remark\n");
    work_put("large.s", str_text(&text));
    char line[600];
    snprintf(line, sizeof line, "kernel load %s", work_path("large.s"));
    run_to_end(line);
    assert_int_equal(copied("copy kernel"), 0);
    assert_true(frame.failed);
    assert_non_null(strstr(str_text(&frame.message), "74994"));
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_tags_without_memory),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_much, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
