/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves and fronts on a grid. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "view/plot.h"
#include "work/evolve_job.h"
#include "../support/support.h"

/* Draws a diagonal on logarithmic scales, with a gap, and a flat curve, at every size and in both
 * character sets. */
static void test_plot(void **state)
{
    static const double x[] = {1, 10, 100, 1000}, y[] = {0.5, NAN, 50, 5}, flat[] = {2, 2, 2, 2};
    const struct plot_series series[] = {{"error", ROLE_GOOD, x, y, 4, false},
                                         {"flat", ROLE_WARN, x, flat, 4, true}};
    struct plot plot = {.title = "curves",
                        .x_label = "s",
                        .log_x = true,
                        .log_y = true,
                        .series = series,
                        .series_count = 2};
    struct str text = {0};

    for (int ascii = 0; ascii < 2; ascii++)
        for (unsigned width = 1; width < 120; width += 7)
            for (unsigned height = 1; height < 40; height += 3) {
                struct grid g;
                grid_init(&g, width, height, ascii);
                plot_draw(&plot, &g, 0, 0, width, height);
                str_clear(&text);
                grid_text(&g, false, &text);
                if (width > 60 && height > 20) {
                    assert_non_null(strstr(str_text(&text), "curves  error  flat"));
                    assert_non_null(strstr(str_text(&text), "100"));
                }
                grid_done(&g);
            }
    plot.series_count = 0;
    struct grid g;
    grid_init(&g, 60, 20, false);
    plot_draw(&plot, &g, 0, 0, 60, 20);
    grid_done(&g);
    str_done(&text);
}

/* Without colours, letters distinguish several curves. A single curve has no letter. */
static void test_letters(void **state)
{
    static const double x[] = {1, 10, 100}, y[] = {1, 2, 30}, gap[] = {3, 20, NAN};
    const struct plot_series series[] = {{"error", ROLE_GOOD, x, y, 3, false},
                                         {"noise", ROLE_WARN, x, gap, 3, false}};
    struct plot plot = {.title = "curves", .log_x = true, .series = series, .series_count = 2};

    for (int mono = 0; mono < 2; mono++)
        for (plot.series_count = 1; plot.series_count <= 2; plot.series_count++) {
            struct str text = {0};
            struct grid g;
            grid_init(&g, 60, 20, false);
            g.mono = mono;
            plot_draw(&plot, &g, 0, 0, 60, 20);
            grid_text(&g, false, &text);
            const bool letters = mono && plot.series_count == 2;
            assert_int_equal(strstr(str_text(&text), "curves  a error  b noise\n") != NULL,
                             letters);
            /* This is the point (100, 30) in the top right corner. */
            assert_int_equal(g.cells[1 * g.width + 59].glyph[0] == 'a', letters);
            unsigned ends = 0;
            for (unsigned i = g.width; i < g.width * g.height; i++)
                ends += g.cells[i].glyph[0] == 'b' && !g.cells[i].glyph[1];
            assert_int_equal(ends, letters);   /* a letter after the last point before the gap */
            grid_done(&g);
            str_done(&text);
        }
}

/* Returns the number of cells that the steps of a front of @points use, without title, axes and
 * labels. */
static unsigned front_cells(const struct evolve_point *points, size_t n, struct str *shown)
{
    struct evolve_point copy[4] = {{0, 0, 0}};
    struct grid g;
    unsigned cells = 0;

    for (size_t i = 0; i < n; i++)
        copy[i] = points[i];
    grid_init(&g, 44, 12, false);
    pareto_draw(copy, n, &g, 0, 0, 44, 12);
    for (unsigned i = g.width; i < g.width * g.height; i++)
        cells += g.cells[i].role == ROLE_GOOD;
    str_clear(shown);
    grid_text(&g, false, shown);
    grid_done(&g);
    return cells;
}

/* A front of two or more mappings is drawn as steps, without dominated ones. A single mapping is
 * described in words. */
static void test_front(void **state)
{
    static const struct evolve_point two[] = {{0.10, 4, 7}, {0.02, 9, 20}},
                                     beaten[] = {{0.02, 9, 20},
                                                 {0.10, 4, 7},
                                                 {0.05, 9, 10},
                                                 {0.12, 5, 5}},
                                     one[] = {{0.0335, 4, 7}, {0.0335, 4, 7}};
    struct str shown = {0}, first = {0};

    assert_true(front_cells(two, 2, &first) > 30);
    assert_non_null(strstr(str_text(&first), "Pareto  error, % against distinct µops"));
    front_cells(beaten, 4, &shown);
    assert_string_equal(str_text(&shown), str_text(&first));
    assert_int_equal(front_cells(one, 2, &shown), 0);
    assert_non_null(strstr(str_text(&shown), "error 3.35 % with 4 distinct µops"));
    front_cells(NULL, 0, &shown);
    assert_non_null(strstr(str_text(&shown), "error against distinct µops"));
    str_done(&shown);
    str_done(&first);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plot), cmocka_unit_test(test_letters),
                                       cmocka_unit_test(test_front)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
