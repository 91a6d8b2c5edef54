/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters and tables: the displayed rows, and the selection, which remains on its row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"
#include "view/arrange.h"
#include "view/table.h"
#include "../support/support.h"

static const char *const names[] = {"ADD (R64, R64)", "VADDPD (YMM, YMM, YMM)", "IMUL (R64, R64)",
                                    "DIV (R64)", "NOP ()"};
static const double cycles[] = {0.25, 0.5, 1, 18, NAN};

static const struct table_column columns[] = {{"form", 0, false, 0}, {"cycles", 8, true, 0}};

static size_t five(const void *context)
{
    return 5;
}

static double number_of(const void *context, size_t row, int column)
{
    return column == 1 ? cycles[row] : NAN;
}

static void text_of(const void *context, size_t row, int column, struct str *out)
{
    if (column == 0)
        str_add(out, names[row]);
    else if (!isnan(cycles[row]))
        str_addf(out, "%g", cycles[row]);
}

static const struct table_source source = {
    .columns = columns, .column_count = 2, .count = five, .number = number_of, .text = text_of};

/* Returns the rows that a table displays, as digits in order. */
static const char *shown(struct table *t)
{
    static char text[16];
    struct grid g;

    grid_init(&g, 60, 8, true);
    table_draw(t, &source, NULL, 1, &g, 0, 8);
    grid_done(&g);
    for (size_t i = 0; i < t->shown; i++)
        text[i] = (char)('0' + table_row(t, i));
    text[t->shown] = '\0';
    return text;
}

static const char *filtered(struct table *t, const char *expression)
{
    static struct err err;
    err = (struct err){0};
    return table_filter(t, &source, expression, &err) ? shown(t) : err.what;
}

static void test_filters(void **state)
{
    struct table t;

    table_init(&t);
    assert_string_equal(filtered(&t, ""), "01234");
    assert_string_equal(filtered(&t, "cycles>0.3"), "123");
    assert_string_equal(filtered(&t, "cycles >= 0.5 & cyc<=1"), "12");
    assert_string_equal(filtered(&t, "form~add"), "01");
    assert_string_equal(filtered(&t, "form ~ *R64)"), "023");
    assert_string_equal(filtered(&t, "add"), "01");
    assert_string_equal(filtered(&t, "cycles=18"), "3");
    assert_string_equal(filtered(&t, "cycles!=18"), "0124");
    assert_string_equal(filtered(&t, "form=nop ()"), "4");
    assert_string_equal(filtered(&t, "cycles<100 & form~VADD"), "1");
    assert_non_null(strstr(filtered(&t, "colour=red"), "unknown column"));
    assert_non_null(strstr(filtered(&t, "cycles>much"), "invalid number"));
    assert_non_null(strstr(filtered(&t, "cycles>1 &"), "empty"));
    assert_string_equal(shown(&t), "1");   /* A rejected filter changes nothing. */
    /* alternatives, and combinations of conditions */
    assert_string_equal(filtered(&t, "cycles<0.3 | cycles>10"), "03");
    assert_string_equal(filtered(&t, "add & cycles>0.3 | form~NOP | imul"), "124");
    assert_string_equal(filtered(&t, "nothing | else"), "");
    assert_non_null(strstr(filtered(&t, "cycles>1 |"), "empty"));
    assert_non_null(strstr(filtered(&t, "| cycles>1"), "empty"));
    /* Quoted text is not parsed. */
    assert_string_equal(filtered(&t, "form~\"R64, R64\""), "02");
    assert_string_equal(filtered(&t, "'ADD (R64' & form = \"ADD (R64, R64)\""), "0");
    assert_string_equal(filtered(&t, "\"cycles>1 & x | y\""), "");
    assert_string_equal(filtered(&t, "form~don't"), "");
    /* 50% means one half. */
    assert_string_equal(filtered(&t, "cycles>=50% & cycles<100%"), "1");
    assert_non_null(strstr(filtered(&t, "cycles>5%%"), "invalid number"));
    /* This reports a pattern that no row can match. */
    assert_non_null(strstr(filtered(&t, "form>2"), "form is text, so no row can match"));
    assert_non_null(strstr(filtered(&t, "cycles>3 & cycles<2"), "no row can match"));
    assert_non_null(strstr(filtered(&t, "cycles>3 & cycles<=3"), "no row can match"));
    assert_non_null(strstr(filtered(&t, "add | cycles=1 & cycles=2"), "no row can match"));
    assert_string_equal(filtered(&t, "cycles>=1 & cycles<=1"), "2");
    assert_string_equal(filtered(&t, "cycles>3 | cycles<0.3"), "03");
    table_done(&t);
}

static void test_selection_follows(void **state)
{
    struct err err = {0};
    struct table t;
    size_t row;

    table_init(&t);
    shown(&t);
    table_act(&t, &source, ACTION_DOWN);
    table_act(&t, &source, ACTION_DOWN);
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 2);
    table_act(&t, &source, ACTION_SORT_NEXT);
    table_act(&t, &source, ACTION_SORT_NEXT);
    assert_string_equal(shown(&t), "01234");
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 2);
    assert_true(table_sort(&t, &source, "-cycles", &err));
    assert_string_equal(shown(&t), "32104");   /* Missing values are last in both orders. */
    assert_int_equal(t.cursor, 0);             /* The requested row is the first one. */
    table_act(&t, &source, ACTION_DOWN);
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 2);
    table_act(&t, &source, ACTION_SORT_PREVIOUS);
    table_act(&t, &source, ACTION_REVERSE);
    assert_string_equal(shown(&t), "03241");
    assert_string_equal(filtered(&t, "R64"), "032");
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 2);
    assert_false(table_sort(&t, &source, "taste", &err));
    assert_true(table_find(&t, &source, NULL, "div", 1));
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 3);
    assert_false(table_find(&t, &source, NULL, "nowhere", 1));
    table_click(&t, &source, 28, 0);   /* Clicks immediately after the longest name. */
    shown(&t);
    assert_int_equal(t.sort, 1);
    table_act(&t, &source, ACTION_LAST);
    table_act(&t, &source, ACTION_PAGE_DOWN);
    assert_int_equal(t.cursor, t.shown - 1);
    table_done(&t);
}

static const char *const registers[] = {"xmm10 b", "xmm2 b", "xmm2 a", "R8",
                                        "R16",     "x007",   "x7",     "x"};

static size_t eight(const void *context)
{
    return 8;
}

static void register_text(const void *context, size_t row, int column, struct str *out)
{
    if (column == 0)
        str_add(out, registers[row]);
    else
        str_addf(out, "%zu", row % 2);
}

static double register_number(const void *context, size_t row, int column)
{
    return column == 1 ? (double)(row % 2) : NAN;
}

/* Numbers within names sort as numbers. Rows equal in the first column are sorted by the next
 * one. */
static void test_several_columns(void **state)
{
    static const struct table_source named = {.columns = columns,
                                              .column_count = 2,
                                              .count = eight,
                                              .number = register_number,
                                              .text = register_text};
    static const struct { const char *sort; size_t order[8];
    } cases[] = {
        {"form", {3, 4, 7, 5, 6, 2, 1, 0}},         {"-form", {0, 1, 2, 5, 6, 7, 4, 3}},
        {"cycles -form", {0, 2, 6, 4, 1, 5, 7, 3}}, {"-cycles,form", {3, 7, 5, 1, 4, 6, 2, 0}},
        {"cycles", {0, 2, 4, 6, 1, 3, 5, 7}},       {"", {0, 1, 2, 3, 4, 5, 6, 7}}};
    struct err err = {0};
    struct table t;

    table_init(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(table_sort(&t, &named, cases[i].sort, &err));
        table_update(&t, &named, NULL, 1);
        table_finish(&t, &named, NULL);
        for (size_t k = 0; k < 8; k++)
            if (table_row(&t, k) != cases[i].order[k])
                fail_msg("%s: row %zu is %zu, not %zu", cases[i].sort, k, table_row(&t, k),
                         cases[i].order[k]);
    }
    assert_false(table_sort(&t, &named, "cycles taste", &err));
    assert_non_null(strstr(err.what, "taste"));
    assert_false(table_sort(&t, &named, "form form form form form", &err));
    table_done(&t);
}

static void ten_text(const void *context, size_t row, int column, struct str *out)
{
    str_addf(out, "%c%zu", 'a' + column, row);
}

/* Returns the first line that @t draws on 40 columns. */
static const char *header_of(struct table *t, const struct table_source *wide)
{
    static char text[256];
    struct grid g;

    grid_init(&g, 40, 5, true);
    table_draw(t, wide, NULL, 1, &g, 0, 5);
    text[0] = '\0';
    for (unsigned x = 0; x < 40; x++)
        strncat(text, g.cells[x].glyph, sizeof text - strlen(text) - 1);
    grid_done(&g);
    return text;
}

/* If columns do not fit, they scroll, and the first one is fixed. */
static void test_sideways(void **state)
{
    static const struct table_column ten[10] = {
        {"name", 0, false, 0},  {"one", 9, false, 0},  {"two", 9, false, 0}, {"three", 9, false, 0},
        {"four", 9, false, 0},  {"five", 9, false, 0}, {"six", 9, false, 0}, {"seven", 9, false, 0},
        {"eight", 9, false, 0}, {"nine", 9, false, 0}};
    static const struct table_source wide = {.columns = ten,
                                             .column_count = 10,
                                             .count = eight,
                                             .number = register_number,
                                             .text = ten_text};
    struct table t;

    table_init(&t);
    assert_non_null(strstr(header_of(&t, &wide), "one"));
    assert_null(strstr(header_of(&t, &wide), "nine"));
    assert_true(table_act(&t, &wide, ACTION_RIGHT));
    assert_non_null(strstr(header_of(&t, &wide), "name"));
    assert_null(strstr(header_of(&t, &wide), "one"));
    assert_non_null(strstr(header_of(&t, &wide), "two"));
    for (unsigned i = 0; i < 20; i++) {
        table_act(&t, &wide, ACTION_RIGHT);
        header_of(&t, &wide);
    }
    assert_non_null(strstr(header_of(&t, &wide), "name"));
    assert_non_null(strstr(header_of(&t, &wide), "nine"));
    for (unsigned i = 0; i < 20; i++)
        table_act(&t, &wide, ACTION_LEFT);
    assert_non_null(strstr(header_of(&t, &wide), "one"));
    assert_int_equal(t.skipped, 0);
    /* Columns that fit do not scroll. */
    table_done(&t);
    table_init(&t);
    shown(&t);
    table_act(&t, &source, ACTION_RIGHT);
    assert_int_equal(t.skipped, 0);
    table_done(&t);
}

/* If the cursor was far down when a filter left few rows, these rows fill the screen. */
static void test_filter_fills(void **state)
{
    struct grid g;
    struct err err = {0};
    struct table t;

    table_init(&t);
    grid_init(&g, 80, 3, true);
    table_draw(&t, &source, NULL, 1, &g, 0, 3);
    table_act(&t, &source, ACTION_LAST);
    table_draw(&t, &source, NULL, 1, &g, 0, 3);
    assert_int_equal(t.top, 3);
    assert_true(table_filter(&t, &source, "R64", &err));
    table_draw(&t, &source, NULL, 1, &g, 0, 3);
    assert_int_equal(t.shown, 3);
    assert_int_equal(t.top, 1);
    grid_done(&g);
    table_done(&t);
}

/* A table of many rows. Row i has the number i * 7919 modulo MANY, and a text made from it. */
#define MANY ((size_t)200000)

static size_t many(const void *context)
{
    return *(const size_t *)context;
}

static double many_number(const void *context, size_t row, int column)
{
    return column == 1 ? (double)(row * 7919 % *(const size_t *)context) : NAN;
}

static void many_text(const void *context, size_t row, int column, struct str *out)
{
    str_addf(out, column ? "%zu" : "form %06zu", row * 7919 % *(const size_t *)context);
}

static const struct table_source large = {
    .columns = columns, .column_count = 2, .count = many, .number = many_number, .text = many_text};

static double reached;   /* progress of the sort in the last report */

/* Updates until all work is done, each time with a limit of steps. Returns the number of
 * updates. */
static unsigned updates(struct table *t, const size_t *rows)
{
    unsigned n = 0;

    do {
        uint64_t before = steps_taken;
        table_update(t, &large, rows, 1);
        assert_true(steps_taken - before <= TABLE_STEPS + TABLE_STEPS / 10);
        reached = t->arranging ? arrange_done(t->arranging) : reached;
        n++;
    } while (table_busy(t));
    return n;
}

/* Rows are sorted and filtered step by step. No drawing takes long, the old order remains until the
 * end, and Esc ends the work. */
static void test_many_rows(void **state)
{
    static const char *const orders[] = {"cycles", "-cycles", "form"};
    size_t rows = MANY;
    struct err err = {0};
    struct table t;

    table_init(&t);
    assert_int_equal(updates(&t, &rows), 1);
    assert_int_equal(t.shown, MANY);
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        assert_true(table_sort(&t, &large, orders[k], &err));
        assert_true(updates(&t, &rows) > 3);
        assert_true(reached > 0.8 && reached <= 1);
        assert_int_equal(t.shown, MANY);
        for (size_t i = 0; i < MANY; i++)
            assert_int_equal(table_row(&t, i) * 7919 % MANY, k == 1 ? MANY - 1 - i : i);
    }
    assert_true(table_filter(&t, &large, "cycles<100 & form~form", &err));
    assert_true(updates(&t, &rows) > 3);
    assert_int_equal(t.shown, 100);
    /* Rows that are removed during the sort are not displayed. */
    assert_true(table_filter(&t, &large, "", &err) && table_sort(&t, &large, "cycles", &err));
    updates(&t, &rows);
    assert_true(table_sort(&t, &large, "-cycles", &err));
    table_update(&t, &large, &rows, 1);
    assert_true(table_busy(&t));
    rows = 5000;
    table_update(&t, &large, &rows, 2);
    for (size_t i = 0; i < t.shown; i++)
        assert_true(table_row(&t, i) < rows);
    table_finish(&t, &large, &rows);
    rows = MANY;
    assert_true(table_sort(&t, &large, "form", &err));
    table_update(&t, &large, &rows, 3);
    assert_true(table_busy(&t) && table_act(&t, &large, ACTION_CANCEL) && !table_busy(&t));
    table_update(&t, &large, &rows, 3);
    assert_int_equal(t.shown, MANY);
    assert_int_equal(table_row(&t, MANY - 1), MANY - 1);
    table_done(&t);
}

/* A search also proceeds step by step. It shows that it is running, and where it ended. */
static void test_search_goes_on(void **state)
{
    size_t rows = MANY;
    struct str status = {0};
    struct table t;

    table_init(&t);
    updates(&t, &rows);
    /* The search visits all rows once and returns to the first one. */
    assert_true(table_find(&t, &large, &rows, "form 000000", -1));
    assert_true(table_busy(&t));
    assert_true(updates(&t, &rows) > 3);
    assert_int_equal(t.cursor, 0);
    assert_false(t.missed);
    assert_true(table_find(&t, &large, &rows, "form 000001", 1));
    updates(&t, &rows);
    assert_int_equal(table_row(&t, t.cursor) * 7919 % MANY, 1);
    size_t at = t.cursor;
    assert_true(table_find(&t, &large, &rows, "nothing", 1));
    table_status(&t, &large, &status);
    assert_non_null(strstr(str_text(&status), "searching"));
    updates(&t, &rows);
    str_clear(&status);
    table_status(&t, &large, &status);
    assert_non_null(strstr(str_text(&status), "\"nothing\" not found"));
    assert_int_equal(t.cursor, at);
    assert_true(table_find(&t, &large, &rows, "nothing", 1) &&
                table_act(&t, &large, ACTION_CANCEL) && !table_busy(&t));
    str_done(&status);
    table_done(&t);
}

/* Keys for the first and last row refer to the order requested last, even before its sort is
 * complete. */
static void test_ends_of_what_comes(void **state)
{
    size_t rows = MANY;
    struct err err = {0};
    struct table t;

    table_init(&t);
    updates(&t, &rows);
    for (int ascending = 0; ascending < 2; ascending++) {
        assert_true(table_sort(&t, &large, ascending ? "cycles" : "-cycles", &err));
        if (ascending)
            table_update(&t, &large, &rows, 1);
        assert_true(table_act(&t, &large, ACTION_FIRST));
        updates(&t, &rows);
        assert_int_equal(t.cursor, 0);
        assert_int_equal(t.selected * 7919 % MANY, ascending ? 0 : MANY - 1);
    }
    assert_true(table_sort(&t, &large, "-cycles", &err) && table_act(&t, &large, ACTION_LAST));
    updates(&t, &rows);
    assert_int_equal(t.cursor, MANY - 1);
    /* Any other move remains at its row. */
    assert_true(table_sort(&t, &large, "cycles", &err) && table_act(&t, &large, ACTION_FIRST) &&
                table_act(&t, &large, ACTION_DOWN));
    size_t row = t.selected;
    updates(&t, &rows);
    assert_int_equal(t.selected, row);
    table_done(&t);
}

/* Rows with equal first columns. Counts the requests for text. */
struct pairs { size_t count, asked, from; };

static const struct table_column pair_columns[] = {{"form", 0, false, 0},
                                                   {"quantity", 10, false, 0}};

static size_t pair_count(const void *context)
{
    return ((const struct pairs *)context)->count;
}

static double pair_number(const void *context, size_t row, int column)
{
    return NAN;
}

static void pair_text(const void *context, size_t row, int column, struct str *out)
{
    struct pairs *p = (struct pairs *)context;

    p->asked++;
    str_addf(out, column ? "quantity %zu" : "form %zu",
             column ? (row + p->from) % 2 : (row + p->from) / 2);
}

/* One of two rows with the same name is tagged. For any number of rows, copying reads only tagged
 * rows, and finds them after they moved. */
static void test_tags_of_pairs(void **state)
{
    static const struct table_source pairs = {.columns = pair_columns,
                                              .column_count = 2,
                                              .count = pair_count,
                                              .number = pair_number,
                                              .text = pair_text,
                                              .named_by = 1u << 1};
    struct pairs p = {.count = 100000};
    struct str out = {0};
    struct table t;
    struct err err = {0};

    table_init(&t);
    table_update(&t, &pairs, &p, 1);
    table_finish(&t, &pairs, &p);
    table_act(&t, &pairs, ACTION_DOWN);
    table_tag(&t, &pairs, &p);   /* tags row 1 */
    t.cursor = 70000;
    t.selected = 70000;
    table_tag(&t, &pairs, &p);
    p.asked = 0;
    assert_true(table_copy(&t, &pairs, &p, COPIED_ROWS, &out, &err));
    assert_string_equal(str_text(&out), "form 0\tquantity 1\nform 35000\tquantity 0\n");
    assert_true(p.asked < 20);
    str_clear(&out);
    p.from = 1;   /* One row is removed, so all others move up by one. */
    p.count--;
    table_update(&t, &pairs, &p, 2);
    table_finish(&t, &pairs, &p);
    for (unsigned i = 0; i < 2; i++) {
        p.asked = 0;
        assert_true(table_copy(&t, &pairs, &p, COPIED_NAMES, &out, &err));
        assert_string_equal(str_text(&out), "form 0\nform 35000\n");
        str_clear(&out);
    }
    assert_true(p.asked < 20);   /* The positions of the tagged rows have been stored again. */
    char longest[FILTER_TEXT + 1];
    memset(longest, 'x', sizeof longest);
    longest[FILTER_TEXT] = '\0';
    assert_false(table_filter(&t, &pairs, longest, &err));
    longest[FILTER_TEXT - 1] = '\0';
    assert_true(table_filter(&t, &pairs, longest, &err));
    assert_string_equal(t.filter_text, longest);
    str_done(&out);
    table_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_rows),      cmocka_unit_test(test_tags_of_pairs),
        cmocka_unit_test(test_search_goes_on), cmocka_unit_test(test_ends_of_what_comes),
        cmocka_unit_test(test_filters),        cmocka_unit_test(test_several_columns),
        cmocka_unit_test(test_sideways),       cmocka_unit_test(test_selection_follows),
        cmocka_unit_test(test_filter_fills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
