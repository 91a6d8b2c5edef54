/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of a form's candidate usage, compared with throughput.h and with all port sets. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "chart/joining.h"
#include "chart/saturate.h"
#include "../support/support.h"

#define PORTS 7
#define ROWS 12
#define OTHERS 5
#define SECONDS 6
#define TRIES 300
#define MOST 60.0
#define SLOW_BY 1.25
#define NEAR 1e-4            /* The tolerance is for twelve costs, each rounded to 2^-20. */

static portset any_set(struct rng *rng)
{
    return 1 + (portset)rng_below(rng, (1u << PORTS) - 1);
}

/* Returns the maximum over all port sets of their mass divided by their size. */
static double by_all_sets(const struct mass *masses, size_t n)
{
    double most = 0;

    for (portset q = 1; q < 1u << PORTS; q++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (masses[i].ports & ~q) == 0 ? masses[i].count : 0;
        most = fmax(most, (double)sum / portset_size(q));
    }
    return most;
}

struct known_row {
    struct mass masses[OTHERS + 2];
    size_t others;
    uint32_t own;
    double slots, cycles;
};

/* Returns the cost, by both oracles, of @count µops of @first and one µop of @second (0 for
 * none). */
static double cost_of(struct throughput *t, struct known_row *rows, portset first, unsigned count,
                      portset second, unsigned slots, double slot)
{
    double cost = 0;

    for (size_t r = 0; r < ROWS; r++) {
        size_t n = rows[r].others;
        if (count)
            rows[r].masses[n++] = (struct mass){first, rows[r].own * count};
        if (second)
            rows[r].masses[n++] = (struct mass){second, rows[r].own};
        double ports = by_all_sets(rows[r].masses, n);
        assert_float_equal(throughput_of_masses(t, rows[r].masses, n), ports, 1e-9);
        double cycles = fmax(ports, rows[r].slots + slot * slots * rows[r].own),
               off = (cycles - rows[r].cycles) / (0.008 * rows[r].cycles + 0.003);
        double limit = rows[r].cycles > cycles && rows[r].cycles <= SLOW_BY * cycles
                           ? RESIDUAL_COST_MOST
                           : MOST;
        cost += fmin(off * off, limit);
    }
    return cost;
}

static void test_costs(void **state)
{
    struct throughput *t = throughput_new(PORTS);
    struct joiner *j = joining_new(ROWS, SECONDS);
    struct rng rng;

    rng_seed(&rng, 7);
    for (unsigned try = 0; try < TRIES; try++) {
        struct known_row rows[ROWS];
        portset seconds[SECONDS];
        const double slot = 1.0 / (4 + (double)rng_below(&rng, 4));
        joining_begin(j, MOST);
        for (size_t r = 0; r < ROWS; r++) {
            struct known_row *row = &rows[r];
            *row = (struct known_row){.others = rng_below(&rng, OTHERS + 1),
                                      .own = 1 + (uint32_t)rng_below(&rng, 4),
                                      .slots = (double)rng_below(&rng, 8) / 4,
                                      .cycles = 0.2637 + (double)rng_below(&rng, 40) / 12};
            for (size_t i = 0; i < row->others; i++)
                row->masses[i] = (struct mass){any_set(&rng), 1 + (uint32_t)rng_below(&rng, 4)};
            joining_add(j, &(struct joining_row){.others = row->masses,
                                                 .n = row->others,
                                                 .own = row->own,
                                                 .slots = row->slots,
                                                 .slot = slot,
                                                 .cycles = row->cycles,
                                                 .limits = {SLOW_BY, RESIDUAL_COST_MOST}});
        }
        for (size_t s = 0; s < SECONDS; s++)
            seconds[s] = any_set(&rng);
        joining_seconds(j, seconds, SECONDS, INFINITY);
        const portset first = any_set(&rng);
        const unsigned count = (unsigned)rng_below(&rng, 4), slots = (unsigned)rng_below(&rng, 4);
        const double bound = joining_first(j, first, count, INFINITY),
                     alone = cost_of(t, rows, first, count, 0, slots, slot);
        assert_float_equal(joining_cost(j, JOINING_NONE, slots, INFINITY), alone, NEAR);
        assert_true(bound <= alone + NEAR);
        /* Below the limit the bound is the same, and otherwise it exceeds the limit. */
        assert_true(bound == 0 || joining_first(j, first, count, bound * 0.99) > bound * 0.99);
        assert_true(joining_first(j, first, count, bound) == bound);
        for (size_t s = 0; s < SECONDS && count; s++) {
            const double expected = cost_of(t, rows, first, count, seconds[s], slots, slot),
                         cost = joining_cost(j, s, slots, INFINITY);
            assert_float_equal(cost, expected, NEAR);
            assert_true(bound <= cost && joining_bound(j, s) <= cost);
            /* This holds for any order of the rows. The cost is INFINITY above the limit. */
            assert_true(joining_cost(j, s, slots, cost) == cost);
            assert_true(cost == 0 || joining_cost(j, s, slots, cost * 0.99) == INFINITY);
        }
    }
    joining_free(j);
    throughput_free(t);
}

/* Without rows, every usage costs nothing. */
static void test_no_rows(void **state)
{
    struct joiner *j = joining_new(0, 1);
    const portset second = 3;

    joining_begin(j, MOST);
    joining_seconds(j, &second, 1, INFINITY);
    assert_true(joining_first(j, 1, 1, 0) == 0);
    assert_true(joining_cost(j, JOINING_NONE, 1, INFINITY) == 0);
    assert_true(joining_cost(j, 0, 1, 0) == 0);
    joining_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs),
                                       cmocka_unit_test(test_no_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
