/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits of a core for misses, compared with a simulation of successive executions, and by hand for
 * transfer times of lines. Walks that alternate between near and far lines. */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "program/window.h"
#include "../support/support.h"

#define EXECUTIONS 200000

static const struct memory two = {.levels = {{{512, 8}, 5, 0, 0}, {{4096, 16}, 170, 2, 0}},
                                  .count = 2,
                                  .latency = 560,
                                  .line_cycles = 20,
                                  .clock_hz = 3e9};

/* An execution starts when the one @reach earlier has retired. It retires when its line has
 * arrived, at least @core after its predecessor. */
static double simulated(const struct window *w, double near, double far)
{
    size_t reach = (size_t)w->reach;
    double *left = calloc(EXECUTIONS + 1, sizeof *left), mean;
    struct rng rng;

    assert_non_null(left);
    rng_seed(&rng, 1);
    for (size_t i = 1; i <= EXECUTIONS; i++) {
        double chance = rng_unit(&rng),
               latency = chance < far          ? two.latency
                         : chance < far + near ? two.levels[1].latency
                                               : 0,
               begun = i > reach ? left[i - reach] : 0;
        left[i] = fmax(left[i - 1] + w->core, begun + latency);
    }
    mean = left[EXECUTIONS] / EXECUTIONS - w->core;
    free(left);
    return mean;
}

static void test_agrees_with_simulation(void **state)
{
    static const struct { double near, far, reach, core;
    } cases[] = {{1, 0, 7, 9},        {0.5, 0.5, 7, 9}, {0.8, 0.2, 7, 9},   {0.2, 0.05, 7, 9},
                 {0.05, 0.01, 7, 9},  {1, 0, 14, 9},    {0.1, 0.02, 28, 4}, {0.8, 0.2, 28, 4},
                 {0.01, 0.01, 50, 2}, {0, 0.02, 50, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct window w = {cases[i].reach, cases[i].core, 1e9, 0, 0};
        const double served[MEMORY_LEVELS + 1] = {1 - cases[i].near - cases[i].far, cases[i].near,
                                                  cases[i].far};
        double expected = simulated(&w, cases[i].near, cases[i].far),
               found = window_waits(&two, &w, served);
        if (!(fabs(found / expected - 1) < 0.15))
            fail_msg("near %g, far %g, reach %g: %g cycles, simulated %g", cases[i].near,
                     cases[i].far, cases[i].reach, found, expected);
    }
}

/* The work hides all of the latency. Transfers of lines take time for any number in flight. */
static void test_lines_take_time(void **state)
{
    const double all[MEMORY_LEVELS + 1] = {0, 1, 0}, none[MEMORY_LEVELS + 1] = {1, 0, 0};
    struct memory m = two;
    assert_true(window_waits(&two, &(struct window){20, 9, 1e9, 0, 0}, all) == 0);
    assert_true(window_waits(&two, &(struct window){7, 9, 1e9, 0, 0}, none) == 0);
    /* Ten lines in flight, 17 cycles each. Of 41 in a group 40 * 2 cycles are hidden. */
    assert_float_equal(window_line_cycles(&two, 1, 10), 17, 1e-9);
    assert_float_equal(window_waits(&two, &(struct window){40, 2, 10, 0, 0}, all),
                       (41 * 17 - 80) / 41.0, 1e-9);
    m.levels[1].miss_cycles = 30;
    assert_float_equal(window_waits(&m, &(struct window){40, 2, 10, 0, 0}, all),
                       (41 * 30 - 80) / 41.0, 1e-9);
}

/* TLB misses occupy the page walkers, in parallel with the work and with the transfer of lines. The
 * longest time counts. TLB hits cost nothing. */
static void test_page_walks(void **state)
{
    const double all[MEMORY_LEVELS + 1] = {0, 1, 0}, none[MEMORY_LEVELS + 1] = {1, 0, 0};
    struct memory m = two;
    assert_true(memory_walk(&m, 1e6, NULL) == 0);
    m.pages = 2048;
    m.walk_cycles = 17;
    assert_true(memory_walk(&m, 1000, NULL) < 0.2 && memory_walk(&m, 4000, NULL) > 16.9 &&
                memory_walk(&m, INFINITY, NULL) == 17);
    assert_true(memory_walk(&m, 2048, NULL) > 17 / 3.0 &&
                memory_walk(&m, 2048, NULL) < 17 * 2 / 3.0);
    assert_float_equal(window_waits(&m, &(struct window){40, 2, 10, 17, 0}, none), 15, 1e-9);
    assert_true(window_waits(&m, &(struct window){40, 20, 10, 17, 0}, none) == 0);
    assert_float_equal(window_waits(&m, &(struct window){40, 2, 10, 10, 0}, all),
                       (41 * 17 - 80) / 41.0, 1e-9);
    assert_float_equal(window_waits(&m, &(struct window){40, 2, 10, 30, 0}, all), 28, 1e-9);
}

/* Columns of consecutive pages use all sets of the TLB. Every second page uses half of them
 * (measured on a Golden Cove: 1,200 rows 8,256 bytes apart miss, 4,160 bytes apart hit). Two
 * columns of the same rows share pages, those of two arrays do not. */
static void test_columns_in_tlb(void **state)
{
    const struct walk_pages dense = {4160, 1, 1}, second = {8256, 1, 1}, same = {8000, 2, 1},
                            apart = {8000, 2, 2};
    struct memory m = two;

    m.pages = 2200;
    m.walk_cycles = 20;
    assert_true(memory_walk(&m, 1600, &dense) < 1 && memory_walk(&m, 2600, &dense) > 19);
    assert_true(memory_walk(&m, 800, &second) < 1 && memory_walk(&m, 1300, &second) > 15);
    assert_true(memory_walk(&m, 2000, &same) < 5 && memory_walk(&m, 2000, &apart) > 8);
    assert_true(memory_walk(&m, INFINITY, &dense) == 20);
}

/* An updated line costs its write-back. In the second level, a written line has the same cost. From
 * main memory, the ratio of written lines applies. */
static void test_written_lines(void **state)
{
    struct memory m = two;

    m.line_write = 1.5;
    assert_true(memory_write_cycles(&m, 1, LINE_UPDATED) == 0);
    assert_true(memory_write_cycles(&m, 1, LINE_WRITTEN) == 1);
    m.levels[1].update_cycles = 3;
    for (size_t level = 1; level <= 2; level++)
        assert_true(memory_write_cycles(&m, level, LINE_READ) == 0 &&
                    memory_write_cycles(&m, level, LINE_UPDATED) == 3);
    assert_true(memory_write_cycles(&m, 1, LINE_WRITTEN) == 3);
    assert_true(memory_write_cycles(&m, 2, LINE_WRITTEN) == 10);

    /* This column is in the second level. */
    struct run_bin bins[] = {{1000, 800, 800, 5600}};
    const struct run_reference column = {.references = 800, .bins = bins, .bin_count = 1};
    const struct window w = {1000, 1, 1e9, 0, 0};
    const double none[MEMORY_LEVELS + 1] = {0};
    struct walks walks = {0};
    vec_push(&walks.list, ((struct walk_reference){&column, 1, 1, LINE_READ}));
    m.levels[1].miss_cycles = 2;
    const double read = window_phases(&m, &w, &walks, 800, none);
    walks.list.items[0].use = LINE_UPDATED;
    assert_float_equal(window_phases(&m, &w, &walks, 800, none), read + 3 * 800, 8);
    vec_done(&walks.list);
}

/* Two columns reach new lines at the same time, in an eighth of their steps. They share one
 * wait. */
static void test_phases(void **state)
{
    struct run_bin bins[] = {{10, 700, 700, 5600}, {1e6, 100, 100, 5600}};
    const struct run_reference column = {.references = 800, .bins = bins, .bin_count = 2};
    const struct window w = {7, 9, 1e9, 0, 0};
    const double none[MEMORY_LEVELS + 1] = {0}, both[MEMORY_LEVELS + 1] = {0, 0, 2};
    struct walks walks = {0};

    assert_true(window_phases(&two, &w, &walks, 800, none) == 0);
    vec_push(&walks.list, ((struct walk_reference){&column, 1, 1, LINE_READ}));
    vec_push(&walks.list, ((struct walk_reference){&column, 1, 1, LINE_READ}));
    assert_float_equal(window_phases(&two, &w, &walks, 800, none),
                       100 * window_waits(&two, &w, both), 1e-3);
    vec_done(&walks.list);
}

/* The lines of a column are in the second level. There is no wait if a prefetcher covers strides of
 * this length, and the full wait if it only covers shorter ones. */
static void test_prefetched_walk(void **state)
{
    struct run_bin bins[] = {{1000, 800, 800, 5600}};
    const struct run_reference column = {.references = 800, .bins = bins, .bin_count = 1};
    const struct window w = {7, 9, 1e9, 0, 0};
    const double none[MEMORY_LEVELS + 1] = {0};
    struct walks walks = {0};
    struct memory m = two;

    vec_push(&walks.list, ((struct walk_reference){&column, 1, 1, LINE_READ}));
    double waited = window_phases(&m, &w, &walks, 800, none);
    assert_true(waited > 800);
    m.prefetch_step = 5599;
    assert_float_equal(window_phases(&m, &w, &walks, 800, none), waited, 1e-9);
    m.prefetch_step = 5600;
    assert_true(window_phases(&m, &w, &walks, 800, none) < 0.01 * waited);
    vec_done(&walks.list);
}

/* A column with a stride of a page. Its lines take the time of their single set, less the core's
 * cycles. With a stride one line longer they take no time. With a stride of 1 KiB they take the
 * time of four sets, and the same time as at a page if only that time is known. */
static void test_one_set(void **state)
{
    struct run_bin bins[] = {{4000, 800, 800, 4096}};
    const struct run_reference column = {.references = 800, .bins = bins, .bin_count = 1};
    const struct window w = {7, 9, 1e9, 0, 0};
    const double none[MEMORY_LEVELS + 1] = {0};
    struct walks walks = {0};
    struct memory m = two;

    vec_push(&walks.list, ((struct walk_reference){&column, 1, 1, LINE_READ}));
    double waited = window_phases(&m, &w, &walks, 800, none);
    m.crowded_cycles = 1000;
    assert_float_equal(window_phases(&m, &w, &walks, 800, none), 800 * (1000 - 9), 1);
    m.crowded_cycles = 1;
    assert_float_equal(window_phases(&m, &w, &walks, 800, none), waited, 1e-9);
    bins[0].step += 64;
    waited = window_phases(&m, &w, &walks, 800, none);
    m.crowded_cycles = 1000;
    assert_float_equal(window_phases(&m, &w, &walks, 800, none), waited, 1e-9);
    bins[0].step = MEMORY_SOME_SETS;
    assert_float_equal(window_phases(&m, &w, &walks, 800, none), 800 * (1000 - 9), 1);
    m.crowded_power = log(1000 / 250.) / log(4);
    assert_float_equal(window_phases(&m, &w, &walks, 800, none), 800 * (250 - 9), 1);
    vec_done(&walks.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_simulation), cmocka_unit_test(test_lines_take_time),
        cmocka_unit_test(test_page_walks),        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_columns_in_tlb),    cmocka_unit_test(test_written_lines),
        cmocka_unit_test(test_prefetched_walk),   cmocka_unit_test(test_one_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
