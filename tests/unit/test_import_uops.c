/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "io/import.h"
#include "../support/support.h"

#define HEADER "\"instruction\",\"family\",\"latency\",\"throughput\",\"uops\",\"ports\"\n"

static const struct forms *forms;

static struct machine *parse(const char *text, const char *architecture, struct err *err)
{
    return import_uops_parse("test", "table", text, strlen(text), architecture, forms, err);
}

static void assert_form(const struct machine *m, const char *form, const char *usage,
                        double latency, unsigned micro_ops)
{
    const struct mapping_entry *entry = mapping_find(m->mapping, form);
    struct str text = {0};
    assert_non_null(entry);
    usage_print(&entry->usage, mapping_ports(m->mapping), &text);
    assert_string_equal(str_text(&text), usage);
    assert_true(isnan(latency) ? isnan(entry->latency) : fabs(entry->latency - latency) < 1e-9);
    assert_int_equal(entry->micro_ops, micro_ops);
    str_done(&text);
}

/* Ports are in the order of their names. Suffixes of opcodes are removed. The row with the form's
 * own name takes precedence. Dividers are blocked for the measured cycles. */
static void test_csv(void **state)
{
    struct err err = {0};
    struct machine *m = parse(
        HEADER
        "\"ADD_01 (R64, R64)\",\"BASE\",\"1\",\"0.25 / 0.25\",\"1 / 1\",\"1*p0156\"\n"
        "\"ADD_03 (R64, R64)\",\"BASE\",\"7\",\"0.25 / 0.25\",\"1 / 1\",\"1*p0\"\n"
        "\"ADC (R64, 0)\",\"BASE\",\"1\",\"0.5 / 0.5\",\"1 / 1\",\"1*p6\"\n"
        "\"ADC (R64, I8)\",\"BASE\",\"1\",\"0.5 / 0.5\",\"1 / 1\",\"1*p06\"\n"
        "\"LEA_B_D8 (R64)\",\"BASE\",\"1\",\"0.5 / 0.5\",\"1 / 1\",\"1*p15\"\n"
        "\"MOV_8B (R64, M64)\",\"BASE\",\"[≤3;≤5]\",\"0.5 / 0.5\",\"1 / 1\",\"1*p23A\"\n"
        "\"MOVSD_XMM_0F10 (XMM, M64)\",\"SSE2\",\"[5;≤5]\",\"0.5 / 0.5\",\"1 / 1\",\"1*p23A\"\n"
        "\"CDQ\",\"BASE\",\"1\",\"0.5 / 0.5\",\"1 / 1\",\"1*p06\"\n"
        "\"STOSB_REPE\",\"BASE\",\"\",\"9 / 20\",\"40 / 41\",\"2*p23A+1*p4\"\n"
        "\"VDIVPD (YMM, YMM, YMM)\",\"AVX\",\"[≤13.0;≤15]\",\"1.00 / 8.00\",\"1 / 1\",\"1*p0\"\n"
        "\"VSQRTSD (XMM, XMM, XMM)\",\"AVX\",\"\",\"1.00 / 4.50\",\"1 / 1\",\"1*p0\"\n"
        "\"NOP\",\"BASE\",\"\",\"0.25\",\"1 / 0\",\"\"\n",
        NULL, &err);
    if (!m)
        fail_msg("%s:%zu %s", err.file, err.line, err.what);
    const struct ports *ports = mapping_ports(m->mapping);
    assert_int_equal(ports->count, 9);
    assert_string_equal(ports->names[7], "A");
    assert_string_equal(ports->names[8], "DV");
    assert_int_equal(ports->pipes, 1 << 8);
    assert_form(m, "ADD (R64, R64)", "1*p0156", 1, 1);
    assert_form(m, "ADC (R64, I8)", "1*p06", 1, 1);
    assert_null(mapping_find(m->mapping, "ADC (R64, 0)"));
    assert_form(m, "LEA_B_D8 (R64)", "1*p15", 1, 1);
    assert_form(m, "MOV (R64, M64)", "1*p23A", 5, 1);
    assert_non_null(strstr(mapping_find(m->mapping, "MOV (R64, M64)")->source, "upper bound"));
    assert_form(m, "MOVSD (XMM, M64)", "1*p23A", 5, 1);
    assert_string_equal(mapping_find(m->mapping, "MOVSD (XMM, M64)")->source, "");
    assert_form(m, "CDQ ()", "1*p06", 1, 1);
    assert_form(m, "REP_STOSB ()", "1*p4+2*p23A", NAN, 41);
    assert_form(m, "VDIVPD (YMM, YMM, YMM)", "1*p0+8*p[DV]", 15, 1);
    assert_form(m, "VSQRTSD (XMM, XMM, XMM)", "1*p0+4*p[DV]", NAN, 1);
    assert_form(m, "NOP ()", "", NAN, 0);
    machine_free(m);
}

#define XML_START                                                                                  \
    "<?xml version=\"1.0\"?><root><extension name=\"BASE\"><instruction asm=\"ADD\" "              \
    "string=\"ADD_01 (R64, R64)\"><operand idx=\"1\"/>"
#define XML_SKL                                                                                    \
    "<architecture name=\"SKL\"><IACA version=\"2.3\" ports=\"1*p9\"/><measurement "               \
    "TP_loop=\"0.25\" ports=\"1*p0156\" uops=\"1\">"                                               \
    "<latency start_op=\"1\" target_op=\"1\" cycles=\"1\"/><latency start_op=\"2\" "               \
    "target_op=\"1\" cycles_mem=\"6\" cycles_mem_is_upper_bound=\"1\"/>"                           \
    "</measurement><measurement ports=\"9*p0\" uops=\"9\"/></architecture>"
#define XML_ZEN                                                                                    \
    "<architecture name=\"ZEN2\"><measurement ports=\"1*FP01+2*FP3\" uops=\"3\" "                  \
    "div_cycles=\"7\"/></architecture>"
#define XML_END "</instruction></extension></root>"

static void test_xml(void **state)
{
    struct err err = {0};
    struct machine *m = parse(XML_START XML_SKL XML_END, NULL, &err);
    assert_non_null(m);
    assert_form(m, "ADD (R64, R64)", "1*p0156", 6, 1);
    machine_free(m);
    assert_null(parse(XML_START XML_SKL XML_ZEN XML_END, NULL, &err));
    assert_non_null(strstr(err.what, "SKL"));
    assert_non_null(strstr(err.what, "ZEN2"));
    m = parse("\n " XML_START XML_SKL XML_ZEN XML_END, "ZEN2", &err);
    assert_null(m);   /* An XML declaration must come first. */
    m = parse(XML_START XML_SKL XML_ZEN XML_END, "ZEN2", &err);
    assert_non_null(m);
    assert_form(m, "ADD (R64, R64)", "1*p[FP0,FP1]+2*p[FP3]+7*p[DV]", NAN, 3);
    machine_free(m);
    assert_null(parse(XML_START XML_SKL XML_END, "HSW", &err));
    assert_non_null(strstr(err.what, "HSW"));
}

/* Files cannot declare entities or attributes: neither ten entities, each ten times the previous
 * one, nor one, nor the contents of a file. XML's predefined entities are text. */
static void test_xml_entities(void **state)
{
    static const char *const definitions[] = {
        ("<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c "
         "\"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">"),
        "<!ATTLIST instruction a CDATA \"b\">",
        "<!-- nothing -->",
        "<!ENTITY c \"1*p0\">",
        "<!ENTITY c SYSTEM \"/etc/passwd\">",
        "<!ENTITY % c \"<!ELEMENT x ANY>\">%c;",
    };
    struct str text = {0};

    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++) {
        struct err err = {0};
        str_clear(&text);
        str_addf(&text, "<?xml version=\"1.0\"?><!DOCTYPE root [%s]>%s%s%s", definitions[i],
                 &XML_START[strlen("<?xml version=\"1.0\"?>")], XML_SKL, XML_END);
        assert_null(parse(str_text(&text), NULL, &err));
        assert_int_equal(err.code, ERR_DATA);
        assert_non_null(strstr(err.what, "contains declarations"));
        assert_int_equal(err.line, 1);
    }
    struct err err = {0};
    struct machine *m = parse(XML_START "<architecture name=\"A&amp;B\"><measurement "
                                        "ports=\"1*p&#48;\" uops=\"1\"/></architecture>" XML_END,
                              "A&B", &err);
    assert_non_null(m);
    machine_free(m);
    str_done(&text);
}

/* The stream may be split anywhere, here into single bytes. */
static void test_stream(void **state)
{
    struct err err = {0};
    const char *path = work_path("table.xml");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(XML_START XML_SKL, file);
    for (int i = 0; i < 20000; i++)
        fputs(
            "<architecture name=\"HSW\"><measurement ports=\"1*p0\" uops=\"1\"/></architecture>\n",
            file);
    fputs(XML_END, file);
    assert_int_equal(fclose(file), 0);
    struct machine *m = import_uops("streamed", path, "SKL", forms, &err);
    assert_non_null(m);
    assert_string_equal(m->id, "streamed");
    assert_int_equal(mapping_count(m->mapping), 1);
    machine_free(m);
    remove(path);
    assert_null(import_uops("x", path, NULL, forms, &err));
    assert_int_equal(err.code, ERR_MISSING);
}

static void test_malformed(void **state)
{
    static const struct { const char *text; size_t line;
    } bad[] = {
        {"", 0},
        {"instruction,latency\n", 1},
        {HEADER "\"ADD (R64, R64)\",\"BASE\",\"1\",\"1 / 1\",\"1 / 1\",\"1*q0\"\n", 2},
        {HEADER "\"ADD (R64, R64)\",\"BASE\",\"1\",\"1 / 1\",\"1 / 1\",\"1*p0+\"\n", 2},
        {HEADER "\"ADD (R64, R64)\",\"BASE\",\"1\",\"1 / 1\",\"1 / 1\",\"0*p0\"\n", 2},
        {HEADER "\"A ()\",\"B\",\"1\",\"1 / 1\",\"1 / 1\",\"1*p0\"\n\"ADD (R64, "
                "R64)\",\"BASE\",\"1\",\"1 / 1\",\"1 / 1\",\"p0\"\n",
         3},
        {HEADER "\"A ()\",\"B\",\"1\",\"1 / 1\",\"1 / 1\",\"-3*p0\"\n", 2},
        {HEADER "\"A ()\",\"B\",\"1\",\"1 / 1\",\"1 / 1\",\"99999999999*p0\"\n", 2},
        {HEADER
         "\"A ()\",\"B\",\"1\",\"1 / 1\",\"1 / 1\",\"1*p0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ\"\n",
         2},
        {HEADER "\"A ()\",\"B\",\"1\",\"1 / 1\",\"1 / 1\",\"\"\n", 0},
        {HEADER "\"A ()\",\"B\",\"1\"\n", 2},
        {"<root>", 1},
        {"<root></root>", 0},
        {"<root><instruction></instruction></root>", 1},
        {"<root>\n<architecture name=\"SKL\"><measurement ports=\"1*p0\"/></architecture></root>",
         2},
        {"<root><instruction "
         "string=\"A\"><architecture><measurement/></architecture></instruction></root>",
         1},
        {XML_START "<architecture name=\"SKL\"><measurement ports=\"1*p\"/></architecture>" XML_END,
         1},
        {XML_START "<architecture name=\"SKL\"><measurement "
                   "ports=\"1*p0\"><instruction/></measurement></architecture>" XML_END,
         1},
        {"<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c "
         "\"&b;&b;&b;&b;&b;&b;\">]><root>&c;</root>",
         0},
        {"<\xff\xfe", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = {0};
        struct machine *m = parse(bad[i].text, NULL, &err);
        if (m)
            fail_msg("case %zu was taken", i);
        assert_true(err.code != ERR_NONE);
        assert_true(err.what[0] != '\0');
        assert_string_equal(err.file, "table");
        if (bad[i].line)
            assert_int_equal(err.line, bad[i].line);
    }
}

/* If the real tables are available, all of them must be imported. */
static void test_whole_tables(void **state)
{
    const char *shared = getenv("PORTOLAN_SHARED");
    struct str path = {0};
    struct err err = {0};
    if (!shared)
        return;
    str_addf(&path, "%s/data/uops-info/skylake.csv", shared);
    struct machine *m = import_uops("skylake-table", str_text(&path), NULL, forms, &err);
    if (!m)
        fail_msg("%s:%zu %s", err.file, err.line, err.what);
    assert_true(mapping_count(m->mapping) > 3000);
    assert_form(m, "VFMADD132PD (YMM, YMM, M256)", "1*p01+1*p23", 12, 2);
    size_t known = 0;
    for (size_t i = 0; i < mapping_count(m->mapping); i++)
        known += forms_find(forms, mapping_at(m->mapping, i)->form) != NULL;
    assert_true(known > 3000);
    machine_free(m);
    str_done(&path);
}

/* The cycles of a form alone are the least measured value of its rows. Special cases and rows
 * without a number have none. */
static void test_alone(void **state)
{
    static const char table[] = HEADER
        "\"PAUSE\",\"PAUSE\",\"\",\"0.50 / 140.00\",\"4 / 1\",\"1*p06\"\n"
        "\"ADD_01 (R64, R64)\",\"BASE\",\"1\",\"0.25 / 0.27\",\"1 / 1\",\"1*p0156\"\n"
        "\"ADD_03 (R64, R64)\",\"BASE\",\"1\",\"0.25 / 0.25\",\"1 / 1\",\"1*p0156\"\n"
        "\"ADC (R64, 0)\",\"BASE\",\"1\",\"0.5 / 9\",\"1 / 1\",\"1*p6\"\n"
        "\"CPUID\",\"BASE\",\"\",\"\",\"\",\"\"\n";
    struct err err = {0};

    work_put("alone.csv", table);
    struct mapping *m = import_uops_alone(work_path("alone.csv"), forms, &err);
    assert_non_null(m);
    assert_true(mapping_find(m, "PAUSE ()")->latency == 140);
    assert_true(mapping_find(m, "ADD (R64, R64)")->latency == 0.25);
    assert_int_equal(mapping_count(m), 2);
    mapping_free(m);
    assert_null(import_uops_alone(work_path("none.csv"), forms, &err));
    assert_non_null(strstr(err.what, "cannot open"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),          cmocka_unit_test(test_xml),
        cmocka_unit_test(test_stream),       cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_whole_tables), cmocka_unit_test(test_xml_entities),
        cmocka_unit_test(test_alone),
    };
    forms = shipped_forms_of(ISA_X86_64);
    return cmocka_run_group_tests_name("import_uops", tests, NULL, NULL);
}
