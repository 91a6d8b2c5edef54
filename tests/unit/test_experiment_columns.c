/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters of experiments, compared with an independent evaluation of each condition; malformed
 * expressions; printed rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/experiment_columns.h"
#include "../support/support.h"

static struct experiments *table(void)
{
    static const struct { const char *text; double cycles; const char *state, *lengths; } rows[] = {
        {"ADD (R64, R64)", 0.25, "ok", "same"},
        {"VADDPD (YMM, YMM, YMM)", 0.5, "ok", "+8.0 % at 200"},
        {"2*ADD (R64, R64) + 3*VADDPD (YMM, YMM, YMM)", 2.5, "ok", ""},
        {"DIV (R64)", NAN, "SIGFPE: division fault", ""},
        {"IMUL (R64, R64)", NAN, "", ""},
    };
    struct experiments *t = experiments_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct experiment e;
        assert_true(experiment_parse(rows[i].text, &e, NULL));
        size_t at = experiments_add_named(t, &e);
        experiment_done(&e);
        experiments_set(t, at, rows[i].cycles, NAN, 0, rows[i].state);
        experiments_set_extra(t, at, EXPERIMENT_LENGTHS, rows[i].lengths);
    }
    return t;
}

static void expect(const struct experiments *t, const struct machine *m, const char *expression,
                   const char *rows)
{
    struct err err = {0};
    bool *fits = experiment_rows_matching(t, m, expression, &err);
    char got[16] = "";
    if (!fits)
        fail_msg("%s: %s", expression, err.what);
    for (size_t i = 0; i < t->rows.count; i++)
        got[i] = fits[i] ? '1' : '0';
    free(fits);
    if (strcmp(got, rows) != 0)
        fail_msg("%s: %s instead of %s", expression, got, rows);
}

static void test_filters(void **state)
{
    struct experiments *t = table();
    expect(t, NULL, "", "11111");
    expect(t, NULL, "cycles>2", "00100");
    expect(t, NULL, "cycles<=0.5", "11000");
    expect(t, NULL, "cycles>0.3 & form~VADD", "01100");
    expect(t, NULL, "cycles>0.3 & form~VADD & experiment~3*VADDPD*", "00000");
    expect(t, NULL, "form~*VADDPD*", "01100");
    expect(t, NULL, "vaddpd", "01100");
    expect(t, NULL, "*ADD*", "11100");
    expect(t, NULL, "experiment=ADD (R64, R64)", "10000");
    expect(t, NULL, "state=", "00001");
    expect(t, NULL, "state~SIG", "00010");
    expect(t, NULL, "lengths~at 200", "01000");
    expect(t, NULL, "lengths=same", "10000");
    /* A missing number satisfies no comparison. */
    expect(t, NULL, "predicted<100", "00000");
    expect(t, NULL, "cycles!=0.25", "01111");
    experiments_free(t);
}

static void test_predictions(void **state)
{
    struct experiments *t = table();
    struct ports ports = {0};
    struct usage usage = {0};
    struct err err = {0};
    assert_true(ports_add(&ports, "0", &err) && ports_add(&ports, "1", &err));
    struct machine *m = machine_new("test", &ports);
    assert_true(usage_parse("1*p01", &ports, &usage, &err));
    mapping_set(m->mapping, &(struct mapping_entry){.form = (char *)"ADD (R64, R64)",
                                                    .usage = usage,
                                                    .latency = NAN,
                                                    .source = (char *)""});
    expect(t, m, "predicted=0.5", "10000");
    expect(t, m, "error>0.9", "10000");
    usage_done(&usage);
    machine_free(m);
    experiments_free(t);
}

static void test_malformed(void **state)
{
    static const char *const wrong[] = {
        "cycles>",    "cycles>many", "nothing=1",           "&",
        "cycles>2 &", "=3",          "cycles>2 & & form~A", "form<ADD"};
    struct experiments *t = table();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err err = {0};
        bool *fits = experiment_rows_matching(t, NULL, wrong[i], &err);
        if (fits)
            fail_msg("\"%s\" is taken", wrong[i]);
        assert_true(err.what[0]);
    }
    experiments_free(t);
}

/* Rows are printed in the notation of experiments. */
static void test_print(void **state)
{
    struct experiments *t = table();
    for (size_t i = 0; i < t->rows.count; i++) {
        struct str direct = {0}, by_experiment = {0};
        struct experiment e;
        experiments_print(t, i, &direct);
        experiments_get(t, i, &e);
        experiment_print(&e, &by_experiment);
        assert_string_equal(str_text(&direct), str_text(&by_experiment));
        experiment_done(&e);
        str_done(&direct);
        str_done(&by_experiment);
    }
    experiments_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters), cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_print)};
    return cmocka_run_group_tests_name("experiment_columns", tests, NULL, NULL);
}
