/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ports with equal load form groups. Each port is in one group, and sums are preserved. Groups are
 * named by their function for the machine's forms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_groups.h"
#include "analysis/port_names.h"
#include "base/steps.h"
#include "../support/support.h"

#define DOT                                                                                        \
    ".L3:\nvmovsd (%rdi,%rax,8), %xmm0\nvmulsd (%rsi,%rax,8), %xmm0, %xmm0\nincq %rax\nvaddsd "    \
    "%xmm0, %xmm1, %xmm1\ncmpq %rax, %rdx\njne .L3\n"
#define COPY                                                                                       \
    ".L3:\nmovq (%rdi,%rax,8), %rcx\nmovq %rcx, (%rsi,%rax,8)\nincq %rax\ncmpq %rax, %rdx\njne "   \
    ".L3\n"

struct shown {
    struct kernel *kernel;
    struct machine *machine;
    struct analysis *analysis;
    struct port_groups groups;
};

static struct shown show(const char *machine, const char *text, portset apart)
{
    struct shown s = {.kernel = kernel_of(text), .machine = load_machine(machine)};

    s.analysis = analysis_new(s.kernel, 0, s.machine);
    port_groups_of(s.analysis, apart, &s.groups);
    return s;
}

static void done(struct shown *s)
{
    analysis_free(s->analysis);
    machine_free(s->machine);
    kernel_free(s->kernel);
}

/* Checks the groups, written "12345 ALU|AB load|". */
static void assert_groups(const char *machine, const char *text, const char *expected)
{
    struct shown s = show(machine, text, 0);
    struct str got = {0};

    for (unsigned i = 0; i < s.groups.count; i++) {
        port_group_name(s.groups.items[i].ports, &s.analysis->ports, &got);
        str_addf(&got, " %s|", s.groups.items[i].purpose);
    }
    assert_string_equal(str_text(&got), expected);
    str_done(&got);
    done(&s);
}

static void test_named(void **state)
{
    assert_groups("zen5-charted", DOT,
                  "ALU0-2 ALU|ALU3-5 ALU|FP0,2 FP mul|FP1,3 FP add|LD0-1 load|");
    assert_groups("zen5-charted", COPY, "ALU0-2 ALU|ALU3-5 ALU|LD0-1 load|AG0-1 AGU|");
    assert_groups("znver4", DOT,
                  "ALU0 BR1 branch|ALU1-3 ALU|AGU0-2 AGU|FP0-1 FP mul|FP2-3 FP add|FP4-5 FP|");
    assert_groups("skylake", DOT, "01 FP|23 AGU|5 |6 ALU|");
    assert_groups("skylake", COPY, "06 ALU|15 ALU|23 AGU|4 store|");
    assert_groups("golden-cove-charted", DOT, "AG0 LD0 AGU|1 |24 |5 |6 |");
}

/* By the definition, port by port: every busy port is in one group, members have equal loads in
 * each row, and any two groups differ in a row. */
static void test_definition(void **state)
{
    static const char *const machines[] = {"skylake",     "zen5-charted",        "znver4",
                                           "haswell",     "golden-cove-charted", "sapphirerapids",
                                           "zen3-charted"};
    static const char *const texts[] = {DOT, COPY};

    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        for (size_t t = 0; t < 2; t++) {
            struct shown s = show(machines[m], texts[t], 0);
            const struct analysis *a = s.analysis;
            const struct ports *ports = mapping_ports(s.machine->mapping);
            portset seen = s.groups.idle;
            double sum = 0, all = 0;
            for (unsigned i = 0; i < s.groups.count; i++) {
                const portset set = s.groups.items[i].ports;
                assert_int_equal(seen & set, 0);
                seen |= set;
                sum += port_group_sum(a->totals, set);
                for (unsigned j = 0; j < ports->count; j++)
                    for (unsigned k = 0; k < ports->count; k++) {
                        bool alike = true;
                        for (size_t r = 0; r < a->count; r++)
                            alike &= fabs(a->rows[r].pressure[j] - a->rows[r].pressure[k]) < 1e-6;
                        if (set >> j & 1 && (set >> k & 1 ? !alike : alike))
                            fail_msg("%s: ports %s and %s", machines[m], ports->names[j],
                                     ports->names[k]);
                    }
            }
            for (unsigned j = 0; j < ports->count; j++)
                all += s.groups.idle >> j & 1 ? 0 : a->totals[j];
            assert_int_equal(seen,
                             ports->count == 32 ? ~(portset)0 : ((portset)1 << ports->count) - 1);
            assert_true(fabs(sum - all) < 1e-9);
            done(&s);
        }
}

/* On charted machines, a renamed port has a unique name for its function. All other machines retain
 * their names. */
static void test_shown(void **state)
{
    static const char *const machines[] = {"zen5-charted",         "zen4-charted", "zen3-charted",
                                           "golden-cove-charted",  "skylake",      "znver4",
                                           "golden-cove-inferred", "neoverse-n1"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine *m = load_machine(machines[i]);
        const struct ports *own = mapping_ports(m->mapping);
        struct ports shown;
        unsigned renamed = 0;
        ports_shown(m, &shown);
        assert_int_equal(shown.count, own->count);
        assert_int_equal(shown.pipes, own->pipes);
        for (unsigned j = 0; j < own->count; j++) {
            const bool other = strcmp(shown.names[j], own->names[j]) != 0;
            renamed += other;
            assert_false(other && own->pipes >> j & 1);
            assert_int_equal(ports_find(&shown, shown.names[j], strlen(shown.names[j])), j);
        }
        assert_true((renamed > 0) == (strstr(machines[i], "-charted") != NULL));
        if (i == 0) {   /* Zen 5 has the documented ports. */
            static const char *const zen5[] = {"ALU0", "ALU1", "ALU2", "ALU3", "ALU4", "ALU5",
                                               "FP0",  "FP1",  "FP2",  "FP3",  "LD0",  "LD1",
                                               "AG0",  "AG1",  "ST0",  "ST1"};
            for (unsigned j = 0; j < sizeof zen5 / sizeof *zen5; j++)
                assert_string_equal(shown.names[j], zen5[j]);
        }
        machine_free(m);
    }
}

/* Returns @set with ports @a and @b exchanged. */
static portset exchanged(portset set, unsigned a, unsigned b)
{
    const portset both = (portset)1 << a | (portset)1 << b;
    return portset_size(set & both) == 1 ? set ^ both : set;
}

/* Forms are examined once and cached. After a change, names and purposes are computed again. */
static void test_changed(void **state)
{
    struct machine *m = load_machine("zen5-charted");
    struct ports before, again, after;
    const portset first = 1;
    const char *purpose;
    ports_shown(m, &before);
    assert_string_equal(before.names[0], "ALU0");
    assert_string_equal(before.names[6], "FP0");
    const uint64_t steps = steps_taken;
    ports_shown(m, &again);
    port_purposes(m, &first, 1, &purpose);
    assert_int_equal(steps_taken, steps);
    assert_memory_equal(&again, &before, sizeof before);
    assert_string_equal(purpose, "ALU");
    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        const struct mapping_entry *e = mapping_at(m->mapping, i);
        struct mapping_entry other = *e;
        usage_copy(&other.usage, &e->usage);
        for (unsigned k = 0; k < other.usage.count; k++)
            other.usage.uops[k].ports = exchanged(other.usage.uops[k].ports, 0, 6);
        mapping_set(m->mapping, &other);
        usage_done(&other.usage);
    }
    ports_shown(m, &after);
    assert_true(steps_taken > steps);
    assert_string_equal(after.names[0], "FP0");
    assert_string_equal(after.names[6], "ALU5");
    machine_free(m);
}

/* A usage can be written with the displayed names and with the machine's own. */
static void test_read(void **state)
{
    static const char *const machines[] = {"zen5-charted", "golden-cove-charted", "skylake"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine *m = load_machine(machines[i]);
        struct ports shown;
        ports_shown(m, &shown);
        for (size_t f = 0; f < mapping_count(m->mapping); f++) {
            const struct usage *usage = &mapping_at(m->mapping, f)->usage;
            for (int letters = 0; letters < 2; letters++) {
                struct str text = {0}, again = {0};
                struct usage read;
                struct err err = {0};
                usage_print(usage, letters ? mapping_ports(m->mapping) : &shown, &text);
                if (!ports_shown_parse(m, str_text(&text), &read, &err))
                    fail_msg("%s: %s: %s", machines[i], str_text(&text), err.what);
                usage_print(&read, letters ? mapping_ports(m->mapping) : &shown, &again);
                assert_string_equal(str_text(&again), str_text(&text));
                usage_done(&read);
                str_done(&text);
                str_done(&again);
            }
        }
        struct usage none;
        struct err err = {0};
        assert_false(ports_shown_parse(m, "1*p[NOSUCH]", &none, &err));
        assert_non_null(strstr(err.what, "NOSUCH"));
        machine_free(m);
    }
}

static void test_apart(void **state)
{
    struct shown s = show("zen5-charted", DOT, 1u << 2);

    for (unsigned i = 0; i < s.groups.count; i++)
        assert_true(s.groups.items[i].ports == 1u << 2 || !(s.groups.items[i].ports >> 2 & 1));
    done(&s);
}

static void assert_name(const char *list, portset set, const char *expected)
{
    struct ports ports = {0};
    struct str name = {0};
    struct err err = {0};

    assert_true(ports_parse(list, &ports, &err));
    port_group_name(set, &ports, &name);
    assert_string_equal(str_text(&name), expected);
    str_done(&name);
}

static void test_names(void **state)
{
    assert_name("0,1,5,6", 15, "0156");
    assert_name("ALU0,ALU1,ALU2,ALU3", 15, "ALU0-3");
    assert_name("FP0,FP1,FP2", 5, "FP0,2");
    assert_name("M0,M1,S0,S1", 15, "M0-1 S0-1");
    assert_name("L0,L1,DV", 7, "L0-1 DV");
    assert_name("0,1,DV", 7, "01 DV");
    assert_name("u9,u10,u11", 7, "u9-11");
    assert_name("EXA,EXB", 3, "EXA EXB");
}

/* A jump with uncharted ports is not reported as "no port". Fused comparisons and branches are
 * measured. */
static void test_unplaced(void **state)
{
    static const char jump[] = "1: addq $1, %rax\njmp 1b\n";
    struct shown charted = show("zen5-charted", jump, 0), fused = show("zen5-charted", DOT, 0),
                 known = show("skylake", jump, 0);

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(analysis_unplaced(charted.analysis, i), i == 1);
        assert_false(analysis_unplaced(known.analysis, i));
    }
    for (size_t i = 0; i < 6; i++)
        assert_false(analysis_unplaced(fused.analysis, i));
    done(&fused);
    done(&charted);
    done(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named), cmocka_unit_test(test_definition),
        cmocka_unit_test(test_shown), cmocka_unit_test(test_apart),
        cmocka_unit_test(test_names), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_read),  cmocka_unit_test(test_unplaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
