/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts derived from control flow, compared with the same loops executed here. Malformed
 * descriptions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "program/derive.h"
#include "../support/support.h"

static const struct program *described(const char *symbols, const char *functions)
{
    struct str json = {0}, text = {0};
    struct err err = {0};

    str_addf(&json,
             "{\"key\":\"k\",\"source\":\"f.c\",\"language\":\"C\",\"level\":\"-O0\",\"assembly\":"
             "\"\",\"references\":[],\"symbols\":[%s],\"functions\":[%s]}",
             symbols, functions);
    str_addf(&text, "portolan-unit %zu\n%s", json.length, str_text(&json));
    struct program *p = program_read("p", &text, &err);
    str_done(&json);
    str_done(&text);
    return p;
}

#define BLOCK(next) "{\"line\":1,\"ops\":[],\"calls\":[],\"next\":[" next "],\"two_way\":true}"
/* Reads the integer in the first word as value 0. */
#define READ "\"steps\":[\"call 0 1 ?\",\"word 0 32 c 64 4503599627370504\"]"

static void counts_of(const struct program *p, int n, double *counts)
{
    struct derivation *d = derivation_new(p);
    double taken[32];
    char text[16], *words[] = {text};

    snprintf(text, sizeof text, "%d", n);
    derivation_counts(d, words, 1, counts, taken);
    derivation_free(d);
}

/* for (i = 0; i < min(n, 100); i++) for (j = i; j < n; j++) { if (data) ...; } */
static void test_triangle(void **state)
{
    static const char control[] =
        "{\"loops\":[{\"header\":1,\"parent\":-1,\"blocks\":[1,2,3,4,5,6],\"exits\":[{\"block\":1,"
        "\"count\":\"smax 32 2 c 32 0 smin 32 2 v 32 0 c 32 100\"}]},"
        "{\"header\":2,\"parent\":0,\"blocks\":[2,3,4,5],\"exits\":[{\"block\":2,\"count\":\"smax "
        "32 2 c 32 0 add 32 2 v 32 0 mul 32 2 c 32 4294967295 rec 32 2 c 32 0 c 32 1 0\"}]}],"
        "\"blocks\":[{" READ "},{},{},{},{},{},{},{\"returns\":true}]}";
    const struct program *p;

    struct str function = {0};
    str_addf(&function, "{\"name\":\"main\",\"blocks\":[%s],\"control\":%s}",
             BLOCK("1") "," BLOCK("2,7") "," BLOCK("3,6") "," BLOCK("4,5") "," BLOCK("5") "," BLOCK(
                 "2") "," BLOCK("1") "," BLOCK(""),
             control);
    p = described("\"atoi\"", str_text(&function));
    str_done(&function);
    assert_non_null(p);
    for (int n = -3; n < 300; n += 7) {
        double counts[8], outer = 0, inner = 0;
        for (int i = 0; i < (n < 100 ? n : 100); i++) {
            outer++;
            for (int j = i; j < n; j++)
                inner++;
        }
        counts_of(p, n, counts);
        assert_float_equal(counts[0], 1, 0);
        assert_float_equal(counts[1], outer + 1, 0);
        assert_float_equal(counts[2], inner + outer, 0);
        assert_float_equal(counts[3], inner, 0);
        assert_true(isnan(counts[4]) || inner == 0);   /* The count depends on data. */
        assert_float_equal(counts[5], inner, 0);       /* Both paths join here. */
        assert_float_equal(counts[6], outer, 0);
        assert_float_equal(counts[7], 1, 0);
    }
    program_free(p);
}

/* Counts the calls of fib(n), which calls itself twice if n >= 2, by recursion. */
static double calls_of_fib(int n)
{
    return n < 2 ? 1 : 1 + calls_of_fib(n - 1) + calls_of_fib(n - 2);
}

static void test_recursion(void **state)
{
    const struct program *p = described(
        "\"atoi\",\"fib\"",
        "{\"name\":\"main\",\"blocks\":[" BLOCK(
            "") "],\"control\":{\"loops\":[],\"blocks\":[{\"returns\":true,\"steps\":[\"call 0 1 "
                "?\",\"word 0 32 c 64 4503599627370504\",\"call 1 1 v 32 0\"]}]}},"
                "{\"name\":\"fib\",\"blocks\":[" BLOCK("3,2") "," BLOCK("3") "," BLOCK(
                    "") "],\"control\":null},"
                        "{\"name\":\"g\",\"blocks\":[],\"control\":null}");

    program_free(p);   /* Blocks with references to other functions are malformed. */
    p = described(
        "\"atoi\",\"fib\"",
        "{\"name\":\"main\",\"blocks\":[" BLOCK(
            "") "],\"control\":{\"loops\":[],\"blocks\":[{\"returns\":true,\"steps\":[\"call 0 1 "
                "?\",\"word 0 32 c 64 4503599627370504\",\"call 1 1 v 32 0\"]}]}},"
                "{\"name\":\"fib\",\"blocks\":[" BLOCK("3,2") "," BLOCK("3") "," BLOCK(
                    "") "],\"control\":{\"loops\":[],\"blocks\":[{\"on\":\"slt 32 a 32 0 c 32 2\"},"
                        "{\"steps\":[\"call 1 1 add 32 2 a 32 0 c 32 4294967295\",\"call 1 1 add "
                        "32 2 a 32 0 c 32 4294967294\"]},{\"returns\":true}]}}");
    assert_non_null(p);
    for (int n = 0; n < 18; n++) {
        double counts[4];
        counts_of(p, n, counts);
        assert_float_equal(counts[1], calls_of_fib(n), 0);
        assert_float_equal(counts[3], calls_of_fib(n), 0);
    }
    program_free(p);
}

/* The counts of a loop with unknown trip count are unknown, and those after the loop are known.
 * Counts after the call of a function that may not return are unknown. */
static void test_unknown(void **state)
{
    const struct program *p = described(
        "\"f\"",
        "{\"name\":\"main\",\"blocks\":[" BLOCK("1") "," BLOCK("1,2") "," BLOCK("3") "," BLOCK(
            "") "],\"control\":{\"loops\":[{\"header\":1,\"parent\":-1,\"blocks\":[1],\"exits\":[{"
                "\"block\":1,\"count\":\"?\"}]}],"
                "\"blocks\":[{},{},{\"steps\":[\"call 0 0\"]},{\"returns\":true}]}},"
                "{\"name\":\"f\",\"blocks\":[" BLOCK("5,6") "," BLOCK("") "," BLOCK(
                    "") "],\"control\":{\"loops\":[],\"blocks\":[{},{},{\"returns\":true}]}}");
    double counts[7];

    assert_non_null(p);
    counts_of(p, 1, counts);
    assert_true(isnan(counts[1]));
    assert_float_equal(counts[2], 1, 0);
    assert_true(isnan(counts[3]));
    assert_float_equal(counts[4], 1, 0);
    assert_true(isnan(counts[5]) && isnan(counts[6]));
    program_free(p);
}

/* An expression with any one character changed is read or rejected, without undefined behaviour
 * (checked by sanitizers). */
static void test_broken(void **state)
{
    static const char good[] =
        "{\"loops\":[{\"header\":0,\"parent\":-1,\"blocks\":[0],\"exits\":[{\"block\":0,\"count\":"
        "\"udiv 64 add 64 2 c 64 5 v 64 0 rec 64 2 c 64 1 c 64 2 0\"}]}],"
        "\"blocks\":[{\"on\":\"select eq 32 v 32 1 c 32 0 32 v 32 1 c 32 7\",\"steps\":[\"phi 1 2 "
        "0 v 32 0 0 ?\",\"load 0 0\",\"store 0 v 32 0\",\"call -1 1 ?\",\"result 0\"]}]}";
    static const char others[] = "9 -?x";

    for (size_t at = 0; at < sizeof good - 1; at++)
        for (size_t k = 0; k < sizeof others - 1; k++) {
            char *text = mem_strdup(good);
            text[at] = others[k];
            json_t *json = json_loads(text, 0, NULL);
            struct control c;
            if (json) {
                control_read(json, 1, 1, &c);
                control_done(&c);
            }
            json_decref(json);
            free(text);
        }
    json_t *json = json_loads(good, 0, NULL);
    struct control c;
    assert_non_null(json);
    assert_true(control_read(json, 1, 1, &c));
    control_done(&c);
    assert_false(control_read(json, 1, 0, &c));   /* This is a name that the unit lacks. */
    control_done(&c);
    assert_false(control_read(json, 2, 1, &c));
    control_done(&c);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle), cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_broken)};
    return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
