/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The baseline of an idle core, its update by probes of a busy core, and the choice of a CPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "measure/baseline.h"
#include "measure/kernel_passes.h"
#include "measure/sandbox.h"
#include "measure/seek.h"
#include "../support/support.h"

#define ROUNDS 64

/* Returns the summary of a core that is idle in @quiet rounds, in which nops take @least cycles. In
 * the other rounds, they are slower by a factor of up to two. */
static struct baseline_look look_at(double least, unsigned quiet, uint64_t seed)
{
    double cycles[ROUNDS];
    struct rng rng;

    rng_seed(&rng, seed);
    for (unsigned i = 0; i < ROUNDS; i++)
        cycles[i] = least * (i < quiet ? 1 + 0.003 * rng_unit(&rng) : 1.05 + rng_unit(&rng));
    return baseline_look(cycles, ROUNDS);
}

static void test_look(void **state)
{
    for (uint64_t seed = 1; seed < 50; seed++) {
        /* A few idle rounds among many suffice if they agree. Fewer do not suffice. */
        struct baseline_look few = look_at(0.18, 6, seed);
        assert_true(fabs(few.rate * 0.18 - 1) < 0.005);
        assert_true(few.share > 0.09 && few.share < 0.2);
        struct baseline_look none = look_at(0.18, 2, seed);
        assert_true(none.rate < 0.97 / 0.18);
    }
    /* A single wrong round below all others does not become the baseline. */
    double cycles[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++)
        cycles[i] = i == 17 ? 0.1 : i == 30 ? -1 : 0.18;
    assert_true(fabs(baseline_look(cycles, ROUNDS).rate * 0.18 - 1) < 1e-9);
}

static void test_judge(void **state)
{
    const struct baseline nothing = {0}, known = {.nops = 5.55, .ports = 5.92, .day = "2026-11-22"},
                          guess = {.nops = 3.1, .ports = 3.2, .doubtful = true};
    const struct baseline_look quiet = {5.55, 0.1}, busy = {2.6, 1}, halved = {2.78, 0.9},
                               ports = {5.92, 0.9};
    /* An established baseline is unchanged, however slow the host appears. */
    assert_int_equal(baseline_judge(&known, &quiet, &ports, NAN), BASELINE_QUIET);
    assert_int_equal(baseline_judge(&known, &busy, &ports, NAN), BASELINE_BUSY);
    assert_int_equal(baseline_judge(&known, &busy, &ports, 6), BASELINE_BUSY);
    /* At the first start, half of the issue width shows that the core is contended. Without a known
     * width most rounds must agree. */
    assert_int_equal(baseline_judge(&nothing, &halved, &ports, 6), BASELINE_DOUBTFUL);
    assert_int_equal(baseline_judge(&nothing, &quiet, &ports, 6), BASELINE_QUIET);
    assert_int_equal(baseline_judge(&nothing, &quiet, &ports, NAN), BASELINE_DOUBTFUL);
    assert_int_equal(baseline_judge(&nothing, &halved, &ports, NAN), BASELINE_QUIET);
    assert_int_equal(baseline_judge(&guess, &busy, &ports, NAN), BASELINE_DOUBTFUL);
    assert_int_equal(baseline_judge(&nothing, &(struct baseline_look){0, 0}, &ports, 6),
                     BASELINE_DOUBTFUL);
}

static void test_better(void **state)
{
    const struct baseline known = {.nops = 5.55, .ports = 5.92, .load_window = 64};
    struct baseline seen = known;
    assert_true(baseline_better(&(struct baseline){0}, &seen));
    assert_false(baseline_better(&known, &seen));
    seen.nops = 2.6;
    assert_false(baseline_better(&known, &seen));
    seen.nops = 5.6;
    assert_true(baseline_better(&known, &seen));
    seen = known;
    seen.room = 5.5;
    assert_true(baseline_better(&known, &seen));
    seen.nops = 5.6;
    seen.doubtful = true;
    assert_false(baseline_better(&known, &seen));
    assert_true(baseline_better(&seen, &known));
}

/* Baselines are stored per CPU. Rows of other CPUs are unchanged, and damaged rows are ignored
 * without an error. */
static void test_memory(void **state)
{
    static const char others[] =
        "cpu,signature,microcode,nops_per_cycle,ports_per_cycle,load_window,doubtful,"
        "date\n\"Another, CPU\",00000001,0x7,3.9500,4.9000,64,no,2020-02-02\n";
    struct baseline b, got;
    char today[KEPT_DAY];
    const char *path = work_path("portolan/baseline.csv");
    struct str text = {0};
    baseline_recall(&got);
    assert_true(got.nops == 0 && !got.doubtful);
    b = (struct baseline){.nops = 5.5, .ports = 5.9, .doubtful = true};
    baseline_remember(&b);
    kept_today(today);
    assert_string_equal(b.day, today);
    baseline_recall(&got);
    assert_true(fabs(got.nops - 5.5) < 1e-3 && fabs(got.ports - 5.9) < 1e-3 && got.doubtful &&
                got.load_window == 0);
    assert_true(file_write(path, others, sizeof others - 1, NULL));
    baseline_recall(&got);
    assert_true(got.nops == 0);
    b = (struct baseline){.nops = 5.6, .ports = 5.95, .room = 5.5, .load_window = 128};
    baseline_remember(&b);
    baseline_remember(&b);
    baseline_recall(&got);
    assert_true(fabs(got.nops - 5.6) < 1e-3 && fabs(got.room - 5.5) < 1e-3 && !got.doubtful &&
                got.load_window == 128);
    assert_string_equal(got.day, today);
    assert_true(file_read(path, 1 << 20, &text, NULL));
    /* Older files lack the room column. */
    assert_non_null(
        strstr(str_text(&text), "\"Another, CPU\",00000001,0x7,3.9500,4.9000,64,no,2020-02-02,\n"));
    unsigned lines = 0;
    for (const char *p = str_text(&text); *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 3);
    assert_true(file_write(path, "garbage\n\"", 9, NULL));
    baseline_recall(&got);
    assert_true(got.nops == 0);
    str_done(&text);
}

/* The baseline is outdated if several shorter times agree. A single short time, scattered ones, or
 * a slightly wrong clock do not suffice. */
static void test_outgrown(void **state)
{
    enum { N = 12 };
    double quiet[N], busy[N], odd[N], off[N];
    for (int i = 0; i < N; i++) {
        /* Half of the times are those of an idle core: 55 instead of the stored 100. */
        quiet[i] = i % 2 ? 55 + 0.1 * i : 100;
        busy[i] = 100 + i;
        odd[i] = i < 8 ? 40 + 5 * i : 100;
        off[i] = 96;
    }
    assert_true(seek_outgrown(quiet, N, 100));
    assert_false(seek_outgrown(busy, N, 100));
    assert_false(seek_outgrown(odd, N, 100));
    assert_false(seek_outgrown(off, N, 100));
    assert_false(seek_outgrown(quiet, 5, 100));
}

/* Moves to a CPU that is clearly less loaded in several probings, without oscillation. */
static void test_choice(void **state)
{
    struct seek k = {.cpus = {0, 1}, .quiet = {NAN, NAN}, .count = 2, .at = 0};
    assert_int_equal(seek_choice(&k), 0);
    seek_take(&k, 0, 0.9);
    seek_take(&k, 1, 1);
    assert_int_equal(seek_choice(&k), 0);
    for (int i = 0; i < 10; i++) {
        seek_take(&k, 0, 0.05);
        seek_take(&k, 1, 0.6);
        if (i == 0)
            assert_int_equal(seek_choice(&k), 1);
    }
    assert_int_equal(seek_choice(&k), 1);
    k.at = 1;
    seek_take(&k, 1, 0.1);
    assert_int_equal(seek_choice(&k), 1);
    /* If both CPUs are rarely idle, several times the idle share is needed. */
    k = (struct seek){.cpus = {0, 1}, .quiet = {0.001, 0.05}, .count = 2, .at = 0};
    assert_int_equal(seek_choice(&k), 1);
    k.quiet[1] = 0.02;
    assert_int_equal(seek_choice(&k), 0);
}

/* A sandbox without a fixed CPU probes every CPU that this process may use, and reports the current
 * CPU. */
static void test_looks_at_all_cpus(void **state)
{
    struct err err = {0};
    struct sandbox *s = sandbox_new(-1, &err);
    int cpus[SEEK_CPUS];
    struct seek k;
    if (!s) {
        print_message("nothing can be measured here: %s\n", err.what);
        return;
    }
    memset(&k, 0x55, sizeof k);
    seek_begin(&k, s);
    assert_int_equal(k.count, calibrate_cpus(s, cpus, SEEK_CPUS));
    assert_memory_equal(k.cpus, cpus, k.count * sizeof *cpus);
    assert_int_equal(k.cpus[k.at], sandbox_cpu(s));
    assert_true(k.looked == 0 && k.learned == 0 && !k.outgrown && isnan(k.quiet[0]));
    sandbox_free(s);
}

/* The stored baseline is far too slow, as if first measured with a busy neighbour. The only usable
 * CPU is faster, and the baseline is measured again. A correct baseline is unchanged. */
static void test_learns_on_one_cpu(void **state)
{
    struct err err = {0};
    struct sandbox *s = sandbox_new(-1, &err);
    struct calibration right, c;
    struct seek k;
    if (s) {
        int cpu = sandbox_cpu(s);
        sandbox_free(s);
        s = sandbox_new(cpu, &err);
    }
    if (!s || !calibrate_within(s, 0, NULL, NULL, &right, &err)) {
        print_message("nothing can be measured here: %s\n", err.what);
        sandbox_free(s);
        return;
    }
    seek_begin(&k, s);
    assert_int_equal(k.count, 1);
    c = right;
    c.rules.room_cycles = 0;
    c.rules.ports_cycles = 0;
    c.rules.probe_cycles *= 8;
    c.rules.patience = 12345;
    for (int i = 0; i < 100 && !k.outgrown; i++) {
        k.looked = -1;
        assert_true(seek_step(&k, s, &c, 1, &err));
    }
    assert_true(k.outgrown && !isnan(k.quiet[0]));
    assert_true(seek_learn(&k, s, &c, &err));
    assert_true(!k.outgrown && isnan(k.quiet[0]) && k.at == 0 && k.learned > 0);
    assert_true(c.rules.probe_cycles < 4 * right.rules.probe_cycles && c.rules.patience == 12345 &&
                c.rules.room_cycles == 0);
    /* A baseline that is not outdated is not measured again. Nor is one that was measured a short
     * time before. */
    c.rules.probe_cycles = 1;
    assert_true(seek_learn(&k, s, &c, &err) && c.rules.probe_cycles == 1);
    k.outgrown = true;
    assert_true(seek_learn(&k, s, &c, &err) && c.rules.probe_cycles == 1);
    sandbox_free(s);
}

#define ITERATIONS 1000.0
#define IN_AND_OUT 500.0

/* Adds a visit with @n windows of a kernel of @cycles. @shorter and @longer are factors of the
 * times of its short and long runs. */
static void visit(struct kernel_passes *p, double cycles, const double *shorter,
                  const double *longer, unsigned n)
{
    struct kernel_measured m = {.windows = n, .between = ITERATIONS};
    for (unsigned i = 0; i < n; i++) {
        m.shorter[i] = (float)((IN_AND_OUT + cycles * ITERATIONS) * shorter[i]);
        m.longer[i] = (float)((IN_AND_OUT + 2 * cycles * ITERATIONS) * longer[i]);
    }
    kernel_passes_add(p, &m);
}

static void expect_settled(const struct kernel_passes *p, double expected)
{
    double cycles = 0, spread = 0;
    if (!kernel_passes_settled(p, &cycles, &spread))
        fail_msg("%g cycles do not settle", expected);
    if (fabs(cycles / expected - 1) > 0.01 || spread > 0.03)
        fail_msg("%g cycles, spread %g, instead of %g", cycles, spread, expected);
}

static void test_visits(void **state)
{
    static const double right[] = {1, 1.001, 1.002, 1.001}, slow[] = {1.2, 1.201, 1.202, 1.203},
                        mixed[] = {1.23, 1.26, 1.0, 1.002};
    struct kernel_passes p = {.count = 0};
    double cycles = 0, spread = 0;
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    /* Two visits with idle windows do not suffice, however well they agree: a third may be
     * faster. */
    visit(&p, 2, right, right, 4);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    visit(&p, 2, right, right, 4);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    visit(&p, 2, mixed, mixed, 4);
    expect_settled(&p, 2);
    /* Slowed visits agree with each other, but one visit was faster. */
    p = (struct kernel_passes){.count = 0};
    visit(&p, 2, slow, slow, 4);
    visit(&p, 2, right, right, 4);
    visit(&p, 2, slow, slow, 4);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    /* If half of all windows differ, many windows are needed, because there may be a rarer and
     * faster rhythm. */
    visit(&p, 2, right, right, 4);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    visit(&p, 2, slow, slow, 4);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    visit(&p, 2, right, right, 4);
    expect_settled(&p, 2);
    /* Single low values are chance if there are many windows, and the floor is accepted. */
    p = (struct kernel_passes){.count = 0};
    visit(&p, 2, (const double[]){0.5, 1, 1.001, 1.002}, (const double[]){1, 1.002, 0.7, 1.001}, 4);
    for (unsigned i = 0; i < 5; i++) {
        assert_false(kernel_passes_settled(&p, &cycles, &spread));
        visit(&p, 2, right, right, 4);
    }
    expect_settled(&p, 2);
    /* Most pairs are wrong. Half of them are too low, because their short run was disturbed. But
     * short and long runs have floors, and a few windows have both. */
    p = (struct kernel_passes){.count = 0};
    for (unsigned i = 0; i < 4; i++) {
        assert_false(kernel_passes_settled(&p, &cycles, &spread));
        visit(&p, 2, (const double[]){1.1, 1, 1.1, 1.001, 1.2, 1},
              (const double[]){1, 1.1, 1.001, i % 2 ? 1.001 : 1.3, 1, 1.1}, 6);
    }
    expect_settled(&p, 2);
    /* Short runs have a faster rhythm than long ones, so their difference is the time of
     * neither. */
    p = (struct kernel_passes){.count = 0};
    for (unsigned i = 0; i < 3; i++)
        visit(&p, 2, (const double[]){0.7, 0.701, 0.7}, right, 3);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
}

/* All short runs were slowed, so long runs seem hardly longer. Three instructions cannot take 0.01
 * cycles. */
static void test_times_that_cannot_be(void **state)
{
    static const double slow[] = {1.796, 1.796, 1.796, 1.796}, right[] = {1, 1, 1, 1};
    const struct calibration c = {.probe_rate = 6},
                             emulator = {.probe_rate = 6, .unfiltered = true},
                             unknown = {.probe_rate = 0};
    struct kernel_passes p = {.count = 0};
    double cycles = 0, spread = 0;
    for (unsigned i = 0; i < 3; i++)
        visit(&p, 2, slow, right, 4);
    assert_true(kernel_passes_close(&p, &cycles, &spread));
    assert_true(cycles < 0.02);
    p.least = kernel_least_cycles(&c, 3);
    assert_true(fabs(p.least - 0.9 * 3 / 12) < 1e-9);
    assert_false(kernel_passes_close(&p, &cycles, &spread));
    /* A time below the minimum is rejected even if short and long runs have floors. */
    p = (struct kernel_passes){.least = 3};
    for (unsigned i = 0; i < 3; i++)
        visit(&p, 2, right, right, 4);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    p.least = 1;
    expect_settled(&p, 2);
    assert_true(kernel_least_cycles(&emulator, 3) == 0 && kernel_least_cycles(&unknown, 3) == 0);
}

/* Code with two rhythms, from a real block (`mov r8,rax; mov [rsp+24],rax; mov eax,[rbp+56]; test
 * r8,r8` takes 0.67, 0.72 or 0.81 cycles). The fastest rhythm is the block's time, although most
 * visits do not have this rhythm. */
static void test_rhythms(void **state)
{
    static const double common[] = {1.2, 1.201, 1.202, 1.2, 1.201, 1.203},
                        met[] = {1.2, 1, 1.001, 1.202, 1.2, 1.201},
                        other[] = {1.08, 1.08, 1.081, 1.2, 1.2, 1.2},
                        quick[] = {0.999, 1, 1.001, 1, 1, 1.001};
    struct kernel_passes p = {.count = 0};
    double cycles, spread;
    visit(&p, 0.67, common, common, 6);
    visit(&p, 0.67, other, other, 6);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    visit(&p, 0.67, met, met, 6);
    visit(&p, 0.67, common, common, 6);
    visit(&p, 0.67, met, met, 6);
    expect_settled(&p, 0.67);
    /* Times of a walking loop drift from visit to visit, so two visits that agree do not
     * suffice. */
    p = (struct kernel_passes){.plan = {.walks = true}};
    visit(&p, 0.67, quick, quick, 6);
    visit(&p, 0.67, quick, quick, 6);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    visit(&p, 0.67, quick, quick, 6);
    expect_settled(&p, 0.67);
    /* The floors of short and long runs must belong to one rhythm. Here windows have either floor,
     * but never both. */
    p = (struct kernel_passes){.count = 0};
    for (unsigned i = 0; i < 5; i++)
        visit(&p, 0.67, i % 2 ? quick : common, i % 2 ? common : quick, 6);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    /* The long run must also be about twice the short run minus the overhead. */
    p = (struct kernel_passes){.count = 0};
    for (unsigned i = 0; i < 2; i++)
        visit(&p, 200, common, quick, 6);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
}

/* Code with a varying time has no value. The message has the range. */
static void test_no_floor(void **state)
{
    struct kernel_passes p = {.count = 0};
    double cycles, spread, least, most;
    for (unsigned i = 0; i < 8; i++) {
        double factors[6];
        assert_false(kernel_passes_enough(&p));
        for (unsigned k = 0; k < 6; k++)
            factors[k] = pow(1.05, i * 6 + k);
        visit(&p, 2, factors, factors, 6);
        assert_false(kernel_passes_settled(&p, &cycles, &spread));
    }
    assert_true(kernel_passes_enough(&p));
    kernel_passes_range(&p, &least, &most);
    assert_true(least > 2 && most > 2 * least);
    assert_false(kernel_passes_close(&p, &cycles, &spread));
}

/* If patience ends without a floor, windows within 2 % of each other give a value. Windows of only
 * two visits, or scattered ones, do not. */
static void test_close(void **state)
{
    static const double shorter[] = {1, 1.02, 1.04}, longer[] = {1, 1.012, 1.024},
                        wide[] = {1, 1.03, 1.06};
    struct kernel_passes p = {.count = 0};
    double cycles = 0, spread = 0;
    visit(&p, 4, shorter, longer, 3);
    visit(&p, 4, shorter, longer, 3);
    assert_false(kernel_passes_close(&p, &cycles, &spread));
    visit(&p, 4, shorter, longer, 3);
    assert_false(kernel_passes_settled(&p, &cycles, &spread));
    assert_true(kernel_passes_close(&p, &cycles, &spread));
    assert_true(fabs(cycles / 4 - 1) < 0.01 && spread > 0 && spread <= 0.02);
    p = (struct kernel_passes){.count = 0};
    visit(&p, 4, shorter, wide, 3);
    visit(&p, 4, wide, shorter, 3);
    visit(&p, 4, shorter, wide, 3);
    assert_false(kernel_passes_close(&p, &cycles, &spread));
}

static int set_up(void **state)
{
    return setenv("XDG_STATE_HOME", work_path(""), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_look),
                                       cmocka_unit_test(test_judge),
                                       cmocka_unit_test(test_better),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_outgrown),
                                       cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_looks_at_all_cpus),
                                       cmocka_unit_test(test_learns_on_one_cpu),
                                       cmocka_unit_test(test_visits),
                                       cmocka_unit_test(test_times_that_cannot_be),
                                       cmocka_unit_test(test_rhythms),
                                       cmocka_unit_test(test_no_floor),
                                       cmocka_unit_test(test_close)};
    return cmocka_run_group_tests_name("baseline", tests, set_up, NULL);
}
