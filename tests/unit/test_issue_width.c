/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The issue width: inferred from measurements, or given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "infer/evolve.h"
#include "throughput/predict.h"
#include "../support/known.h"
#include "../support/support.h"

/* Returns the width inferred from @n forms alone that take 1 / rates[i] cycles. */
static double width_of(const double *rates, size_t n, double before)
{
    struct experiments *t = experiments_new();
    char name[24];

    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "F%zu", i);
        experiments_add(t, &(struct flat_term){names_add(&t->forms, name), 1}, 1);
        experiments_set(t, i, 1 / rates[i], 0, 1, EXPERIMENT_OK);
    }
    struct problem *p = problem_new(t, NULL, NULL);
    const double width = evolve_measured_width(p, before);
    problem_free(p);
    experiments_free(t);
    return width;
}

/* The issue width is the rate that many of the fastest experiments share. A rate near an integer is
 * rounded to the integer. */
static void test_measured_width(void **state)
{
    double rates[40], noisy[400];
    struct rng rng;

    for (size_t i = 0; i < 40; i++)
        /* This is the width of the Skylake of PMEvo's authors. */
        rates[i] = i < 30 ? 2.99 - 0.05 * (double)i : 3.906 + 0.0005 * (double)(i % 5);
    assert_true(fabs(width_of(rates, 40, 0) - 3.907) <= 0.001);
    assert_true(width_of(rates, 40, 4) < 4);   /* A rate near the former width replaces it. */
    assert_true(width_of(rates, 40, 6) == 6);  /* A far lower rate does not replace it. */
    assert_true(width_of(rates, 34, 0) == 4);  /* Four rates may agree by chance. */
    for (size_t i = 0; i < 40; i++)
        rates[i] = i < 30 ? 3 : 5.972;
    assert_true(width_of(rates, 40, 0) == 6);
    rates[39] = 7.9;   /* an outlier */
    assert_true(width_of(rates, 40, 0) == 8);
    rng_seed(&rng, 3);
    for (size_t i = 0; i < 400; i++)
        noisy[i] =
            i % 2 ? 4 / (1 + 0.015 * (rng_unit(&rng) + rng_unit(&rng) - 1)) : 1 + (double)i / 200;
    assert_true(width_of(noisy, 400, 0) == 4);
}

/* A given width may be a fraction. The inferred mapping and its predictions use it. */
static void test_given_width(void **state)
{
    struct known_bed b;
    struct evolve_options o = known_options();
    struct ports names;
    double slots = 0;

    known_set_up(&b, 7, 0.02, 1);
    o.width = 2.5;
    o.ports = 4;
    o.generations = 1;
    struct evolve *e = evolve_new(b.p, &o, NULL, 0, NULL);
    evolve_worker(e, 0, NULL, NULL);
    struct genome *g = evolve_best(e, NULL);
    ports_number(&names, g->ports);
    struct mapping *m = genome_mapping(g, b.p, &names);
    double *cycles = mem_alloc(b.t->rows.count * sizeof *cycles);
    assert_true(g->width == 2.5 && mapping_issue_width(m) == 2.5 &&
                fabs(genome_error(g, b.p) - g->d_avg) < 1e-5);
    throughput_predict(m, b.t, cycles);
    for (size_t i = 0; i < b.t->rows.count; i++, slots = 0) {
        for (uint32_t k = 0; k < b.t->rows.items[i].count; k++)
            slots +=
                experiments_terms(b.t, i)[k].count *
                mapping_find(m, b.t->forms.items[experiments_terms(b.t, i)[k].form])->micro_ops;
        assert_true(cycles[i] >= slots / 2.5 - 1e-9);
    }
    free(cycles);
    mapping_free(m);
    genome_free(g);
    evolve_free(e);
    known_tear_down(&b);
}

/* A mapping that changes to another width retains its slots. One that receives a width has slots
 * for each form, and one that loses the width has none. */
static void test_another_width(void **state)
{
    struct genome *g = genome_new(3, 2, 4);

    for (size_t f = 0; f < 3; f++)
        g->genes[f].slots = (uint8_t)(f + 1);
    genome_set_width(g, 3.9);
    assert_true(g->width == 3.9 && g->genes[0].slots == 1 && g->genes[1].slots == 2 &&
                g->genes[2].slots == 3);
    genome_set_width(g, 0);
    assert_true(g->width == 0 && g->genes[0].slots == 0 && g->genes[1].slots == 0 &&
                g->genes[2].slots == 0);
    genome_set_width(g, 5);
    assert_true(g->width == 5 && g->genes[0].slots == 1 && g->genes[1].slots == 1 &&
                g->genes[2].slots == 1);
    genome_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_measured_width),
                                       cmocka_unit_test(test_given_width),
                                       cmocka_unit_test(test_another_width)};
    return cmocka_run_group_tests_name("issue_width", tests, NULL, NULL);
}
