/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters and tables: what they show, and that the selection follows its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"
#include "view/arrange.h"
#include "view/key.h"
#include "view/table.h"

static const char *const names[] = {"ADD (R64, R64)", "VADDPD (YMM, YMM, YMM)", "IMUL (R64, R64)", "DIV (R64)", "NOP ()"};
static const double cycles[] = {0.25, 0.5, 1, 18, NAN};

static const struct table_column columns[] = {{"form", 0, false, 0}, {"cycles", 8, true, 0}};

static size_t five(const void *context)
{
    (void)context;
    return 5;
}

static double number_of(const void *context, size_t row, int column)
{
    (void)context;
    return column == 1 ? cycles[row] : NAN;
}

static void text_of(const void *context, size_t row, int column, struct str *out)
{
    (void)context;
    if (column == 0)
        str_add(out, names[row]);
    else if (!isnan(cycles[row]))
        str_addf(out, "%g", cycles[row]);
}

static const struct table_source source = {.columns = columns, .column_count = 2, .count = five, .number = number_of, .text = text_of};

/* The rows a table shows, as digits in order. */
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

    (void)state;
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
    assert_string_equal(shown(&t), "1");   /* a refused filter changes nothing */
    table_done(&t);
}

static void test_selection_follows(void **state)
{
    struct err err = {0};
    struct table t;
    size_t row;

    (void)state;
    table_init(&t);
    shown(&t);
    table_key(&t, &source, 'j');
    table_key(&t, &source, 'j');
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 2);
    assert_true(table_sort(&t, &source, "cycles", &err));
    assert_string_equal(shown(&t), "01234");
    assert_true(table_sort(&t, &source, "-cycles", &err));
    assert_string_equal(shown(&t), "32104");   /* missing comes last either way */
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 2);
    assert_true(table_sort(&t, &source, "form", &err));
    assert_string_equal(shown(&t), "03241");
    assert_string_equal(filtered(&t, "R64"), "032");
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 2);
    assert_false(table_sort(&t, &source, "taste", &err));
    assert_true(table_find(&t, &source, NULL, "div", 1));
    assert_true(table_selected(&t, &row));
    assert_int_equal(row, 3);
    assert_false(table_find(&t, &source, NULL, "nowhere", 1));
    table_click(&t, &source, 55, 0);
    shown(&t);
    assert_int_equal(t.sort, 1);
    table_key(&t, &source, 'G');
    table_key(&t, &source, KEYCODE_PAGE_DOWN);
    assert_int_equal(t.cursor, t.shown - 1);
    table_done(&t);
}

/* The cursor was far down when a filter left few rows: they are shown from the first on. */
static void test_filter_fills(void **state)
{
    struct grid g;
    struct err err = {0};
    struct table t;

    (void)state;
    table_init(&t);
    grid_init(&g, 80, 3, true);
    table_draw(&t, &source, NULL, 1, &g, 0, 3);
    table_key(&t, &source, 'G');
    table_draw(&t, &source, NULL, 1, &g, 0, 3);
    assert_int_equal(t.top, 3);
    assert_true(table_filter(&t, &source, "R64", &err));
    table_draw(&t, &source, NULL, 1, &g, 0, 3);
    assert_int_equal(t.shown, 3);
    assert_int_equal(t.top, 1);
    grid_done(&g);
    table_done(&t);
}

/* A table of many rows: row i has the number i * 7919 modulo their number, and a text of it. */
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

static const struct table_source large = {.columns = columns, .column_count = 2, .count = many, .number = many_number, .text = many_text};

static double reached;   /* share of the sorting that was told last */

/* Updates until all is done, each of which may take so many steps; returns how many there were. */
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

/* Rows are sorted and filtered a piece at a time: no drawing takes long, the old order stands meanwhile, Esc ends it. */
static void test_many_rows(void **state)
{
    static const char *const orders[] = {"cycles", "-cycles", "form"};
    size_t rows = MANY;
    struct err err = {0};
    struct table t;

    (void)state;
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
    /* Rows that went while others were being sorted are not shown. */
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
    assert_true(table_busy(&t) && table_key(&t, &large, KEYCODE_ESCAPE) && !table_busy(&t));
    table_update(&t, &large, &rows, 3);
    assert_int_equal(t.shown, MANY);
    assert_int_equal(table_row(&t, MANY - 1), MANY - 1);
    table_done(&t);
}

/* So is a search: it says that it goes on, and where it ended. */
static void test_search_goes_on(void **state)
{
    size_t rows = MANY;
    struct str status = {0};
    struct table t;

    (void)state;
    table_init(&t);
    updates(&t, &rows);
    assert_true(table_find(&t, &large, &rows, "form 000000", -1));   /* all the way round, back to the first row */
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
    assert_non_null(strstr(str_text(&status), "\"nothing\" is not here"));
    assert_int_equal(t.cursor, at);
    assert_true(table_find(&t, &large, &rows, "nothing", 1) && table_key(&t, &large, KEYCODE_ESCAPE) && !table_busy(&t));
    str_done(&status);
    table_done(&t);
}

/* The first row that is asked for is that of the order asked for before, also when that is still to come. */
static void test_ends_of_what_comes(void **state)
{
    size_t rows = MANY;
    struct err err = {0};
    struct table t;

    (void)state;
    table_init(&t);
    updates(&t, &rows);
    for (int late = 0; late < 2; late++) {
        assert_true(table_sort(&t, &large, late ? "cycles" : "-cycles", &err));
        if (late)
            table_update(&t, &large, &rows, 1);
        assert_true(table_key(&t, &large, 'g'));
        updates(&t, &rows);
        assert_int_equal(t.cursor, 0);
        assert_int_equal(t.selected * 7919 % MANY, late ? 0 : MANY - 1);
    }
    assert_true(table_sort(&t, &large, "-cycles", &err) && table_key(&t, &large, 'G'));
    updates(&t, &rows);
    assert_int_equal(t.cursor, MANY - 1);
    /* Any other move keeps to its row. */
    assert_true(table_sort(&t, &large, "cycles", &err) && table_key(&t, &large, 'g') && table_key(&t, &large, 'j'));
    size_t row = t.selected;
    updates(&t, &rows);
    assert_int_equal(t.selected, row);
    table_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_rows), cmocka_unit_test(test_search_goes_on), cmocka_unit_test(test_ends_of_what_comes), cmocka_unit_test(test_filters), cmocka_unit_test(test_selection_follows), cmocka_unit_test(test_filter_fills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
