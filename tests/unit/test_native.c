/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the CPU gives a program at the moment, whatever the caches are; and the CPU time of a program started beside others. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/child.h"
#include "model/facts.h"
#include "program/native.h"
#include "../support/support.h"

static const struct child_limits limits = {.cpu_seconds = 60, .memory = (size_t)1 << 32, .file_size = 4096, .wall_seconds = 60, .output = 4096};

static double cpu_seconds(const char *script)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct child_result result;
    struct err err = {0};
    bool ok = child_run(argv, "/", NULL, 0, &limits, &result, &err);

    child_result_done(&result);
    return ok ? result.cpu_seconds : -1;
}

static void *work(void *out)
{
    *(double *)out = cpu_seconds("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done");
    return NULL;
}

/* One that works hard ends while another sleeps: to each its own. */
static void test_time_of_one_child(void **state)
{
    pthread_t worker;
    double worked = -1, slept;

    (void)state;
    assert_int_equal(pthread_create(&worker, NULL, work, &worked), 0);
    slept = cpu_seconds("sleep 2");
    pthread_join(worker, NULL);
    assert_true(slept >= 0 && worked > 0);
    assert_true(slept < worked / 2);
}

/* A second level as large as all that is walked through, and larger. */
static void test_huge_second_level(void **state)
{
    static const char *const sizes[] = {"67108864", "1073741824", "1e300"};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct machine *m = load_machine("skylake");
        struct err err = {0};
        struct native n;
        machine_set_fact(m, "l2_bytes", sizes[i], "bytes", "a test");
        struct native_probe *p = native_probe_new(m, &err);
        assert_non_null(p);
        assert_true(native_probe_look(p, &err));
        native_probe_result(p, &n);
        assert_int_equal(n.count, 1);
        assert_true(n.sizes[0].bytes <= 0x1p26 && n.sizes[0].read > 0);
        native_apply(&n, m);
        assert_true(fact_number(m, "l2_line_cycles") > 0);
        native_probe_free(p);
        machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_of_one_child), cmocka_unit_test(test_huge_second_level)};
    return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
