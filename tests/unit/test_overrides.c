/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "io/overrides.h"
#include "../support/support.h"

static struct mapping *three_forms(void)
{
    static const char *const names[] = {"SUB (R64, R64)", "ADD (R64, M64)", "ADD (R64, R64)",
                                        "VADDPD (XMM, XMM, XMM)"};
    static const char *const usages[] = {"1*p01", "1*p01+2*p2", "1*p01", "1*p0"};
    struct ports ports = {0};
    for (int i = 0; i < 3; i++)
        assert_true(ports_add(&ports, (char[]){(char)('0' + i), 0}, NULL));
    struct mapping *m = mapping_new(&ports);
    for (int i = 0; i < 4; i++) {
        struct mapping_entry entry = {
            .form = (char *)names[i], .latency = 1, .micro_ops = 7, .source = "made"};
        assert_true(usage_parse(usages[i], &ports, &entry.usage, NULL));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

static bool apply(struct mapping *m, const char *forms, const char *usage, double latency,
                  double micro_ops, struct err *err)
{
    struct override o = {
        .forms = forms, .latency = latency, .micro_ops = micro_ops, .source = "corrected"};
    struct override_list *list = override_list_new(m);
    bool ok =
        override_parse_usage(usage, mapping_ports(m), &o, err) && override_apply(list, &o, err);
    override_done(&o);
    override_list_free(list);
    return ok;
}

static void assert_entry(const struct mapping *m, const char *form, const char *usage,
                         double latency, unsigned micro_ops, const char *source)
{
    const struct mapping_entry *entry = mapping_find(m, form);
    struct str text = {0};
    assert_non_null(entry);
    usage_print(&entry->usage, mapping_ports(m), &text);
    assert_string_equal(str_text(&text), usage);
    assert_true(fabs(entry->latency - latency) < 1e-9);
    assert_int_equal(entry->micro_ops, micro_ops);
    assert_string_equal(entry->source, source);
    str_done(&text);
}

static void test_set_add_take(void **state)
{
    struct mapping *m = three_forms();
    struct err err = {0};
    assert_true(apply(m, "ADD (R64, M64)", "", 6, NAN, &err));
    assert_entry(m, "ADD (R64, M64)", "1*p01+2*p2", 6, 7, "corrected");
    assert_true(apply(m, "ADD (R64, M64)", "+1*p2", NAN, NAN, &err));
    /* The number of µops is unknown. */
    assert_entry(m, "ADD (R64, M64)", "1*p01+3*p2", 6, 0, "corrected");
    assert_true(apply(m, "ADD (R64, M64)", "-2*p2+1*p01", NAN, 1, &err));
    assert_entry(m, "ADD (R64, M64)", "1*p2", 6, 1, "corrected");
    assert_true(apply(m, "ADD (R64, M64)", "none", NAN, NAN, &err));
    assert_entry(m, "ADD (R64, M64)", "", 6, 0, "corrected");
    assert_true(apply(m, "NEW (R64)", "1*p0", 3, 1, &err));
    assert_entry(m, "NEW (R64)", "1*p0", 3, 1, "corrected");
    mapping_free(m);
}

static void test_patterns(void **state)
{
    struct mapping *m = three_forms();
    struct err err = {0};
    assert_true(apply(m, "{ADD,SUB} (R64, {R64,M64})", "1*p2", NAN, NAN, &err));
    assert_entry(m, "SUB (R64, R64)", "1*p2", 1, 0, "corrected");
    assert_entry(m, "ADD (R64, M64)", "1*p2", 1, 0, "corrected");
    assert_entry(m, "ADD (R64, R64)", "1*p2", 1, 0, "corrected");
    assert_entry(m, "VADDPD (XMM, XMM, XMM)", "1*p0", 1, 7, "made");
    assert_true(apply(m, "{V,}ADD* (?*)", "", 9, NAN, &err));
    assert_entry(m, "SUB (R64, R64)", "1*p2", 1, 0, "corrected");
    assert_entry(m, "ADD (R64, R64)", "1*p2", 9, 0, "corrected");
    assert_entry(m, "VADDPD (XMM, XMM, XMM)", "1*p0", 9, 7, "corrected");
    assert_true(apply(m, "*XMM)", "1*p01", NAN, NAN, &err));
    assert_entry(m, "VADDPD (XMM, XMM, XMM)", "1*p01", 9, 0, "corrected");
    mapping_free(m);
}

static void test_refused(void **state)
{
    struct mapping *m = three_forms();
    struct err err = {0};
    assert_false(apply(m, "MUL*", "1*p0", NAN, NAN, &err));
    assert_non_null(strstr(err.what, "MUL*"));
    assert_false(apply(m, "ADD (R64, R64)", "-1*p2", NAN, NAN, &err));
    assert_false(apply(m, "ADD (R64, R64)", "-2*p01", NAN, NAN, &err));
    assert_false(apply(m, "UNKNOWN ()", "-1*p0", NAN, NAN, &err));
    assert_false(apply(m, "{ADD (R64, R64)", "1*p0", NAN, NAN, &err));
    assert_false(apply(m, "{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}{A,B}",
                       "1*p0", NAN, NAN, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_false(apply(m, "ADD (R64, R64)", "1*p9", NAN, NAN, &err));
    assert_entry(m, "ADD (R64, R64)", "1*p01", 1, 7, "made");
    mapping_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_set_add_take),
                                       cmocka_unit_test(test_patterns),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("overrides", tests, NULL, NULL);
}
