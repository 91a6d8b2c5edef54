/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/evaluate.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/csv_reader.h"
#include "io/machine_file.h"
#include "work/pool.h"
#include "base/file.h"
#include "../support/support.h"

/* Returns Kendall's tau-b by its definition over all pairs. */
static double tau_by_pairs(double (*p)[2], size_t n)
{
    double both = 0, first = 0, second = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            double a = (p[i][0] > p[k][0]) - (p[i][0] < p[k][0]),
                   b = (p[i][1] > p[k][1]) - (p[i][1] < p[k][1]);
            both += a * b;
            first += a * a;
            second += b * b;
        }
    return both / sqrt(first * second);
}

static void test_kendall(void **state)
{
    struct rng rng;
    double pairs[60][2];
    rng_seed(&rng, 3);
    for (int i = 0; i < 2000; i++) {
        size_t n = 2 + (size_t)rng_below(&rng, 58);
        uint64_t levels = 1 + rng_below(&rng, 30);
        for (size_t k = 0; k < n; k++)
            for (int side = 0; side < 2; side++)
                pairs[k][side] = (double)rng_below(&rng, levels);
        double expected = tau_by_pairs(pairs, n), got = kendall_tau(pairs, n);
        assert_true(isnan(expected) ? isnan(got) : fabs(got - expected) < 1e-9);
    }
    /* By hand, one exchange of neighbours among four gives (5 - 1) / 6. */
    double four[4][2] = {{1, 1}, {2, 3}, {3, 2}, {4, 4}};
    assert_true(fabs(kendall_tau(four, 4) - 4.0 / 6) < 1e-12);
}

static void test_evaluation(void **state)
{
    struct err err = {0};
    struct machine *m = machine_load("skylake", &err);
    assert_non_null(m);
    /* A dependent addition takes 1 cycle, and two independent multiplications on one port take
     * 2. */
    const struct measured_block blocks[] = {
        {"4883c001", 1.0}, {"480fafc3480fafcb", 4.0}, {"488b00", 8.0},
        {"ff", 1.0},       {"4883c001", 0},           {"48zz", 1},
        {"", 1},           {"4883c001", NAN},         {"ff", NAN}};
    struct evaluation *all = evaluation_new(m, MODEL_BOUNDS),
                      *parts[2] = {evaluation_new(m, MODEL_BOUNDS),
                                   evaluation_new(m, MODEL_BOUNDS)};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        evaluation_add(all, &blocks[i]);
        evaluation_add(parts[i % 2], &blocks[i]);
    }
    evaluation_merge(parts[0], parts[1]);
    struct evaluation_result one, two;
    evaluation_finish(all, &one);
    evaluation_finish(parts[0], &two);
    assert_int_equal(one.n, 3);
    assert_int_equal(one.untimed, 3);
    assert_int_equal(one.refused, 3);
    /* fraction of the measured blocks that have a predicted time */
    assert_true(fabs(one.coverage - 3.0 / 6) < 1e-12);
    /* Predicted and measured cycles are 1 and 1, 3 and 4 (latency 3 of the multiplication), 4 and
     * 8. The errors are 0, 1/4 and 1/2. */
    assert_true(fabs(one.mape - 0.25) < 1e-9);
    assert_true(fabs(one.median - 0.25) < 1e-9);
    assert_true(fabs(one.kendall - 1) < 1e-9);
    assert_int_equal(one.worst_count, 3);
    assert_string_equal(one.worst[0].hex, "488b00");
    assert_int_equal(two.n, one.n);
    assert_true(two.untimed == one.untimed && two.refused == one.refused &&
                two.coverage == one.coverage);
    assert_true(two.mape == one.mape && two.median == one.median && two.kendall == one.kendall);
    assert_int_equal(two.form_count, one.form_count);
    for (size_t i = 0; i < one.form_count; i++)
        assert_string_equal(two.forms[i].form, one.forms[i].form);
    evaluation_result_done(&one);
    evaluation_result_done(&two);
    evaluation_free(all);
    evaluation_free(parts[0]);
    evaluation_free(parts[1]);
    machine_free(m);
}

/* A length-changing prefix also costs its cycles in repeated copies. Measured on a Skylake: four of
 * BHive's blocks (MIT licence). */
static void test_prefixes(void **state)
{
    static const struct measured_block blocks[] = {{"664181f9b702", 3.37},
                                                   {"663d79016690", 3.35},
                                                   {"6681e953016683f91d", 3.53},
                                                   {"488b324883c10866817e081301", 3.77}};
    struct machine *m = load_machine("skylake");

    for (int model = 0; model < 2; model++) {
        struct evaluation *e = evaluation_new(m, model ? MODEL_BOUNDS : MODEL_SIMULATE);
        struct evaluation_result result;
        evaluation_measured_by(e, PROTOCOL_BHIVE);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            evaluation_add(e, &blocks[i]);
        evaluation_finish(e, &result);
        if (result.mape > 0.02)
            fail_msg("%.3f off", result.mape);
        evaluation_result_done(&result);
        evaluation_free(e);
    }
    machine_free(m);
}

/* Writes @text to a temporary file, valid until the next call. Returns its path. */
static const char *write_file(const char *text, size_t length)
{
    assert_true(file_write(work_path("table.csv"), text, length, NULL));
    return work_path("table.csv");
}

static void test_reader(void **state)
{
    struct str text = {0};
    struct err err = {0};
    char **fields;
    size_t count, rows = 0;

    str_add(&text, "a,b\n");
    for (int i = 0; i < 40000; i++)   /* There are several chunks. Rows cross their boundaries. */
        str_addf(&text, "%d,\"x,\"\"%d\"\n", i, i);
    str_add(&text, "last,row");       /* The end of the file has no newline. */
    const char *path = write_file(text.data, text.length);
    struct csv_reader *r = csv_reader_open(path, &err);
    assert_non_null(r);
    while (csv_reader_next(r, &fields, &count, &err)) {
        char expected[32];
        assert_int_equal(count, 2);
        if (rows > 0 && rows <= 40000) {
            snprintf(expected, sizeof expected, "x,\"%d", (int)rows - 1);
            assert_string_equal(fields[1], expected);
        }
        rows++;
    }
    assert_int_equal(err.code, ERR_NONE);
    assert_int_equal(rows, 40002);
    assert_int_equal(csv_reader_row(r), 40002);
    csv_reader_close(r);
    str_done(&text);

    path = write_file("\xef\xbb\xbf" "hex,cycles\r\n", 15);
    r = csv_reader_open(path, &err);
    assert_true(csv_reader_next(r, &fields, &count, &err));
    assert_string_equal(fields[0], "hex");
    assert_false(csv_reader_next(r, &fields, &count, &err));
    csv_reader_close(r);

    path = write_file("a,b\nc,\"d\"e\n", 11);
    r = csv_reader_open(path, &err);
    while (csv_reader_next(r, &fields, &count, &err))
        ;
    assert_int_equal(err.code, ERR_DATA);
    csv_reader_close(r);
    assert_null(csv_reader_open("/nonexistent/file.csv", &err));
    assert_int_equal(err.code, ERR_MISSING);
}

struct sum {
    int next, limit;
    int taken[8];
    atomic_long total;
};

static bool next_number(void *state, unsigned worker)
{
    struct sum *sum = state;
    sum->taken[worker] = sum->next++;
    return sum->taken[worker] < sum->limit;
}

static void add_number(void *state, unsigned worker)
{
    struct sum *sum = state;
    atomic_fetch_add(&sum->total, sum->taken[worker]);
}

static void test_pool(void **state)
{
    const struct pool_ops ops = {next_number, add_number};
    for (unsigned workers = 0; workers <= 8; workers++) {
        struct sum sum = {.limit = 5000};
        pool_run(workers, &ops, &sum);
        assert_int_equal(atomic_load(&sum.total), 5000L * 4999 / 2);
    }
    assert_true(pool_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kendall),
                                       cmocka_unit_test(test_evaluation),
                                       cmocka_unit_test(test_prefixes),
                                       cmocka_unit_test(test_reader), cmocka_unit_test(test_pool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
