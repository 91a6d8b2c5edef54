/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "io/csv.h"
#include "io/import_llvm.h"
#include "io/machine_file.h"
#include "model/experiment.h"

static struct ports some_ports(void)
{
    static const char *const names[] = {"0", "1", "5", "6", "A", "DV", "FP0"};
    struct ports ports = {0};
    struct err err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(ports_add(&ports, names[i], &err));
    return ports;
}

static void test_usage_round_trip(void **state)
{
    (void)state;
    struct ports ports = some_ports();
    struct rng rng;
    rng_seed(&rng, 4);
    for (int round = 0; round < 2000; round++) {
        struct usage usage = {0}, again;
        struct str text = {0};
        struct err err = {0};
        for (uint64_t k = rng_below(&rng, 5); k > 0; k--)
            usage_add(&usage, 1 + (portset)rng_below(&rng, 127), 1 + (uint32_t)rng_below(&rng, 20));
        usage_print(&usage, &ports, &text);
        assert_true(usage_parse(str_text(&text), &ports, &again, &err));
        assert_true(usage_equal(&usage, &again));
        usage_done(&usage);
        usage_done(&again);
        str_done(&text);
    }
}

static void test_usage_text(void **state)
{
    (void)state;
    struct ports ports = some_ports();
    struct err err = {0};
    struct usage usage;
    struct str text = {0};
    assert_true(usage_parse("1*p01+p[DV]+2*p01", &ports, &usage, &err));
    usage_print(&usage, &ports, &text);
    assert_string_equal(str_text(&text), "3*p01+1*p[DV]");
    assert_int_equal(usage_volume(&usage), 7);
    usage_done(&usage);
    str_done(&text);
    static const struct { const char *text; size_t column; } bad[] = {
        {"1*p", 4}, {"1*q0", 3}, {"0*p0", 1}, {"1*p09", 5}, {"1*p00", 5}, {"1*p0+", 6}, {"1*p[DV", 7}, {"1*p[X]", 5}, {"2p0", 2},
        {"1*p0 1*p1", 5}, {"99999999999*p0", 1}, {"1*p[]", 5},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(usage_parse(bad[i].text, &ports, &usage, &err));
        assert_int_equal(usage.count, 0);
        if (err.column != bad[i].column)
            fail_msg("%s: column %zu instead of %zu: %s", bad[i].text, err.column, bad[i].column, err.what);
    }
}

static void test_ports_rules(void **state)
{
    (void)state;
    struct ports ports = some_ports();
    struct err err;
    assert_false(ports_add(&ports, "0", &err));
    assert_false(ports_add(&ports, "", &err));
    assert_false(ports_add(&ports, "a-b", &err));
    assert_false(ports_add(&ports, "muchtoolongname", &err));
    char name[4];
    for (unsigned i = ports.count; i < PORTS_MAX; i++) {
        snprintf(name, sizeof name, "x%u", i);
        assert_true(ports_add(&ports, name, &err));
    }
    assert_false(ports_add(&ports, "Z", &err));
}

static void test_experiment_text(void **state)
{
    (void)state;
    struct experiment e, again;
    struct err err = {0};
    struct str text = {0};
    assert_true(experiment_parse("2*ADD (R64, R64) + IMUL (R64, R64)+ADD (R64, R64)", &e, &err));
    experiment_print(&e, &text);
    assert_string_equal(str_text(&text), "3*ADD (R64, R64) + IMUL (R64, R64)");
    assert_true(experiment_parse(str_text(&text), &again, &err));
    assert_true(experiment_equal(&e, &again));
    assert_int_equal(experiment_size(&e), 4);
    experiment_done(&e);
    experiment_done(&again);
    str_done(&text);
    static const char *const bad[] = {"", "ADD +", "2*", "0*ADD", "ADD (R64", "ADD )", "+", "9999999999*ADD"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(experiment_parse(bad[i], &e, &err));
        assert_int_equal(e.count, 0);
        assert_true(err.column > 0);
    }
}

static void test_csv_faults(void **state)
{
    (void)state;
    static const struct { const char *text; size_t length, line, column; } bad[] = {
        {"", 0, 1, 0},
        {"a,b\n1,2\n3\n", 10, 3, 1},
        {"a,b\n1,2,3\n", 10, 2, 3},
        {"a,b\n\"1,2\n", 9, 2, 0},
        {"a,b\n1,\0\n", 8, 2, 0},
        {"a,b\n1,\xff\n", 8, 2, 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = {0};
        assert_null(csv_table_parse("x.csv", bad[i].text, bad[i].length, &err));
        assert_string_equal(err.file, "x.csv");
        if (err.line != bad[i].line || (bad[i].column && err.column != bad[i].column))
            fail_msg("case %zu: %zu:%zu %s", i, err.line, err.column, err.what);
    }
    struct err err = {0};
    struct str out = {0};
    csv_add_field(&out, "say \"hi\", you\nthere", false);
    csv_add_field(&out, "plain", true);
    csv_add_field(&out, "1", false);
    csv_add_field(&out, "", true);
    struct csv_table *t = csv_table_parse("x.csv", out.data, out.length, &err);
    assert_non_null(t);
    assert_string_equal(t->header[0], "say \"hi\", you\nthere");
    assert_int_equal(t->count, 1);
    assert_int_equal(t->lines[0], 3);
    assert_string_equal(t->rows[0][1], "");
    assert_int_equal(csv_table_column(t, "plain"), 1);
    assert_int_equal(csv_table_column(t, "x"), -1);
    csv_table_free(t);
    str_done(&out);
}

static void test_machine_round_trip(void **state)
{
    (void)state;
    char directory[] = "/tmp/portolan-test-XXXXXX";
    struct err err = {0};
    assert_non_null(mkdtemp(directory));
    struct machine *m = machine_load("znver2", &err), *again;
    assert_non_null(m);
    assert_true(machine_save(m, directory, &err));
    again = machine_load(directory, &err);
    assert_non_null(again);
    assert_true(mapping_equal(m->mapping, again->mapping));
    assert_true(machine_number(again, "issue_width") == machine_number(m, "issue_width"));
    machine_free(m);
    machine_free(again);
    struct str path = {0};
    static const char *const files[] = {"machine.csv", "mapping.csv"};
    for (int i = 0; i < 2; i++) {
        str_clear(&path);
        str_addf(&path, "%s/%s", directory, files[i]);
        assert_int_equal(unlink(str_text(&path)), 0);
    }
    assert_int_equal(rmdir(directory), 0);
    str_done(&path);
    assert_null(machine_load("../etc", &err));
    assert_null(machine_load("", &err));
}

/* Group accounting on a small table: the store of ADD charges Port4 and Port04, its load Port23 and Port237, and so on. */
static void test_group_accounting(void **state)
{
    (void)state;
    static const char table[] =
        "Resources:\n[0]   - TDivider:1\n[1]   - TPort0:1\n[2]   - TPort1:1\n[3]   - TPort01:2 TPort0, TPort1\n\n"
        "Instruction Info:\n[1]: #uOps\n[1]    [2]    [3]    [4]    [5]    [6]    [7]    [8]   [9]   Instructions:\n"
        " 1      1     0.50                         1     TPort01  ADD64rr add rcx, rdx\n"
        " 1      1     1.00                  U      1     TPort0,TPort01  CLD cld\n"
        " 1      14    4.00    *                    14    TDivider[4],TPort0,TPort01  DIV div rcx\n"
        " 1      1     1.00                  U      1     TPort0,TPort01  CLD cld\n"
        " 1      1     1.00                  U      1     TPort0,TPort01  CLD cld\n"
        " 1      1     1.00                  U      1     TPort0,TPort01[3]  CLD cld\n"
        " 1      1     1.00                  U      1     TPort0,TPort01[3]  CLD cld\n\n\nResources:\n";
    static const char *const forms[] = {"ADD", "DIV", "REFUSED", "CLD ()"};
    struct err err = {0};
    struct machine *m = import_llvm_parse("test", table, sizeof table - 1, forms, 4, &err);
    struct str text = {0};
    assert_non_null(m);
    static const char *const usages[] = {"1*p01", "1*p0+4*p[DV]", NULL, "1*p0+2*p01"};
    for (int i = 0; i < 4; i++) {
        const struct mapping_entry *entry = mapping_find(m->mapping, forms[i]);
        assert_true((entry != NULL) == (usages[i] != NULL));
        str_clear(&text);
        if (entry)
            usage_print(&entry->usage, mapping_ports(m->mapping), &text);
        assert_string_equal(str_text(&text), usages[i] ? usages[i] : "");
    }
    assert_true(mapping_find(m->mapping, "DIV")->latency == 14);
    machine_free(m);
    str_done(&text);
    assert_null(import_llvm_parse("test", table, sizeof table - 1, (const char *const[]){"A", "B", "C", "D", "E", "F", "G"}, 7, &err));
    assert_null(import_llvm_parse("test", "nonsense", 8, forms, 4, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage_round_trip), cmocka_unit_test(test_usage_text),         cmocka_unit_test(test_ports_rules),
        cmocka_unit_test(test_experiment_text),  cmocka_unit_test(test_csv_faults),         cmocka_unit_test(test_machine_round_trip),
        cmocka_unit_test(test_group_accounting),
    };
    return cmocka_run_group_tests_name("model text", tests, NULL, NULL);
}
