/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring on a host that is rarely or never idle ends. Values are correct or marked, and the next
 * run resumes from them. Host and clock are simulated. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "measure/runner.h"
#include "../support/support.h"

#define ROWS 600
#define TRUTH 2.0
#define CONCURRENT 2.9           /* minimum cycles of the same code next to a busy neighbour */
/* seconds per call without an idle moment; a value adds VALUE_SECONDS */
#define CALL_SECONDS 0.15
#define VALUE_SECONDS 0.02

/* One of @one_in experiments has an idle moment. */
static struct { unsigned one_in, tried; double now; size_t calls; } host;

static double host_clock(void)
{
    return host.now;
}

static bool host_measure(struct source *s, const struct experiment *e, size_t n,
                         struct measured *out, bool (*stop)(void *state), void *state,
                         struct err *err)
{
    host.calls++;
    host.now += CALL_SECONDS;
    for (size_t i = 0; i < n; i++) {
        bool quiet = host.one_in && ++host.tried % host.one_in == 0;
        out[i] = (struct measured){.cycles = quiet ? TRUTH : NAN,
                                   .repeats = 3,
                                   .busy = !quiet,
                                   .contended_cycles =
                                       quiet ? NAN : CONCURRENT + 0.1 / (double)host.calls,
                                   .baseline = s->baseline,
                                   .slowed = quiet ? 0.5 : 1};
        snprintf(out[i].state, sizeof out[i].state, "%s",
                 quiet ? EXPERIMENT_OK : EXPERIMENT_CONTENDED);
        host.now += quiet ? VALUE_SECONDS : 0;
    }
    return true;
}

struct estimate { double at, left; };
struct run { struct experiments *table; struct estimate estimate[4096]; size_t reports; };

static void take(void *state, size_t index, const struct measured *m)
{
    experiments_set(((struct run *)state)->table, index, m->cycles, m->spread, m->repeats,
                    m->state);
}

static void progress(void *state, const struct runner_summary *s, size_t total)
{
    struct run *r = state;

    assert_true(s->done + s->failed + s->left == total && s->useful <= s->passes);
    if (r->reports < sizeof r->estimate / sizeof *r->estimate)
        r->estimate[r->reports++] = (struct estimate){s->seconds, s->seconds_left};
}

static bool never(void *state)
{
    return false;
}

static struct experiments *rows(size_t n)
{
    struct experiments *t = experiments_new();

    for (size_t i = 0; i < n; i++) {
        struct experiment e = {0};
        char form[32];
        snprintf(form, sizeof form, "FORM%zu ()", i);
        experiment_add(&e, form, 1);
        experiments_add_named(t, &e);
        experiment_done(&e);
    }
    return t;
}

/* Measures the rows of @r from the beginning. @path is the journal, or NULL. */
static struct runner_summary measure(struct run *r, const char *path,
                                     const struct runner_options *options)
{
    struct source source = {
        .instructions = SOURCE_BODY, .orders = 1, .baseline = 5.55, .measure = host_measure};
    const struct runner_hooks hooks = {
        .cancelled = never, .result = take, .seen = take, .progress = progress, .state = r};
    struct experiments *copy = experiments_copy(r->table, NULL);
    struct runner_summary s;
    struct err err = {0};
    struct journal *journal = path ? journal_open(path, &err) : NULL;

    assert_true(!path || journal);
    r->reports = 0;
    host.now = 0;
    clock_set_source(host_clock);
    assert_true(runner_run(&source, copy, journal, options, &hooks, &s, &err));
    clock_set_source(NULL);
    journal_close(journal);
    experiments_free(copy);
    return s;
}

/* Counts rows in @state. Fails unless each has at least @cycles, and is measured only if its state
 * is ok. */
static size_t in_state(const struct experiments *t, const char *state, double cycles)
{
    size_t n = 0;

    for (size_t i = 0; i < t->rows.count; i++) {
        if (strcmp(t->rows.items[i].state, state) != 0)
            continue;
        n++;
        assert_true(t->rows.items[i].cycles >= cycles);
        assert_int_equal(experiments_measured(t, i), strcmp(state, EXPERIMENT_OK) == 0);
    }
    return n;
}

/* Waits once for all experiments, then reports the least time of each under contention, marked.
 * These values are neither used for inference nor stored. */
static void test_never_quiet(void **state)
{
    struct run r = {.table = rows(ROWS)};
    const double calls_in_a_pass = ceil(ROWS / 64.0),
                 limit = 20 + 2 * calls_in_a_pass * CALL_SECONDS;
    host.one_in = 0;
    work_put("journal.csv", "");
    struct runner_summary s = measure(&r, work_path("journal.csv"), &(struct runner_options){0});
    assert_true(s.seconds <= limit);
    assert_true(s.left == ROWS && s.contended == ROWS && s.once == 0 && s.done == 0 &&
                s.failed == 0 && s.useful == 0);
    assert_int_equal(in_state(r.table, EXPERIMENT_CONTENDED, CONCURRENT), ROWS);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(r.table->rows.items[i].cycles < CONCURRENT + 0.01 &&
                    experiment_state_open(r.table->rows.items[i].state));
    /* The remaining time is estimated well from the start. */
    for (size_t i = 0; i < r.reports; i++)
        if (r.estimate[i].at > 3 && r.estimate[i].at < 18)
            assert_true(fabs(r.estimate[i].left - (s.seconds - r.estimate[i].at)) < 2.5);
    /* Less patience shortens the run, more patience lengthens it. */
    assert_true(measure(&r, NULL, &(struct runner_options){.patience = 2}).seconds <=
                2 + 2 * calls_in_a_pass * CALL_SECONDS);
    assert_true(measure(&r, NULL, &(struct runner_options){.patience = 100}).seconds > 90);
    experiments_free(r.table);
}

/* While values arrive, at any rate, measuring continues, even beyond its patience. */
static void test_hardly_quiet(void **state)
{
    struct run r = {.table = rows(ROWS)};
    host.one_in = 13;
    host.tried = 0;
    struct runner_summary s = measure(&r, NULL, &(struct runner_options){0});
    assert_true(s.done == ROWS && s.left == 0 && s.once == 0 && s.contended == 0);
    assert_int_equal(in_state(r.table, EXPERIMENT_OK, TRUTH), ROWS);
    assert_true(s.seconds > 20 && s.useful >= 3 * ROWS);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(r.table->rows.items[i].cycles == TRUTH);
    experiments_free(r.table);
}

/* A value measured once is marked and saved. The next run confirms it, and the third run has
 * nothing to measure. */
static void test_left_is_taken_up(void **state)
{
    struct run r = {.table = rows(ROWS)};
    work_put("journal.csv", "");
    host.one_in = 100;
    host.tried = 0;
    struct runner_summary first = measure(
        &r, work_path("journal.csv"), &(struct runner_options){.patience = 5, .one_length = true});
    assert_true(first.once > 0 && first.contended > 0 &&
                first.once + first.contended == first.left && first.done + first.left == ROWS);
    assert_int_equal(in_state(r.table, EXPERIMENT_ONCE, TRUTH), first.once);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(r.table->rows.items[i].repeats,
                         strcmp(r.table->rows.items[i].state, EXPERIMENT_ONCE) == 0 ? 3
                         : strcmp(r.table->rows.items[i].state, EXPERIMENT_OK) == 0 ? 6
                                                                                    : 0);
    assert_int_equal(in_state(r.table, EXPERIMENT_CONTENDED, CONCURRENT), first.contended);
    /* The rows are read from a file, so pending ones are measured. */
    struct experiments *again = rows(ROWS);
    experiments_free(r.table);
    r.table = again;
    host.one_in = 1;
    struct runner_summary second =
        measure(&r, work_path("journal.csv"), &(struct runner_options){.one_length = true});
    assert_true(second.done == ROWS && second.reused == first.done &&
                second.taken_over == first.once);
    /* One pass for experiments measured once, two for all others. */
    assert_int_equal(second.passes, first.once + 2 * first.contended);
    experiments_free(r.table);
    r.table = rows(ROWS);
    struct runner_summary third =
        measure(&r, work_path("journal.csv"), &(struct runner_options){.one_length = true});
    assert_true(third.reused == ROWS && third.passes == 0 && third.taken_over == 0);
    experiments_free(r.table);
    r.table = rows(ROWS);
    struct runner_summary anew = measure(
        &r, work_path("journal.csv"), &(struct runner_options){.one_length = true, .fresh = true});
    assert_true(anew.reused == 0 && anew.taken_over == 0 && anew.passes == 2 * ROWS);
    experiments_free(r.table);
}

/* The least of an experiment's orders counts, unless an order without a value may be faster. */
static void test_orders(void **state)
{
    const struct measured
        quick = {.cycles = 1, .contended_cycles = NAN, .state = "ok"},
        slow = {.cycles = 2, .contended_cycles = NAN, .state = "ok"},
        busy = {.cycles = NAN, .busy = true, .contended_cycles = 1.5, .state = "contended"},
        lost = {.cycles = NAN, .busy = true, .contended_cycles = 2.2, .state = "contended"},
        fault = {.cycles = NAN, .contended_cycles = NAN, .state = "SIGILL"};
    struct measured out;
    assert_int_equal(measured_least((const struct measured[]){slow, quick},
                                    (const bool[]){false, false}, 2, &out),
                     1);
    assert_true(out.cycles == 1 && !out.busy && isnan(out.contended_cycles));
    /* One window that shows a contended order not to be faster suffices. */
    assert_int_equal(measured_least((const struct measured[]){quick, lost},
                                    (const bool[]){false, true}, 2, &out),
                     0);
    assert_true(out.cycles == 1 && !out.busy);
    measured_least((const struct measured[]){slow, busy, lost}, (const bool[]){false, false, true},
                   3, &out);
    assert_true(isnan(out.cycles) && out.busy && out.contended_cycles == 1.5);
    assert_string_equal(out.state, EXPERIMENT_CONTENDED);
    measured_least((const struct measured[]){busy, lost}, (const bool[]){false, false}, 2, &out);
    assert_true(isnan(out.cycles) && out.busy && out.contended_cycles == 1.5);
    measured_least((const struct measured[]){fault}, (const bool[]){false}, 1, &out);
    assert_true(isnan(out.cycles) && !out.busy && isnan(out.contended_cycles));
    assert_string_equal(out.state, "SIGILL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_quiet), cmocka_unit_test(test_hardly_quiet),
        cmocka_unit_test(test_left_is_taken_up), cmocka_unit_test(test_orders)};
    return cmocka_run_group_tests_name("busy host", tests, NULL, NULL);
}
