/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One result in five formats, with missing values, invalid UTF-8, and quotes in CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/result.h"
#include "../support/support.h"

static const struct result_column columns[] = {
    {.key = "form", .kind = CELL_TEXT},
    {.key = "cycles", .title = "time", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 2},
    {.key = "count", .kind = CELL_COUNT},
    {.key = "known", .kind = CELL_SWITCH, .hide = NOT_TEXT},
    {.key = "parts", .kind = CELL_NESTED},
};

static struct result *sample(void)
{
    struct result *r = result_new();

    result_line(r, "two %s", "forms");
    result_text(r, "name", "a\xff" "b");
    result_number(r, "mean", NAN);
    struct result_table *t = result_table(r, "rows", columns, 5);
    cell_text(t, "ADD (R64, \"x\")");
    cell_number(t, 0.1);
    cell_count(t, 3);
    cell_switch(t, true);
    cell_nested(t, json_pack("[i]", 1));
    cell_text(t, "\xe2\x82\xac\xe2");
    cell_number(t, INFINITY);
    cell_missing(t);
    cell_switch(t, false);
    cell_missing(t);
    return r;
}

static void expect(const struct result *r, enum format format, const char *text)
{
    struct str out = {0};

    result_write(r, format, &(struct result_style){0}, &out);
    assert_string_equal(str_text(&out), text);
    str_done(&out);
}

/* An empty column remains in machine-readable formats. */
static void test_hide_empty(void **state)
{
    static const struct result_column four[] = {{.key = "a", .kind = CELL_NUMBER, .decimals = 1},
                                                {.key = "b", .kind = CELL_TEXT},
                                                {.key = "c", .kind = CELL_COUNT},
                                                {.key = "d", .kind = CELL_NUMBER, .decimals = 1}};

    for (unsigned rows = 0; rows <= 2; rows++) {
        struct result *r = result_new();
        struct result_table *t = result_table(r, "rows", four, 4);
        for (unsigned i = 0; i < rows; i++) {
            cell_number(t, NAN);
            cell_text(t, "");
            cell_count(t, 0);
            cell_number(t, i ? 1.5 : NAN);
        }
        table_hide_empty(t);
        expect(r, FORMAT_TEXT, rows == 0 ? "" : rows == 1 ? "c\n0\n" : "c    d\n0    -\n0  1.5\n");
        expect(r, FORMAT_CSV,
               rows == 0   ? "a,b,c,d\n"
               : rows == 1 ? "a,b,c,d\n\"\",,0,\n"
                           : "a,b,c,d\n\"\",,0,\n\"\",,0,1.5\n");
        result_free(r);
    }
}

static void test_formats(void **state)
{
    struct result *r = sample();
    struct str html = {0};

    expect(r, FORMAT_TEXT,
           "two forms\nform            time [cycles]  count\nADD (R64, \"x\")           0.10      "
           "3\n\xe2\x82\xac\xe2                          -      -\n");
    expect(r, FORMAT_CSV,
           "form,cycles,count,known\n\"ADD (R64, \"\"x\"\")\",0.1,3,1\n\xe2\x82\xac\\xe2,,,0\n");
    expect(r, FORMAT_JSON,
           "{\"schema\":1,\"name\":\"a\\\\xffb\",\"mean\":null,\"rows\":[{\"form\":\"ADD (R64, "
           "\\\"x\\\")\",\"cycles\":0.10000000000000001,\"count\":3,\"known\":true,\"parts\":[1]},"
           "{\"form\":\"\xe2\x82\xac\\\\xe2\",\"cycles\":null,\"count\":null,\"known\":false,"
           "\"parts\":null}]}\n");
    expect(r, FORMAT_MARKDOWN,
           "two forms\n\n| form | time \\[cycles\\] | count | known |\n|---|---|---|---|\n| ADD "
           "(R64, \"x\") | 0.10 | 3 | yes |\n| \xe2\x82\xac\\\\xe2 |  |  | no |\n\n");
    result_write(r, FORMAT_HTML, &(struct result_style){.title = "a<b"}, &html);
    assert_non_null(strstr(str_text(&html), "<h1>a&#60;b</h1>"));
    assert_non_null(strstr(str_text(&html), "<p>two forms</p>"));
    assert_non_null(strstr(str_text(&html), "<td>ADD (R64, &#34;x&#34;)</td><td>0.10</td>"));
    str_done(&html);
    result_free(r);
}

static void test_fields(void **state)
{
    struct result *r = result_new();

    result_text(r, "a", "x,y");
    result_count(r, "b", 2);
    result_missing(r, "c");
    expect(r, FORMAT_TEXT, "");
    expect(r, FORMAT_CSV, "a,b,c\n\"x,y\",2,\n");
    expect(r, FORMAT_MARKDOWN,
           "| name | value |\n|---|---|\n| a | x,y |\n| b | 2 |\n| c | - |\n\n");
    result_set_confirmation(r);
    expect(r, FORMAT_CSV, "");
    result_set_command(r, "kernel list");
    expect(r, FORMAT_JSON,
           "{\"schema\":1,\"command\":\"kernel list\",\"a\":\"x,y\",\"b\":2,\"c\":null}\n");
    result_free(r);
}

static void test_shapes(void **state)
{
    static const struct result_column two[] = {{.key = "port", .kind = CELL_TEXT},
                                               {.key = "load", .kind = CELL_NUMBER}};
    static const struct { enum table_shape shape; const char *json;
    } cases[] = {
        {TABLE_ROWS, "{\"schema\":1,\"ports\":[{\"port\":\"0\",\"load\":0.5},{\"port\":\"1\","
                     "\"load\":null}]}\n"},
        {TABLE_VALUES, "{\"schema\":1,\"ports\":[\"0\",\"1\"]}\n"},
        {TABLE_MAP, "{\"schema\":1,\"ports\":{\"0\":0.5,\"1\":null}}\n"},
        {TABLE_SPREAD, "{\"schema\":1,\"ports\":[{\"port\":\"0\",\"load\":0.5},{\"port\":\"1\","
                       "\"load\":null}]}\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result *r = result_new();
        struct result_table *t = result_table(r, "ports", two, 2);
        t->shape = cases[i].shape;
        cell_text(t, "0");
        cell_number(t, 0.5);
        cell_text(t, "1");
        cell_number(t, NAN);
        expect(r, FORMAT_JSON, cases[i].json);
        result_free(r);
    }
}

/* The members of a single row or item are in the object itself, after the object's other members.
 * Without rows, the array is empty. */
static void test_single(void **state)
{
    static const struct result_column one[] = {{.key = "port", .kind = CELL_TEXT}};
    struct result *r = result_new();
    struct result_table *t = result_table(r, "ports", one, 1);

    t->shape = TABLE_SPREAD;
    expect(r, FORMAT_JSON, "{\"schema\":1,\"ports\":[]}\n");
    cell_text(t, "0");
    result_text(r, "a", "b");
    result_item(r, "machines", json_pack("{s:s, s:i}", "a", "not this", "n", 1));
    expect(r, FORMAT_JSON, "{\"schema\":1,\"a\":\"b\",\"port\":\"0\",\"n\":1}\n");
    result_item(r, "machines", json_pack("{s:i}", "n", 2));
    expect(r, FORMAT_JSON,
           "{\"schema\":1,\"a\":\"b\",\"port\":\"0\",\"machines\":[{\"a\":\"not "
           "this\",\"n\":1},{\"n\":2}]}\n");
    result_free(r);
}

/* Only the terminal format has colours. */
static void test_colours(void **state)
{
    struct result *r = result_new();
    struct str out = {0};

    result_line(r, "\033[1;31mred\033[0m");
    expect(r, FORMAT_TEXT, "red\n");
    result_write(r, FORMAT_TEXT, &(struct result_style){.color = true}, &out);
    assert_string_equal(str_text(&out), "\033[1;31mred\033[0m\n");
    str_done(&out);
    result_free(r);
}

/* A table may have text above a row, cells coloured by value, and a separate last row with
 * totals. */
static void test_notes_and_heat(void **state)
{
    static const struct result_column two[] = {{.key = "port", .kind = CELL_TEXT},
                                               {.key = "load", .kind = CELL_NUMBER, .decimals = 1}};
    struct result *r = result_new();
    struct str out = {0};
    struct result_table *t = result_table(r, "ports", two, 2);

    t->totals = true;
    table_note(t, "  %d: a < b", 7);
    cell_text(t, "0");
    cell_number(t, 1);
    cell_heat(t, 1);
    cell_text(t, "all");
    cell_number(t, 1);
    expect(r, FORMAT_TEXT, "port  load\n  7: a < b\n0      1.0\nall    1.0\n");
    expect(r, FORMAT_CSV, "port,load\n0,1\nall,1\n");
    expect(r, FORMAT_MARKDOWN,
           "| port | load |\n|---|---|\n| 7: a \\< b | |\n| 0 | 1.0 |\n| all | 1.0 |\n\n");
    result_write(r, FORMAT_TEXT, &(struct result_style){.color = true}, &out);
    assert_string_equal(str_text(&out), "\033[1mport  load\033[0m\n\033[2m  7: a < b\033[0m\n0     "
                                        "\033[48;5;196m 1.0\033[0m\n\033[1mall    1.0\033[0m\n");
    str_clear(&out);
    result_write(r, FORMAT_HTML, &(struct result_style){0}, &out);
    assert_non_null(strstr(
        str_text(&out),
        "<tr><td colspan=\"2\">7: a &#60; b</td></tr>\n<tr><td>0</td><td style=\"background:#"));
    assert_non_null(strstr(str_text(&out), "<tr><th>all</th><th>1.0</th></tr>"));
    str_done(&out);
    result_free(r);
}

/* A result with an appended one is a confirmation only if both are. */
static void test_append(void **state)
{
    static const struct result_column one[] = {{.key = "port", .kind = CELL_TEXT}};
    for (unsigned i = 0; i < 8; i++) {
        struct result *to = result_new(), *more = result_new();
        if (i & 1)
            cell_text(result_table(to, "ports", one, 1), "0");
        if (i & 2)
            result_confirm(more, "done");
        if (i & 4)
            result_confirm(i & 1 ? more : to, "done");
        result_append(to, more);
        assert_int_equal(result_is_confirmation(to), !(i & 1) && i & 6);
        expect(to, FORMAT_CSV, i & 1 ? "port\n0\n" : "");
        result_free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats), cmocka_unit_test(test_fields),
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_single),
        cmocka_unit_test(test_colours), cmocka_unit_test(test_notes_and_heat),
        cmocka_unit_test(test_append),  cmocka_unit_test(test_hide_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
