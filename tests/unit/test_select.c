/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments that a committee of mappings selects, with a record instead of a CPU. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/generate.h"
#include "infer/select.h"
#include "../support/known.h"
#include "../support/support.h"

#define LIKE 8     /* number of forms A0, A1, ... for which the committee predicts equal times */

static void set_usage(struct mapping *m, char *form, const char *usage)
{
    struct mapping_entry entry = {.form = form, .latency = NAN};
    struct err err = {0};

    assert_true(usage_parse(usage, mapping_ports(m), &entry.usage, &err));
    mapping_set(m, &entry);
    usage_done(&entry.usage);
}

static char *like_name(size_t i)
{
    static char name[] = "A0";
    name[1] = (char)('0' + i);
    return name;
}

/* Returns a member of the committee. Half of the members have the similar forms on one port, the
 * others on two. Independently Z takes 1 or 8 cycles. */
static struct mapping *member(unsigned k)
{
    struct ports ports;
    ports_number(&ports, 4);
    struct mapping *m = mapping_new(&ports);

    for (size_t i = 0; i < LIKE; i++)
        set_usage(m, like_name(i), k & 1 ? "1*p0" : "1*p01");
    set_usage(m, (char[]){"Y"}, "1*p2");
    set_usage(m, (char[]){"Z"}, k & 2 ? "8*p3" : "1*p3");
    return m;
}

/* Returns a record with all pairs of the similar forms and Y with Z, each with a value. The pair of
 * Y and A0 has no value. */
static struct experiments *record_of_pairs(void)
{
    struct experiments *t = experiments_new();
    /* The forms are in another order than in the requesting table. */
    uint32_t y = names_add(&t->forms, "Y"), z = names_add(&t->forms, "Z"), forms[LIKE];

    for (size_t i = 0; i < LIKE; i++)
        forms[i] = names_add(&t->forms, like_name(i));
    generate_pairs(t, forms, LIKE);
    experiments_add(t, (struct flat_term[]){{y, 1}, {z, 1}}, 2);
    for (size_t i = 0; i < t->rows.count; i++)
        experiments_set(t, i, 1 + 0.01 * (double)i, 0.002, 7, NULL);
    experiments_add(t, (struct flat_term[]){{y, 1}, {forms[0], 1}}, 2);
    return t;
}

static struct experiments *table_of_forms(void)
{
    struct experiments *t = experiments_new();
    for (size_t i = 0; i < LIKE; i++)
        names_add(&t->forms, like_name(i));
    names_add(&t->forms, "Z");
    names_add(&t->forms, "Y");
    return t;
}

/* The most disputed experiment, which predicts no other, comes after one that decides about all
 * others. An experiment that is no longer disputed afterwards is not selected. */
static void test_most_telling_first(void **state)
{
    struct mapping *committee[4];
    struct experiments *record = record_of_pairs(), *t = table_of_forms();
    double noise[LIKE + 2], disagreement;
    struct rng rng;
    struct str text = {0};
    for (unsigned k = 0; k < 4; k++)
        committee[k] = member(k);
    for (size_t f = 0; f < LIKE + 2; f++)
        noise[f] = 0.05;
    rng_seed(&rng, 3);
    const struct select_pool pool = {.record = record, .size = 2};
    assert_int_equal(select_experiments((const struct mapping *const *)committee, 4, t, &pool, 2,
                                        noise, &rng, &disagreement),
                     2);
    experiments_print(t, 0, &text);
    assert_true(strncmp(str_text(&text), "A", 1) == 0);
    str_clear(&text);
    experiments_print(t, 1, &text);
    assert_string_equal(str_text(&text), "Z + Y");
    /* Z + Y takes 1 or 8 cycles. */
    assert_float_equal(disagreement, 3.5 / 4.5, 1e-9);
    for (unsigned k = 0; k < 4; k++)
        mapping_free(committee[k]);
    str_done(&text);
    experiments_free(record);
    experiments_free(t);
}

/* Draws only experiments with a recorded value, each once, for any order of the forms. */
static void test_drawn_from_a_record(void **state)
{
    struct experiments *record = record_of_pairs(), *t = table_of_forms();
    struct rng rng;
    rng_seed(&rng, 4);
    const size_t known_pairs = LIKE * (LIKE - 1) / 2 + 1;
    assert_int_equal(generate_recorded(t, record, 5, 3, &rng), 0);
    assert_int_equal(generate_recorded(t, record, 5, 2, &rng), 5);
    assert_int_equal(generate_recorded(t, record, 1000, 2, &rng), known_pairs - 5);
    assert_int_equal(generate_recorded(t, record, 1000, 2, &rng), 0);
    struct experiments *few = experiments_new();
    names_add(&few->forms, "Z");
    names_add(&few->forms, "Y");
    /* This table lacks the forms of all other experiments. */
    assert_int_equal(generate_recorded(few, record, 1000, 2, &rng), 1);
    experiments_free(few);
    experiments_free(record);
    experiments_free(t);
}

static void test_replayed(void **state)
{
    struct experiments *record = record_of_pairs(), *t = table_of_forms();
    struct err err = {0};
    const uint32_t y = names_find(&t->forms, "Y"), z = names_find(&t->forms, "Z");
    size_t had = experiments_add(t, (struct flat_term[]){{0, 1}, {1, 1}}, 2),
           derived = experiments_add(t, (struct flat_term[]){{z, 1}, {y, 1}}, 2);
    size_t none = experiments_add(t, (struct flat_term[]){{y, 1}, {0, 1}}, 2),
           other = experiments_add(t, &(struct flat_term){names_add(&t->forms, "B"), 1}, 1);
    experiments_set(t, had, 42, NAN, 1, NULL);
    assert_true(replay_measure(t, record, &err));
    const struct experiment_row *last = &record->rows.items[LIKE * (LIKE - 1) / 2];
    assert_true(t->rows.items[had].cycles == 42);
    assert_true(t->rows.items[derived].cycles == last->cycles &&
                t->rows.items[derived].spread == last->spread &&
                t->rows.items[derived].repeats == last->repeats);
    assert_true(experiments_measured(t, derived));
    assert_true(isnan(t->rows.items[none].cycles) && isnan(t->rows.items[other].cycles));
    assert_string_equal(t->rows.items[none].state, "not in the recorded experiments");
    assert_false(experiment_state_open(t->rows.items[other].state));   /* requested only once */
    experiments_free(record);
    experiments_free(t);
}

struct curve {
    size_t rounds, measurements;
    double error;
    const struct mapping *truth;
};

static void note_round(void *state, const struct select_round *round, const struct mapping *best)
{
    struct curve *c = state;
    c->rounds++;
    c->measurements = round->measurements;
    c->error = unseen(c->truth, best);
}

/* With active selection, a few pairs are as accurate as all pairs. */
static void test_select(void **state)
{
    struct mapping *truth = known(21);
    struct experiments *t = experiments_new();
    struct measured_known cpu = {truth, 0.005, {{0}}};
    struct select_options o = {
        .evolve = known_options(), .first = 30, .batch = 20, .most = 210, .size = 4};
    struct curve curve = {.truth = truth};
    struct err err = {0};
    rng_seed(&cpu.rng, 5);
    o.evolve.generations = 0;
    for (size_t f = 0; f < mapping_count(truth); f++)
        names_add(&t->forms, mapping_at(truth, f)->form);
    struct mapping *m = select_run(t, &o, measure_known, &cpu, note_round, &curve, &err);
    assert_non_null(m);
    assert_true(curve.rounds > 1);
    assert_true(curve.measurements <= 210);
    assert_true(curve.error < 0.05);
    mapping_free(m);
    experiments_free(t);
    mapping_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most_telling_first),
        cmocka_unit_test(test_drawn_from_a_record),
        cmocka_unit_test(test_replayed),
        cmocka_unit_test(test_select),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
