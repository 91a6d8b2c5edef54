/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "measure/calibrate.h"
#include "measure/runner.h"
#include "measure/window.h"
#include "../support/support.h"

/* A manual clock. The test sets the time of each run. */
struct fake {
    double ticks_per_cycle, item, probe_factor, second_factor, ports_factor;
    double now, overhead;
    unsigned runs, items, rests;
    unsigned contended_until;   /* number of probe runs that a neighbour slows */
    unsigned fault_at;          /* number of the item's run that faults; 0 for none */
    double entry;               /* additional ticks of every item run */
    double spike;               /* ticks added to every third item run */
    bool steps;                 /* the counter is read between its steps */
    /* number of runs during which another thread occupies half of the buffers but uses nothing
     * else */
    unsigned awake_until;
};

static uint64_t fake_run(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                         unsigned *fault)
{
    struct fake *f = self;
    double cycles = code == PULSE_CHAIN          ? 100
                    : code == PULSE_SECOND_CHAIN ? 300 * f->second_factor
                    : code == PULSE_PROBE        ? 20 * f->probe_factor
                    : code == PULSE_ROOM         ? 50
                    : code == PULSE_PORTS        ? 25 * (f->ports_factor > 0 ? f->ports_factor : 1)
                                                 : f->item;

    *fault = 0;
    f->runs++;
    if (code == PULSE_PROBE && f->runs < f->contended_until)
        cycles *= 1.5;
    if ((code == PULSE_ROOM || code == PULSE_ITEM) && f->runs < f->awake_until)
        cycles *= 1.9;
    double ticks = f->overhead + cycles * (double)count * f->ticks_per_cycle;
    if (code == PULSE_ITEM) {
        f->items++;
        if (f->items == f->fault_at) {
            *fault = FAULT_ARITHMETIC;
            return 0;
        }
        ticks += f->entry + (f->items % 3 == 0 ? f->spike : 0);
    }
    double before = f->now;
    f->now += ticks + (double)warm * cycles;
    return f->steps ? (uint64_t)(before + ticks) - (uint64_t)before : (uint64_t)ticks;
}

static uint64_t fake_now(void *self)
{
    return (uint64_t)((struct fake *)self)->now;
}

static void fake_rest(void *self)
{
    struct fake *f = self;
    f->rests++;
    f->now += 2e6;
}

static const struct window_rules rules = {.chain_cycles = 100,
                                          .second_cycles = 300,
                                          .probe_cycles = 20,
                                          .overhead = 40,
                                          .chain_tolerance = 0.003,
                                          .probe_tolerance = 0.012,
                                          .agreement = 0.004,
                                          .chain_ticks = 20000,
                                          .probe_ticks = 10000,
                                          .item_ticks = 40000,
                                          .patience = 1e8};

static struct fake quiet(double item)
{
    return (struct fake){.ticks_per_cycle = 0.64,
                         .item = item,
                         .probe_factor = 1,
                         .second_factor = 1,
                         .overhead = 40};
}

static struct window_result measure(struct fake *f, bool difference, uint64_t count)
{
    const struct pulse pulse = {fake_run, fake_now, fake_rest, f};
    struct window_result r;
    struct window_wait wait = window_wait_begin(&pulse, rules.patience);
    window_measure(&pulse, &rules, &wait, difference, count, INFINITY, &r);
    return r;
}

static void test_quiet(void **state)
{
    for (double item = 3; item < 1e5; item *= 2.7) {
        struct fake f = quiet(item);
        struct window_result r = measure(&f, false, 0);
        assert_int_equal(r.state, WINDOW_SETTLED);
        assert_true(fabs(r.cycles - item) < 0.002 * item);
        assert_int_equal(r.accepted, 3);
        assert_true(fabs(r.clock - 1 / 0.64) < 0.01);
        f = quiet(item);
        /* This exceeds the calibrated overhead. Only the difference of two counts removes it. */
        f.entry = 500;
        r = measure(&f, true, 20000);
        assert_true(fabs(r.cycles - item) < 0.002 * item);
    }
}

/* An experiment that is not faster than @beat has one window, a faster one three. */
static void test_beaten(void **state)
{
    static const struct { double beat; enum window_state state; unsigned accepted;
    } cases[] = {{INFINITY, WINDOW_SETTLED, 3}, {NAN, WINDOW_SETTLED, 3}, {120, WINDOW_SETTLED, 3},
                 {101, WINDOW_SETTLED, 3},      {100, WINDOW_BEATEN, 1},  {80, WINDOW_BEATEN, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake f = quiet(100);
        const struct pulse pulse = {fake_run, fake_now, fake_rest, &f};
        struct window_result r;
        struct window_wait wait = window_wait_begin(&pulse, rules.patience);
        window_measure(&pulse, &rules, &wait, false, 0, cases[i].beat, &r);
        assert_int_equal(r.state, cases[i].state);
        assert_int_equal(r.accepted, cases[i].accepted);
        assert_true(fabs(r.cycles - 100) < 0.2);
    }
}

/* Counters of 24 to 100 MHz with a core of 3 GHz: runs whose length is chosen in ticks are as
 * accurate as with a fast counter. */
static void test_coarse_ticks(void **state)
{
    static const double rates[] = {24e6, 62.5e6, 99e6, 100e6, 1e9, 2.6e9},
                        stretches[] = {1000 / 240.0, 1.6, 1000 / 990.0, 1, 1, 1};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double stretch = calibrate_stretch(rates[i]), hz = rates[i];
        assert_true(fabs(stretch - stretches[i]) < 1e-9);
        for (double item = 12.3; item < 1e5; item *= 2.7) {
            struct fake f = quiet(item);
            const struct pulse pulse = {fake_run, fake_now, fake_rest, &f};
            struct window_rules own = rules;
            struct window_result r;
            f.ticks_per_cycle = hz / 3e9;
            f.overhead = own.overhead = 100 * f.ticks_per_cycle;
            f.steps = true;
            own.sizing = (unsigned)ceil(4 * stretch);
            own.chain_ticks = stretch * 10e-6 * hz;
            own.probe_ticks = stretch * 5e-6 * hz;
            own.item_ticks = stretch * 20e-6 * hz;
            struct window_wait wait = window_wait_begin(&pulse, own.patience);
            window_measure(&pulse, &own, &wait, false, 0, INFINITY, &r);
            assert_int_equal(r.state, WINDOW_SETTLED);
            if (fabs(r.cycles - item) > 0.005 * item)
                fail_msg("%.1f cycles came out as %.2f at %.0f MHz", item, r.cycles, hz / 1e6);
        }
    }
    assert_true(calibrate_stretch(0) == 1);
}

static void test_contention(void **state)
{
    struct fake f = quiet(50);
    f.contended_until = 40;
    struct window_result r = measure(&f, false, 0);
    assert_int_equal(r.state, WINDOW_SETTLED);
    assert_true(fabs(r.cycles - 50) < 0.1);
    assert_true(r.contended > 5 && f.rests > 5);
    /* The wait for a permanent neighbour ends, and the neighbour is reported. */
    f = quiet(50);
    f.probe_factor = 1.05;
    r = measure(&f, false, 0);
    assert_int_equal(r.state, WINDOW_UNSETTLED);
    assert_true(isnan(r.cycles) && r.accepted == 0 && f.now >= rules.patience);
    /* The two clocks disagree. */
    f = quiet(50);
    f.second_factor = 1.01;
    r = measure(&f, false, 0);
    assert_int_equal(r.state, WINDOW_UNSETTLED);
    assert_true(isnan(r.cycles) && r.disturbed > 10);
}

static void test_spikes_and_faults(void **state)
{
    struct fake f = quiet(50);
    f.spike = 1e6;
    struct window_result r = measure(&f, false, 0);
    assert_int_equal(r.state, WINDOW_SETTLED);
    assert_true(fabs(r.cycles - 50) < 0.1);
    for (unsigned at = 1; at < 9; at++) {
        f = quiet(50);
        f.fault_at = at;
        r = measure(&f, false, 0);
        assert_int_equal(r.state, WINDOW_FAULT);
        assert_int_equal(r.fault, FAULT_ARITHMETIC);
        assert_true(isnan(r.cycles));
    }
}

/* A thread that merely occupies buffers slows code that needs the buffers. The room probe detects
 * the thread, and nops do not. Without the room probe, the thread is not detected. */
static void test_room(void **state)
{
    for (unsigned known = 0; known < 2; known++)
        for (unsigned difference = 0; difference < 2; difference++) {
            struct fake f = quiet(100);
            struct window_rules own = rules;
            const struct pulse pulse = {fake_run, fake_now, fake_rest, &f};
            struct window_result r;
            f.awake_until = 60;
            own.room_cycles = known ? 50 : 0;
            struct window_wait wait = window_wait_begin(&pulse, own.patience);
            window_measure(&pulse, &own, &wait, difference, 500, INFINITY, &r);
            assert_int_equal(r.state, WINDOW_SETTLED);
            assert_true(fabs(r.cycles / (known ? 100 : 190) - 1) < 0.01);
            assert_int_equal(r.contended > 0, known);
        }
}

/* On an idle core the port probe takes one of two times, which differ more than those of other
 * probes. Both count as idle. */
static void test_ports(void **state)
{
    static const struct {
        double factor;
        bool quiet;
    } cases[] = {{1, true}, {1.03, true}, {1.05, false}, {1.4, false}, {0.97, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake f = quiet(100);
        struct window_rules own = rules;
        const struct pulse pulse = {fake_run, fake_now, fake_rest, &f};
        struct window_wait wait = window_wait_begin(&pulse, own.patience);
        struct window_result r;
        f.ports_factor = cases[i].factor;
        own.ports_cycles = 25;
        own.ports_tolerance = 0.04;
        window_measure(&pulse, &own, &wait, false, 0, INFINITY, &r);
        assert_int_equal(r.state == WINDOW_SETTLED, cases[i].quiet);
        assert_int_equal(r.contended == 0, cases[i].quiet);
    }
}

/* One run of a difference is disturbed in every other window, the short one as often as the long
 * one. The floors are correct although no single difference may be. */
static void test_difference(void **state)
{
    struct fake f = quiet(100);
    f.spike = 300;
    struct window_result r = measure(&f, true, 500);
    assert_int_equal(r.state, WINDOW_SETTLED);
    assert_true(fabs(r.cycles - 100) < 0.1);
    for (unsigned i = 0; i < r.accepted; i++)
        assert_true(r.longer[i] > r.shorter[i]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Compares lowest time and spread with those of sorted times, and confirmation with a search of all
 * pairs. */
static void test_statistics(void **state)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 2000; round++) {
        double v[8], sorted[8], spread;
        unsigned n = 1 + (unsigned)rng_below(&rng, 8);
        for (unsigned i = 0; i < n; i++)
            sorted[i] = v[i] = 1 + 0.03 * rng_unit(&rng) * (rng_below(&rng, 4) ? 1 : 20);
        qsort(sorted, n, sizeof *sorted, compare);
        double best = NAN;
        for (unsigned i = 0; i < n; i++)
            for (unsigned k = 0; k < n; k++)
                if (i != k && sorted[k] >= sorted[i] && sorted[k] <= 1.01 * sorted[i] &&
                    !(best <= sorted[i]))
                    best = sorted[i];
        double copy[8];
        memcpy(copy, v, sizeof copy);
        double got = runner_confirmed(copy, n);
        assert_true(got == best || (isnan(got) && isnan(best)));
        double middle = window_lowest(v, n, &spread);
        assert_true(middle == sorted[n < 3 ? 0 : 1]);
        assert_true(fabs(spread - (sorted[n < 3 ? n - 1 : 2] - sorted[0]) / sorted[0]) < 1e-15);
    }
    double values[] = {9, 1, 5, 5.001, 5.002, 20};
    assert_true(calibrate_floor(values, 6, 0.001) == 5.001);
}

/* Many successive items on a contended core cost one wait in total, and one attempt each, which
 * measures their contended times. Later items on an idle core settle although the wait is over. */
static void test_shared_wait(void **state)
{
    enum { ITEMS = 256 };
    struct fake f = quiet(50);
    const struct pulse pulse = {fake_run, fake_now, fake_rest, &f};
    struct window_wait wait = window_wait_begin(&pulse, 10 * rules.patience);
    struct window_result r;
    f.probe_factor = 1.5;
    for (unsigned i = 0; i < ITEMS; i++) {
        window_measure(&pulse, &rules, &wait, false, 0, INFINITY, &r);
        assert_int_equal(r.state, WINDOW_UNSETTLED);
        assert_true(isnan(r.cycles) && fabs(r.contended_cycles - 50) < 0.5);
        assert_true(i == 0 || r.contended == 1);
    }
    /* An attempt consists of a chain, a probe with its pause, and a second probe of two chains and
     * three runs. */
    assert_true(f.now < 1.1 * rules.patience + ITEMS * (2e6 + 10 * rules.item_ticks));
    f.probe_factor = 1;
    for (unsigned i = 0; i < ITEMS; i++) {
        window_measure(&pulse, &rules, &wait, false, 0, INFINITY, &r);
        assert_int_equal(r.state, WINDOW_SETTLED);
        assert_true(isnan(r.contended_cycles));
    }
    /* The wait is used up and the core is busy again, so there is no further wait. */
    wait.until = 0;
    window_measure(&pulse, &rules, &wait, false, 0, INFINITY, &r);
    assert_int_equal(r.state, WINDOW_SETTLED);
    f.probe_factor = 1.5;
    double before = f.now;
    window_measure(&pulse, &rules, &wait, false, 0, INFINITY, &r);
    assert_true(r.contended == 1 && f.now - before < 2e6 + 10 * rules.item_ticks);
}

/* Compares the cost of a form on an idle core with the cost under a protocol of one probe that
 * restarts each window. It has no more runs, and at most 5 % more ticks. */
static void test_cost(void **state)
{
    const double window =
                     2 * rules.chain_ticks + 2 * rules.probe_ticks + 3 * 1.125 * rules.item_ticks,
                 before = 3 * window;
    /* runs that determine the number of iterations; chains, probes and runs of the windows */
    const unsigned runs_before = 3 + 3 * (2 + 2 + 3);
    struct fake f = quiet(100);
    const struct pulse pulse = {fake_run, fake_now, fake_rest, &f};
    struct window_rules own = rules;
    struct window_wait wait = window_wait_begin(&pulse, rules.patience);
    struct window_result r;
    own.ports_cycles = 25;
    f.ticks_per_cycle = 1;
    window_measure(&pulse, &own, &wait, false, 0, INFINITY, &r);
    assert_int_equal(r.state, WINDOW_SETTLED);
    assert_int_equal(r.accepted, 3);
    print_message("%u runs of %u, %.0f ticks of %.0f\n", f.runs, runs_before, f.now, before);
    assert_true(f.runs <= runs_before);
    assert_true(f.now <= 1.05 * before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quiet),
                                       cmocka_unit_test(test_coarse_ticks),
                                       cmocka_unit_test(test_beaten),
                                       cmocka_unit_test(test_contention),
                                       cmocka_unit_test(test_spikes_and_faults),
                                       cmocka_unit_test(test_room),
                                       cmocka_unit_test(test_ports),
                                       cmocka_unit_test(test_difference),
                                       cmocka_unit_test(test_statistics),
                                       cmocka_unit_test(test_shared_wait),
                                       cmocka_unit_test(test_cost)};
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
