/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The review of a chart: random blocks that the chart did not use. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "chart/stages.h"
#include "model/change.h"
#include "../support/hunts.h"
#include "../support/support.h"

#define FORMS 600

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
                       .options = {.uses = s->drawn,
                                   .uses_count = s->drawn_count,
                                   .review_blocks = 1024,
                                   .seed = 3}};
    l->hooks =
        (struct chart_hooks){.cancelled = never, .progress = no_progress, .state = &l->asked};
    l->cpu = (struct chart_cpu){.times = chart_times, .state = &l->truth};
    l->lab = (struct lab){
        .cpu = &l->cpu, .options = &l->options, .hooks = &l->hooks, .stage = CHART_REVIEW};
}

/* Returns a chart of the machine, in which @form has latency 9. NULL: no form is changed. */
static struct chart *chart_of(const struct hunt_setup *s, const char *form)
{
    struct chart *c = mem_zero(1, sizeof *c);
    struct err err = {0};
    struct str change = {0};

    c->machine = machine_copy(s->machine);
    str_addf(&change, "latency:%s", form ? form : "");
    if (form)
        assert_true(machine_change(c->machine, str_text(&change), "9", &err));
    str_done(&change);
    return c;
}

static void test_review_of_the_true_machine(void **state)
{
    const struct hunt_setup *s = *state;
    struct look l;
    struct err err = {0};
    struct chart *c = chart_of(s, NULL);

    look_begin(&l, s);
    assert_true(review_blocks(&l.lab, c, &err));
    assert_true(c->review.error == 0 && c->review.worst == 0);
    assert_true(c->review.blocks > 600 && c->review.covered == c->review.blocks);
    assert_null(c->review.suspects);
    chart_free(c);
    model_free(l.truth.model);
}

/* A review changes nothing. It reports the error and the form that causes it. */
static void test_review_names_the_cause(void **state)
{
    const struct hunt_setup *s = *state;
    struct look l;
    struct err err = {0};
    struct chart *c = chart_of(s, "IMUL (R64, R64)");
    struct mapping *before = mapping_copy(c->machine->mapping);

    look_begin(&l, s);
    assert_true(review_blocks(&l.lab, c, &err));
    assert_true(c->review.error > 0.001 && c->review.worst > c->review.error);
    assert_non_null(strstr(c->review.worst_block, "imul"));
    assert_non_null(strstr(c->review.suspects, "IMUL (R64, R64)"));
    for (size_t i = 0; i < mapping_count(before); i++)
        assert_true(usage_equal(&mapping_at(before, i)->usage,
                                &mapping_at(c->machine->mapping, i)->usage));
    mapping_free(before);
    chart_free(c);
    model_free(l.truth.model);
}

static void test_review_is_cancelled_or_fails(void **state)
{
    const struct hunt_setup *s = *state;

    for (unsigned how = 0; how < 2; how++) {
        struct look l;
        struct err err = {0};
        struct chart *c = chart_of(s, NULL);
        look_begin(&l, s);
        l.hooks.cancelled = how ? never : at_once;
        l.truth.fails_at = how ? 6 : 0;
        assert_false(review_blocks(&l.lab, c, &err));
        assert_int_equal(err.code, how ? ERR_IO : ERR_INTERRUPTED);
        chart_free(c);
        model_free(l.truth.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_review_of_the_true_machine),
        cmocka_unit_test(test_review_names_the_cause),
        cmocka_unit_test(test_review_is_cancelled_or_fails),
    };

    return cmocka_run_group_tests(tests, make, unmake);
}
