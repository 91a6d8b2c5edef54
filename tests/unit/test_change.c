/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to named values of a machine, and sweeps of one value. */
#include <stdio.h>
#include <string.h>

#include "io/machine_file.h"
#include "model/change.h"
#include "model/facts.h"
#include "../support/support.h"

static struct machine *machine;

static int set_up(void **state)
{
    machine = machine_load("skylake", NULL);
    return machine ? 0 : -1;
}

static int tear_down(void **state)
{
    machine_free(machine);
    return 0;
}

static void assert_refused(const char *name, const char *value, const char *what)
{
    struct err err = {0};
    assert_false(machine_change(machine, name, value, &err));
    if (err.code != ERR_USAGE || (!strstr(err.what, what) && !strstr(err.todo, what)))
        fail_msg("%s=%s: %d %s; %s", name, value, err.code, err.what, err.todo);
}

static void test_facts(void **state)
{
    struct err err = {0};
    assert_true(machine_change(machine, "issue_width", "6", &err));
    assert_true(fact_number(machine, "issue_width") == 6);
    /* This adds a fact that the machine lacked. */
    assert_true(machine_change(machine, "decode_width", "6", &err));
    assert_true(machine_change(machine, "stack_engine", "no", &err));
    assert_true(machine_change(machine, "indexed_store_ports", "p237", &err));
    assert_refused("issue_width", "0.5", "from 1 to 65536");
    assert_refused("issue_width", "six", "must be a number");
    assert_refused("scheduler", "97.5", "whole");
    assert_refused("stack_engine", "off", "yes or no");
    assert_refused("indexed_store_ports", "p29", "ports of the machine");
    assert_refused("isue_width", "6", "did you mean issue_width?");
    assert_refused("ports", "0,1", "cannot be changed");
    assert_refused("title", "x", "cannot be changed");
    assert_refused("", "x", "help facts");
    assert_refused("ADD (R64, R64)", "1*p05", "usage:FORM=USAGE");
    assert_true(fact_number(machine, "issue_width") == 6);
}

static void test_forms(void **state)
{
    struct err err = {0};
    assert_true(machine_change(machine, "usage:ADD (R64, R64)", "2*p01", &err));
    assert_true(machine_change(machine, "latency:ADD (R64, R64)", "7", &err));
    const struct mapping_entry *entry = mapping_find(machine->mapping, "ADD (R64, R64)");
    assert_true(entry->latency == 7 && entry->usage.count == 1 && entry->usage.uops[0].count == 2);
    assert_true(machine_change(machine, "usage:NEW ()", "none", &err) &&
                mapping_find(machine->mapping, "NEW ()"));
    assert_refused("latency:ADD (R64, R64)", "-1", "invalid latency");
    assert_refused("latency:NOSUCH ()", "1", "has no form");
    assert_false(machine_change(machine, "usage:ADD (R64, R64)", "1*p99", &err));
}

/* Inferred slots are independent of the usage. A form with a new usage retains its slots, except
 * those of removed µops. A blocked pipe uses no slot. */
static void test_inferred_slots_stay(void **state)
{
    static const struct {
        const char *before;
        unsigned slots;
        const char *now;
        unsigned left;
    } cases[] = {
        {"1*p01+1*p23", 1, "1*p06+1*p23", 1},
        {"3*p0156", 3, "1*p0156", 1},
        {"3*p0156", 3, "2*p0156", 2},
        {"1*p0", 2, "1*p01", 2},
        {"2*p0156", 1, "1*p0156", 1},
        {"1*p0", 1, "4*p0", 1},
        {"1*p0+6*p[FPDV]", 2, "1*p0+3*p[FPDV]", 2},
        {"1*p0", 0, "1*p1", 0},
        {"1*p0", 1, "none", 1},
    };
    struct machine *m = machine_copy(machine);
    const struct ports *ports = mapping_ports(m->mapping);
    struct err err = {0};

    assert_true(machine_change(m, "usage:ADD (R64, R64)", "2*p01", &err));
    /* 0 means that it is derived from the usage. */
    assert_int_equal(mapping_find(m->mapping, "ADD (R64, R64)")->micro_ops, 0);
    mapping_set_issue_width(m->mapping, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mapping_entry entry = {.form = (char *)"ADD (R64, R64)",
                                      .latency = 1,
                                      .micro_ops = cases[i].slots,
                                      .source = (char *)""};
        assert_true(usage_parse(cases[i].before, ports, &entry.usage, &err));
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
        assert_true(machine_change(m, "usage:ADD (R64, R64)", cases[i].now, &err));
        unsigned left = mapping_find(m->mapping, "ADD (R64, R64)")->micro_ops;
        if (left != cases[i].left)
            fail_msg("%s in %u slots, %s: %u slots", cases[i].before, cases[i].slots, cases[i].now,
                     left);
    }
    assert_true(machine_change(m, "usage:NEWER ()", "1*p0", &err));
    assert_int_equal(mapping_find(m->mapping, "NEWER ()")->micro_ops, 1);
    machine_free(m);
}

static void test_ranges(void **state)
{
    static const struct { const char *name, *value, *what; long from, to;
    } cases[] = {
        {"scheduler", "32..128", NULL, 32, 128},
        {"latency:ADD (R64, R64)", "0..9", NULL, 0, 9},
        {"loop_buffer", "0..64", NULL, 0, 64},
        {"scheduler", "0..8", "from 1 to 65536", 0, 0},
        {"scheduler", "8..4", "ascending values", 0, 0},
        {"scheduler", "1..2000", "at most 1000 ascending values", 0, 0},
        {"stack_engine", "0..1", "not a number", 0, 0},
        {"nosuch", "0..1", "unknown fact", 0, 0},
        {"usage:ADD (R64, R64)", "1..2", "not to usages", 0, 0},
        {"latency:ADD (R64, R64)", "-1..2", "invalid latency", 0, 0},
        {"scheduler", "32", "", 0, 0},
        {"scheduler", "32..", "", 0, 0},
        {"scheduler", "a..b", "", 0, 0},
        {"scheduler", "3..5x", "", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        long from, to;
        bool swept = change_range(cases[i].name, cases[i].value, 1000, &from, &to, &err);
        if (swept != !cases[i].what || (swept && (from != cases[i].from || to != cases[i].to)) ||
            (!swept && (!!err.code != !!*cases[i].what || !strstr(err.what, cases[i].what))))
            fail_msg("%s=%s: %d %s", cases[i].name, cases[i].value, swept, err.what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_facts), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_inferred_slots_stay),
                                       cmocka_unit_test(test_ranges)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
