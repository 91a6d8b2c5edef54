/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The most probable usages by all experiments of their forms, on a small CPU made by hand for which
 * the chart has wrong usages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "chart/chart.h"
#include "chart/stages.h"
#include "throughput/predict.h"
#include "../support/charts.h"
#include "../support/support.h"

#define PORTS 7 /* number of ports; port 6 is blocking */
#define WIDTH 6
#define ROWS 300
/* A form's true usage, and its usage in the chart. */
static const struct {
    const char *form, *truth, *charted;
    enum chart_state state;
} cpu[] = {
    {"ADD (R64, R64)", "1*p0123", "1*p0123", CHART_IN_CORE},
    {"SUB (R64, R64)", "1*p0123", "1*p0123", CHART_PLACED},
    /* the usage of another form */
    {"XOR (R64, R64)", "1*p01", "1*p0123", CHART_PLACED},
    {"AND (R64, R64)", "1*p01+1*p0123", "1*p01", CHART_UNEXPLAINED},    /* lacks a µop */
    {"OR (R64, R64)", "1*p01", "1*p01", CHART_IN_CORE},
    {"MOV (R64, M64)", "1*p45", "1*p45", CHART_IN_CORE},
    {"CMP (M64, R64)", "1*p0123+1*p45", "1*p01+1*p45", CHART_PLACED}, /* a µop on another set */
    {"TEST (M64, R64)", "1*p0123+1*p45", "1*p0123+1*p45", CHART_PLACED},
    {"IMUL (R64, R64)", "1*p23", "1*p23", CHART_IN_CORE},
    {"DIV (R64)", "1*p23+5*p6", "1*p23+5*p6", CHART_PLACED},
    /* no other known form has the set */
    {"SAR (R64, I8)", "1*p2", "1*p23", CHART_PLACED},
};
#define FORMS (sizeof cpu / sizeof *cpu)
#define UNKNOWN_SET (FORMS - 1)

/* Returns the true mapping, in which only form @wrong (FORMS for none) has its charted usage. */
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

/* A wrong usage is corrected. The form's confidence is the probability of the usage that explains
 * all its times. A correct usage is unchanged. */
static void test_errs_less(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct mapping *truth = mapping_by_hand(FORMS);

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
            if (!usage_equal(&e->usage, &t->usage))
                fail_msg("%s has another usage than %s", cpu[i].form, cpu[i].truth);
            assert_true(c->forms[i].confidence > 0.9);
            assert_int_equal(strstr(e->source, "most probable") != NULL,
                             cpu[i].state != CHART_IN_CORE);
            assert_int_equal(c->forms[i].state,
                             cpu[i].state == CHART_IN_CORE ? CHART_IN_CORE : CHART_PLACED);
        }
        chart_free(c);
    }
    mapping_free(truth);
    forms_free(forms);
}

static struct usage usage_of(const struct mapping *m, const char *text)
{
    struct usage u = {0};
    struct err err = {0};

    assert_true(usage_parse(text, mapping_ports(m), &u, &err));
    return u;
}

/* Slows the form @slow alone, and with @with, by @by. */
static void slow_down(struct chart *c, uint32_t slow, uint32_t with, double by)
{
    for (size_t i = 0; i < c->table->rows.count; i++) {
        bool own = false, other = c->table->rows.items[i].count == 1;
        for (uint32_t k = 0; k < c->table->rows.items[i].count; k++) {
            own |= experiments_terms(c->table, i)[k].form == slow;
            other |= experiments_terms(c->table, i)[k].form == with;
        }
        if (own && other)
            c->table->rows.items[i].cycles *= by;
    }
    c->forms[slow].alone *= by;
}

/* On a CPU with times above the port bound, a form that is slower alone and with one other form has
 * no further µops. */
static void test_times_above_ports_add_no_uops(void **state)
{
    enum { IMUL = 8 };
    struct chart_watch watch = {0};
    const struct chart_hooks hooks = chart_watched(&watch);
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct mapping *truth = mapping_by_hand(FORMS);

    assert_non_null(forms);
    for (uint32_t form = 1; form < FORMS; form++) {
        if (cpu[form].state == CHART_IN_CORE)
            continue;
        struct chart *c = charted(forms, form == UNKNOWN_SET ? FORMS : form);
        slow_down(c, form, IMUL, 1.15);
        refine_usages(
            &(struct lab){.hooks = &hooks, .table = c->table, .noise = 0.008, .above_ports = true},
            c);
        if (!usage_equal(&mapping_find(c->machine->mapping, cpu[form].form)->usage,
                         &mapping_find(truth, cpu[form].form)->usage))
            fail_msg("%s has another usage than %s", cpu[form].form, cpu[form].truth);
        assert_int_equal(c->forms[form].state, CHART_PLACED);
        assert_true(c->forms[form].confidence > 0.9);
        chart_free(c);
    }
    mapping_free(truth);
    forms_free(forms);
}

/* A form of the core with low confidence and more µops than its times allow is corrected by the
 * experiments of the core. */
static void test_doubtful_core(void **state)
{
    enum { LOAD = 5 };
    struct chart_watch watch = {0};
    const struct chart_hooks hooks = chart_watched(&watch);
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);

    assert_non_null(forms);
    for (unsigned sure = 0; sure < 2; sure++) {
        struct chart *c = charted(forms, FORMS);
        struct mapping_entry entry = *mapping_find(c->machine->mapping, cpu[LOAD].form);
        struct usage truth = {0}, wrong = usage_of(c->machine->mapping, "2*p0145");
        usage_copy(&truth, &entry.usage);
        entry.usage = wrong;
        mapping_set(c->machine->mapping, &entry);
        c->forms[LOAD].confidence = sure ? 1 : 0.3;
        refine_usages(
            &(struct lab){.hooks = &hooks, .table = c->table, .noise = 0.008, .above_ports = true},
            c);
        assert_true(usage_equal(&mapping_find(c->machine->mapping, cpu[LOAD].form)->usage,
                                sure ? &wrong : &truth));
        assert_int_equal(c->forms[LOAD].state, CHART_IN_CORE);
        usage_done(&truth);
        usage_done(&wrong);
        chart_free(c);
    }
    forms_free(forms);
}

/* Pairs determined the forms of a blocking pipe. Refinement adds no form to it, even if that would
 * explain its times. */
static void test_pipes_stay(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    size_t changed;

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

/* If a form's usage changes, its other data stay consistent. The former usage is refuted, so it is
 * no alternative; the largest error and the untested ports are updated. */
static void test_what_is_known_besides(void **state)
{
    enum { CMP = 6 };
    struct chart_watch watch = {0};
    const struct chart_hooks hooks = chart_watched(&watch);
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct ambiguities ambiguities;

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
    assert_true(usage_equal(&mapping_find(m, cpu[CMP].form)->usage, &truth));
    for (unsigned i = 0; i < f->other_count; i++)
        assert_false(usage_equal(&f->others[i].usage, &had) ||
                     usage_equal(&f->others[i].usage, &truth));
    assert_true(!f->rival && !f->settle);
    assert_true(f->error < 0.01 && f->confidence > 0.9 && f->confidence <= 1);
    assert_string_equal(mapping_find(m, cpu[CMP].form)->source,
                        "charted: confidence 1.00, most probable according to all experiments of "
                        "the form, not tested against p5");
    ambiguities_of_chart(c, "", false, &ambiguities);
    assert_int_equal(ambiguities.list.count, 0);
    ambiguities_done(&ambiguities);
    usage_done(&had);
    usage_done(&truth);
    chart_free(c);
    forms_free(forms);
}

static void add_form(struct chart *c, const struct forms *forms, const char *form,
                     enum chart_state state, double alone, portset ports, uint32_t count)
{
    struct mapping_entry entry = {
        .form = (char *)form, .latency = NAN, .micro_ops = 1, .source = (char *)""};

    experiments_set(
        c->table,
        experiments_add(c->table, (struct flat_term[]){{names_add(&c->table->forms, form), 1}}, 1),
        alone, 0, 3, EXPERIMENT_OK);
    usage_add(&entry.usage, ports, count);
    mapping_set(c->machine->mapping, &entry);
    usage_done(&entry.usage);
    c->forms[c->form_count++] =
        (struct chart_form){.row = forms_find(forms, form), .state = state, .alone = alone};
}

/* A form with half a cycle alone cannot have four µops of one port. It receives the usage of other
 * forms of its kind with half a cycle, and remains unexplained. Usages that agree with their form's
 * time, and explained ones, are unchanged. */
static void test_unexplained_is_not_absurd(void **state)
{
    struct chart_watch watch = {0};
    const struct chart_hooks hooks = chart_watched(&watch);
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct chart *c = mem_zero(1, sizeof *c);
    struct ports ports;

    assert_non_null(forms);
    ports_number(&ports, 4);
    c->machine = machine_new("charted", &ports);
    c->forms = mem_zero(8, sizeof *c->forms);
    c->table = experiments_new();
    c->width = WIDTH;
    add_form(c, forms, "ADD (R64, R64)", CHART_PLACED, 0.5, 3, 1);
    add_form(c, forms, "PADDD (XMM, XMM)", CHART_PLACED, 0.5, 12, 1);
    add_form(c, forms, "PSUBD (XMM, XMM)", CHART_PLACED, 0.5, 12, 1);
    add_form(c, forms, "AND (R64, R64)", CHART_UNEXPLAINED, 0.5, 1, 4);
    add_form(c, forms, "OR (R64, R64)", CHART_UNEXPLAINED, 1, 1, 1);
    add_form(c, forms, "XOR (R64, R64)", CHART_PLACED, 9, 1, 1);
    add_form(c, forms, "RORX (R32, R32, I8)", CHART_UNEXPLAINED, 0.5, 1, 4);
    const struct lab lab = {.hooks = &hooks, .table = c->table, .noise = 0.008};
    assert_int_equal(refine_usages(&lab, c), 2);
    assert_true(usage_equal(&mapping_find(c->machine->mapping, "RORX (R32, R32, I8)")->usage,
                            &mapping_find(c->machine->mapping, "ADD (R64, R64)")->usage));
    assert_true(usage_equal(&mapping_find(c->machine->mapping, "AND (R64, R64)")->usage,
                            &mapping_find(c->machine->mapping, "ADD (R64, R64)")->usage));
    assert_int_equal(mapping_find(c->machine->mapping, "OR (R64, R64)")->usage.uops[0].ports, 1);
    assert_int_equal(mapping_find(c->machine->mapping, "XOR (R64, R64)")->usage.uops[0].count, 1);
    assert_int_equal(c->forms[3].state, CHART_UNEXPLAINED);
    chart_free(c);
    forms_free(forms);
}

static void test_threads_find_the_same(void **state)
{
    struct err err = {0};
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    size_t changed[2];

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errs_less),
                                       cmocka_unit_test(test_pipes_stay),
                                       cmocka_unit_test(test_unexplained_is_not_absurd),
                                       cmocka_unit_test(test_times_above_ports_add_no_uops),
                                       cmocka_unit_test(test_doubtful_core),
                                       cmocka_unit_test(test_what_is_known_besides),
                                       cmocka_unit_test(test_threads_find_the_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
