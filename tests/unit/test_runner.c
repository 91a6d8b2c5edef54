/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/mem.h"
#include "base/rng.h"
#include "io/machine_file.h"
#include "measure/runner.h"
#include "measure/source.h"
#include "throughput/throughput.h"
#include "../support/support.h"

static struct machine *machine;

struct collected {
    struct experiments *table;
    size_t results;
    size_t cancel_after;   /* number of results after which to cancel; 0 for never */
    size_t cancel_reports; /* number of progress reports after which to cancel; 0 for never */
    size_t reports;
    double share;          /* share in the last report */
    bool early;            /* the share was positive before any result was settled */
};

static bool cancelled(void *state)
{
    struct collected *c = state;
    return (c->cancel_after && c->results >= c->cancel_after) ||
           (c->cancel_reports && c->reports >= c->cancel_reports);
}

static void result(void *state, size_t index, const struct measured *m)
{
    struct collected *c = state;
    experiments_set(c->table, index, m->cycles, m->spread, m->repeats, m->state);
    c->results++;
}

static void progress(void *state, const struct runner_summary *s, size_t total)
{
    struct collected *c = state;
    assert_true(s->done + s->failed + s->left == total);
    /* The share never decreases. */
    assert_true(s->share >= c->share && s->share <= 1 && (s->share == 1) == !s->left);
    c->share = s->share;
    c->early |= s->share > 0 && s->done + s->failed == 0;
    c->reports++;
}

static bool in_table(const struct experiments *t, const struct experiment *e)
{
    bool found = false;
    for (size_t i = 0; i < t->rows.count && !found; i++) {
        struct experiment row = {0};
        experiments_get(t, i, &row);
        found = experiment_equal(&row, e);
        experiment_done(&row);
    }
    return found;
}

/* Returns @n distinct random experiments, so that each pass in the journal belongs to one row. */
static struct experiments *random_table(size_t n, uint64_t seed)
{
    struct experiments *t = experiments_new();
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        struct experiment e = {0};
        for (uint64_t k = 0; k <= rng_below(&rng, 4); k++) {
            const struct mapping_entry *entry =
                mapping_at(machine->mapping, rng_below(&rng, mapping_count(machine->mapping)));
            if (entry->usage.count)
                experiment_add(&e, entry->form, 1 + (uint32_t)rng_below(&rng, 3));
        }
        if (e.count && !in_table(t, &e))
            experiments_add_named(t, &e);
        experiment_done(&e);
    }
    return t;
}

static bool run_collected(struct collected *c, const char *path,
                          const struct runner_options *options, struct runner_summary *summary,
                          struct err *err)
{
    const struct runner_hooks hooks = {
        .cancelled = cancelled, .result = result, .progress = progress, .state = c};
    struct experiments *copy = experiments_copy(c->table, NULL);
    struct source *source = source_simulated(machine->mapping, 0.001, 7);
    struct journal *journal = path ? journal_open(path, err) : NULL;
    bool ok =
        (!path || journal) && runner_run(source, copy, journal, options, &hooks, summary, err);
    journal_close(journal);
    source_free(source);
    experiments_free(copy);
    return ok;
}

static bool run(struct experiments *t, const char *path, const struct runner_options *options,
                size_t cancel_after, struct runner_summary *summary, struct err *err)
{
    return run_collected(&(struct collected){.table = t, .cancel_after = cancel_after}, path,
                         options, summary, err);
}

/* Checks that measurements of the simulated processor equal the times of its mapping. */
static void check_against_mapping(const struct experiments *t, bool all)
{
    size_t off = 0, measured = 0;
    for (size_t i = 0; i < t->rows.count; i++) {
        struct experiment e;
        experiments_get(t, i, &e);
        double truth = throughput_of(machine->mapping, &e, NULL), got = t->rows.items[i].cycles;
        if (all)
            assert_true(got > 0);
        if (got > 0) {
            measured++;
            off += fabs(got - truth) > 0.01 * truth;
        }
        experiment_done(&e);
    }
    /* Contention that begins and ends within a window is rare. */
    assert_true(off * 100 <= measured);
}

static void test_pipeline(void **state)
{
    struct experiments *t = random_table(3000, 1);
    struct collected c = {.table = t};
    struct runner_summary s;
    struct err err = {0};
    assert_true(run_collected(&c, NULL, &(struct runner_options){0}, &s, &err));
    assert_true(c.early);
    assert_int_equal(s.done, t->rows.count);
    assert_int_equal(s.failed + s.left + s.reused, 0);
    assert_true(s.passes >= 3 * t->rows.count);
    check_against_mapping(t, true);
    experiments_free(t);
}

static void test_unknown_forms(void **state)
{
    struct experiments *t = experiments_new();
    struct experiment e;
    struct runner_summary s;
    struct err err = {0};
    assert_true(experiment_parse("FLUMB (R64)", &e, &err));
    experiments_add_named(t, &e);
    experiment_done(&e);
    assert_true(run(t, NULL, &(struct runner_options){0}, 0, &s, &err));
    assert_int_equal(s.failed, 1);
    assert_true(isnan(t->rows.items[0].cycles));
    assert_non_null(strstr(t->rows.items[0].state, "FLUMB"));
    /* Failed experiments are measured again only on request. */
    assert_true(run(t, NULL, &(struct runner_options){0}, 0, &s, &err));
    assert_int_equal(s.failed + s.done, 0);
    assert_true(run(t, NULL, &(struct runner_options){.retry = true}, 0, &s, &err));
    assert_int_equal(s.failed, 1);
    experiments_free(t);
}

/* Makes an empty file, which is like a new journal. */
static const char *new_journal(void)
{
    work_put("journal.csv", "");
    return work_path("journal.csv");
}

/* The run is cancelled before any result is settled. The journal has the passes, and the next run
 * reads and reports them. */
static void test_journal_keeps_passes(void **state)
{
    const char *path = new_journal();
    int fd = open(path, O_RDWR);
    struct experiments *t = random_table(500, 3);
    struct runner_summary first, second, third;
    struct err err = {0};
    assert_true(fd >= 0);
    /* The first report precedes all measurements. */
    assert_false(run_collected(&(struct collected){.table = t, .cancel_reports = 4}, path,
                               &(struct runner_options){0}, &first, &err));
    assert_int_equal(first.done + first.failed, 0);
    assert_true(first.passes > 0);
    memset(&err, 0, sizeof err);
    assert_true(run(t, path, &(struct runner_options){0}, 0, &second, &err));
    assert_int_equal(second.reused, 0);
    assert_int_equal(second.taken_over, first.passes);
    assert_int_equal(second.done, t->rows.count);
    assert_true(first.passes + second.passes < 4 * t->rows.count);
    experiments_free(t);
    t = random_table(500, 3);
    assert_true(run(t, path, &(struct runner_options){0}, 0, &third, &err));
    assert_int_equal(third.reused, t->rows.count);
    assert_int_equal(third.taken_over, 0);
    experiments_free(t);
    close(fd);
}

/* A run is cancelled repeatedly, with the journal's end truncated each time. Nothing is measured
 * twice, and nothing is lost. */
static void test_journal_resumes(void **state)
{
    const char *path = new_journal();
    int fd = open(path, O_RDWR);
    struct experiments *whole = random_table(6000, 2);
    size_t results_before = 0, passes = 0, runs = 0;
    struct err err = {0};
    assert_true(fd >= 0);
    for (bool ended = false; !ended; runs++) {
        struct runner_summary s;
        struct experiments *t = experiments_copy(whole, NULL);
        memset(&err, 0, sizeof err);
        ended =
            run(t, path, &(struct runner_options){0}, results_before + 700, &s, &err) && !s.left;
        if (!ended && err.what[0])
            assert_int_equal(err.code, ERR_INTERRUPTED);
        assert_true(s.reused >= results_before);
        results_before = s.done;
        passes += s.passes;
        check_against_mapping(t, ended);
        if (ended)
            assert_int_equal(s.done, whole->rows.count);
        experiments_free(t);
        assert_int_equal(write(fd, "", 0), 0);
        off_t end = lseek(fd, 0, SEEK_END);
        assert_true(pwrite(fd, "\"ADD (R64, R6", 13, end) == 13);
    }
    assert_true(runs > 3);
    /* Each experiment has two passes, one with short bodies, and a few more, however often the run
     * is cancelled. */
    assert_true(passes < 4 * whole->rows.count);
    struct runner_summary s;
    struct experiments *t = experiments_copy(whole, NULL);
    assert_true(run(t, path, &(struct runner_options){0}, 0, &s, &err));
    assert_int_equal(s.reused, whole->rows.count);
    assert_int_equal(s.passes, 0);
    experiments_free(t);
    experiments_free(whole);
    close(fd);
}

static void test_journal_faults(void **state)
{
    const char *path = new_journal();
    int fd = open(path, O_RDWR);
    struct err err = {0};
    assert_true(write(fd, "no table\nof mine\n", 17) == 17);
    assert_null(journal_open(path, &err));
    assert_string_equal(err.file, path);
    memset(&err, 0, sizeof err);
    assert_int_equal(ftruncate(fd, 0), 0);
    struct journal *j = journal_open(path, &err);
    assert_non_null(j);
    /* Only one program may open a journal. */
    assert_null(journal_open(path, &err));
    journal_close(j);
    memset(&err, 0, sizeof err);
    assert_null(journal_open("/proc/none/at/all.csv", &err));
    assert_true(err.what[0]);
    close(fd);
}

/* Journal entries of code that overwrote its own loop are invalid, so the code is measured
 * again. */
static void test_impossible_values_are_not_taken(void **state)
{
    struct experiments *t = random_table(20, 99);
    struct runner_summary s;
    struct str text = {0}, name = {0};
    struct err err = {0};
    const char *path = new_journal();
    int fd = open(path, O_RDWR | O_TRUNC);

    str_add(&text, "experiment,cycles,spread,repeats,state\n");
    for (size_t i = 0; i < t->rows.count; i++) {
        struct experiment e;
        experiments_get(t, i, &e);
        experiment_print(&e, &name);
        csv_add_field(&text, str_text(&name), false);
        str_add(&text, "6.2e-05,0.001,3,ok\n");
        experiment_done(&e);
    }
    assert_true(write(fd, text.data, text.length) == (ssize_t)text.length);
    if (!run(t, path, &(struct runner_options){0}, 0, &s, &err))
        fail_msg("%s", err.what);
    assert_int_equal(s.reused, 0);
    assert_int_equal(s.done, t->rows.count);
    check_against_mapping(t, true);
    str_done(&text);
    str_done(&name);
    experiments_free(t);
    close(fd);
}

/* A time is impossible if its instructions exceed any issue width. */
static void test_least_cycles(void **state)
{
    /* With a baseline that a busy neighbour has halved, no true value is rejected. */
    assert_true(source_least_cycles(5.55, 1) < 1.0 / 6 && source_least_cycles(2.6, 1) < 1.0 / 6 &&
                source_least_cycles(8, 1) <= 0.125);
    assert_true(source_least_cycles(12, 1) < 1.0 / 12 &&
                source_least_cycles(8, 5) == 5 * source_least_cycles(8, 1));
    assert_true(source_least_cycles(NAN, 1) > 6.2e-5 && source_least_cycles(0, 1) > 6.2e-5);
}

/* Compares the times of both body lengths, without the loop's own cost. */
static void test_lengths(void **state)
{
    char text[24];
    runner_lengths(1.0, 1.0, 0.02, 1, text, sizeof text);
    assert_string_equal(text, "same");
    runner_lengths(0.255, 0.25, 0.02, 1, text, sizeof text);
    assert_string_equal(text, "same");
    /* For 50 executions of a quarter cycle, one extra cycle per loop is the loop's own cost, and
     * two are not. */
    runner_lengths(0.27, 0.25, 0.02, 1, text, sizeof text);
    assert_string_equal(text, "same");
    runner_lengths(0.29, 0.25, 0.02, 1, text, sizeof text);
    assert_string_equal(text, "+16.0 % at 50");
    runner_lengths(1.0, 1.123, 0.02, 1, text, sizeof text);
    assert_string_equal(text, "+12.3 % at 200");
    runner_lengths(NAN, 1.123, 0.02, 1, text, sizeof text);
    assert_string_equal(text, "");
    runner_lengths(1.0, 1.123, 0.2, 1, text, sizeof text);
    assert_string_equal(text, "same");
}

/* Seconds of pauses of a run whose source has slower long bodies because of the front end. */
static double paused;

static bool limited_measure(struct source *s, const struct experiment *e, size_t n,
                            struct measured *out, bool (*stop)(void *state), void *state,
                            struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        bool limited = strcmp(e[i].terms[0].form, "WIDE ()") == 0;
        out[i] = (struct measured){.cycles = limited && s->instructions > 100 ? 1.25 : 1,
                                   .repeats = 3,
                                   .state = EXPERIMENT_OK};
    }
    return true;
}

static void lengths_result(void *state, size_t index, const struct measured *m)
{
    struct collected *c = state;
    experiments_set(c->table, index, m->cycles, m->spread, m->repeats, m->state);
    experiments_set_extra(c->table, index, "lengths", m->lengths);
    c->results++;
}

static double wait_paused(void *state)
{
    paused += 1000;
    return 1000;
}

static void test_two_lengths(void **state)
{
    const char *path = new_journal();
    int fd = open(path, O_RDWR);
    struct experiments *t = experiments_new();
    struct source source = {.instructions = SOURCE_BODY, .orders = 1, .measure = limited_measure};
    struct runner_summary s;
    struct err err = {0};
    assert_true(fd >= 0);
    close(fd);
    experiments_add_named(
        t, &(struct experiment){(struct experiment_term[]){{(char *)"WIDE ()", 1}}, 1});
    experiments_add_named(
        t, &(struct experiment){(struct experiment_term[]){{(char *)"PLAIN ()", 1}}, 1});
    for (int round = 0; round < 3; round++) {
        struct experiments *copy = experiments_copy(t, NULL);
        struct collected c = {.table = copy};
        const struct runner_hooks hooks = {.cancelled = cancelled,
                                           .result = lengths_result,
                                           .progress = progress,
                                           .state = &c,
                                           .wait_paused = wait_paused};
        struct journal *journal = journal_open(path, &err);
        /* The pauses would exceed this budget if they counted. */
        assert_true(runner_run(&source, t, journal,
                               &(struct runner_options){.one_length = round == 0, .budget = 900},
                               &hooks, &s, &err));
        journal_close(journal);
        assert_int_equal(c.results, 2);
        assert_int_equal(s.done, 2);
        assert_true(copy->rows.items[0].cycles == 1.25);
        assert_true(copy->rows.items[1].cycles == 1);
        assert_string_equal(experiments_extra(copy, 0, 0), round == 0 ? "" : "+25.0 % at 200");
        assert_string_equal(experiments_extra(copy, 1, 0), round == 0 ? "" : "same");
        /* The first run measures only the long bodies. The second one measures the missing short
         * ones, and the differing one twice. The third one measures nothing. */
        assert_int_equal(s.passes, round == 0 ? 4 : round == 1 ? 3 : 0);
        assert_int_equal(s.reused, round == 0 ? 0 : 2);
        experiments_free(copy);
    }
    assert_int_equal(source.instructions, SOURCE_BODY);
    assert_true(paused > 0);
    experiments_free(t);
}

/* A CPU whose core takes @cycles per experiment. While the core is shared, the CPU reports
 * contention, unless the baseline is too low. */
static struct {
    double cycles, first, expected;
    bool busy;
    size_t seen, results;
    double shown;
    char state[96];
} host = {.expected = NAN};

static bool host_measure(struct source *s, const struct experiment *e, size_t n,
                         struct measured *out, bool (*stop)(void *state), void *state,
                         struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct measured){.cycles = host.busy                      ? NAN
                                             : host.first > 0 && !host.seen ? host.first
                                                                            : host.cycles,
                                   .repeats = 3,
                                   .busy = host.busy,
                                   .contended_cycles = NAN,
                                   .baseline = s->baseline,
                                   .slowed = 0.25};
        snprintf(out[i].state, sizeof out[i].state, "%s",
                 host.busy ? EXPERIMENT_CONTENDED : EXPERIMENT_OK);
    }
    return true;
}

static void host_result(void *state, size_t index, const struct measured *m)
{
    host.results++;
    host.shown = m->cycles;
    snprintf(host.state, sizeof host.state, "%s", m->state);
}

static void host_seen(void *state, size_t index, const struct measured *m)
{
    /* This is called with the value before the last report. */
    assert_int_equal(host.results, 0);
    assert_true(m->cycles == (host.first > 0 ? host.first : host.cycles));
    host.seen++;
}

static void host_progress(void *state, const struct runner_summary *s, size_t total)
{
    /* Passes on a contended core do not count as useful. */
    assert_true(s->useful <= s->passes && s->left <= total);
}

static double host_expected(void *state, size_t index)
{
    return host.expected;
}

static bool never(void *state)
{
    return false;
}

/* Runs one experiment once on a core with @baseline. */
static struct runner_summary host_run(const char *path, double baseline, bool doubtful,
                                      const struct runner_options *options)
{
    struct source source = {.instructions = SOURCE_BODY,
                            .orders = 1,
                            .baseline = baseline,
                            .doubtful = doubtful,
                            .measure = host_measure};
    const struct runner_hooks hooks = {.cancelled = never,
                                       .result = host_result,
                                       .seen = host_seen,
                                       .progress = host_progress,
                                       .expected = host_expected};
    struct experiments *t = experiments_new();
    struct runner_summary s;
    struct err err = {0};

    host.seen = host.results = 0;
    experiments_add_named(
        t, &(struct experiment){(struct experiment_term[]){{(char *)"FORM ()", 1}}, 1});
    struct journal *journal = journal_open(path, &err);
    assert_non_null(journal);
    assert_true(runner_run(&source, t, journal, options, &hooks, &s, &err));
    journal_close(journal);
    experiments_free(t);
    return s;
}

/* A value measured on a core that merely seemed idle is measured again when a higher baseline is
 * known. A lower value replaces it. Any reuse is reported. */
static void test_conditions(void **state)
{
    char today[KEPT_DAY];
    const char *path = new_journal();
    const struct runner_options plain = {.one_length = true},
                                fresh = {.one_length = true, .fresh = true};
    kept_today(today);

    /* A contended core is reported, and none of its times is final. The next run measures again
     * without an option. */
    host.busy = true;
    struct runner_summary s =
        host_run(path, 5.55, false, &(struct runner_options){.one_length = true, .patience = 1e-9});
    assert_true(s.left == 1 && s.contended == 1 && s.failed == 0 && s.useful == 0 &&
                host.seen == 0);
    assert_string_equal(host.state, EXPERIMENT_CONTENDED);
    assert_true(isnan(host.shown));
    host.busy = false;

    /* The time is compared with a baseline of half the core: 0.258 instead of 0.2. */
    host.cycles = 0.258;
    s = host_run(path, 2.6, false, &plain);
    assert_true(s.done == 1 && s.reused == 0 && host.seen == 1);
    s = host_run(path, 2.6, false, &plain);
    assert_true(s.reused == 1 && s.passes == 0 && host.shown == 0.258);
    assert_string_equal(s.since, today);
    assert_string_equal(s.until, today);

    /* The idle baseline is known. The old value counts as one pass, and a lower one replaces it. */
    host.cycles = 0.2;
    s = host_run(path, 5.55, false, &plain);
    assert_true(s.reused == 0 && s.taken_over == 1 && s.passes >= 2 && host.shown == 0.2);
    assert_string_equal(host.state, EXPERIMENT_OK);
    s = host_run(path, 5.55, false, &plain);
    assert_true(s.reused == 1 && host.shown == 0.2);

    /* --fresh ignores earlier values. A higher value found under the same conditions is a separate,
     * later result. */
    host.cycles = 0.21;
    s = host_run(path, 5.55, false, &fresh);
    assert_true(s.reused == 0 && s.taken_over == 0 && host.shown == 0.21);
    work_remove("journal.csv");

    /* With a provisional baseline, the value is marked, and the next run measures again. */
    s = host_run(path, 5.5, true, &plain);
    assert_string_equal(host.state, "doubtful");
    s = host_run(path, 5.55, false, &plain);
    assert_true(s.reused == 1 || s.taken_over > 0);
    assert_string_equal(host.state, EXPERIMENT_OK);
    work_remove("journal.csv");
}

/* A pass equal to the expected value needs no second one. In the journal it is a single pass, which
 * a run without expectations confirms. */
static void test_expected(void **state)
{
    const char *path = new_journal();
    const struct runner_options plain = {.one_length = true};
    struct runner_summary s;

    host.cycles = 0.5;
    for (int again = 0; again < 2; again++) {
        host.expected = 0.504;
        s = host_run(path, 5.55, false, &plain);
        assert_true(s.done == 1 && s.left == 0 && s.confirmed == !again && s.passes == !again &&
                    s.reused == (size_t)again && host.shown == 0.5);
        assert_string_equal(host.state, EXPERIMENT_OK);
    }
    host.expected = NAN;
    s = host_run(path, 5.55, false, &plain);
    assert_true(s.done == 1 && s.confirmed == 0 && s.passes == 1 && s.taken_over == 1);
    work_remove("journal.csv");
    host.expected = 0.5;
    host.first = 0.48;      /* The first pass is lower, so two others must agree. */
    s = host_run(path, 5.55, false, &plain);
    assert_true(s.done == 1 && s.confirmed == 0 && s.passes == 3 && host.shown == 0.5);
    host.first = 0;
    work_remove("journal.csv");
    host.expected = 0.51;   /* This is another value, which two passes confirm. */
    s = host_run(path, 5.55, false, &plain);
    assert_true(s.done == 1 && s.confirmed == 0 && s.passes == 2 && host.shown == 0.5);
    work_remove("journal.csv");
    host.expected = 0.5;    /* With a provisional baseline, one pass does not suffice. */
    s = host_run(path, 5.5, true, &plain);
    assert_true(s.confirmed == 0 && s.passes == 2);
    assert_string_equal(host.state, "doubtful");
    work_remove("journal.csv");
    host.expected = NAN;
}

/* Clock for a run that its budget ends. */
static double hands;
static double ticking(void)
{
    return hands += 0.01;
}

static void test_budget(void **state)
{
    struct experiments *t = random_table(2000, 3);
    struct runner_summary s;
    struct err err = {0};
    clock_set_source(ticking);
    assert_true(run(t, NULL, &(struct runner_options){.budget = 0.2}, 0, &s, &err));
    clock_set_source(NULL);
    assert_true(s.left > 0 && s.failed == 0);
    for (size_t i = 0; i < t->rows.count; i++)
        assert_true(strcmp(t->rows.items[i].state, EXPERIMENT_OK) == 0 ||
                    strcmp(t->rows.items[i].state, EXPERIMENT_PENDING) == 0 ||
                    strcmp(t->rows.items[i].state, EXPERIMENT_ONCE) == 0);
    experiments_free(t);
}

static int setup(void **state)
{
    struct err err;
    machine = machine_load("skylake", &err);
    return machine ? 0 : -1;
}

static int teardown(void **state)
{
    machine_free(machine);
    return 0;
}

/* Uses the reports of a run with busy neighbours (tests/data/contention/progress.csv: elapsed
 * seconds, passes with a result). The displayed remaining time rises by at most 2.5 seconds per
 * second, and jumps less than the guesses. From a fifth of the run to its last seventh it is within
 * a factor of 2.5 of the truth. */
static void test_estimate(void **state)
{
    struct err err = {0};
    struct csv_table *t = csv_table_read(source_path("tests/data/contention/progress.csv"), &err);
    struct runner_estimate e = {.known = false};
    double estimate = NAN, at = 0, jumps = 0, guess_jumps = 0, last_guess = NAN;
    assert_non_null(t);
    double end = strtod(t->rows[t->count - 1][0], NULL),
           all = strtod(t->rows[t->count - 1][1], NULL);
    assert_true(isnan(runner_estimate(&e, 0.1, NAN)) && isnan(runner_estimate(&e, 0.5, 1000)));
    for (size_t i = 1; i < t->count; i++) {
        double seconds = strtod(t->rows[i][0], NULL), useful = strtod(t->rows[i][1], NULL),
               guess = useful > 0 ? (all - useful) * seconds / useful : NAN;
        double now = runner_estimate(&e, seconds, guess);
        if (!isnan(estimate)) {
            assert_true(now <= estimate + 2.5 * (seconds - at));
            jumps = fmax(jumps, fabs(now - estimate + seconds - at));
            guess_jumps = fmax(guess_jumps, fabs(guess - last_guess + seconds - at));
        }
        if (seconds > 0.2 * end && seconds < 0.85 * end &&
            (now > 2.5 * (end - seconds) || now < (end - seconds) / 2.5))
            fail_msg("at %.1f s: estimate %.1f s, in truth %.1f s", seconds, now, end - seconds);
        estimate = now;
        at = seconds;
        last_guess = guess;
    }
    assert_true(jumps < guess_jumps);
    /* Without a new guess, the displayed remaining time decreases with time. */
    e = (struct runner_estimate){.at = 10, .left = 30, .known = true};
    assert_true(fabs(runner_estimate(&e, 15, NAN) - 25) < 1e-9);
    assert_true(runner_estimate(&e, 100, NAN) == 0);
    csv_table_free(t);
}

/* Values of a real CPU: most deviate by at most 0.2 %, few by much more. Simulated values have the
 * recorded distribution of deviations. */
static void test_seen(void **state)
{
    enum { ALL = 20000 };
    struct experiments *t = random_table(ALL / 10, 3);
    struct collected c = {.table = t};
    const struct runner_hooks hooks = {
        .cancelled = cancelled, .result = result, .progress = progress, .state = &c};
    struct source *source = source_simulated(machine->mapping, NAN, 5);
    struct runner_summary summary = {0};
    struct err err = {0};
    size_t within = 0, far = 0, near = 0, apart = 0, measured = 0;

    for (int i = 0; i < ALL; i++) {
        const double off = observed_deviation((i + 0.5) / ALL);
        within += fabs(off) < 0.002;
        far += fabs(off) > 0.02;
        assert_true(i == 0 || off >= observed_deviation((i - 0.5) / ALL));
    }
    assert_in_range(within, 0.97 * ALL, 0.99 * ALL);
    assert_in_range(far, 0.002 * ALL, 0.008 * ALL);
    struct experiments *copy = experiments_copy(t, NULL);
    assert_true(
        runner_run(source, copy, NULL, &(struct runner_options){0}, &hooks, &summary, &err));
    for (size_t i = 0; i < t->rows.count; i++) {
        struct experiment e;
        experiments_get(t, i, &e);
        const double off =
            experiments_measured(t, i)
                ? t->rows.items[i].cycles / throughput_of(machine->mapping, &e, NULL) - 1
                : NAN;
        measured += !isnan(off);
        near += fabs(off) < 0.004;
        apart += fabs(off) > 0.05;
        experiment_done(&e);
    }
    assert_true(near > 0.95 * measured && apart < 0.01 * measured);
    source_free(source);
    experiments_free(copy);
    experiments_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimate),
                                       cmocka_unit_test(test_pipeline),
                                       cmocka_unit_test(test_unknown_forms),
                                       cmocka_unit_test(test_journal_keeps_passes),
                                       cmocka_unit_test(test_journal_resumes),
                                       cmocka_unit_test(test_impossible_values_are_not_taken),
                                       cmocka_unit_test(test_least_cycles),
                                       cmocka_unit_test(test_journal_faults),
                                       cmocka_unit_test(test_budget),
                                       cmocka_unit_test(test_lengths),
                                       cmocka_unit_test(test_two_lengths),
                                       cmocka_unit_test(test_conditions),
                                       cmocka_unit_test(test_expected),
                                       cmocka_unit_test(test_seen)};
    return cmocka_run_group_tests_name("runner", tests, setup, teardown);
}
