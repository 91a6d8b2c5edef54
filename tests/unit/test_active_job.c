/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Active experiments as a job on a simulated processor: selection, termination, and the results
 * after cancelling. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "infer/generate.h"
#include "io/experiments_file.h"
#include "model/metrics.h"
#include "throughput/predict.h"
#include "work/active_job.h"
#include "work/job.h"
#include "../support/support.h"

#define FORMS 12
#define ROUNDS 64

static struct mapping *truth_of(int forms)
{
    static const char *const usages[] = {"1*p01", "1*p0", "1*p2", "1*p1+1*p2", "1*p012", "2*p2"};
    struct ports ports = {0};
    struct err err;
    char name[16];

    for (int i = 0; i < 3; i++)
        ports_add(&ports, (const char[]){(char)('0' + i), 0}, &err);
    struct mapping *m = mapping_new(&ports);
    for (int f = 0; f < forms; f++) {
        struct mapping_entry entry = {.form = name, .latency = NAN};
        snprintf(name, sizeof name, "F%d", f);
        assert_true(usage_parse(usages[f % 6], &ports, &entry.usage, &err));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

static struct mapping *truth(void)
{
    return truth_of(FORMS);
}

static struct experiments *forms_only(const struct mapping *m)
{
    struct experiments *t = experiments_new();
    for (size_t f = 0; f < mapping_count(m); f++)
        names_add(&t->forms, mapping_at(m, f)->form);
    return t;
}

static struct active_options options(struct active_curve *curve)
{
    struct active_options o = {.simulated = truth(), .noise = 0, .cpu = -1, .curve = curve};

    o.select = (struct select_options){.first = 20, .batch = 20, .most = 1000, .size = 3};
    evolve_defaults(&o.select.evolve);
    o.select.evolve.ports = 3;
    o.select.evolve.width = 0;
    o.select.evolve.population = 3;
    o.select.evolve.generations = 1;
    o.select.evolve.price_scale = 0.1;
    return o;
}

struct outcome {
    struct experiments *table;
    bool ok;
    unsigned calls;
};

static void take(void *state, struct active_outcome *came, bool ok)
{
    struct outcome *out = state;
    out->table = came->table;
    came->table = NULL;
    assert_true(ok == (came->problem != NULL));
    out->ok = ok;
    out->calls++;
}

/* Runs the job to its end. */
static struct outcome run(struct experiments *take_table, const struct active_options *o)
{
    struct outcome out = {0};
    struct err err = {0};
    unsigned job = active_start(take_table, o, take, &out, &err);

    assert_int_not_equal(job, 0);
    assert_true(job_wait(job));
    assert_int_equal(out.calls, 1);
    assert_non_null(out.table);
    return out;
}

static bool same_terms(const struct experiments *t, size_t a, size_t b)
{
    const struct experiment_row *x = &t->rows.items[a], *y = &t->rows.items[b];
    return x->count == y->count && memcmp(experiments_terms(t, a), experiments_terms(t, b),
                                          x->count * sizeof(struct flat_term)) == 0;
}

/* Checks that all rows are distinct, of permitted size and measured. Returns the number of rows
 * with several forms. */
static size_t check_table(const struct experiments *t, unsigned size)
{
    size_t several = 0;

    for (size_t i = 0; i < t->rows.count; i++) {
        assert_true(experiments_measured(t, i));
        assert_true(experiments_size(t, i) >= 1 && experiments_size(t, i) <= size);
        several += experiments_size(t, i) > 1;
        for (size_t k = 0; k < i; k++)
            assert_false(same_terms(t, i, k));
    }
    return several;
}

/* With noiseless measurements, the job ends far below its limit, and its mapping predicts
 * unmeasured experiments. */
static void test_stops(void **state)
{
    struct active_curve *curve = active_curve_new();
    struct active_options o = options(curve);
    struct mapping *m = truth();
    struct active_round rounds[ROUNDS];
    struct err err = {0};
    struct rng rng;
    uint32_t all[FORMS];

    struct outcome out = run(forms_only(m), &o);
    assert_true(out.ok);
    size_t several = check_table(out.table, 3), n = active_curve_get(curve, rounds, ROUNDS);
    assert_true(n > 1 && n <= ROUNDS);
    assert_true(several < 1000);
    assert_int_equal(rounds[n - 1].of.measurements, several);
    assert_true(rounds[n - 1].of.end == SELECT_AGREED || rounds[n - 1].of.end == SELECT_PREDICTED);
    assert_true(isnan(rounds[0].of.error));
    assert_int_equal(rounds[0].of.measurements, 20);
    for (size_t i = 0; i < n; i++) {
        assert_true(rounds[i].of.noise >= SELECT_NOISE_LEAST && rounds[i].of.noise < 0.2);
        assert_true(i + 1 == n || rounds[i].of.end == SELECT_GOES_ON);
        assert_true(i + 1 == n || rounds[i].of.disagreement > rounds[i].of.noise);
        assert_true(i == 0 || (rounds[i].of.measurements > rounds[i - 1].of.measurements &&
                               rounds[i].of.error >= 0));
        assert_true(i == 0 || rounds[i].of.measurements - rounds[i - 1].of.measurements <= 20);
    }

    /* Infers again from the same table, and evaluates the mapping on other rows. */
    struct problem *p = problem_new(out.table, NULL, &err);
    struct evolve *e = evolve_new(p, &o.select.evolve, NULL, 0, &err);
    evolve_worker(e, 0, NULL, NULL);
    struct genome *g = evolve_best(e, NULL);
    struct mapping *found = genome_mapping(g, p, mapping_ports(m));
    struct experiments *unseen = forms_only(m);
    for (uint32_t f = 0; f < FORMS; f++)
        all[f] = f;
    rng_seed(&rng, 9);
    generate_random(unseen, all, FORMS, 300, 5, &rng);
    double exact[300], guess[300];
    throughput_predict(m, unseen, exact);
    throughput_predict(found, unseen, guess);
    assert_true(metrics_mape(guess, exact, 300) < 0.10);
    mapping_free(found);
    genome_free(g);
    evolve_free(e);
    problem_free(p);
    experiments_free(unseen);
    experiments_free(out.table);
    active_curve_free(curve);
    mapping_free(m);
}

/* The job never exceeds its number of experiments. A random selection uses all of them. */
static void test_limit(void **state)
{
    struct mapping *m = truth();

    for (int random = 0; random < 2; random++) {
        struct active_curve *curve = active_curve_new();
        struct active_options o = options(curve);
        struct active_round last[ROUNDS];
        o.noise = 0.02;
        o.select.most = 50;
        o.select.random = random;
        struct outcome out = run(forms_only(m), &o);
        assert_true(out.ok);
        size_t several = check_table(out.table, 3), n = active_curve_get(curve, last, ROUNDS);
        assert_true(several <= 50);
        if (random) {
            assert_int_equal(several, 50);
            assert_int_equal(last[n - 1].of.end, SELECT_MOST);
            assert_true(isnan(last[0].of.disagreement));
        }
        experiments_free(out.table);
        active_curve_free(curve);
    }
    mapping_free(m);
}

/* The table on disk is complete at any time. A resumed job repeats neither selections nor
 * measurements. */
static void test_kept(void **state)
{
    struct active_curve *curve = active_curve_new();
    struct active_options o = options(curve);
    struct mapping *m = truth();
    struct active_round rounds[ROUNDS];
    struct err err = {0};
    const char *path = work_path("active.csv");

    o.select.most = 30;
    o.keep = mem_strdup(path);
    struct outcome out = run(forms_only(m), &o);
    assert_true(out.ok);
    struct experiments *kept = experiments_load(path, &err);
    assert_non_null(kept);
    assert_int_equal(kept->rows.count, out.table->rows.count);
    for (size_t i = 0; i < kept->rows.count; i++)
        assert_true(kept->rows.items[i].cycles == out.table->rows.items[i].cycles);

    /* The last two rows were pending when the program was killed. */
    size_t rows = kept->rows.count;
    experiments_set(kept, rows - 1, NAN, NAN, 0, EXPERIMENT_PENDING);
    experiments_set(kept, rows - 2, NAN, NAN, 0, EXPERIMENT_PENDING);
    active_curve_free(curve);
    curve = active_curve_new();
    o = options(curve);
    o.select.most = 40;
    struct outcome again = run(kept, &o);
    assert_true(again.ok);
    assert_true(check_table(again.table, 3) <= 40);
    assert_true(again.table->rows.count >= rows);
    for (size_t i = 0; i + 2 < rows; i++)
        assert_true(again.table->rows.items[i].cycles == out.table->rows.items[i].cycles);
    assert_true(active_curve_get(curve, rounds, ROUNDS) > 0);
    assert_int_equal(rounds[0].of.measurements, check_table(out.table, 3));
    experiments_free(again.table);
    experiments_free(out.table);
    active_curve_free(curve);
    mapping_free(m);
}

/* A cancelled job returns its partial results. */
static void test_cancelled(void **state)
{
    struct active_curve *curve = active_curve_new();
    struct active_options o = options(curve);
    struct mapping *m = truth();
    struct outcome out = {0};
    struct err err = {0};
    struct job_info info;
    struct active_round round;

    o.select.evolve.generations = 0;
    o.select.evolve.seconds = 1e6;   /* The cancelled inference would otherwise never end. */
    unsigned job = active_start(forms_only(m), &o, take, &out, &err);
    assert_int_not_equal(job, 0);
    assert_true(job_cancel(job));
    job_wait(job);
    assert_true(job_find(job, &info));
    assert_int_equal(info.state, JOB_CANCELLED);
    assert_int_equal(out.calls, 1);
    assert_false(out.ok);
    assert_non_null(out.table);
    assert_true(active_curve_get(curve, &round, 1) <= 1);
    experiments_free(out.table);
    active_curve_free(curve);
    mapping_free(m);
}

/* Returns a recorded measurement of all forms alone and of all pairs, one of which failed. */
static struct experiments *recorded(const struct mapping *m)
{
    struct experiments *t = forms_only(m);
    uint32_t all[FORMS];
    const uint32_t forms = (uint32_t)mapping_count(m);
    double *cycles;

    for (uint32_t f = 0; f < forms; f++)
        all[f] = f;
    generate_singletons(t, all, forms);
    generate_pairs(t, all, forms);
    cycles = mem_alloc(t->rows.count * sizeof *cycles);
    throughput_predict(m, t, cycles);
    for (size_t i = 0; i + 1 < t->rows.count; i++)
        experiments_set(t, i, cycles[i], 0, 3, NULL);
    experiments_set(t, t->rows.count - 1, NAN, NAN, 0, "fault");
    free(cycles);
    return t;
}

/* If a record supplies the measurements, only recorded experiments are selected. A random selection
 * eventually selects all of them. */
static void test_replayed(void **state)
{
    struct active_curve *curve = active_curve_new();
    struct active_options o = options(curve);
    struct mapping *m = truth();
    mapping_free(o.simulated);
    o.simulated = NULL;
    o.record = recorded(m);
    o.select.size = 2;
    o.select.first = o.select.batch = 40;   /* two rounds */
    o.select.random = true;
    const size_t known = o.record->rows.count - 1;
    struct outcome out = run(forms_only(m), &o);
    assert_true(out.ok);
    assert_int_equal(check_table(out.table, 2), known - FORMS);
    experiments_free(out.table);
    active_curve_free(curve);
    mapping_free(m);
}

/* The command uses the forms of the record, and the selected experiments become the session's
 * table. */
static void test_replay_command(void **state)
{
    static const char *const refused[] = {"evolve start --replay FILE",
                                          "evolve start --active --replay FILE --simulate skylake",
                                          "evolve start --active --continue --replay FILE",
                                          "evolve start --active --replay FILE.missing"};
    struct mapping *m = truth_of(6);
    struct experiments *record = recorded(m);
    struct str line = {0}, out = {0};
    struct err err = {0};
    struct session s;
    const char *path = work_path("record.csv");
    assert_true(experiments_save(record, path, &err));
    session_init(&s);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *name = strstr(refused[i], "FILE");
        str_clear(&line);
        str_addf(&line, "%.*s%s%s", (int)(name - refused[i]), refused[i], path,
                 name + strlen("FILE"));
        assert_false(run_line(&s, str_text(&line), NULL, &err));
    }
    str_clear(&line);
    str_addf(&line,
             "evolve start --active --replay %s --most 8 --ports 3 --population 3 --generations 1 "
             "--threads 1 --checkpoint none; evolve wait",
             path);
    if (!run_line(&s, str_text(&line), &out, &err))
        fail_msg("%s", err.what);
    assert_non_null(strstr(str_text(&out), "6 forms, 14 experiments"));
    assert_int_equal(check_table(s.document.experiments, 2), 8);
    session_done(&s);
    str_done(&line);
    str_done(&out);
    experiments_free(record);
    mapping_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stops),    cmocka_unit_test(test_limit),
        cmocka_unit_test(test_kept),     cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_replayed), cmocka_unit_test(test_replay_command)};
    int failed = cmocka_run_group_tests_name("active job", tests, NULL, NULL);
    job_shutdown();
    return failed;
}
