/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/record.h"
#include "../support/support.h"

static void add(struct record *r, unsigned number, float cycles, unsigned instructions,
                const char *code)
{
    char form[32];
    snprintf(form, sizeof form, "FORM%u ()", number);
    const float values[] = {cycles, 2 * cycles};
    record_add(r, &(struct experiment){(struct experiment_term[]){{form, 1}}, 1},
               &(struct record_pass){values, 2, 2, instructions, 3e9, (const uint8_t *)code,
                                     code ? strlen(code) : 0});
}

static void test_samples(void **state)
{
    struct record *r = record_new();
    struct record_samples got;
    assert_false(record_find(r, "FORM1 ()", &got));
    add(r, 1, 4, 50, "short");
    add(r, 1, 6, 200, "long body");
    add(r, 1, 8, 50, "short");
    assert_true(record_find(r, "FORM1 ()", &got));
    assert_int_equal(got.count, 6);
    assert_int_equal(got.passes, 3);
    assert_true(got.values[0].cycles == 2 && got.values[1].cycles == 4 &&
                got.values[5].cycles == 8);
    assert_int_equal(got.values[3].pass, 2);
    assert_int_equal(got.values[3].instructions, 200);
    /* The record has the code of the longer body. */
    assert_int_equal(got.length, 9);
    assert_memory_equal(got.code, "long body", 9);
    record_samples_done(&got);
    /* The record has the newest of many samples. */
    for (unsigned i = 0; i < 100; i++)
        add(r, 2, (float)i, 200, NULL);
    assert_true(record_find(r, "FORM2 ()", &got));
    assert_int_equal(got.count, RECORD_VALUES);
    assert_true(got.values[RECORD_VALUES - 1].cycles == 99 && got.values[0].cycles == 34);
    assert_null(got.code);
    record_samples_done(&got);
    record_free(r);
}

/* If there are more rows than the capacity, the last ones remain, each with its own data. */
static void test_bounded(void **state)
{
    struct record *r = record_new();
    struct record_samples got;
    char name[32];
    for (unsigned i = 0; i < 3 * RECORD_ROWS; i++)
        add(r, i, (float)i, 200, "x");
    for (unsigned i = 0; i < 3 * RECORD_ROWS; i++) {
        snprintf(name, sizeof name, "FORM%u ()", i);
        assert_int_equal(record_find(r, name, &got), i >= 2 * RECORD_ROWS);
        if (i >= 2 * RECORD_ROWS) {
            assert_true(got.values[1].cycles == (float)i);
            record_samples_done(&got);
        }
    }
    record_free(r);
}

static void test_series(void **state)
{
    struct record *r = record_new();
    struct record_point *points = mem_alloc(RECORD_POINTS * sizeof *points);
    struct calibration c;
    char name[64];
    bool simulated;
    double contended = 0, clocks = 0;
    size_t with = 0;
    assert_int_equal(record_series(r, points), 0);
    assert_false(record_calibration(r, &c, name, sizeof name, &simulated));
    record_begin(r, "a machine", &(struct calibration){.clock_hz = 3e9});
    assert_true(record_calibration(r, &c, name, sizeof name, &simulated));
    assert_string_equal(name, "a machine");
    assert_true(c.clock_hz == 3e9 && !simulated);
    record_windows(r, 0.01, 3e9, 3, 1, 0);
    record_windows(r, 0.05, 2e9, 1, 0, 3);
    record_windows(r, 0.35, NAN, 0, 2, 0);
    assert_int_equal(record_series(r, points), 4);
    assert_true(fabs(points[0].clock_hz - 2.75e9) < 1 && points[0].contended == 0.125 &&
                points[0].disturbed == 0.375);
    assert_true(isnan(points[1].clock_hz) && isnan(points[1].contended));
    assert_true(isnan(points[3].clock_hz) && points[3].contended == 1);
    /* During an hour of recording, points are merged. All their windows are counted, of which a
     * third are contended. */
    record_begin(r, "again", NULL);
    for (unsigned i = 0; i < 36000; i++)
        record_windows(r, 0.1 * i, 3e9, 2, 1, 0);
    size_t n = record_series(r, points);
    assert_true(n > RECORD_POINTS / 2 && n <= RECORD_POINTS);
    for (size_t i = 0; i < n; i++)
        if (points[i].clock_hz > 0) {
            with++;
            clocks += points[i].clock_hz;
            contended += points[i].contended;
            assert_true(i == 0 || points[i].seconds > points[i - 1].seconds);
        }
    assert_int_equal(with, n);
    assert_true(fabs(clocks / (double)with - 3e9) < 1 &&
                fabs(contended / (double)with - 1.0 / 3) < 1e-9);
    assert_true(points[n - 1].seconds > 3590 && points[n - 1].seconds < 3610);
    record_calibration(r, &c, name, sizeof name, &simulated);
    assert_true(simulated);
    free(points);
    record_free(r);
}

struct writing { struct record *record; atomic_bool ended; };

static void *writer(void *state)
{
    struct writing *w = state;

    for (unsigned i = 0; i < 3000; i++) {
        add(w->record, i % 100, (float)i, 200, "code");
        record_windows(w->record, i * 1e-3, 3e9, 1, 0, 0);
    }
    atomic_store(&w->ended, true);
    return NULL;
}

static void test_two_threads(void **state)
{
    struct record *r = record_new();
    struct record_point *points = mem_alloc(RECORD_POINTS * sizeof *points);
    struct writing w = {.record = r};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, writer, &w), 0);
    while (!atomic_load(&w.ended)) {
        struct record_samples got;
        if (record_find(r, "FORM7 ()", &got)) {
            assert_memory_equal(got.code, "code", 4);
            record_samples_done(&got);
        }
        assert_true(record_series(r, points) <= RECORD_POINTS);
    }
    pthread_join(thread, NULL);
    free(points);
    record_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_series), cmocka_unit_test(test_two_threads)};
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
