/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/vec.h"

static void test_str_grows(void **state)
{
    (void)state;
    struct str s = {0};
    assert_string_equal(str_text(&s), "");
    for (int i = 0; i < 1000; i++)
        str_addf(&s, "%d,", i);
    assert_int_equal(s.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_memory_equal(s.data, "0,1,2,", 6);
    str_addf(&s, "%0500d", 7);
    assert_int_equal(strlen(s.data), s.length);
    char *taken = str_take(&s);
    assert_null(s.data);
    free(taken);
    taken = str_take(&s);
    assert_string_equal(taken, "");
    free(taken);
}

static void test_str_match(void **state)
{
    (void)state;
    assert_true(str_match("*ADD*", "VADDPD (YMM, YMM, YMM)"));
    assert_true(str_match("add (r64, ?64)", "ADD (R64, M64)"));
    assert_false(str_match("ADD", "ADDS"));
    assert_true(str_match("*", ""));
    assert_false(str_match("?", ""));
    assert_true(str_match("a*b*c", "aXbbYc"));
    assert_false(str_match("a*b*c", "aXcbY"));
    assert_true(str_equal_nocase("vMovApd", "VMOVAPD"));
    assert_false(str_equal_nocase("mov", "movs"));
}

static void test_err_says_where_what_todo(void **state)
{
    (void)state;
    struct err err = {0};
    char text[512];
    assert_false(err_set(&err, ERR_DATA, "remove it", "bad byte %d", 7));
    assert_false(err_at(&err, "x.csv", 3, 9));
    assert_string_equal(err_text(&err, text, sizeof text), "x.csv:3:9: bad byte 7; remove it");
    /* The old text may be an argument of the new one. */
    err_set(&err, ERR_DATA, NULL, "outer: %s", err.what);
    assert_string_equal(err_text(&err, text, sizeof text), "outer: bad byte 7");
    char tiny[8];
    assert_int_equal(strlen(err_text(&err, tiny, sizeof tiny)), 7);
    assert_false(err_set(NULL, ERR_DATA, NULL, "ignored"));
}

static void test_file_round_trip_and_faults(void **state)
{
    (void)state;
    char directory[] = "/tmp/portolan-test-XXXXXX";
    assert_non_null(mkdtemp(directory));
    struct str path = {0}, bytes = {0};
    struct err err = {0};
    str_addf(&path, "%s/file", directory);

    assert_true(file_write(path.data, "one\0two", 7, &err));
    assert_true(file_read(path.data, 7, &bytes, &err));
    assert_int_equal(bytes.length, 7);
    assert_memory_equal(bytes.data, "one\0two", 7);
    assert_false(file_read(path.data, 6, &bytes, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(bytes.length, 7);

    assert_false(file_read(directory, 100, &bytes, &err));
    assert_int_equal(err.code, ERR_IO);
    assert_false(file_write("/nonexistent/x", "x", 1, &err));
    assert_int_equal(err.code, ERR_MISSING);
    assert_string_equal(err.file, "/nonexistent/x");

    /* A rewrite keeps the mode. */
    assert_int_equal(chmod(path.data, 0600), 0);
    assert_true(file_write(path.data, "new", 3, &err));
    struct stat status;
    assert_int_equal(stat(path.data, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);

    unlink(path.data);
    assert_int_equal(rmdir(directory), 0);   /* no temporary file left behind */
    str_done(&path);
    str_done(&bytes);
}

static void test_log_keeps_the_newest(void **state)
{
    (void)state;
    unsigned before = log_revision();
    for (int i = 0; i < 10050; i++)
        log_add(LOG_INFO, "line %d", i);
    assert_int_equal(log_revision() - before, 10050);
    assert_int_equal(log_count(), 10000);
    struct log_line line;
    assert_true(log_get(0, &line));
    assert_string_equal(line.text, "line 50");
    free(line.text);
    assert_true(log_get(9999, &line));
    assert_string_equal(line.text, "line 10049");
    free(line.text);
    assert_false(log_get(10000, &line));
}

static double frozen(void)
{
    return 42.5;
}

static void test_clock_can_be_held(void **state)
{
    (void)state;
    clock_set_source(frozen);
    assert_true(clock_seconds() == 42.5);
    clock_set_source(NULL);
    double first = clock_seconds();
    assert_true(clock_seconds() >= first);
}

static void test_rng_is_reproducible_and_uniform(void **state)
{
    (void)state;
    struct rng a, b;
    rng_seed(&a, 1);
    rng_seed(&b, 1);
    unsigned histogram[7] = {0};
    for (int i = 0; i < 70000; i++) {
        assert_true(rng_next(&a) == rng_next(&b));
        histogram[rng_below(&a, 7)]++;
        (void)rng_below(&b, 7);
        double unit = rng_unit(&a);
        (void)rng_unit(&b);
        assert_true(unit >= 0 && unit < 1);
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(histogram[i], 9500, 10500);
    /* First outputs of xoshiro256** from the state 1, 2, 3, 4: the authors' reference program. */
    struct rng known = {{1, 2, 3, 4}};
    assert_true(rng_next(&known) == 11520);
    assert_true(rng_next(&known) == 0);
    assert_true(rng_next(&known) == 1509978240);
}

static void test_vec_grows(void **state)
{
    (void)state;
    VEC(int) v = {0};
    for (int i = 0; i < 100; i++)
        vec_push(&v, i * i);
    assert_int_equal(v.count, 100);
    assert_int_equal(v.items[99], 9801);
    vec_done(&v);
    assert_null(v.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_str_grows),
        cmocka_unit_test(test_str_match),
        cmocka_unit_test(test_err_says_where_what_todo),
        cmocka_unit_test(test_file_round_trip_and_faults),
        cmocka_unit_test(test_log_keeps_the_newest),
        cmocka_unit_test(test_clock_can_be_held),
        cmocka_unit_test(test_rng_is_reproducible_and_uniform),
        cmocka_unit_test(test_vec_grows),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
