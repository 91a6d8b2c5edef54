/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulated CPU with two forms that the core does not distinguish. Experiments that the chart
 * proposes decide its ambiguities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "chart/settle.h"
#include "throughput/predict.h"
#include "../support/charts.h"
#include "../support/support.h"

#define NOISE 0.005
#define EXPERIMENTS 300
#define SLOW_BY 1.16            /* factor by which times are longer */
#define INNER "SHLD (R64, R64, I8)"    /* has one µop on port 0, and one on 0, 1 or 2 */
/* OUTER has one µop on 0 or 1, and one on 0 or 2. OUTER and INNER are equivalent unless another
 * form keeps only port 0 busy, which no fast form does. */
#define OUTER "MULX (R64, R64, R64)"

struct bed {
    struct chart_bed cpu;
    struct chart *chart;
    struct ambiguities ambiguities;
};

static int charted(void **state, bool leave_ambiguities)
{
    struct bed *b = mem_zero(1, sizeof *b);
    const struct chart_options options = {.name = "charted",
                                          .core_most = 100,
                                          .seed = 1,
                                          .leave_ambiguities = leave_ambiguities};
    struct err err = {0};

    chart_bed_init(&b->cpu, load_machine(source_path("tests/data/settle-cpu/")), "*", NOISE);
    assert_int_equal(b->cpu.rows.count, mapping_count(b->cpu.truth->mapping));
    b->chart =
        chart_run(&b->cpu.cpu, b->cpu.rows.items, b->cpu.rows.count, &options, &b->cpu.hooks, &err);
    if (!b->chart)
        fail_msg("%s", err.what);
    ambiguities_of_chart(b->chart, "settle-cpu", false, &b->ambiguities);
    *state = b;
    return 0;
}

static int set_up(void **state)
{
    return charted(state, true);
}

static int set_up_settled(void **state)
{
    return charted(state, false);
}

static int tear_down(void **state)
{
    struct bed *b = *state;

    ambiguities_done(&b->ambiguities);
    chart_free(b->chart);
    chart_bed_done(&b->cpu);
    free(b);
    return 0;
}

static const struct chart_form *form_of(const struct bed *b, const char *form)
{
    for (size_t i = 0; i < b->chart->form_count; i++)
        if (strcmp(b->chart->forms[i].row->form, form) == 0)
            return &b->chart->forms[i];
    fail_msg("%s was not charted", form);
    return NULL;
}

/* Returns the number of random experiments with form @form that the machine mispredicts. */
static size_t wrong_with(const struct bed *b, const char *form)
{
    struct experiments *t = chart_bed_table(&b->cpu);
    struct rng rng;

    rng_seed(&rng, 5);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        struct flat_term terms[3] = {{names_find(&t->forms, form), 1}};
        for (size_t k = 1; k < 3; k++)
            terms[k] = (struct flat_term){(uint32_t)rng_below(&rng, b->cpu.rows.count),
                                          1 + (uint32_t)rng_below(&rng, 4)};
        experiments_add(t, terms, 3);
    }
    return chart_bed_wrong(&b->cpu, b->chart, t);
}

static bool settle(struct bed *b, struct settled *out, struct err *err)
{
    const struct runner_options options = {.one_length = true};
    const struct runner_hooks hooks = {.cancelled = b->cpu.hooks.cancelled,
                                       .state = b->cpu.hooks.state};

    return settle_ambiguities(b->cpu.cpu.source, NULL, &options, &hooks, &b->ambiguities,
                              b->chart->machine, out, err);
}

/* The chart explains all its measurements, yet one of the two forms is wrong. It reports both as
 * uncertain, and names the experiment that distinguishes them. */
static void test_the_chart_names_what_would_tell(void **state)
{
    const struct bed *b = *state;
    const struct chart *c = b->chart;
    double *is = mem_alloc((c->table->rows.count + 1) * sizeof *is);
    const char *const both[] = {INNER, OUTER};

    throughput_predict(c->machine->mapping, c->table, is);
    for (size_t i = 0; i < c->table->rows.count; i++)
        if (experiments_measured(c->table, i))
            assert_true(fabs(is[i] / c->table->rows.items[i].cycles - 1) <= 0.03);
    free(is);
    assert_true(usage_equal(&mapping_find(c->machine->mapping, INNER)->usage,
                            &mapping_find(c->machine->mapping, OUTER)->usage));
    assert_true(wrong_with(b, INNER) > 0 || wrong_with(b, OUTER) > 0);
    for (size_t i = 0; i < 2; i++) {
        const struct chart_form *f = form_of(b, both[i]);
        assert_int_equal(f->state, CHART_PLACED);
        assert_true(f->confidence < 0.9);
        assert_non_null(f->rival);
        assert_non_null(f->settle);
        assert_non_null(strstr(f->settle, "CRC32 (R64, R64)"));
    }
}

static void test_settling_tells(void **state)
{
    struct bed *b = *state;
    struct err err = {0};
    struct settled settled;

    assert_true(settle(b, &settled, &err));
    assert_true(settled.experiments > 0);
    assert_int_equal(settled.measured, settled.experiments);
    assert_int_equal(b->ambiguities.list.count, 0);
    assert_int_equal(wrong_with(b, INNER), 0);
    assert_int_equal(wrong_with(b, OUTER), 0);
    assert_false(usage_equal(&mapping_find(b->chart->machine->mapping, INNER)->usage,
                             &mapping_find(b->chart->machine->mapping, OUTER)->usage));
    size_t changed = 0;
    for (size_t i = 0; i < settled.forms.count; i++) {
        assert_true(settled.forms.items[i].confidence > 0.9);
        changed += settled.forms.items[i].verdict == SETTLE_CHANGED;
        assert_int_equal(settled.forms.items[i].verdict == SETTLE_CHANGED,
                         strcmp(settled.forms.items[i].before, settled.forms.items[i].after) != 0);
    }
    assert_true(changed >= 1);
    settled_done(&settled);
}

/* A form that was not tested against some ports is reported with an experiment. `experiments
 * settle` measures that experiment and does not raise the form's confidence. */
static void test_untested_ports_are_checked(void **state)
{
    struct bed *b = *state;
    struct err err = {0};
    struct settled settled;
    size_t untested = 0;

    for (size_t i = 0; i < b->chart->form_count; i++) {
        const struct chart_form *f = &b->chart->forms[i];
        if (f->state != CHART_PLACED || !f->untested || f->hidden)
            continue;
        untested++;
        assert_non_null(f->check);
        assert_non_null(strstr(mapping_find(b->chart->machine->mapping, f->row->form)->source,
                               ", not tested against p"));
    }
    assert_true(untested > 0 && b->chart->checks.count >= untested);
    ambiguities_done(&b->ambiguities);
    ambiguities_of_chart(b->chart, "settle-cpu", true, &b->ambiguities);
    assert_int_equal(b->ambiguities.list.count,
                     b->chart->ambiguities.count + b->chart->checks.count);
    assert_true(settle(b, &settled, &err));
    assert_int_equal(b->ambiguities.list.count, 0);
    for (size_t i = 0; i < settled.forms.count; i++) {
        const struct settled_form *f = &settled.forms.items[i];
        const struct chart_form *was = form_of(b, f->form);
        assert_null(
            strstr(mapping_find(b->chart->machine->mapping, f->form)->source, "not tested"));
        if (was->settle)
            continue;
        assert_int_equal(f->verdict, SETTLE_CONFIRMED);
        assert_float_equal(f->confidence, was->confidence, 0.006);
    }
    settled_done(&settled);
}

/* If the experiments keep only some of the ports busy, the machine names the ports that are still
 * untested. */
static void test_what_stays_untested_is_said(void **state)
{
    struct bed *b = *state;
    struct mapping *m = b->chart->machine->mapping;
    static const char form[] = "ADD (R64, R64)";
    struct mapping_entry entry = *mapping_find(m, form);
    struct err err = {0};
    struct settled settled;

    assert_int_equal(form_of(b, form)->untested, 0x1);
    entry.source = (char *)"charted: confidence 0.98, not tested against p03";
    mapping_set(m, &entry);
    ambiguities_done(&b->ambiguities);
    ambiguities_of_chart(b->chart, "settle-cpu", true, &b->ambiguities);
    assert_true(settle(b, &settled, &err));
    assert_string_equal(mapping_find(m, form)->source,
                        "charted: confidence 0.98, settled, not tested against p3");
    settled_done(&settled);
}

/* Makes a time a sixth longer. */
static void take_longer(const void *state, const struct experiment *e, struct measured *m)
{
    m->cycles *= SLOW_BY;
}

/* A time above the prediction counts against a usage, unless times on this CPU may exceed the port
 * bound. */
static void test_times_above_ports_are_those_of_the_chart(void **state)
{
    struct bed *b = *state;
    struct err err = {0};

    assert_false(b->ambiguities.above_ports);
    chart_bed_alter(&b->cpu, take_longer, NULL);
    for (int above = 0; above < 2; above++) {
        struct settled settled;
        ambiguities_done(&b->ambiguities);
        ambiguities_of_chart(b->chart, "settle-cpu", false, &b->ambiguities);
        b->ambiguities.above_ports = above;
        assert_true(settle(b, &settled, &err));
        assert_true(settled.forms.count > 0);
        for (size_t i = 0; i < settled.forms.count; i++)
            assert_int_equal(settled.forms.items[i].verdict == SETTLE_UNEXPLAINED, !above);
        settled_done(&settled);
    }
}

/* A chart measures the deciding experiments by itself. */
static void test_a_chart_settles_its_ambiguities(void **state)
{
    const struct bed *b = *state;
    const char *const both[] = {INNER, OUTER};

    unsigned refuted = 0;   /* forms without the other form's usage among the alternatives */

    assert_int_equal(b->chart->ambiguities.count, 0);
    for (size_t i = 0; i < 2; i++) {
        const struct chart_form *f = form_of(b, both[i]);
        assert_int_equal(wrong_with(b, both[i]), 0);
        assert_int_equal(f->state, CHART_PLACED);
        assert_true(f->confidence > 0.9);
        assert_null(f->rival);
        assert_null(f->settle);
        const struct mapping_entry *is = mapping_find(b->chart->machine->mapping, both[i]);
        assert_non_null(strstr(is->source, "charted: confidence"));
        const struct usage *former =
            &mapping_find(b->chart->machine->mapping, both[1 - i])->usage;
        bool listed = false;
        for (unsigned k = 0; k < f->other_count; k++) {
            assert_false(usage_equal(&f->others[k].usage, &is->usage) &&
                         f->others[k].slots == is->micro_ops);
            listed |= usage_equal(&f->others[k].usage, former);
        }
        refuted += !listed;
    }
    assert_true(refuted > 0);
}

/* Adds an ambiguity whose own experiment cannot be measured. One usage is that of the machine, with
 * a greater weight. */
static void plant(const struct bed *b, const char *form, struct ambiguities *out)
{
    const struct mapping_entry *is = mapping_find(b->chart->machine->mapping, form);
    struct ambiguity planted = {.form = mem_strdup(form), .slots = is->micro_ops, .weight = 4};

    usage_copy(&planted.usage, &is->usage);
    experiment_add(&planted.experiment, form, 1);
    experiment_add(&planted.experiment, "NOSUCH (R64)", 1);
    vec_push(&out->list, planted);
}

/* An ambiguity without a time remains for the next run, and does not win because of experiments of
 * other ambiguities. */
static void test_what_got_no_time_does_not_win(void **state)
{
    struct bed *b = *state;
    struct err err = {0};
    struct settled settled;
    struct ambiguities more = {.noise = b->ambiguities.noise,
                               .simulated = mem_strdup(b->ambiguities.simulated)};

    for (size_t i = 0; i < b->ambiguities.list.count; i++) {
        char *form = b->ambiguities.list.items[i].form;
        bool last = i + 1 == b->ambiguities.list.count ||
                    strcmp(b->ambiguities.list.items[i + 1].form, form) != 0;
        vec_push(&more.list, b->ambiguities.list.items[i]);
        if (last && (strcmp(form, INNER) == 0 || strcmp(form, OUTER) == 0))
            plant(b, form, &more);
    }
    b->ambiguities.list.count = 0;   /* The memory of the items has moved to the other list. */
    ambiguities_done(&b->ambiguities);
    b->ambiguities = more;
    assert_true(settle(b, &settled, &err));
    assert_int_equal(settled.measured + 2, settled.experiments);
    assert_int_equal(b->ambiguities.list.count, 2);
    assert_int_equal(wrong_with(b, INNER), 0);
    assert_int_equal(wrong_with(b, OUTER), 0);
    for (size_t i = 0; i < settled.forms.count; i++)
        assert_int_equal(settled.forms.items[i].verdict,
                         strcmp(settled.forms.items[i].before, settled.forms.items[i].after) != 0
                             ? SETTLE_CHANGED
                             : SETTLE_CONFIRMED);
    settled_done(&settled);
}

static void test_a_cancelled_one_changes_nothing(void **state)
{
    struct bed *b = *state;
    struct err err = {0};
    struct settled settled;
    size_t ambiguities = b->ambiguities.list.count;
    struct mapping *before = mapping_copy(b->chart->machine->mapping);

    b->cpu.watch.cancel = true;
    assert_false(settle(b, &settled, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_int_equal(b->ambiguities.list.count, ambiguities);
    assert_true(mapping_equal(before, b->chart->machine->mapping));
    mapping_free(before);
    settled_done(&settled);
}

/* Ambiguities survive saving and loading. */
static void test_ambiguities_are_kept(void **state)
{
    const struct bed *b = *state;
    const struct ports *ports = mapping_ports(b->chart->machine->mapping);
    const char *path = work_path("doubts.csv");
    struct ambiguities again;
    struct err err = {0};

    assert_true(ambiguities_save(&b->ambiguities, ports, path, &err));
    assert_true(ambiguities_load(path, ports, &again, &err));
    assert_float_equal(again.noise, b->ambiguities.noise, 0);
    assert_false(again.above_ports);
    assert_string_equal(again.simulated, "settle-cpu");
    assert_int_equal(again.list.count, b->ambiguities.list.count);
    assert_true(again.list.count > 0);
    for (size_t i = 0; i < again.list.count; i++) {
        const struct ambiguity *a = &again.list.items[i], *o = &b->ambiguities.list.items[i];
        assert_string_equal(a->form, o->form);
        assert_true(usage_equal(&a->usage, &o->usage) && a->slots == o->slots &&
                    experiment_equal(&a->experiment, &o->experiment));
        assert_float_equal(a->weight, o->weight, 1e-4);
    }
    ambiguities_done(&again);
    work_remove("doubts.csv");
}

/* The file also stores whether times may exceed the port bound. An older file lacks this flag, and
 * any time may then exceed the bound. */
static void test_residuals_are_kept(void **state)
{
    const struct bed *b = *state;
    const struct ports *ports = mapping_ports(b->chart->machine->mapping);
    const struct ambiguities saved = {.noise = 0.01, .above_ports = true, .simulated = (char *)""};
    static const char before[] = "form,usage,slots,weight,experiment\nnoise,,,0.01,\n";
    struct ambiguities again;
    struct err err = {0};

    assert_true(ambiguities_save(&saved, ports, work_path("above.csv"), &err));
    assert_true(ambiguities_load(work_path("above.csv"), ports, &again, &err));
    assert_true(again.above_ports);
    ambiguities_done(&again);
    work_put("above.csv", before);
    assert_true(ambiguities_load(work_path("above.csv"), ports, &again, &err));
    assert_true(again.above_ports);
    ambiguities_done(&again);
    work_remove("above.csv");
}

/* A table with other columns is rejected, and so is one without the relative deviation of times. */
static void test_other_tables_are_refused(void **state)
{
    const struct bed *b = *state;
    const struct ports *ports = mapping_ports(b->chart->machine->mapping);
    static const char *const wrong[][2] = {
        {"hex,cycles,spread,state,more\nnoise,,,0.01,\n",
         "not an ambiguities file of machine chart"},
        {"form,usage,slots,weight,experiment\n", "has no row `noise`"},
        {"form,usage,slots,weight,experiment\nnoise,,,2,\n", "invalid noise"}};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *path = work_path("other.csv");
        struct ambiguities none;
        struct err err = {0};
        assert_true(file_write(path, wrong[i][0], strlen(wrong[i][0]), &err));
        assert_false(ambiguities_load(path, ports, &none, &err));
        assert_non_null(strstr(err.what, wrong[i][1]));
    }
    work_remove("other.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_chart_names_what_would_tell, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settling_tells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_untested_ports_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_stays_untested_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_times_above_ports_are_those_of_the_chart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_chart_settles_its_ambiguities, set_up_settled,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_got_no_time_does_not_win, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_cancelled_one_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ambiguities_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_residuals_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_tables_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
