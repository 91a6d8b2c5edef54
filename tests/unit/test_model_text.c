/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/rng.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "model/experiment.h"
#include "../support/support.h"

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
    static const struct { const char *text; size_t column;
    } bad[] = {
        {"1*p", 4},
        {"1*q0", 3},
        {"0*p0", 1},
        {"1*p09", 5},
        {"1*p00", 5},
        {"1*p0+", 6},
        {"1*p[DV", 7},
        {"1*p[X]", 5},
        {"2p0", 2},
        {"1*p0 1*p1", 5},
        {"99999999999*p0", 1},
        {"1*p[]", 5},
        {"100001*p0", 1},
        {"1*p1+60000*p0+40001*p0", 15},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(usage_parse(bad[i].text, &ports, &usage, &err));
        assert_int_equal(usage.count, 0);
        if (err.column != bad[i].column)
            fail_msg("%s: column %zu instead of %zu: %s", bad[i].text, err.column, bad[i].column,
                     err.what);
    }
}

static void test_ports_lists(void **state)
{
    struct ports ports = {0}, again = {0};
    struct str text = {0};
    struct err err = {0};

    ports_number(&ports, 12);
    portset_list(UINT32_MAX, &ports, ",", ",", &text);
    assert_string_equal(str_text(&text), "0,1,2,3,4,5,6,7,8,9,A,B");
    assert_true(ports_parse(str_text(&text), &again, &err));
    assert_true(ports_equal(&ports, &again));
    str_clear(&text);
    portset_list(7, &ports, ", ", " and ", &text);
    portset_list(2, &ports, ", ", " and ", &text);
    assert_string_equal(str_text(&text), "0, 1 and 21");
    str_clear(&text);
    struct ports spaced = {0};
    assert_true(ports_parse("0, 1 ,DV 3 ", &spaced, &err));
    portset_list(UINT32_MAX, &spaced, "/", "|", &text);
    assert_string_equal(str_text(&text), "0/1/DV|3");
    static const char *const bad[] = {
        "", ",", "0,", ",0", "0,,1", "0,0", "0,a-b", "0,muchtoolongname", " 0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ports none = {0};
        assert_false(ports_parse(bad[i], &none, &err));
    }
    str_done(&text);
}

static void test_ports_rules(void **state)
{
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
    static const char *const bad[] = {"",          "ADD +",
                                      "2*",        "0*ADD",
                                      "ADD (R64",  "ADD )",
                                      "+",         "9999999999*ADD",
                                      "10001*ADD", "6000*ADD + 4001*ADD",
                                      "2*3*ADD",   "1*2 * ADD"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(experiment_parse(bad[i], &e, &err));
        assert_int_equal(e.count, 0);
        assert_true(err.column > 0);
    }
}

static void test_csv_faults(void **state)
{
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

/* Written tables are parsed unchanged, including blanks at the ends, empty rows, and a byte order
 * mark as data. */
static void test_csv_round_trip(void **state)
{
    static const char *const fields[] = {
        "\xef\xbb\xbfmark", "", " a", "b ", "\tc", "d\t", "", "\"", "e\nf", "\r",
        "\xef\xbb\xbf",     ","};
    enum { COUNT = sizeof fields / sizeof *fields };
    for (size_t columns = 1; columns <= 3; columns++) {
        struct str out = {0};
        struct err err = {0};
        for (size_t i = 0; i < COUNT; i++)
            csv_add_field(&out, fields[i], i % columns + 1 == columns);
        struct csv_table *t = csv_table_parse("x.csv", out.data, out.length, &err);
        assert_non_null(t);
        assert_int_equal(t->columns, columns);
        assert_int_equal(t->count, COUNT / columns - 1);
        for (size_t i = 0; i < COUNT; i++)
            assert_string_equal(i < columns ? t->header[i] : t->rows[i / columns - 1][i % columns],
                                fields[i]);
        csv_table_free(t);
        str_done(&out);
    }
}

/* Accepts blank lines, a byte order mark, and rows whose fields span lines. Each row has the number
 * of its first line. Rejects invalid UTF-8. */
static void test_csv_lines(void **state)
{
    static const char text[] = "\xef\xbb\xbf" "a,b\r\n\n \t\n\"x\ny\nz\",1\n\n2,\"p\nq\"\n3,4";
    struct err err = {0};
    struct csv_table *t = csv_table_parse("x.csv", text, sizeof text - 1, &err);
    assert_non_null(t);
    assert_int_equal(csv_table_column(t, "a"), 0);
    assert_int_equal(t->count, 3);
    assert_int_equal(t->lines[0], 4);
    assert_int_equal(t->lines[1], 8);
    assert_int_equal(t->lines[2], 10);
    csv_table_free(t);
    static const char *const bad[] = {"a\n\xc0\x80",         "a\n\xed\xa0\x80",
                                      "a\n\xe0\x80\x80",     "a\n\xf0\x80\x80\x80",
                                      "a\n\xf4\x90\x80\x80", "a\n\xe2\x82"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(csv_table_parse("x.csv", bad[i], strlen(bad[i]), &err));
        assert_int_equal(err.line, 2);
        assert_int_equal(err.column, 1);
    }
    assert_non_null(t = csv_table_parse("x.csv", "a\n\xed\x9f\xbf\xf4\x8f\xbf\xbf", 9, &err));
    csv_table_free(t);
}

static struct mapping *two_forms(void)
{
    struct ports ports = some_ports();
    struct mapping *m = mapping_new(&ports);
    struct err err = {0};
    static const char rows[] =
        "form,usage,latency,micro_ops,source\nADD,1*p01,1,1,\nDIV,1*p0+4*p[DV],14,,manual\n";
    assert_true(machine_parse_mapping(m, "mapping.csv", rows, sizeof rows - 1, false, &err));
    return m;
}

static void test_mapping_rows(void **state)
{
    static const struct { const char *rows; bool overrides; size_t line, column; } bad[] = {
        {"form,latency\nNOP,1\n", false, 1, 1},
        {"form,usage\n,1*p0\n", false, 2, 1},
        {"form,usage\nNOP,\n", false, 2, 2},
        {"form,usage\nNOP,1*p9\n", false, 2, 2},
        {"form,usage\nNOP,none\nADD,none\n", false, 3, 1},
        {"form,usage,latency\nNOP,none,-1\n", false, 2, 3},
        {"form,usage,latency\nNOP,none,1 \"\n", false, 2, 3},
        {"form,usage,latency\nNOP,none,nan\n", false, 2, 3},
        {"form,usage,latency\nNOP,none,1e999\n", false, 2, 3},
        {"form,usage,micro_ops\nNOP,none,1.5\n", false, 2, 3},
        {"form,usage,micro_ops\nNOP,none,1e300\n", false, 2, 3},
        {"form,latency,usage,micro_ops\nNOP,1,none,x\n", false, 2, 4},
        {"form,usage,latency\nNOP,,1\n", true, 2, 1},
        {"form,usage\nX*,1*p0\n", true, 2, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mapping *m = two_forms();
        struct err err = {0};
        assert_false(machine_parse_mapping(m, "x.csv", bad[i].rows, strlen(bad[i].rows),
                                           bad[i].overrides, &err));
        assert_string_equal(err.file, "x.csv");
        if (err.line != bad[i].line || err.column != bad[i].column)
            fail_msg("case %zu: %zu:%zu %s", i, err.line, err.column, err.what);
        mapping_free(m);
    }
    struct mapping *m = two_forms();
    struct err err = {0};
    static const char rows[] =
        "form,usage,latency,micro_ops,source\nD*,,20,,measured\nNEW,1*p5,,,\nADD,none,,,\n";
    assert_true(machine_parse_mapping(m, "x.csv", rows, sizeof rows - 1, true, &err));
    assert_int_equal(mapping_count(m), 3);
    assert_true(mapping_find(m, "DIV")->latency == 20);
    assert_int_equal(mapping_find(m, "DIV")->usage.count, 2);
    assert_string_equal(mapping_find(m, "DIV")->source, "measured");
    assert_true(isnan(mapping_find(m, "NEW")->latency));
    assert_int_equal(mapping_find(m, "ADD")->usage.count, 0);
    /* Another usage removes the old number of slots. */
    assert_int_equal(mapping_find(m, "ADD")->micro_ops, 0);
    mapping_free(m);
}

static void test_machine_facts(void **state)
{
    struct ports none = {0}, ports = {0};
    struct err err = {0};
    struct machine *m = machine_new("x", &none);
    static const char good[] = "key,value\nports,\"0, 1,DV\"\npipes,DV\nissue_width,4\n";
    assert_true(machine_parse_facts(m, &ports, "machine.csv", good, sizeof good - 1, &err));
    assert_int_equal(ports.count, 3);
    assert_int_equal(ports.pipes, 4);
    assert_true(machine_number(m, "issue_width") == 4);
    static const char *const bad[] = {"key,value\nports,\n", "key,value\nports,\",,\"\n",
                                      "key,value\nports,\"0,0\"\n", "key\nports\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ports again = {0};
        assert_false(machine_parse_facts(m, &again, "machine.csv", bad[i], strlen(bad[i]), &err));
        assert_string_equal(err.file, "machine.csv");
    }
    machine_free(m);
}

static void test_machine_round_trip(void **state)
{
    const char *directory = work_path("");
    struct err err = {0};
    struct machine *m = machine_load("znver2", &err), *again;
    assert_non_null(m);
    assert_true(machine_save(m, directory, &err));
    again = machine_load(directory, &err);
    assert_non_null(again);
    assert_true(mapping_equal(m->mapping, again->mapping));
    assert_true(machine_number(again, "issue_width") == machine_number(m, "issue_width"));
    machine_free(m);
    machine_free(again);
    assert_null(machine_load("../etc", &err));
    assert_null(machine_load("", &err));
}

/* In the tables of llvm-mca a µop of Port0 also counts for the group Port01. Such a µop is counted
 * once. */
static void test_group_accounting(void **state)
{
    static const char table[] =
        "Resources:\n[0]   - TDivider:1\n[1]   - TPort0:1\n[2]   - TPort1:1\n[3]   - TPort01:2 "
        "TPort0, TPort1\n\n"
        "Instruction Info:\n[1]: #uOps\n[1]    [2]    [3]    [4]    [5]    [6]    [7]    [8]   [9] "
        "  Instructions:\n"
        " 1      1     0.50                         1     TPort01  ADD64rr add rcx, rdx\n"
        " 1      1     1.00                  U      1     TPort0,TPort01  CLD cld\n"
        " 1      14    4.00    *                    14    TDivider[4],TPort0,TPort01  DIV div rcx\n"
        " 1      1     1.00                  U      1     TPort0,TPort01  CLD cld\n"
        " 1      1     1.00                  U      1     TPort0,TPort01  CLD cld\n"
        " 1      1     1.00                  U      1     TPort0,TPort01[3]  CLD cld\n"
        " 1      1     1.00                  U      1     TPort0,TPort01[3]  CLD "
        "cld\n\n\nResources:\n";
    static const char *const forms[] = {"ADD", "DIV", "REFUSED", "CLD ()"};
    struct err err = {0};
    struct machine *m =
        import_llvm_parse(ISA_X86_64, "test", table, sizeof table - 1, forms, 4, &err);
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
    assert_null(import_llvm_parse(ISA_X86_64, "test", table, sizeof table - 1,
                                  (const char *const[]){"A", "B", "C", "D", "E", "F", "G"}, 7,
                                  &err));
    assert_null(import_llvm_parse(ISA_X86_64, "test", "nonsense", 8, forms, 4, &err));
}

/* Excessive sizes soon cause a message. */
static void test_limits(void **state)
{
    struct ports ports = {0};
    struct err err = {0};
    struct str text = {0};
    struct usage usage;
    struct experiment e;
    for (int i = 0; i < 26; i++)
        assert_true(ports_add(&ports, (char[]){(char)('A' + i), 0}, &err));

    for (portset set = 1; set <= USAGE_SETS_MAX + 1; set++) {
        str_add(&text, set > 1 ? "+" : "");
        portset_print(set, &ports, &text);
    }
    assert_false(usage_parse(str_text(&text), &ports, &usage, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    text.data[strrchr(text.data, '+') - text.data] = '\0';
    assert_true(usage_parse(str_text(&text), &ports, &usage, &err));
    usage_done(&usage);

    str_clear(&text);
    for (unsigned i = 0; i <= EXPERIMENT_FORMS_MAX; i++)
        str_addf(&text, "%sF%u", i ? "+" : "", i);
    assert_false(experiment_parse(str_text(&text), &e, &err));
    assert_int_equal(err.code, ERR_LIMIT);

    struct mapping *m = mapping_new(&ports);
    str_clear(&text);
    str_add(&text, "form,usage\n");
    for (portset set = 1; set <= PORTSETS_MAX; set++) {
        str_addf(&text, "F%u,", set);
        portset_print(set, &ports, &text);
        str_add(&text, "\n");
    }
    assert_true(machine_parse_mapping(m, "x.csv", text.data, text.length, false, &err));
    str_clear(&text);
    str_add(&text, "form,usage\nONE MORE,1*pZ\n");
    assert_false(machine_parse_mapping(m, "x.csv", text.data, text.length, false, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    mapping_free(m);
    str_done(&text);
}

/* An invalid row invalidates its form, and not the import. No form may lose its µops. */
static void test_llvm_nonsense(void **state)
{
    static const char *const charges[] = {
        "TPort0[",        "TPort0[]",        "TPort0[4",
        "TPort0[x]",      "TPort0[4]x",      "TPort0,",
        "TPort0,Nothing", "TPort0[1,]",      "TPort0[1,2",
        "Nothing[2]",     "TPort0[9999999]", "TPort0[4294967296]",
        "TPort0[-1]",     ",TPort0",         "TPort0[9223372036854775808]",
    };
    static const char *const forms[] = {"ADD", "SUB"};
    struct err err = {0};
    for (size_t i = 0; i < sizeof charges / sizeof *charges; i++) {
        struct str table = {0};
        str_addf(
            &table,
            "Resources:\n[0]   - TPort0:1\n[1]   - TPort1:1\nInstruction Info:\n[1] Instructions:\n"
            " 1      1     0.50                         1     %s  ADD64rr add rcx, rdx\n"
            " 1      1     1.00                  U      1     TPort0  CLD cld\n"
            " 1      3     1.00                         1     TPort1[1,3]  SUB64rr sub rcx, rdx\n"
            " 1      1     1.00                  U      1     TPort0  CLD cld\n 1 1 1.00 1 TPort0",
            charges[i]);
        struct machine *m =
            import_llvm_parse(ISA_X86_64, "test", str_text(&table), table.length, forms, 2, &err);
        assert_non_null(m);
        if (mapping_find(m->mapping, "ADD"))
            fail_msg("%s gave a usage", charges[i]);
        assert_int_equal(mapping_find(m->mapping, "SUB")->usage.uops[0].count, 2);
        machine_free(m);
        str_done(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage_round_trip),   cmocka_unit_test(test_usage_text),
        cmocka_unit_test(test_ports_lists),        cmocka_unit_test(test_ports_rules),
        cmocka_unit_test(test_experiment_text),    cmocka_unit_test(test_csv_faults),
        cmocka_unit_test(test_machine_round_trip), cmocka_unit_test(test_group_accounting),
        cmocka_unit_test(test_llvm_nonsense),      cmocka_unit_test(test_csv_round_trip),
        cmocka_unit_test(test_csv_lines),          cmocka_unit_test(test_mapping_rows),
        cmocka_unit_test(test_machine_facts),      cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("model text", tests, NULL, NULL);
}
