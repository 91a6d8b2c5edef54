/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches that threads share. Misses predicted from the serial profile are compared with those of
 * the threads' interleaved references in a linearly searched stack. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "program/memory.h"
#include "../support/support.h"

typedef VEC(unsigned) trace;

#define FIRST_USE SIZE_MAX

/* Returns the number of other lines used since the last use of @line, by a list with the most
 * recent line first. Moves the line to the top. */
static size_t touch(trace *stack, unsigned line)
{
    size_t at = 0, depth;

    while (at < stack->count && stack->items[at] != line)
        at++;
    depth = at < stack->count ? at : FIRST_USE;
    if (depth == FIRST_USE)
        vec_push(stack, 0);
    for (; at > 0; at--)
        stack->items[at] = stack->items[at - 1];
    stack->items[0] = line;
    return depth;
}

/* Returns the number of misses of @t in a cache of @lines lines, by a list with the most recent
 * line first. */
static size_t naive_misses(const trace *t, size_t lines)
{
    trace stack = {0};
    size_t misses = 0;

    for (size_t i = 0; i < t->count; i++)
        misses += touch(&stack, t->items[i]) >= lines;
    vec_done(&stack);
    return misses;
}

/* Returns the distances of @t's references as a profile, bins[d]. The last bin counts first
 * uses. */
static double *profile(const trace *t, size_t lines)
{
    double *bins = mem_zero(lines + 1, sizeof *bins);
    trace stack = {0};

    for (size_t i = 0; i < t->count; i++) {
        size_t at = touch(&stack, t->items[i]);
        bins[at == FIRST_USE ? lines : at]++;
    }
    vec_done(&stack);
    return bins;
}

#define ROWS 24
#define LINES 32          /* number of lines in a row */
#define SWEEPS 5

/* Adds the rows @from to @to of one sweep, each traversed @again times. */
static void add_rows(trace *t, unsigned from, unsigned to, unsigned again)
{
    for (unsigned row = from; row < to; row++)
        for (unsigned k = 0; k < again * LINES; k++)
            vec_push(t, row * LINES + k % LINES);
}

/* Adds @times traversals of a table of ROWS * LINES lines, from line @first, which differs between
 * threads. One of p threads has 1 / p of the serial run's references. */
static void add_table(trace *t, unsigned first, unsigned times)
{
    for (unsigned k = 0; k < times * ROWS * LINES; k++)
        vec_push(t, (first + k) % (ROWS * LINES));
}

static void interleave(trace *threads, size_t p, trace *out)
{
    for (size_t i = 0; i < threads[0].count; i++)
        for (size_t k = 0; k < p; k++)
            vec_push(out, threads[k].items[i]);
}

/* Returns the predicted miss rate of all references in a fully associative cache of @lines lines,
 * shared or private to each thread. */
static double predicted(const trace *serial, size_t footprint, double p, double common,
                        double lines, bool shared)
{
    const struct memory m = {.levels = {{{lines, lines}, 5, 0, 0}, {{lines, lines}, 50, 2, 0}},
                             .count = 2,
                             .sharing = {p, (double)footprint, common}};
    double *bins = profile(serial, footprint), misses = bins[footprint];

    for (size_t d = 0; d < footprint; d++)
        misses += bins[d] * (1 - memory_hit(&m, shared, &m.levels[shared].shape, (double)d));
    free(bins);
    return misses;
}

static void check(trace *threads, size_t p, const trace *serial, double common, double lines)
{
    size_t own = 0;
    trace all = {0};

    interleave(threads, p, &all);
    double between = (double)naive_misses(&all, (size_t)lines),
           mine = predicted(serial, ROWS * LINES, (double)p, common, lines, true);
    if (fabs(mine - between) > 0.02 * (double)all.count)
        fail_msg("%zu threads, %g lines shared, common %g: %g misses instead of %g of %zu", p,
                 lines, common, mine, between, all.count);
    for (size_t k = 0; k < p; k++)
        own += naive_misses(&threads[k], (size_t)lines);
    mine = predicted(serial, ROWS * LINES, (double)p, common, lines, false);
    if (common == 0 && fabs(mine - (double)own) > 0.02 * (double)all.count)
        fail_msg("%zu threads, %g lines each: %g misses instead of %zu of %zu", p, lines, mine, own,
                 all.count);
    vec_done(&all);
}

/* Threads sweep over rows. Each thread has a block of rows, and traverses each row once or four
 * times. */
static void test_rows(void **state)
{
    static const double sizes[] = {20, 50, 90, 150, 250, 300, 500, 700, 800};
    for (unsigned again = 1; again <= 4; again += 3)
        for (unsigned p = 1; p <= 4; p *= 2)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                trace threads[4] = {{0}}, serial = {0};
                for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
                    add_rows(&serial, 0, ROWS, again);
                    for (unsigned k = 0; k < p; k++)
                        add_rows(&threads[k], k * ROWS / p, (k + 1) * ROWS / p, again);
                }
                check(threads, p, &serial, 0, sizes[i]);
                vec_done(&serial);
                for (unsigned k = 0; k < p; k++)
                    vec_done(&threads[k]);
            }
}

/* All threads read one table, at equal offsets. A line is reused p times as often, with p times as
 * many lines per unit of time between uses. */
static void test_table(void **state)
{
    static const double sizes[] = {100, 150, 230, 300, 450, 700, 800};
    for (unsigned p = 2; p <= 4; p *= 2)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            trace threads[4] = {{0}}, serial = {0};
            add_table(&serial, 0, 60 * p);
            for (unsigned k = 0; k < p; k++)
                add_table(&threads[k], k * ROWS * LINES / p, 60);
            check(threads, p, &serial, 1, sizes[i]);
            vec_done(&serial);
            for (unsigned k = 0; k < p; k++)
                vec_done(&threads[k]);
        }
}

/* By hand: 100 of 1,000 lines are shared by four threads. A thread has 325 lines. Of 40 lines
 * between two uses, 4 are shared, so four threads use 4 + 4 * 36. */
static void test_by_hand(void **state)
{
    const struct sharing s = {4, 1000, 0.1}, serial = {1, 1000, 0.1};
    assert_float_equal(sharing_own(&s, 40), 40, 1e-9);
    assert_float_equal(sharing_own(&s, 900), 325, 1e-9);
    assert_float_equal(sharing_between(&s, 40), 148, 1e-9);
    assert_float_equal(sharing_common(&s, 40), 40, 1e-9);
    assert_float_equal(sharing_between(&s, 900), 1000, 1e-9);
    assert_true(isinf(sharing_own(&s, INFINITY)) && isinf(sharing_between(&s, INFINITY)));
    for (double d = 0; d < 1000; d += 100)
        assert_true(sharing_own(&serial, d) == d && sharing_between(&serial, d) == d &&
                    sharing_common(&serial, d) == d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
