/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local search on one genome. */
#include <math.h>
#include <stdio.h>

#include "infer/anneal_state.h"
#include "infer/evolve.h"
#include "../support/known.h"
#include "../support/support.h"

static void test_incremental_sums(void **state)
{
    struct known_bed b;
    struct evolve_options o = known_options();
    known_set_up(&b, 12, 0.05, 40);
    const struct problem *p = b.p;
    for (int round = 0; round < 8; round++) {
        /* Four ports fit in one vector of columns. With nine ports, columns are added and
         * removed. */
        unsigned ports = round < 4 ? 4 : 9;
        struct annealer *s = anneal_new(p, ports, round % 2 ? 3 : 0, &o.prices, (uint64_t)round);
        anneal_random(s);
        for (int step = 0; step < 20; step++) {
            anneal_run(s, 500, step % 2 ? 1 : 0.01);
            const struct genome *g = anneal_genome(s);
            double cost = g->cost, kept = g->d_avg;
            assert_float_equal(genome_error(g, p), kept, 1e-4);
            for (size_t f = 0; f < p->forms; f++) {
                double sum = 0;
                for (uint32_t i = p->link_start[f]; i < p->link_start[f + 1]; i++)
                    sum += (double)s->errors[p->links[i].experiment];
                assert_float_equal(s->form_errors[f], sum, 1e-4);
            }
            struct annealer *fresh = anneal_new(p, ports, (unsigned)g->width, &o.prices, 1);
            anneal_load(fresh, g);
            assert_float_equal(anneal_cost(fresh), cost, 1e-2);
            anneal_free(fresh);
        }
        const struct anneal_stats *stats = anneal_stats(s);
        for (int k = 0; k < MOVE_KINDS; k++)
            assert_true(stats->tried[k] > 0 && stats->accepted[k] <= stats->tried[k]);
        anneal_free(s);
    }
    known_tear_down(&b);
}

/* One form has two µops on both ports instead of one on the second port. Only a joint change of
 * count and set reduces the error, and only in this form, because D must retain the same usage. */
static void test_count_follows_ports(void **state)
{
    static const struct anneal_prices prices = {
        .uop = 0.001, .volume = 0.001, .usage = 0.001, .new_usage = 3, .new_uop = 2};
    static const unsigned sets[] = {1, 3, 4, 3}, counts[] = {1, 2, 1, 2};
    static const struct {
        uint64_t of[4];
        double cycles;
    } rows[] = {{{1, 0, 0, 0}, 1},   {{0, 1, 0, 0}, 1},   {{0, 0, 1, 0}, 1},   {{0, 0, 0, 1}, 1},
                {{1, 1, 0, 0}, 1},   {{1, 0, 1, 0}, 1},   {{0, 2, 1, 0}, 2},   {{0, 3, 1, 0}, 3},
                {{1, 0, 0, 1}, 1.5}, {{1, 0, 0, 2}, 2.5}, {{1, 0, 0, 3}, 3.5}, {{0, 0, 1, 1}, 1},
                {{0, 0, 1, 2}, 2}};
    struct experiments *t = experiments_new();
    struct err err = {0};
    uint32_t forms[4];

    for (unsigned f = 0; f < 4; f++)
        forms[f] = names_add(&t->forms, (const char[]){(char)('A' + f), 0});
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct flat_term terms[4];
        uint32_t n = 0;
        for (unsigned f = 0; f < 4; f++)
            if (rows[r].of[f])
                terms[n++] = (struct flat_term){forms[f], rows[r].of[f]};
        experiments_set(t, experiments_add(t, terms, n), rows[r].cycles, NAN, 1, NULL);
    }
    struct problem *p = problem_new(t, NULL, &err);
    struct genome *g = genome_new(p->forms, 3, 0);
    for (unsigned f = 0; f < 4; f++)
        gene_add(&g->genes[problem_form(p, (const char[]){(char)('A' + f), 0})], sets[f],
                 counts[f]);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct annealer *s = anneal_new(p, 3, 0, &prices, seed);
        anneal_load(s, g);
        assert_float_equal(anneal_d_avg(s), 0.5 / 13, 1e-6);
        anneal_run(s, 5000, 1e-9);
        assert_float_equal(anneal_d_avg(s), 0, 1e-6);
        const struct gene *found = &anneal_genome(s)->genes[problem_form(p, "B")];
        assert_true(found->uops == 1 && portset_size(found->set[0]) == 1 && found->count[0] == 1);
        const struct gene *kept = &anneal_genome(s)->genes[problem_form(p, "D")];
        assert_true(kept->uops == 1 && portset_size(kept->set[0]) == 2 && kept->count[0] == 2);
        anneal_free(s);
    }
    genome_free(g);
    problem_free(p);
    experiments_free(t);
}

/* Many forms with two usages need the same change of count and set together. A change of one form,
 * or of the forms with one usage, would contradict all others. */
static void test_counts_follow_ports_everywhere(void **state)
{
    /* number of forms with only these operands, of all forms, and index of a form with one more
     * operand */
    enum { ALONE = 6, FORMS = 12, OTHER = 12 };
    static const struct anneal_prices prices = {
        .uop = 0.01, .volume = 0.001, .usage = 0.01, .new_usage = 3, .new_uop = 2};
    struct experiments *t = experiments_new();
    struct err err = {0};
    uint32_t forms[FORMS + 1];

    for (unsigned f = 0; f <= OTHER; f++) {
        forms[f] = names_add(&t->forms, (const char[]){(char)('A' + f), 0});
        experiments_set(t, experiments_add(t, &(struct flat_term){forms[f], 1}, 1), 1, NAN, 1,
                        NULL);
        for (unsigned k = 0; k < f; k++)
            experiments_set(
                t, experiments_add(t, (struct flat_term[]){{forms[k], 1}, {forms[f], 1}}, 2),
                f == OTHER && k < ALONE ? 1 : 2, NAN, 1, NULL);
    }
    struct problem *p = problem_new(t, NULL, &err);
    struct genome *g = genome_new(p->forms, 3, 0);
    for (unsigned f = 0; f <= OTHER; f++) {
        struct gene *gene = &g->genes[problem_form(p, (const char[]){(char)('A' + f), 0})];
        if (f < OTHER)
            gene_add(gene, 3, 2);
        if (f >= ALONE)
            gene_add(gene, 4, 1);
    }
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct annealer *s = anneal_new(p, 3, 0, &prices, seed);
        anneal_load(s, g);
        assert_float_equal(anneal_d_avg(s), 0, 1e-6);
        anneal_run(s, 20000, 1e-9);
        assert_float_equal(anneal_d_avg(s), 0, 1e-6);
        assert_int_equal(anneal_genome(s)->genes[problem_form(p, "A")].count[0], 1);
        anneal_free(s);
    }
    genome_free(g);
    problem_free(p);
    experiments_free(t);
}

/* Adds @n forms named A, B, ... with @operands, beginning with @first, and all pairs of them, which
 * take two cycles. */
static void add_group(struct experiments *t, uint32_t *forms, unsigned first, unsigned n,
                      const char *operands)
{
    char name[24];

    for (unsigned f = first; f < first + n; f++) {
        snprintf(name, sizeof name, "%c%s", 'A' + (char)f, operands);
        forms[f] = names_add(&t->forms, name);
        experiments_set(t, experiments_add(t, &(struct flat_term){forms[f], 1}, 1), 1, NAN, 1,
                        NULL);
        for (unsigned k = first; k < f; k++)
            experiments_set(
                t, experiments_add(t, (struct flat_term[]){{forms[k], 1}, {forms[f], 1}}, 2), 2,
                NAN, 1, NULL);
    }
}

static void add_pair(struct experiments *t, uint32_t a, uint32_t b, double cycles)
{
    experiments_set(t, experiments_add(t, (struct flat_term[]){{a, 1}, {b, 1}}, 2), cycles, NAN, 1,
                    NULL);
}

/* Returns whether @gene has two copies of a µop with two ports. */
static bool two_on_two(const struct gene *gene)
{
    bool has = false;
    for (unsigned i = 0; i < gene->uops; i++)
        has |= gene->count[i] == 2 && portset_size(gene->set[i]) == 2;
    return has;
}

/* Starts from a mapping without errors. The first @changing of @forms forms must change from two
 * µops on two ports to one µop on one of these ports, for every seed. No other form may change. */
static void changes_some(const struct experiments *t, const struct gene *genes, unsigned forms,
                         unsigned changing)
{
    static const struct anneal_prices prices = {
        .uop = 0.01, .volume = 0.001, .usage = 0.01, .new_usage = 3, .new_uop = 2, .other_kind = 4};
    struct err err = {0};
    struct problem *p = problem_new(t, NULL, &err);
    struct genome *g = genome_new(p->forms, 5, 0);

    assert_int_equal(p->forms, forms);
    for (unsigned f = 0; f < forms; f++)
        g->genes[problem_form(p, t->forms.items[f])] = genes[f];
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct annealer *s = anneal_new(p, 5, 0, &prices, seed);
        anneal_load(s, g);
        assert_float_equal(anneal_d_avg(s), 0, 1e-6);
        anneal_run(s, 40000, 1e-9);
        assert_float_equal(anneal_d_avg(s), 0, 1e-6);
        for (unsigned f = 0; f < forms; f++) {
            const struct gene *now = &anneal_genome(s)->genes[problem_form(p, t->forms.items[f])];
            assert_int_equal(now->uops, genes[f].uops);
            assert_int_equal(two_on_two(now), f >= changing && two_on_two(&genes[f]));
        }
        anneal_free(s);
    }
    genome_free(g);
    problem_free(p);
}

/* Forms on registers can change only together. Forms with memory have the same usage, and changing
 * them would contradict the last form, which has one µop on the first port. */
static void test_counts_follow_ports_in_one_kind(void **state)
{
    enum { KIN = 6, LAST = 12 };
    struct experiments *t = experiments_new();
    struct gene genes[LAST + 1] = {0};
    uint32_t forms[LAST + 1];

    add_group(t, forms, 0, KIN, " (R64, R64)");
    add_group(t, forms, KIN, LAST - KIN, " (R64, M64)");
    add_group(t, forms, LAST, 1, " (R64, R64)");
    for (unsigned f = KIN; f < LAST; f++)
        add_pair(t, forms[f], forms[LAST], 1.5);
    for (unsigned f = 0; f <= LAST; f++)
        gene_add(&genes[f], f < LAST ? 3 : 1, f < LAST ? 2 : 1);
    changes_some(t, genes, LAST + 1, KIN);
    experiments_free(t);
}

/* Forms with a store can change only together, although half of them have one more µop and
 * therefore another usage. Changing the forms without a store would contradict the form with one
 * µop on the first port. */
static void test_counts_follow_ports_with_stores(void **state)
{
    /* FIRST, SECOND: forms with one µop on a store port */
    enum { STORES = 6, ONE = 12, STORE, FIRST, SECOND, OTHER };
    struct experiments *t = experiments_new();
    struct gene genes[OTHER + 1] = {0};
    uint32_t forms[OTHER + 1];

    add_group(t, forms, 0, STORES, "");
    add_group(t, forms, STORES, ONE - STORES, "");
    for (unsigned f = ONE; f <= OTHER; f++)
        add_group(t, forms, f, 1, "");
    for (unsigned f = 0; f < ONE; f++) {
        gene_add(&genes[f], 3, 2);
        add_pair(t, forms[f], forms[f < STORES ? STORE : ONE], 1.5);
        if (f >= STORES)
            continue;
        gene_add(&genes[f], 12, 1);
        for (uint64_t k = 2; k < 4; k++)   /* a µop on one of two ports */
            experiments_set(
                t, experiments_add(t, (struct flat_term[]){{forms[f], 1}, {forms[STORE], k}}, 2),
                0.5 + (double)k, NAN, 1, NULL);
        if (f % 2)
            gene_add(&genes[f], 16, 1);
    }
    gene_add(&genes[ONE], 1, 1);
    gene_add(&genes[STORE], 12, 2);
    gene_add(&genes[FIRST], 4, 1);
    gene_add(&genes[SECOND], 8, 1);
    gene_add(&genes[OTHER], 16, 1);
    for (unsigned f = 0; f < ONE; f++)
        for (unsigned k = FIRST; k <= SECOND; k++)
            add_pair(t, forms[f], forms[k], 1);
    for (unsigned f = 0; f < OTHER; f++)
        add_pair(t, forms[f], forms[OTHER], f < STORES && f % 2 ? 2 : 1);
    for (unsigned f = STORES; f <= ONE; f++)
        add_pair(t, forms[f], forms[STORE], 1);
    add_pair(t, forms[FIRST], forms[SECOND], 1);
    add_pair(t, forms[FIRST], forms[STORE], 1.5);
    add_pair(t, forms[SECOND], forms[STORE], 1.5);
    changes_some(t, genes, OTHER + 1, STORES);
    experiments_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_incremental_sums),
                                       cmocka_unit_test(test_count_follows_ports),
                                       cmocka_unit_test(test_counts_follow_ports_everywhere),
                                       cmocka_unit_test(test_counts_follow_ports_in_one_kind),
                                       cmocka_unit_test(test_counts_follow_ports_with_stores)};
    return cmocka_run_group_tests_name("anneal", tests, NULL, NULL);
}
