/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The displayed mapping of a run. Its ports retain their positions when ports are renamed, and
 * differences from other mappings are ambiguities. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "infer/outline.h"
#include "../support/known.h"
#include "../support/support.h"

/* Returns @g with permuted ports. */
static struct genome *shuffled(const struct genome *g)
{
    static const uint8_t to[] = {2, 0, 3, 1};
    struct genome *other = genome_copy(g);

    genome_rename(other, to);
    return other;
}

static struct outline *outline_of(struct genome *const *genomes, size_t count, struct problem *p,
                                  const struct outline *before)
{
    return outline_new(genomes, count, problem_hold(p), before, NULL);
}

static void test_ports_keep_their_places(void **state)
{
    struct known_bed b;
    struct err err = {0};
    known_set_up(&b, 14, 0.0, 0);
    struct genome *g = genome_of_mapping(b.truth, b.p, &err), *other = shuffled(g);
    struct outline *first = outline_of(&g, 1, b.p, NULL),
                   *again = outline_of(&other, 1, b.p, first);
    for (size_t f = 0; f < b.p->forms; f++)
        assert_int_equal(outline_ports(first, f), outline_ports(again, f));
    assert_int_equal(again->changed, 0);
    assert_int_equal(first->changed, 0);
    /* One form changes. The number of changed cells is correct, and all are in its row. */
    gene_add(&other->genes[3], 1, 1);
    gene_add(&other->genes[3], 2, 1);
    struct outline *third = outline_of(&other, 1, b.p, again);
    assert_int_equal(third->changed, __builtin_popcount(third->changes[3]));
    assert_int_equal(third->changes[3], outline_ports(third, 3) ^ outline_ports(again, 3));
    /* The sum of the µops per port is the usage's volume. */
    for (size_t f = 0; f < b.p->forms; f++) {
        unsigned volume = 0;
        for (unsigned port = 0; port < third->best->ports; port++)
            volume += outline_uops(third, f, port);
        assert_int_equal(volume, gene_volume(&third->best->genes[f]));
    }
    outline_free(first);
    outline_free(again);
    outline_free(third);
    genome_free(g);
    genome_free(other);
    known_tear_down(&b);
}

static void test_differing_and_worst(void **state)
{
    struct known_bed b;
    struct err err = {0};
    known_set_up(&b, 14, 0.0, 0);
    struct genome *genomes[] = {genome_of_mapping(b.truth, b.p, &err), NULL, NULL};
    genomes[1] = shuffled(genomes[0]);
    genomes[2] = genome_copy(genomes[0]);
    gene_add(&genomes[2]->genes[2], 8, 1);   /* Another mapping also uses port 3. */
    struct outline *o = outline_of(genomes, 3, b.p, NULL);
    assert_int_equal(o->alternatives, 2);
    assert_int_equal(o->uncertain, 1);
    assert_int_equal(__builtin_popcount(o->differing[2]), 1);
    assert_true(o->confidence[2] < 1 && o->confidence[3] > 0.999);
    for (size_t e = 0; e < b.p->experiments; e++)
        assert_true(fabs(outline_error(o, e)) < 1e-4);
    outline_free(o);
    /* A mapping much worse than the best is no alternative. */
    genomes[2]->cost = 2 * (genomes[0]->cost = 1);
    o = outline_of(genomes, 3, b.p, NULL);
    assert_int_equal(o->uncertain, 0);
    outline_free(o);
    /* A scan of all experiments shows that the worst ones are those with the largest errors. */
    o = outline_of(genomes + 2, 1, b.p, NULL);
    assert_true(b.p->experiments > OUTLINE_WORST);
    assert_int_equal(o->worst_count, OUTLINE_WORST);
    for (size_t e = 0; e < b.p->experiments; e++) {
        bool listed = false;
        for (size_t i = 0; i < o->worst_count; i++)
            listed |= o->worst[i] == e;
        assert_true(listed || fabs(outline_error(o, e)) <=
                                  fabs(outline_error(o, o->worst[o->worst_count - 1])));
    }
    for (size_t i = 1; i < o->worst_count; i++)
        assert_true(fabs(outline_error(o, o->worst[i])) <= fabs(outline_error(o, o->worst[i - 1])));
    assert_true(fabs(outline_error(o, o->worst[2])) > 0.1);
    outline_free(o);
    for (size_t i = 0; i < 3; i++)
        genome_free(genomes[i]);
    known_tear_down(&b);
}

/* An outline has the data that panes draw: each form's experiment alone, pairs with cycles in
 * order, and the mapping as a machine with the names of its ports. */
static void test_for_panes(void **state)
{
    static const char *const names[] = {"W", "X", "Y", "Z"};
    struct known_bed b;
    struct err err = {0};
    struct ports ports = {.count = 4};
    known_set_up(&b, 14, 0.0, 0);
    for (unsigned i = 0; i < 4; i++)
        snprintf(ports.names[i], sizeof ports.names[i], "%s", names[i]);
    struct genome *g = genome_of_mapping(b.truth, b.p, &err);
    struct outline *o = outline_new(&g, 1, problem_hold(b.p), NULL, machine_new("run 3", &ports));
    for (size_t f = 0; f < b.p->forms; f++) {
        const uint32_t e = o->alone[f];
        assert_true(e < b.p->experiments && b.p->term_start[e + 1] - b.p->term_start[e] == 1);
        assert_int_equal(b.p->terms[b.p->term_start[e]].form, f);
        assert_true(b.p->cycles[e] == b.p->single[f]);
    }
    assert_int_equal(o->pair_count, b.p->experiments);
    for (size_t i = 0; i < o->pair_count; i++) {
        assert_true(fabs(o->pairs[1][i] / o->pairs[0][i] - 1) < 1e-4);
        assert_true(!i || o->pairs[0][i - 1] <= o->pairs[0][i]);
    }
    assert_int_equal(mapping_count(o->machine->mapping), b.p->forms);
    assert_string_equal(mapping_ports(o->machine->mapping)->names[3], "Z");
    struct outline *held = outline_hold(o);
    outline_free(o);
    assert_int_equal(held->pair_count, b.p->experiments);
    struct outline *next = outline_of(&g, 1, b.p, held);
    assert_true(next->serial > held->serial && !next->machine);
    outline_free(held);
    outline_free(next);
    genome_free(g);
    known_tear_down(&b);
}

static void *search(void *e)
{
    evolve_worker(e, 0, NULL, NULL);
    return NULL;
}

/* Another thread reads the outline while the run changes it, and sees a complete state of one
 * problem. */
static void test_of_a_run(void **state)
{
    struct known_bed b;
    struct evolve_options o = known_options();
    struct evolve_status status = {0};
    struct outline *seen = NULL;
    struct problem *over;
    pthread_t thread;
    size_t count;
    known_set_up(&b, 14, 0.01, 0);
    struct evolve *e = evolve_new(b.p, &o, NULL, 0, NULL);
    assert_int_equal(pthread_create(&thread, NULL, search, e), 0);
    for (bool ended = false; !ended;) {
        evolve_get_status(e, &status);
        ended = status.state > EVOLVE_PAUSED;
        struct genome **leaders = evolve_leaders(e, 8, &count, &over);
        if (count) {
            struct outline *next = outline_new(leaders, count, over, seen, NULL);
            double sum = 0;
            for (size_t i = 0; i < over->experiments; i++)
                sum += fabs(outline_error(next, i));
            assert_true(fabs(sum / (double)over->experiments - leaders[0]->d_avg) < 1e-4);
            outline_free(seen);
            seen = next;
        } else {
            problem_free(over);
        }
        for (size_t i = 0; i < count; i++)
            genome_free(leaders[i]);
        free(leaders);
    }
    pthread_join(thread, NULL);
    assert_non_null(seen);
    assert_true(fabs(status.d_avg - genome_error(seen->best, b.p)) < 1e-5);
    outline_free(seen);
    evolve_free(e);
    known_tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports_keep_their_places),
        cmocka_unit_test(test_for_panes),
        cmocka_unit_test(test_differing_and_worst),
        cmocka_unit_test(test_of_a_run),
    };
    return cmocka_run_group_tests_name("outline", tests, NULL, NULL);
}
