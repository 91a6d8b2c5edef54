/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines wider than the screen. Prose is wrapped, tables scroll sideways, and the end can be
 * reached. */
#include <locale.h>
#include <string.h>

#include "view/pager.h"
#include "../support/support.h"

static void assert_shows(struct pager *p, unsigned width, unsigned height, const char *expected)
{
    struct grid g;
    struct str text = {0};

    grid_init(&g, width, height, false);
    pager_draw(p, &g);
    grid_text(&g, false, &text);
    assert_string_equal(str_text(&text), expected);
    grid_done(&g);
    str_done(&text);
}

static void assert_status(const struct pager *p, const char *expected)
{
    struct str text = {0};

    pager_status(p, &text);
    assert_string_equal(str_text(&text), expected);
    str_done(&text);
}

/* A sentence continues below its start, an explanation below the start of the explanation. */
static void test_prose_wraps(void **state)
{
    struct pager p = {0};

    pager_add(&p, ROLE_TEXT,
              "more accumulators would help; more ports would not\n  key   edit the source in the "
              "editor of the user\n  └ key  short\n");
    assert_shows(&p, 34, 6,
                 "more accumulators would help; more\nports would not\n  key   edit the source in "
                 "the\n        editor of the user\n  └ key  short\n\n");
    assert_status(&p, "1-3/3");
    assert_shows(&p, 60, 4,
                 "more accumulators would help; more ports would not\n  key   edit the source in "
                 "the editor of the user\n  └ key  short\n\n");
    pager_done(&p);
}

/* A line scrolls sideways if wrapping would misalign its columns, or if the screen is too small for
 * the text. */
static void test_tables_scroll(void **state)
{
    struct pager p = {0};
    struct str list = {0};

    pager_add(&p, ROLE_TEXT, "name       cycles  bottleneck\nloop       1.00    ports\n");
    for (unsigned i = 0; i < 100; i++)
        str_add(&list, "1,2,");
    pager_add(&p, ROLE_TEXT, str_text(&list));
    pager_add(&p, ROLE_TEXT, "                  an explanation far to the right");
    assert_shows(&p, 26, 5,
                 "name       cycles  bottle>\nloop       1.00    "
                 "ports\n1,2,1,2,1,2,1,2,1,2,1,2,1>\n                  an expl>\n\n");
    assert_true(pager_act(&p, ACTION_RIGHT));
    assert_shows(&p, 26, 5,
                 "<  cycles  bottleneck\n<  1.00    ports\n<,2,1,2,1,2,1,2,1,2,1,2,1>\n<         "
                 "an explanation >\n\n");
    str_done(&list);
    pager_done(&p);
}

/* For any number of rows, the last line can be shown completely, and a search reaches it. */
static void test_the_end(void **state)
{
    struct pager p = {0};

    for (unsigned i = 0; i < 10; i++)
        pager_add(&p, ROLE_TEXT, "a line of this text that takes two rows");
    pager_add(&p, ROLE_TEXT, "the last line of this text takes two too");
    assert_shows(&p, 30, 5,
                 "a line of this text that takes\ntwo rows\na line of this text that takes\ntwo "
                 "rows\na line of this text that takes\n");
    assert_true(pager_act(&p, ACTION_LAST));
    assert_shows(
        &p, 30, 5,
        "a line of this text that takes\ntwo rows\nthe last line of this text\ntakes two too\n\n");
    assert_status(&p, "10-11/11");
    assert_true(pager_act(&p, ACTION_FIRST));
    assert_true(pager_find(&p, "the last", 1));
    assert_shows(
        &p, 30, 5,
        "a line of this text that takes\ntwo rows\nthe last line of this text\ntakes two too\n\n");
    assert_true(pager_act(&p, ACTION_PAGE_UP));
    assert_shows(&p, 30, 3,
                 "a line of this text that takes\ntwo rows\na line of this text that takes\n");
    pager_done(&p);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prose_wraps),
                                       cmocka_unit_test(test_tables_scroll),
                                       cmocka_unit_test(test_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
