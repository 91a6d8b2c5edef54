/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of µops with a limit of dispatch per cycle: syntax of the fact, the two facts that it
 * replaced, and bound and simulation compared with counts by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/analysis.h"
#include "base/log.h"
#include "base/rng.h"
#include "io/machine_file.h"
#include "model/change.h"
#include "model/dispatch_limits.h"
#include "model/facts.h"
#include "simulate/simulate.h"
#include "../support/support.h"

static void test_texts(void **state)
{
    static const struct { const char *text; unsigned count; } cases[] = {
        {"4 of p[S0,S1]; 2 within p[B]", 2},
        {"4 of p[S0,S1];2 within p[B]", 2},
        {" 1  of  p[S0] ", 1},
        {"65536 of p[S0]", 1},
        {"1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0]",
         8},
        {"1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of p[S0];1 of "
         "p[S0];1 of p[S0]",
         0},
        {"", 0},
        {" ", 0},
        {"4", 0},
        {"4 of", 0},
        {"4 of ", 0},
        {"4 of p", 0},
        {"4 of p[", 0},
        {"4 of p[]", 0},
        {"4 of p[S0", 0},
        {"4 of p[S0];", 0},
        {";4 of p[S0]", 0},
        {"4 of p[S0] 2 of p[B]", 0},
        {"0 of p[S0]", 0},
        {"-4 of p[S0]", 0},
        {"4.5 of p[S0]", 0},
        {"65537 of p[S0]", 0},
        {"99999999999999999999999 of p[S0]", 0},
        {"4 off p[S0]", 0},
        {"4 withi p[S0]", 0},
        {"4of p[S0]", 0},
        {"four of p[S0]", 0},
    };
    struct ports ports = {0};

    assert_true(ports_parse("S0,S1,B", &ports, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int known = 0; known < 2; known++) {
            struct dispatch_limits limits;
            struct err err = {0};
            bool ok = dispatch_limits_parse(cases[i].text, known ? &ports : NULL, &limits, &err);
            if (ok != (cases[i].count > 0) || (ok && limits.count != cases[i].count))
                fail_msg("\"%s\" %d: %s", cases[i].text, known, err.what);
            assert_true(ok || strstr(err.what, "dispatch_limits"));
        }
    struct dispatch_limits limits;
    assert_false(dispatch_limits_parse("4 of p[S9]", &ports, &limits, NULL));
    assert_true(dispatch_limits_parse("4 of p[S0,S1]; 2 within p[S1,B]", &ports, &limits, NULL));
    assert_true(limits.items[0].most == 4 && !limits.items[0].within &&
                limits.items[0].ports == 3 && limits.items[1].most == 2 &&
                limits.items[1].within && limits.items[1].ports == 6);
    /* "of" needs one of the ports; "within" needs all ports in the list. */
    assert_true(dispatch_limit_has(&limits.items[0], 5));
    assert_false(dispatch_limit_has(&limits.items[0], 4));
    assert_true(dispatch_limit_has(&limits.items[1], 4));
    assert_false(dispatch_limit_has(&limits.items[1], 3));
}

static struct machine *machine_saying(const char *facts)
{
    struct err err = {0};

    mkdir(work_path("said"), 0700);
    work_put("said/machine.csv",
             "key,value,unit,source\nports,\"0,1,2,3\",,\nissue_width,8,,\n");
    work_put("said/facts.csv", facts);
    work_put("said/mapping.csv", "form,usage,latency,micro_ops,source\n\"NOP ()\",1*p0123,1,1,\n");
    struct machine *m = machine_load(work_path("said"), &err);
    if (!m)
        fail_msg("%s", err.what);
    return m;
}

static void test_former_spelling(void **state)
{
    size_t before = log_count();
    struct machine *m = machine_saying(
        "key,value,unit,source\ndispatch_ports,p01,,the guide\ndispatch_per_cycle,3,,same\n");
    assert_string_equal(machine_fact(m, "dispatch_limits"), "3 of p01");
    assert_null(machine_fact(m, "dispatch_ports"));
    assert_null(machine_fact(m, "dispatch_per_cycle"));
    assert_int_equal(log_count(), before);
    struct dispatch_limits limits;
    dispatch_limits_of(m, &limits);
    assert_true(limits.count == 1 && limits.items[0].ports == 3 && limits.items[0].most == 3);
    machine_free(m);

    /* One fact without the other, and invalid values, are reported. There is then no limit. */
    static const char *const bad[] = {
        "dispatch_ports,p01,,\n",
        "dispatch_per_cycle,3,,\n",
        "dispatch_ports,p01,,\ndispatch_per_cycle,none,,\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct str facts = {0};
        before = log_count();
        str_addf(&facts, "key,value,unit,source\n%s", bad[i]);
        m = machine_saying(str_text(&facts));
        dispatch_limits_of(m, &limits);
        assert_int_equal(limits.count, 0);
        assert_true(log_count() > before);
        machine_free(m);
        str_done(&facts);
    }
    assert_string_equal(fact_find("dispatch_per_cycle")->key, "dispatch_limits");
}

/* Instructions of random loops, and the ports of their µops on a Neoverse V2, independent of the
 * tables. */
static const struct { const char *text, *uops[2]; } parts[] = {
    {"add x%u, x20, x21\n", {"M0 M1 S0 S1 S2 S3"}},
    {"smulh x%u, x20, x21\n", {"M0 M1"}},
    {"fadd d%u, d20, d21\n", {"V0 V1 V2 V3"}},
    {"fmul d%u, d20, d21\n", {"V0 V1 V2 V3"}},
    {"fcvtzs d%u, d20\n", {"V0 V2"}},
    {"ldr x%u, [x20]\n", {"L0 L1 L2"}},
    {"subs x%u, x20, x21\n", {"M0 M1 S0 S1", "Flg0 Flg1 Flg2"}},
};
#define PARTS (sizeof parts / sizeof *parts)

static bool lists(const char *list, const char *name, size_t length)
{
    for (const char *at = list; *at; at += strspn(at, " ,")) {
        size_t span = strcspn(at, " ,");
        if (span == length && memcmp(at, name, length) == 0)
            return true;
        at += span;
    }
    return false;
}

/* Returns whether a µop with the ports in @uop is of the kind, by names of ports. */
static bool of_kind(const char *uop, const char *ports, bool within)
{
    unsigned in = 0, all = 0;

    for (const char *at = uop; *at; at += strspn(at, " ")) {
        size_t span = strcspn(at, " ");
        in += lists(ports, at, span);
        all++;
        at += span;
    }
    return within ? in == all : in > 0;
}

static const struct { const char *ports; bool within; } kinds[] = {
    {"S0,S1,S2,S3", false}, {"V0,V2", true},          {"V0,V2", false},
    {"M0,M1", true},        {"M0,M1,S0,S1", true},    {"L0", false},
    {"Flg0", false},        {"Flg0,Flg1,Flg2", true},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The bound is the maximum over kinds of count divided by limit. The simulation of loops of
 * independent instructions is never faster. */
static void test_counts(void **state)
{
    struct rng rng;
    unsigned bound_here = 0;

    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0)
        return;
    rng_seed(&rng, 11);
    for (unsigned trial = 0; trial < 60; trial++) {
        struct str text = {0}, fact = {0};
        unsigned counts[KINDS] = {0}, most[KINDS];
        double expected = 0;
        bool used[KINDS] = {false};

        str_add(&text, "1:\n");
        unsigned length = 4 + (unsigned)rng_below(&rng, 12);
        for (unsigned i = 0; i < length; i++) {
            size_t part = rng_below(&rng, PARTS);
            str_addf(&text, parts[part].text, i % 16);
            for (size_t u = 0; u < 2 && parts[part].uops[u]; u++)
                for (size_t k = 0; k < KINDS; k++)
                    counts[k] += of_kind(parts[part].uops[u], kinds[k].ports, kinds[k].within);
        }
        str_add(&text, "cbnz x30, 1b\n");
        for (unsigned i = 0; i < 3; i++) {
            size_t k = rng_below(&rng, KINDS);
            if (used[k])
                continue;
            used[k] = true;
            most[k] = 1 + (unsigned)rng_below(&rng, 3);
            str_addf(&fact, "%s%u %s p[%s]", fact.length ? "; " : "", most[k],
                     kinds[k].within ? "within" : "of", kinds[k].ports);
            expected = fmax(expected, (double)counts[k] / most[k]);
        }
        struct machine *m = load_machine("neoverse-v2");
        struct err err = {0};
        if (!machine_change(m, "dispatch_limits", str_text(&fact), &err))
            fail_msg("%s: %s", str_text(&fact), err.what);
        struct kernel *k = kernel_with(
            str_text(&text), &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
        struct analysis *a = analysis_new(k, 0, m);
        struct simulation s;
        simulate_kernel(k, 0, m, &(struct simulate_options){0}, &s, NULL);
        double slots = a->issue.kind == ISSUE_SLOTS ? a->issue.cycles : 0;
        if (fabs(a->issue.cycles - fmax(expected, slots)) > 1e-9 || s.cycles < expected - 0.01)
            fail_msg("%s: %g, simulated %g, not %g: %s", str_text(&fact), a->issue.cycles,
                     s.cycles, expected, str_text(&text));
        if (a->issue.kind == ISSUE_DISPATCH) {
            bound_here++;
            assert_true(fabs(a->issue.count / a->issue.limit.most - expected) < 1e-9);
        }
        analysis_free(a);
        machine_free(m);
        kernel_free(k);
        str_done(&text);
        str_done(&fact);
    }
    assert_true(bound_here > 20);
}

/* Loops have the cycles of published measurements or guides. */
static void test_cores(void **state)
{
    static const struct { const char *machine, *text; unsigned times; double cycles; } loops[] = {
        /* A Graviton 4 has four integer additions per cycle, in parallel with four floating-point
         * additions; six zeroing moves, and four other moves. */
        {"neoverse-v2", "add x1, x20, x21\n", 13, 3.25},
        {"neoverse-v2", "add x1, x20, x21\nfadd d1, d20, d21\n", 8, 2},
        {"neoverse-v2", "smulh x1, x20, x21\n", 8, 4},
        {"neoverse-v2", "mov x1, #0\n", 12, 2},
        {"neoverse-v2", "mov x1, x20\n", 12, 3},
        {"neoverse-v1", "mov x1, #0\n", 12, 2},
        /* A Graviton 5 has six of its eight units per cycle. */
        {"neoverse-v3", "add x1, x20, x21\n", 12, 2},
        {"neoverse-v3", "add x1, x20, x21\n", 15, 2.5},
        /* A Cortex-A710 has three additions per cycle. */
        {"neoverse-n2", "add x1, x20, x21\n", 7, 7. / 3},
        /* Graviton 3 and 2 have one addition per unit and cycle. */
        {"neoverse-v1", "add x1, x20, x21\n", 8, 2},
        {"neoverse-n1", "add x1, x20, x21\n", 6, 2},
    };

    if (system("aarch64-linux-gnu-as --version >/dev/null 2>&1") != 0)
        return;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct str text = {0};
        for (unsigned n = 0; n < loops[i].times; n++)
            str_add(&text, loops[i].text);
        struct kernel *k = kernel_with(
            str_text(&text), &(struct kernel_options){.isa_given = true, .isa = ISA_AARCH64});
        struct machine *m = load_machine(loops[i].machine);
        struct analysis *a = analysis_new(k, 0, m);
        struct simulation s;
        simulate_kernel(k, 0, m, &(struct simulate_options){0}, &s, NULL);
        if (fabs(a->cycles - loops[i].cycles) > 0.01 || fabs(s.cycles - loops[i].cycles) > 0.01)
            fail_msg("%s: %g, simulated %g, not %g: %s", loops[i].machine, a->cycles, s.cycles,
                     loops[i].cycles, loops[i].text);
        analysis_free(a);
        machine_free(m);
        kernel_free(k);
        str_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_former_spelling),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
