/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refinement of usages to smaller errors in their forms' experiments. A small CPU by hand, for
 * which the chart has wrong usages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "chart/chart.h"
#include "chart/stages.h"
#include "throughput/predict.h"
#include "../support/charts.h"
#include "../support/support.h"

#define PORTS 7              /* number of ports; port 6 is blocking */
#define WIDTH 6
#define ROWS 300
/* A form's true usage, and its usage in the chart. */
static const struct { const char *form, *truth, *charted; enum chart_state state; } cpu[] = {
    {"ADD (R64, R64)", "1*p0123", "1*p0123", CHART_IN_CORE},
    {"SUB (R64, R64)", "1*p0123", "1*p0123", CHART_PLACED},
    /* the usage of another form */
    {"XOR (R64, R64)", "1*p01", "1*p0123", CHART_PLACED},
    {"AND (R64, R64)", "1*p01+1*p0123", "1*p01", CHART_UNEXPLAINED},    /* lacks a µop */
    {"OR (R64, R64)", "1*p01", "1*p01", CHART_IN_CORE},
    {"MOV (R64, M64)", "1*p45", "1*p45", CHART_IN_CORE},
    {"CMP (M64, R64)", "1*p0123+1*p45", "1*p01+1*p45", CHART_PLACED},   /* a µop on another set */
    {"TEST (M64, R64)", "1*p0123+1*p45", "1*p0123+1*p45", CHART_PLACED},
    {"IMUL (R64, R64)", "1*p23", "1*p23", CHART_IN_CORE},
    {"DIV (R64)", "1*p23+5*p6", "1*p23+5*p6", CHART_PLACED},
    /* no other known form has the set */
    {"SAR (R64, I8)", "1*p2", "1*p23", CHART_PLACED},
};
#define FORMS (sizeof cpu / sizeof *cpu)
#define UNKNOWN_SET (FORMS - 1)

/* Returns the true mapping, in which only form @wrong has its charted usage (FORMS: none). */
static struct mapping *mapping_by_hand(size_t wrong)
{
    struct ports ports;
    struct err err = {0};

    ports_number(&ports, PORTS);
    ports.pipes = 1 << 6;
    struct mapping *m = mapping_new(&ports);
    mapping_set_issue_width(m, WIDTH);
    for (size_t i = 0; i < FORMS; i++) {
        struct mapping_entry entry = {.form = (char *)cpu[i].form,
                                      .latency = NAN,
                                      .micro_ops = 1,
                                      .source = (char *)"charted: confidence 1.00"};
        assert_true(
            usage_parse(i == wrong ? cpu[i].charted : cpu[i].truth, &ports, &entry.usage, &err));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

/* Returns a chart with the experiments of all forms alone and each with random forms of the core.
 * The times are those of the truth. */
static struct chart *charted(const struct forms *forms, size_t wrong)
{
    struct chart *c = mem_zero(1, sizeof *c);
    struct mapping *truth = mapping_by_hand(FORMS), *says = mapping_by_hand(wrong);
    struct rng rng;

    rng_seed(&rng, 7);
    c->width = WIDTH;
    c->machine = machine_new("charted", mapping_ports(says));
    c->table = experiments_new();
    c->forms = mem_zero(FORMS + 1, sizeof *c->forms);
    c->form_count = FORMS;
    mapping_set_issue_width(c->machine->mapping, WIDTH);
    for (uint32_t i = 0; i < FORMS; i++) {
        mapping_set(c->machine->mapping, mapping_find(says, cpu[i].form));
        c->forms[i] = (struct chart_form){
            .row = forms_find(forms, cpu[i].form), .state = cpu[i].state, .confidence = 1};
        names_add(&c->table->forms, cpu[i].form);
        experiments_add(c->table, (struct flat_term[]){{i, 1}}, 1);
    }
    for (size_t r = 0; r < ROWS; r++) {
        struct flat_term terms[3];
        for (size_t k = 0; k < 3; k++) {
            uint32_t form;
            do
                form = (uint32_t)rng_below(&rng, FORMS);
            while (k && cpu[form].state != CHART_IN_CORE);
            terms[k] = (struct flat_term){form, 1 + (uint32_t)rng_below(&rng, 4)};
        }
        experiments_add(c->table, terms, 3);
    }
    double *cycles = mem_alloc((c->table->rows.count + 1) * sizeof *cycles);
    throughput_predict(truth, c->table, cycles);
    for (size_t i = 0; i < c->table->rows.count; i++) {
        experiments_set(c->table, i, cycles[i], 0, 3, EXPERIMENT_OK);
        if (i < FORMS)
            c->forms[i].alone = cycles[i];
    }
    free(cycles);
    mapping_free(truth);
    mapping_free(says);
    return c;
}

static bool team(void *state, void (*work)(void *work_state, unsigned worker), void *work_state)
{
    (void)state;
    chart_together(work, work_state);
    return true;
}

static struct chart *refined(const struct forms *forms, size_t wrong, bool threads, size_t *changed)
{
    struct chart_watch watch = {0};
    struct chart_hooks hooks = chart_watched(&watch);
    struct chart *c = charted(forms, wrong);
    const struct lab lab = {.hooks = &hooks, .table = c->table};

    if (threads) {
        hooks.team = team;
        hooks.threads = CHART_THREADS;
    }
    *changed = refine_usages(&lab, c);
    return c;
}

/* A wrong usage is corrected and its confidence reduced. A correct usage is unchanged. */
static void test_errs_less(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct mapping *truth = mapping_by_hand(FORMS);

    (void)state;
    assert_non_null(forms);
    for (size_t wrong = 0; wrong <= FORMS; wrong++) {
        if (wrong == UNKNOWN_SET)
            continue;
        size_t changed,
            expected = wrong < FORMS && strcmp(cpu[wrong].truth, cpu[wrong].charted) != 0;
        struct chart *c = refined(forms, wrong, false, &changed);
        assert_int_equal(changed, expected);
        for (size_t i = 0; i < FORMS; i++) {
            const struct mapping_entry *e = mapping_find(c->machine->mapping, cpu[i].form),
                                       *t = mapping_find(truth, cpu[i].form);
            bool mended = i == wrong && expected;
            if (!usage_equal(&e->usage, &t->usage))
                fail_msg("%s has another usage than %s", cpu[i].form, cpu[i].truth);
            assert_true(mended ? c->forms[i].confidence <= CHART_DOUBTFUL
                               : c->forms[i].confidence == 1);
            assert_int_equal(strstr(e->source, "least error") != NULL, mended);
        }
        chart_free(c);
    }
    mapping_free(truth);
    forms_free(forms);
}

/* Pairs determined the forms of a blocking pipe. Refinement adds no form to it, even if that would
 * explain its times. */
static void test_pipes_stay(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    size_t changed;

    (void)state;
    assert_non_null(forms);
    struct chart *c = refined(forms, UNKNOWN_SET, false, &changed);
    for (size_t i = 0; i < FORMS; i++) {
        const struct mapping_entry *e = mapping_find(c->machine->mapping, cpu[i].form);
        uint32_t held = 0;
        for (unsigned k = 0; k < e->usage.count; k++)
            held += e->usage.uops[k].ports == 1 << 6 ? e->usage.uops[k].count : 0;
        assert_int_equal(held, strstr(cpu[i].truth, "5*p6") ? 5 : 0);
    }
    chart_free(c);
    forms_free(forms);
}

static struct usage usage_of(const struct mapping *m, const char *text)
{
    struct usage u = {0};
    struct err err = {0};

    assert_true(usage_parse(text, mapping_ports(m), &u, &err));
    return u;
}

/* If a form's usage changes, its other data stay consistent. The former usage becomes the
 * alternative; the largest error and the untested ports are updated. */
static void test_what_is_known_besides(void **state)
{
    enum { CMP = 6 };
    struct chart_watch watch = {0};
    const struct chart_hooks hooks = chart_watched(&watch);
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct ambiguities ambiguities;

    (void)state;
    assert_non_null(forms);
    struct chart *c = charted(forms, CMP);
    struct chart_form *f = &c->forms[CMP];
    const struct mapping *m = c->machine->mapping;
    f->error = 0.5;
    f->untested = 1 << 5;
    f->rival = mem_strdup(cpu[CMP].truth);
    f->others = mem_zero(1, sizeof *f->others);
    f->others[0] =
        (struct chart_usage){.usage = usage_of(m, cpu[CMP].truth), .slots = 1, .weight = 0.5};
    f->other_count = 1;
    struct chart_ambiguity ambiguity = {.form = CMP, .other = 0};
    assert_true(experiment_parse("CMP (M64, R64) + 2*ADD (R64, R64)", &ambiguity.experiment, &err));
    vec_push(&c->ambiguities, ambiguity);
    assert_int_equal(refine_usages(&(struct lab){.hooks = &hooks, .table = c->table}, c), 1);
    struct usage had = usage_of(m, cpu[CMP].charted), truth = usage_of(m, cpu[CMP].truth);
    assert_true(usage_equal(&mapping_find(m, cpu[CMP].form)->usage, &truth) &&
                usage_equal(&f->others[0].usage, &had));
    assert_string_equal(f->rival, cpu[CMP].charted);
    assert_string_equal(f->settle, "CMP (M64, R64) + 2*ADD (R64, R64)");
    assert_true(f->error < 0.01 && f->confidence <= CHART_DOUBTFUL);
    assert_string_equal(
        mapping_find(m, cpu[CMP].form)->source,
        "charted: confidence 0.20, usage of least error, not tested against p5");
    ambiguities_of_chart(c, "", false, &ambiguities);
    assert_true(ambiguities.list.count == 1 &&
                !ambiguity_is_check(&ambiguities.list.items[0], mapping_find(m, cpu[CMP].form)));
    ambiguities_done(&ambiguities);
    usage_done(&had);
    usage_done(&truth);
    chart_free(c);
    forms_free(forms);
}

static void test_threads_find_the_same(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    size_t changed[2];

    (void)state;
    assert_non_null(forms);
    for (size_t wrong = 0; wrong < FORMS; wrong++) {
        struct chart *one = refined(forms, wrong, false, &changed[0]),
                     *many = refined(forms, wrong, true, &changed[1]);
        assert_int_equal(changed[0], changed[1]);
        assert_true(chart_mappings_alike(one->machine->mapping, many->machine->mapping));
        chart_free(one);
        chart_free(many);
    }
    forms_free(forms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errs_less), cmocka_unit_test(test_pipes_stay),
        cmocka_unit_test(test_what_is_known_besides), cmocka_unit_test(test_threads_find_the_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
