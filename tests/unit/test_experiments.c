/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/experiments_file.h"
#include "../support/support.h"

static struct experiments *parse(const char *text, struct err *err)
{
    return experiments_parse("t.csv", text, strlen(text), err);
}

static void test_names(void **state)
{
    struct names n = {0};
    char text[16];
    assert_int_equal(names_find(&n, "x"), UINT32_MAX);
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "f%d", i);
        assert_int_equal(names_add(&n, text), i);
        assert_int_equal(names_add(&n, text), i);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "f%d", i);
        assert_int_equal(names_find(&n, text), i);
    }
    assert_int_equal(names_find(&n, "f1000"), UINT32_MAX);
    names_done(&n);
}

static void test_rows(void **state)
{
    struct experiments *t = experiments_new();
    struct str text = {0};
    uint32_t a = names_add(&t->forms, "A (R64)"), b = names_add(&t->forms, "B (R64)");
    size_t row = experiments_add(t, (struct flat_term[]){{b, 1}, {a, 2}, {b, 3}}, 3);
    assert_int_equal(t->rows.items[row].count, 2);
    assert_int_equal(experiments_size(t, row), 6);
    assert_false(experiments_measured(t, row));
    assert_string_equal(t->rows.items[row].state, EXPERIMENT_PENDING);
    experiments_print(t, row, &text);
    assert_string_equal(str_text(&text), "2*A (R64) + 4*B (R64)");
    experiments_set(t, row, 1.5, 0.01, 3, NULL);
    assert_true(experiments_measured(t, row));
    assert_string_equal(t->rows.items[row].state, EXPERIMENT_OK);
    experiments_set_extra(t, row, "host", "x");
    size_t failed = experiments_add(t, (struct flat_term[]){{a, 1}}, 1);
    experiments_set(t, failed, NAN, NAN, 0, "SIGILL");
    assert_string_equal(experiments_extra(t, failed, 0), "");

    struct experiments *copy = experiments_copy(t, (bool[]){false, true});
    assert_int_equal(copy->rows.count, 1);
    assert_string_equal(copy->rows.items[0].state, "SIGILL");
    experiments_append(copy, t);
    assert_int_equal(copy->rows.count, 3);
    assert_int_equal(copy->forms.count, 2);
    assert_string_equal(experiments_extra(copy, 1, 0), "x");
    experiments_free(copy);
    experiments_free(t);
    str_done(&text);
}

static void test_file_round_trip(void **state)
{
    struct err err = {0};
    const char *path = work_path("experiments.csv");
    struct experiments *t = parse("state,experiment,host,cycles,repeats,spread\n"
                                  ",\"2*ADD (R64, R64) + MUL (R64)\",\"a,\"\"b\",,,\n"
                                  "ok,\"V [x + y] + W\",c,0.3333333333333333,3,0.001\n"
                                  "unknown form,W,,,,\n", &err);
    assert_non_null(t);
    assert_true(experiments_save(t, path, &err));
    struct experiments *back = experiments_load(path, &err);
    assert_non_null(back);
    for (int pass = 0; pass < 2; pass++) {
        const struct experiments *e = pass ? back : t;
        assert_int_equal(e->rows.count, 3);
        assert_true(isnan(e->rows.items[0].cycles) && isnan(e->rows.items[0].spread));
        assert_int_equal(e->rows.items[0].repeats, 0);
        assert_string_equal(experiments_extra(e, 0, 0), "a,\"b");
        assert_true(e->rows.items[1].cycles == 0.3333333333333333);
        assert_int_equal(e->rows.items[1].count, 2);
        assert_int_equal(e->rows.items[1].repeats, 3);
        assert_string_equal(e->rows.items[2].state, "unknown form");
    }
    experiments_free(back);
    experiments_free(t);
}

static void test_file_faults(void **state)
{
    static const struct {
        const char *text, *says;
        size_t line, column;
    } cases[] = {
        {"cycles\n1\n", "column experiment is missing", 1, 1},
        {"experiment,cycles\nA,1\nB,x\n", "invalid cycles \"x\"", 3, 2},
        {"experiment,cycles\nA,0\n", "invalid cycles \"0\"", 2, 2},
        {"experiment,cycles\nA,-1\n", "invalid cycles \"-1\"", 2, 2},
        {"experiment,cycles\nA,inf\n", "cycles", 2, 2},
        {"cycles,experiment\n1,A +\n", "expected an instruction form", 2, 2},
        {"experiment,repeats\nA,1.5\n", "invalid number of repeats \"1.5\"", 2, 2},
        {"experiment,spread\nA,-0.1\n", "spread", 2, 2},
        {"experiment\nA,1\n", "2 fields, but the header has 1", 2, 2},
        {"experiment\n0*A\n", "out of range", 2, 1},
        {"", "empty", 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        assert_null(parse(cases[i].text, &err));
        assert_non_null(strstr(err.what, cases[i].says));
        assert_string_equal(err.file, "t.csv");
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
        assert_null(parse(cases[i].text, NULL));
    }
}

/* Rows with these states are measured again, also in files that earlier versions wrote. */
static void test_open_states(void **state)
{
    static const char *const open[] = {EXPERIMENT_PENDING, "once", "contended",
                                       "core is contended", "clock unstable",
                                       "not confirmed in time", "process killed"};
    static const char *const final[] = {"ok", "SIGILL: not supported by this CPU"};

    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_true(experiment_state_open(open[i]));
    for (size_t i = 0; i < sizeof final / sizeof *final; i++)
        assert_false(experiment_state_open(final[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_open_states),
        cmocka_unit_test(test_file_round_trip),
        cmocka_unit_test(test_file_faults),
    };
    return cmocka_run_group_tests_name("experiments", tests, NULL, NULL);
}
