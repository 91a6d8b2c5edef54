/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "io/machine_file.h"
#include "measure/learn.h"
#include "throughput/throughput.h"
#include "../support/support.h"

/* Returns the mapping of all forms of @from except @missing. */
static struct mapping *without(const struct mapping *from, const char *missing)
{
    struct mapping *m = mapping_new(mapping_ports(from));
    for (size_t i = 0; i < mapping_count(from); i++)
        if (strcmp(mapping_at(from, i)->form, missing) != 0)
            mapping_set(m, mapping_at(from, i));
    return m;
}

static void expect_usage(const struct mapping *truth, const char *form)
{
    struct mapping *known = without(truth, form);
    struct source *source = source_simulated(truth, 0.001, 7);
    struct err err = {0};
    struct learned l;
    struct learner *learner = learner_new(source, known, NAN, NULL, NULL, &err);

    assert_non_null(learner);
    assert_true(learn_form(learner, form, &l, &err));
    assert_true(usage_equal(&l.usage, &mapping_find(truth, form)->usage));
    assert_int_equal(l.outliers, 0);
    assert_true(l.step_count > 8);
    /* The predictions in the result equal the engine's for the whole experiment. */
    for (size_t i = 0; i < l.step_count; i++) {
        struct experiment e;
        assert_true(experiment_parse(l.steps[i].experiment, &e, &err));
        double expected = throughput_of(truth, &e, NULL), bare = throughput_of(known, &e, NULL);
        assert_true(fabs(l.steps[i].predicted - expected) < 1e-9);
        assert_true(fabs(l.steps[i].without - bare) < 1e-9);
        assert_true(fabs(l.steps[i].measured - expected) < 0.02 * expected);
        experiment_done(&e);
    }
    learned_done(&l);
    learner_free(learner);
    source_free(source);
    mapping_free(known);
}

static void test_usages_come_back(void **state)
{
    static const char *const forms[] = {
        "IMUL (R64, R64)",        "VPADDD (YMM, YMM, YMM)", "ADD (R64, M64)", "PHADDD (XMM, XMM)",
        "VDIVPD (YMM, YMM, YMM)", "SHL (R64, CL)",          "BSWAP (R64)"};
    struct err err = {0};
    struct machine *m = machine_load("skylake", &err);

    assert_non_null(m);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        expect_usage(m->mapping, forms[i]);
    machine_free(m);
}

/* A blocking form with a wrong usage in the table must not affect the result. */
static void test_a_fault_in_the_table(void **state)
{
    struct err err = {0};
    struct machine *m = machine_load("skylake", &err);
    struct source *source = source_simulated(m->mapping, 0.001, 3);
    struct mapping *known = without(m->mapping, "VPADDD (YMM, YMM, YMM)");
    struct learned l;
    portset ports;

    struct learner *first = learner_new(source, known, NAN, NULL, NULL, &err);
    assert_non_null(first);
    /* Lists a form with a single port on another port, on which it takes the same time alone. */
    const char *wrong = NULL;
    for (size_t i = 0; i < learner_blockers(first) && !wrong; i++) {
        const char *form = learner_blocker(first, i, &ports);
        wrong = ports == 1u << 5 ? form : NULL;
    }
    assert_non_null(wrong);
    struct mapping_entry entry = *mapping_find(known, wrong);
    struct usage other = {0};
    usage_add(&other, 1u << 4, 1);
    entry.usage = other;
    mapping_set(known, &entry);
    usage_done(&other);
    learner_free(first);

    struct learner *second = learner_new(source, known, NAN, NULL, NULL, &err);
    assert_non_null(second);
    assert_true(learn_form(second, "VPADDD (YMM, YMM, YMM)", &l, &err));
    assert_true(usage_equal(&l.usage, &mapping_find(m->mapping, "VPADDD (YMM, YMM, YMM)")->usage));
    learned_done(&l);
    learner_free(second);
    source_free(source);
    mapping_free(known);
    machine_free(m);
}

static bool cancel(void *state)
{
    return true;
}

static void test_refusals(void **state)
{
    struct err err = {0};
    struct machine *m = machine_load("skylake", &err);
    struct source *source = source_simulated(m->mapping, 0.001, 5);
    struct learner *learner = learner_new(source, m->mapping, NAN, NULL, NULL, &err);
    struct learned l;

    assert_non_null(learner);
    assert_false(learn_form(learner, "NO SUCH (FORM)", &l, &err));
    assert_non_null(strstr(err.what, "NO SUCH (FORM)"));
    learned_done(&l);
    learner_free(learner);
    err_clear(&err);
    assert_null(learner_new(source, m->mapping, NAN, cancel, NULL, &err));
    assert_true(err.code != ERR_NONE);
    err_clear(&err);
    struct mapping *empty = mapping_new(mapping_ports(m->mapping));
    assert_null(learner_new(source, empty, NAN, NULL, NULL, &err));
    assert_non_null(strstr(err.what, "no form"));
    mapping_free(empty);
    source_free(source);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usages_come_back),
        cmocka_unit_test(test_a_fault_in_the_table),
        cmocka_unit_test(test_refusals),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
