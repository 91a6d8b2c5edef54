/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The review of a chart: blocks that change a usage or a latency, and their report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chart/stages.h"
#include "model/change.h"
#include "../support/hunts.h"
#include "../support/support.h"

#define FORMS 600
#define CHARTED "charted: confidence 0.90"

static int make(void **state)
{
    *state = hunt_setup_new("skylake", FORMS);
    return 0;
}

static int unmake(void **state)
{
    hunt_setup_free(*state);
    return 0;
}

/* Measurements are the predictions of another machine. */
struct truth {
    struct model *model;
    unsigned calls, fails_at;   /* number of the call that fails; 0 for none */
};

static bool chart_times(void *self, const struct chart_block *blocks, size_t n, double *cycles,
                        struct err *err)
{
    struct truth *t = self;

    if (t->fails_at && ++t->calls >= t->fails_at)
        return err_set(err, ERR_IO, NULL, "no more times");
    for (size_t i = 0; i < n; i++)
        cycles[i] = model_cycles_of(t->model, blocks[i].insns, blocks[i].count);
    return true;
}

static bool never(void *state)
{
    return false;
}

static bool at_once(void *state)
{
    return ++*(unsigned *)state > 6;
}

static void no_progress(void *state, enum chart_stage stage, double done, double total,
                        const char *what)
{
    assert_int_equal(stage, CHART_REVIEW);
    assert_true(done <= total);
    assert_non_null(what);
}

/* A review of blocks whose times are another machine's predictions. */
struct look {
    struct truth truth;
    unsigned asked;          /* number of polls for cancellation */
    struct chart_hooks hooks;
    struct chart_cpu cpu;
    struct chart_options options;
    struct lab lab;
};

static void look_begin(struct look *l, const struct hunt_setup *s)
{
    *l = (struct look){.truth = {.model = model_new(s->machine, false)},
                       .options = {.seconds = 600,
                                   .uses = s->drawn,
                                   .uses_count = s->drawn_count,
                                   .review_blocks = 1024,
                                   .seed = 3}};
    l->hooks =
        (struct chart_hooks){.cancelled = never, .progress = no_progress, .state = &l->asked};
    l->cpu = (struct chart_cpu){.times = chart_times, .state = &l->truth};
    l->lab = (struct lab){
        .cpu = &l->cpu, .options = &l->options, .hooks = &l->hooks, .stage = CHART_REVIEW};
}

static void set_source(struct machine *m, const char *form, const char *source)
{
    struct mapping_entry entry = *mapping_find(m->mapping, form);

    entry.source = (char *)source;
    mapping_set(m->mapping, &entry);
}

static void assert_source(const struct chart *c, const char *form, const char *source)
{
    assert_string_equal(mapping_find(c->machine->mapping, form)->source, source);
}

/* Returns a chart of the machine with a multiplication that is too slow and a load of four cycles.
 * The true usages are almost equally likely. */
static struct chart *slow_chart(const struct hunt_setup *s)
{
    struct chart *c = mem_zero(1, sizeof *c);
    struct err err = {0};

    c->machine = machine_copy(s->machine);
    c->form_count = 1;
    c->forms = mem_zero(1, sizeof *c->forms);
    c->forms[0] = (struct chart_form){.row = forms_find(s->forms, "MOV (R64, M64)"),
                                      .state = CHART_PLACED,
                                      .confidence = 0.6,
                                      .other_count = 1,
                                      .others = mem_zero(1, sizeof *c->forms[0].others)};
    usage_copy(&c->forms[0].others[0].usage,
               &mapping_find(s->machine->mapping, "MOV (R64, M64)")->usage);
    c->forms[0].others[0].slots = 1;
    c->forms[0].others[0].weight = 0.5;
    assert_true(machine_change(c->machine, "latency:IMUL (R64, R64)", "9", &err));
    assert_true(machine_change(c->machine, "usage:MOV (R64, M64)", "4*p23", &err));
    set_source(c->machine, "IMUL (R64, R64)", CHARTED);
    return c;
}

/* Adds a table with the time of @form alone. */
static void add_alone(struct chart *c, const char *form, double cycles)
{
    c->table = experiments_new();
    experiments_set(
        c->table,
        experiments_add(c->table, (struct flat_term[]){{names_add(&c->table->forms, form), 1}}, 1),
        cycles, 0, 3, EXPERIMENT_OK);
}

/* Returns a chart with a load of three cycles and no alternative. The caller frees it. */
static struct chart *chart_of_three(const struct hunt_setup *s)
{
    struct chart *c = slow_chart(s);
    struct err err = {0};

    assert_true(machine_change(c->machine, "usage:MOV (R64, M64)", "3*p23", &err));
    usage_done(&c->forms[0].others[0].usage);
    c->forms[0].other_count = 0;
    return c;
}

/* Only blocks determine a usage for which experiments are no evidence, and the chart reports this.
 * The usage is closer to the measurements of an unexplained form, but still deviates. */
static void test_blocks_find_a_new_usage(void **state)
{
    const struct hunt_setup *s = *state;
    const struct usage *is = &mapping_find(s->machine->mapping, "MOV (R64, M64)")->usage;
    struct look l;
    struct chart *c = chart_of_three(s);
    struct err err = {0};

    look_begin(&l, s);
    assert_true(review_blocks(&l.lab, c, &err));
    assert_true(usage_equal(&mapping_find(c->machine->mapping, "MOV (R64, M64)")->usage, is));
    assert_source(c, "MOV (R64, M64)", "charted: confidence 0.20, determined by random blocks");
    assert_float_equal(c->forms[0].confidence, 0.2, 1e-9);
    chart_free(c);

    c = chart_of_three(s);
    c->forms[0].state = CHART_UNEXPLAINED;
    add_alone(c, "MOV (R64, M64)", 0.6);
    assert_true(review_blocks(&l.lab, c, &err));
    assert_true(usage_equal(&mapping_find(c->machine->mapping, "MOV (R64, M64)")->usage, is));
    assert_source(c, "MOV (R64, M64)",
                  "charted: error of 17 % in its experiments, determined by random blocks");
    assert_float_equal(c->forms[0].error, 1 - 0.5 / 0.6, 1e-6);
    chart_free(c);
    model_free(l.truth.model);
}

/* A chart with a multiplication that is too slow and a load of four cycles, with almost equally
 * likely alternatives. Its review finds both, and reports the error before the changes. */
static void test_second_round_of_a_chart(void **state)
{
    const struct hunt_setup *s = *state;
    struct look l;
    struct err err = {0};
    struct chart *c = mem_zero(1, sizeof *c);

    look_begin(&l, s);
    c->machine = machine_copy(s->machine);
    assert_true(review_blocks(&l.lab, c, &err));
    assert_int_equal(c->review.changed, 0);
    assert_null(c->review.changes);
    assert_true(c->review.error == 0 && c->review.error_before == 0 &&
                c->review.covered == c->review.blocks);
    chart_free(c);

    c = slow_chart(s);
    c->forms[0].untested = 0x4;   /* The form was not tested against port 2. */
    struct chart_ambiguity ambiguity = {.form = 0};
    experiment_add(&ambiguity.experiment, "MOV (R64, M64)", 1);
    experiment_add(&ambiguity.experiment, "ADD (R64, R64)", 3);
    vec_push(&c->ambiguities, ambiguity);
    assert_true(review_blocks(&l.lab, c, &err));
    assert_int_equal(c->review.changed, 2);
    assert_non_null(strstr(c->review.changes, "IMUL (R64, R64)"));
    assert_non_null(strstr(c->review.changes, "MOV (R64, M64)"));
    assert_true(c->review.error_before > 0.001 && c->review.error < c->review.error_before / 4);
    assert_true(c->review.blocks > 300 && c->review.blocks <= 512);
    assert_true(usage_equal(&mapping_find(c->machine->mapping, "MOV (R64, M64)")->usage,
                            &mapping_find(s->machine->mapping, "MOV (R64, M64)")->usage));
    /* Blocks chose a usage to which experiments gave half the weight of the former usage. The
     * former usage becomes an alternative. A changed latency does not affect the usage's source. */
    assert_source(c, "MOV (R64, M64)",
                  "charted: confidence 0.30, determined by random blocks, not tested against p2");
    assert_source(c, "IMUL (R64, R64)", CHARTED);
    assert_float_equal(c->forms[0].confidence, 0.3, 1e-9);
    assert_int_equal(c->forms[0].others[0].usage.uops[0].count, 4);
    assert_float_equal(c->forms[0].others[0].weight, 2, 1e-9);
    assert_string_equal(c->forms[0].rival, "4*p23");
    assert_non_null(strstr(c->forms[0].settle, "3*ADD (R64, R64)"));
    chart_free(c);

    /* An experiment agrees with the charted load, so no block may contradict it. */
    c = slow_chart(s);
    add_alone(c, "MOV (R64, M64)", 2);
    assert_true(review_blocks(&l.lab, c, &err));
    assert_true(strstr(c->review.changes, "IMUL (R64, R64)") &&
                !strstr(c->review.changes, "MOV (R64, M64)"));
    assert_int_equal(mapping_find(c->machine->mapping, "MOV (R64, M64)")->usage.uops[0].count, 4);
    chart_free(c);

    /* The second round is cancelled, or the CPU fails during it. */
    for (unsigned how = 0; how < 2; how++) {
        c = mem_zero(1, sizeof *c);
        c->machine = machine_copy(s->machine);
        assert_true(machine_change(c->machine, "latency:IMUL (R64, R64)", "9", &err));
        l.hooks.cancelled = how ? never : at_once;
        l.truth.fails_at = how ? 6 : 0;
        l.truth.calls = l.asked = 0;
        err = (struct err){0};
        assert_false(review_blocks(&l.lab, c, &err));
        assert_int_equal(err.code, how ? ERR_IO : ERR_INTERRUPTED);
        chart_free(c);
    }
    model_free(l.truth.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_find_a_new_usage),
        cmocka_unit_test(test_second_round_of_a_chart),
    };

    return cmocka_run_group_tests(tests, make, unmake);
}
