/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mappings in the notations of PMEvo and uops.info, and as CSV. Export and import do not change
 * them. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "io/export_mapping.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "io/pmevo_json.h"
#include "io/pmevo_names.h"
#include "../support/support.h"

/* Compares the usages of both as text, with names of ports instead of numbers and the µops of a set
 * in order of names. */
static void assert_same_usages(const struct mapping *a, const struct mapping *b)
{
    assert_int_equal(mapping_count(a), mapping_count(b));
    for (size_t i = 0; i < mapping_count(a); i++) {
        const struct mapping_entry *x = mapping_at(a, i), *y = mapping_find(b, x->form);
        if (!y)
            fail_msg("%s got lost", x->form);
        assert_int_equal(x->usage.count, y->usage.count);
        for (unsigned k = 0; k < x->usage.count; k++) {
            portset there = 0;
            for (unsigned j = 0; j < mapping_ports(a)->count; j++)
                if (x->usage.uops[k].ports >> j & 1) {
                    int port = ports_find(mapping_ports(b), mapping_ports(a)->names[j],
                                          strlen(mapping_ports(a)->names[j]));
                    assert_true(port >= 0);
                    there |= (portset)1 << port;
                }
            bool found = false;
            for (unsigned n = 0; n < y->usage.count; n++)
                found |= y->usage.uops[n].ports == there &&
                         y->usage.uops[n].count == x->usage.uops[k].count;
            assert_true(found);
        }
    }
}

static void test_pmevo_names(void **state)
{
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    static const char *const known[][2] = {
        {"ADD (R64, I8)", "ADD_((REG:RW:G:64)),_((IMM:8))"},
        {"ADD (R64, M64)", "ADD_((REG:RW:G:64)),_qword_ptr_[((MEM:64))_+_((MIMM:16))]"},
        {"VADDPD (YMM, YMM, M256)",
         "VADDPD_((REG:W:V:256)),_((REG:R:V:256)),_ymmword_ptr_[((MEM:64))_+_((MIMM:16))]"},
        {"VPSHUFD (YMM, YMM, I8)", "VPSHUFD_((REG:W:V:256)),_((REG:R:V:256)),_((IMM:8))"},
        {"SHL (R64, CL)", ""},
        {"VADDPD (ZMM, ZMM, ZMM)", ""},
        {"LEA_B_D8 (R64)", ""},
    };
    struct str name = {0}, back = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        str_clear(&name);
        pmevo_name_of(forms_find(forms, known[i][0]), &name);
        assert_string_equal(str_text(&name), known[i][1]);
    }
    /* Each form is exported in PMEvo's notation and imported as the same form. */
    size_t written = 0;
    for (size_t i = 0; i < forms_count(forms); i++) {
        str_clear(&name);
        str_clear(&back);
        pmevo_name_of(forms_at(forms, i), &name);
        written += name.length > 0;
        if (name.length && (!pmevo_form_name(str_text(&name), &back) ||
                            strcmp(str_text(&back), forms_at(forms, i)->form) != 0))
            fail_msg("%s became %s", forms_at(forms, i)->form, str_text(&name));
    }
    assert_true(written > 1000);
    str_done(&name);
    str_done(&back);
}

static void test_pmevo_round_trip(void **state)
{
    struct machine *m = machine_load("skylake", NULL);
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    struct str text = {0};
    struct err err = {0};

    export_pmevo(m, forms, NULL, &text);
    struct mapping *back = pmevo_mapping_parse("back", text.data, text.length, &err);
    if (!back)
        fail_msg("%s", err.what);
    assert_same_usages(m->mapping, back);
    mapping_free(back);
    /* Two levels cannot represent the mapping. The message names the first form with several
     * µops. */
    str_clear(&text);
    assert_false(export_pmevo_flat(m, forms, NULL, &text, &err));
    assert_true(strstr(err.what, "several µops"));
    machine_free(m);
    str_done(&text);
}

static void test_flat_round_trip(void **state)
{
    struct ports ports = {0};
    struct str text = {0};
    for (unsigned i = 0; i < 4; i++) {
        char name[] = {(char)('0' + i), 0};
        ports_add(&ports, name, NULL);
    }
    struct machine *m = machine_new("flat", &ports);
    static const char *const names[] = {"ADD (R64, R64)", "SHL (R64, CL)", "NOP ()", "X (Q)"};
    for (unsigned i = 0; i < 4; i++) {
        struct mapping_entry entry = {
            .form = (char *)names[i], .latency = NAN, .source = (char *)""};
        if (i != 2)
            usage_add(&entry.usage, i + 8, 1);
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
    }
    assert_true(export_pmevo_flat(m, NULL, NULL, &text, NULL));
    struct mapping *back = pmevo_mapping_parse("back", text.data, text.length, NULL);
    assert_non_null(back);
    assert_same_usages(m->mapping, back);
    json_t *root = json_loads(text.data, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(root, "kind")), "Mapping");
    json_decref(root);
    mapping_free(back);
    machine_free(m);
    str_done(&text);
}

static void test_uops_info_columns(void **state)
{
    struct machine *m = machine_load("skylake", NULL);
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    struct str text = {0};

    export_uops_info(m, forms, &text);
    struct csv_table *t = csv_table_parse("table", text.data, text.length, NULL);
    assert_non_null(t);
    assert_int_equal(t->count, mapping_count(m->mapping));
    static const char *const header[] = {"instruction", "family", "latency",
                                         "throughput",  "uops",   "ports"};
    for (size_t c = 0; c < 6; c++)
        assert_string_equal(t->header[c], header[c]);
    for (size_t i = 0; i < t->count; i++) {
        /* Parsed like uops.info's ports column, the text is the usage of the machine. */
        const struct mapping_entry *entry = mapping_find(m->mapping, t->rows[i][0]);
        struct usage usage;
        assert_non_null(entry);
        assert_true(usage_parse(t->rows[i][5], mapping_ports(m->mapping), &usage, NULL));
        assert_true(usage_equal(&usage, &entry->usage));
        usage_done(&usage);
        if (strcmp(entry->form, "ADD (R64, R64)") == 0) {
            assert_string_equal(t->rows[i][1], "BASE");
            assert_string_equal(t->rows[i][3], "0.25 / 0.25");
        }
        /* The divider takes four cycles, port 0 takes one. */
        if (strcmp(entry->form, "VDIVSD (XMM, XMM, XMM)") == 0)
            assert_string_equal(t->rows[i][3], "1.00 / 4.00");
    }
    csv_table_free(t);
    /* The importer returns the same usages, also for dividers and long names. */
    for (unsigned i = 0; i < 2; i++) {
        struct machine *from = i ? machine_load("znver4", NULL) : m;
        str_clear(&text);
        export_uops_info(from, forms, &text);
        struct machine *back =
            import_uops_parse("back", "table", text.data, text.length, NULL, forms, NULL);
        assert_non_null(back);
        assert_same_usages(from->mapping, back->mapping);
        if (from != m)
            machine_free(from);
        machine_free(back);
    }
    machine_free(m);
    str_done(&text);
}

static void test_csv_alone(void **state)
{
    struct machine *m = machine_load("znver4", NULL);
    struct str text = {0};
    const char *path = work_path("table.csv");
    struct err err = {0};

    machine_mapping_csv(m, &text);
    assert_true(file_write(path, text.data, text.length, NULL));
    struct machine *back = machine_load_csv("back", path, &err);
    if (!back)
        fail_msg("%s", err.what);
    assert_same_usages(m->mapping, back->mapping);
    machine_free(back);
    /* A divider is recognised by its name, regardless of its number. */
    work_put("table.csv", "form,usage\nA,1*p[DV]\nB,1*p0\nC,\"2*p[0,FPDV]+1*p[DV]\"\n");
    back = machine_load_csv("pipes", path, &err);
    assert_non_null(back);
    const struct ports *ports = mapping_ports(back->mapping);
    assert_int_equal(ports->count, 3);
    for (unsigned j = 0; j < 3; j++)
        assert_int_equal(ports->pipes >> j & 1, strcmp(ports->names[j], "0") != 0);
    machine_free(back);

    static const struct { const char *text, *what; size_t line; } faults[] = {
        {"form,latency\nA,1\n", "column usage is missing", 1},
        {"form,usage\nA,1*p0\nB,1*\n", "", 3},
        {"form,usage\n,1*p0\n", "empty", 2},
        {"form,usage,latency\nA,1*p0,soon\n", "invalid latency", 2},
        {"form,usage\nA,1*p[toolongaportname]\n", "", 2},
        {"form,usage\nA,1*p0\nB\n", "1 field,", 3},
        {"", "empty", 0},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct err fault = {0};
        work_put("table.csv", faults[i].text);
        assert_null(machine_load_csv("x", path, &fault));
        if (!strstr(fault.what, faults[i].what) || (faults[i].line && fault.line != faults[i].line))
            fail_msg("%zu: line %zu: %s", i, fault.line, fault.what);
    }
    machine_free(m);
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pmevo_names),     cmocka_unit_test(test_pmevo_round_trip),
        cmocka_unit_test(test_flat_round_trip), cmocka_unit_test(test_uops_info_columns),
        cmocka_unit_test(test_csv_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
