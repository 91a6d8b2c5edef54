/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cycle_ratio.h"
#include "base/rng.h"
#include "../support/support.h"

#define NODES_MAX 6
#define EDGES_MAX 14

struct graph {
    struct ratio_edge edges[EDGES_MAX];
    size_t edge_count, node_count;
};

/* Edges to the same or an earlier node cross iterations, and so do some others. Every cycle
 * therefore crosses at least one iteration. */
static struct graph random_graph(struct rng *rng)
{
    struct graph g = {.node_count = 1 + (size_t)rng_below(rng, NODES_MAX),
                      .edge_count = (size_t)rng_below(rng, EDGES_MAX + 1)};
    for (size_t i = 0; i < g.edge_count; i++) {
        struct ratio_edge *e = &g.edges[i];
        e->from = (uint32_t)rng_below(rng, g.node_count);
        e->to = (uint32_t)rng_below(rng, g.node_count);
        e->weight = (int32_t)rng_below(rng, 20) * 50;
        e->distance = (uint32_t)(e->to <= e->from ? 1 + rng_below(rng, 3) : rng_below(rng, 4) == 0);
    }
    return g;
}

/* Oracle 1: enumerates all simple cycles. */
static void walk(const struct graph *g, uint32_t start, uint32_t at, unsigned visited,
                 int64_t weight, int64_t distance, double *best)
{
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct ratio_edge *e = &g->edges[i];
        if (e->from != at)
            continue;
        int64_t w = weight + e->weight, d = distance + e->distance;
        if (e->to == start)
            *best = fmax(*best, (double)w / (double)d);
        else if (e->to > start && !(visited >> e->to & 1))
            walk(g, start, e->to, visited | 1u << e->to, w, d, best);
    }
}

static double by_enumeration(const struct graph *g)
{
    double best = 0;
    for (uint32_t start = 0; start < g->node_count; start++)
        walk(g, start, start, 1u << start, 0, 0, &best);
    return best;
}

/* Oracle 2: bisects the ratio. Bellman-Ford detects whether a cycle is positive. */
static bool has_positive_cycle(const struct graph *g, double ratio)
{
    double reach[NODES_MAX] = {0};
    for (size_t round = 0; round <= g->node_count; round++) {
        bool changed = false;
        for (size_t i = 0; i < g->edge_count; i++) {
            const struct ratio_edge *e = &g->edges[i];
            double value = reach[e->from] + e->weight - ratio * e->distance;
            if (value > reach[e->to] + 1e-9) {
                reach[e->to] = value;
                changed = true;
            }
        }
        if (!changed)
            return false;
    }
    return true;
}

static double by_bisection(const struct graph *g)
{
    double low = 0, high = 50.0 * 20 * EDGES_MAX;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        *(has_positive_cycle(g, middle) ? &low : &high) = middle;
    }
    return low;
}

static void test_random_graphs(void **state)
{
    struct rng rng;
    struct ratio_work work = {0};
    rng_seed(&rng, 11);
    for (int i = 0; i < 20000; i++) {
        struct graph g = random_graph(&rng);
        struct ratio_result result;
        assert_true(ratio_max(g.edges, g.edge_count, g.node_count, &work, &result));
        double got = (double)result.weight / (double)result.distance, expected = by_enumeration(&g);
        assert_true(fabs(got - expected) < 1e-9 * (1 + expected));
        if (i < 2000)
            assert_true(fabs(got - by_bisection(&g)) < 1e-4 * (1 + expected));
        /* The returned edges form a cycle with these sums. */
        int64_t weight = 0, distance = 0;
        for (size_t k = 0; k < result.count; k++) {
            const struct ratio_edge *e = &g.edges[result.edges[k]],
                                    *next = &g.edges[result.edges[(k + 1) % result.count]];
            assert_int_equal(e->to, next->from);
            weight += e->weight;
            distance += e->distance;
        }
        if (result.count) {
            assert_int_equal(weight, result.weight);
            assert_int_equal(distance, result.distance);
        } else {
            assert_int_equal(result.weight, 0);
        }
    }
    ratio_work_done(&work);
}

static void test_edges_of_the_contract(void **state)
{
    struct ratio_work work = {0};
    struct ratio_result result;

    assert_true(ratio_max(NULL, 0, 0, &work, &result));
    assert_int_equal(result.weight, 0);
    struct ratio_edge within[] = {{0, 1, 100, 0}, {1, 0, 100, 0}};
    assert_false(ratio_max(within, 2, 2, &work, &result));
    struct ratio_edge three[] = {{0, 1, 100, 0}, {1, 2, 100, 0}, {2, 0, 500, 3}};
    assert_true(ratio_max(three, 3, 3, &work, &result));
    assert_int_equal(result.weight, 700);
    assert_int_equal(result.distance, 3);
    ratio_work_done(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs),
                                       cmocka_unit_test(test_edges_of_the_contract)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
