/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulated CPU of which two forms do the same beside all that the core is made of: what the chart leaves in doubt is decided by the experiments that it names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/rng.h"
#include "chart/imitate.h"
#include "chart/settle.h"
#include "throughput/predict.h"
#include "../support/support.h"

#define NOISE 0.005
#define NEAR 0.02
#define EXPERIMENTS 300
#define INNER "SHLD (R64, R64, I8)"    /* one µop of port 0 and one of 0, 1 or 2, */
#define OUTER "MULX (R64, R64, R64)"   /* or one of 0 or 1 and one of 0 or 2: the same unless something else keeps port 0 alone busy, which no quick form does */

static bool cancel;

static bool cancelled(void *state)
{
    (void)state;
    return cancel;
}

static void progress(void *state, enum chart_stage stage, double done, double total, const char *what)
{
    (void)state;
    (void)stage;
    (void)done;
    (void)total;
    (void)what;
}

struct bed {
    struct machine *truth;
    struct forms *forms;
    struct imitation *cpu;
    VEC(const struct form_row *) rows;
    struct chart *chart;
    struct doubts doubts;
};

static int charted(void **state, bool leave_doubts)
{
    struct bed *b = mem_zero(1, sizeof *b);
    const struct chart_options options = {.name = "charted", .seconds = 60, .core_most = 100, .seed = 1, .leave_doubts = leave_doubts};
    const struct chart_hooks hooks = {.cancelled = cancelled, .progress = progress};
    struct err err = {0};

    cancel = false;
    b->truth = load_machine(source_path("tests/data/settle-cpu/"));
    b->forms = forms_load(ISA_X86_64, NULL, &err);
    b->cpu = imitation_new(b->truth, NOISE, 1);
    for (size_t i = 0; i < forms_count(b->forms); i++)
        if (mapping_find(b->truth->mapping, forms_at(b->forms, i)->form))
            vec_push(&b->rows, forms_at(b->forms, i));
    assert_int_equal(b->rows.count, mapping_count(b->truth->mapping));
    b->chart = chart_run(imitation_cpu(b->cpu), b->rows.items, b->rows.count, &options, &hooks, &err);
    if (!b->chart)
        fail_msg("%s", err.what);
    doubts_of_chart(b->chart, "settle-cpu", &b->doubts);
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

    doubts_done(&b->doubts);
    chart_free(b->chart);
    vec_done(&b->rows);
    imitation_free(b->cpu);
    forms_free(b->forms);
    machine_free(b->truth);
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

/* Random experiments with form @form that the machine foretells wrongly. */
static size_t wrong_with(const struct bed *b, const char *form)
{
    struct experiments *t = experiments_new();
    double *is = mem_alloc(EXPERIMENTS * sizeof *is), *should = mem_alloc(EXPERIMENTS * sizeof *should);
    struct rng rng;
    size_t wrong = 0;

    rng_seed(&rng, 5);
    for (size_t i = 0; i < b->rows.count; i++)
        names_add(&t->forms, b->rows.items[i]->form);
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        struct flat_term terms[3] = {{names_find(&t->forms, form), 1}};
        for (size_t k = 1; k < 3; k++)
            terms[k] = (struct flat_term){(uint32_t)rng_below(&rng, b->rows.count), 1 + (uint32_t)rng_below(&rng, 4)};
        experiments_add(t, terms, 3);
    }
    throughput_predict(b->chart->machine->mapping, t, is);
    throughput_predict(imitation_truth(b->cpu), t, should);
    for (size_t i = 0; i < EXPERIMENTS; i++)
        wrong += !(fabs(is[i] / should[i] - 1) <= NEAR);
    free(is);
    free(should);
    experiments_free(t);
    return wrong;
}

static bool settle(struct bed *b, struct settled *out, struct err *err)
{
    const struct runner_options options = {.one_length = true};
    const struct runner_hooks hooks = {.cancelled = cancelled};

    return settle_doubts(imitation_cpu(b->cpu)->source, NULL, &options, &hooks, &b->doubts, b->chart->machine, out, err);
}

/* All that the chart measured is foretold, one of both forms is wrong all the same, and the chart knows: it is not sure of either, and names what would tell. */
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
    assert_true(usage_equal(&mapping_find(c->machine->mapping, INNER)->usage, &mapping_find(c->machine->mapping, OUTER)->usage));
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
    assert_int_equal(b->doubts.list.count, 0);
    assert_int_equal(wrong_with(b, INNER), 0);
    assert_int_equal(wrong_with(b, OUTER), 0);
    assert_false(usage_equal(&mapping_find(b->chart->machine->mapping, INNER)->usage, &mapping_find(b->chart->machine->mapping, OUTER)->usage));
    size_t changed = 0;
    for (size_t i = 0; i < settled.forms.count; i++) {
        assert_true(settled.forms.items[i].confidence > 0.9);
        changed += settled.forms.items[i].verdict == SETTLE_CHANGED;
        assert_int_equal(settled.forms.items[i].verdict == SETTLE_CHANGED, strcmp(settled.forms.items[i].before, settled.forms.items[i].after) != 0);
    }
    assert_true(changed >= 1);
    settled_done(&settled);
}

/* A chart measures by itself what would tell. */
static void test_a_chart_settles_its_doubts(void **state)
{
    const struct bed *b = *state;
    const char *const both[] = {INNER, OUTER};

    assert_int_equal(b->chart->doubts.count, 0);
    for (size_t i = 0; i < 2; i++) {
        const struct chart_form *f = form_of(b, both[i]);
        assert_int_equal(wrong_with(b, both[i]), 0);
        assert_int_equal(f->state, CHART_PLACED);
        assert_true(f->confidence > 0.9);
        assert_null(f->rival);
        assert_null(f->settle);
        assert_non_null(strstr(mapping_find(b->chart->machine->mapping, both[i])->source, "settled"));
    }
}

/* A doubt whose own experiment cannot be measured: the machine's usage again, but likelier. */
static void plant(const struct bed *b, const char *form, struct doubts *out)
{
    const struct mapping_entry *is = mapping_find(b->chart->machine->mapping, form);
    struct doubt planted = {.form = mem_strdup(form), .slots = is->micro_ops, .weight = 4};

    usage_copy(&planted.usage, &is->usage);
    experiment_add(&planted.experiment, form, 1);
    experiment_add(&planted.experiment, "NOSUCH (R64)", 1);
    vec_push(&out->list, planted);
}

/* What got no time stays for the next run, and does not win by the experiments of the others. */
static void test_what_got_no_time_does_not_win(void **state)
{
    struct bed *b = *state;
    struct err err = {0};
    struct settled settled;
    struct doubts more = {.noise = b->doubts.noise, .simulated = mem_strdup(b->doubts.simulated)};

    for (size_t i = 0; i < b->doubts.list.count; i++) {
        char *form = b->doubts.list.items[i].form;
        bool last = i + 1 == b->doubts.list.count || strcmp(b->doubts.list.items[i + 1].form, form) != 0;
        vec_push(&more.list, b->doubts.list.items[i]);
        if (last && (strcmp(form, INNER) == 0 || strcmp(form, OUTER) == 0))
            plant(b, form, &more);
    }
    b->doubts.list.count = 0;   /* they have moved */
    doubts_done(&b->doubts);
    b->doubts = more;
    assert_true(settle(b, &settled, &err));
    assert_int_equal(settled.measured + 2, settled.experiments);
    assert_int_equal(b->doubts.list.count, 2);
    assert_int_equal(wrong_with(b, INNER), 0);
    assert_int_equal(wrong_with(b, OUTER), 0);
    for (size_t i = 0; i < settled.forms.count; i++)
        assert_int_equal(settled.forms.items[i].verdict, strcmp(settled.forms.items[i].before, settled.forms.items[i].after) != 0 ? SETTLE_CHANGED : SETTLE_CONFIRMED);
    settled_done(&settled);
}

static void test_a_cancelled_one_changes_nothing(void **state)
{
    struct bed *b = *state;
    struct err err = {0};
    struct settled settled;
    size_t doubts = b->doubts.list.count;
    struct mapping *before = mapping_copy(b->chart->machine->mapping);

    cancel = true;
    assert_false(settle(b, &settled, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_int_equal(b->doubts.list.count, doubts);
    assert_true(mapping_equal(before, b->chart->machine->mapping));
    mapping_free(before);
    settled_done(&settled);
}

/* What a file keeps comes back the same. */
static void test_doubts_are_kept(void **state)
{
    const struct bed *b = *state;
    const struct ports *ports = mapping_ports(b->chart->machine->mapping);
    const char *path = work_path("doubts.csv");
    struct doubts again;
    struct err err = {0};

    assert_true(doubts_save(&b->doubts, ports, path, &err));
    assert_true(doubts_load(path, ports, &again, &err));
    assert_float_equal(again.noise, b->doubts.noise, 0);
    assert_string_equal(again.simulated, "settle-cpu");
    assert_int_equal(again.list.count, b->doubts.list.count);
    assert_true(again.list.count > 0);
    for (size_t i = 0; i < again.list.count; i++) {
        const struct doubt *a = &again.list.items[i], *o = &b->doubts.list.items[i];
        assert_string_equal(a->form, o->form);
        assert_true(usage_equal(&a->usage, &o->usage) && a->slots == o->slots && experiment_equal(&a->experiment, &o->experiment));
        assert_float_equal(a->weight, o->weight, 1e-4);
    }
    doubts_done(&again);
    work_remove("doubts.csv");
}

/* A table with other columns is none, nor is one that does not say how much times scatter. */
static void test_other_tables_are_refused(void **state)
{
    const struct bed *b = *state;
    const struct ports *ports = mapping_ports(b->chart->machine->mapping);
    static const char *const wrong[][2] = {{"hex,cycles,spread,state,more\nnoise,,,0.01,\n", "no file of a chart's doubts"},
                                           {"form,usage,slots,weight,experiment\n", "lacks the row noise"},
                                           {"form,usage,slots,weight,experiment\nnoise,,,2,\n", "no noise"}};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *path = work_path("other.csv");
        struct doubts none;
        struct err err = {0};
        assert_true(file_write(path, wrong[i][0], strlen(wrong[i][0]), &err));
        assert_false(doubts_load(path, ports, &none, &err));
        assert_non_null(strstr(err.what, wrong[i][1]));
    }
    work_remove("other.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_chart_names_what_would_tell, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settling_tells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_chart_settles_its_doubts, set_up_settled, tear_down),
        cmocka_unit_test_setup_teardown(test_what_got_no_time_does_not_win, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_cancelled_one_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_doubts_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_tables_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
