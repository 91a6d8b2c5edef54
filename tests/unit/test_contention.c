/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measuring protocol under contention, as recorded on a busy host (tests/data/contention).
 * Settled times are correct whatever the neighbours did, and all other times are reported as
 * contended. The recordings are successive slices of about 3 µs (chains, probes and loops with
 * known times on an idle core). Each moment thus has a speed for every kind of code, and the
 * moments of a run determine its time. The newer two recordings also have the room probe, and a
 * loop of sparse slow operations, which is slow whenever another thread is active. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "measure/baseline.h"
#include "measure/kernel_passes.h"
#include "measure/sandbox.h"
#include "measure/window.h"
#include "../support/support.h"

#define OVERHEAD 64.0
#define TICK_HZ 2.0e9
#define KINDS 9
#define SETTLED_OFF 0.03 /* largest relative error of a settled time */
#define VISITS 6

/* Recorded code: name in the file, number of instructions in its loop, and cycles per instruction
 * on an unshared core. */
enum kind { CHAIN, SECOND, NOPS, PORTS, ROOM, COMPARES, LOADS, STORES, FAR };
static const struct {
    const char *name;
    double length, cycles;
} kinds[KINDS] = {{"chain", SANDBOX_CHAIN_LENGTH, 1},
                  {"second", SANDBOX_CHAIN_LENGTH, 3},
                  {"nops", SANDBOX_PROBE_LENGTH, 1 / 5.5466},
                  {"ports", SANDBOX_PORTS_LENGTH, 1 / 5.923},
                  {"room", SANDBOX_ROOM_LENGTH, 1 / 5.56},
                  {"compares", 100, 0.2},
                  {"loads", 90, 1.0 / 3},
                  {"stores", 64, 0.5},
                  {"far", 340, 112.4 / 340}};
static const char *const names[] = {"half-quiet", "hardly-quiet", "never-quiet", "asleep-at-times",
                                    "awake-mostly"};
#define RECORDINGS (sizeof names / sizeof *names)

struct recording {
    size_t rows;
    bool has[KINDS];
    double (*tempo)[KINDS]; /* ticks per loop iteration, for each slice and kind */
    double row_ticks;       /* ticks of one slice */
    double tick;            /* ticks per cycle on an idle core */
};

/* A clock that replays a recording cyclically. */
struct replay {
    const struct recording *r;
    double now;
    unsigned item;
};

static double column(const struct recording *r, const struct replay *p, double at,
                     enum pulse_code code)
{
    static const enum kind columns[] = {[PULSE_CHAIN] = CHAIN,
                                        [PULSE_SECOND_CHAIN] = SECOND,
                                        [PULSE_PROBE] = NOPS,
                                        [PULSE_PORTS] = PORTS,
                                        [PULSE_ROOM] = ROOM};
    return r->tempo[(size_t)(at / r->row_ticks) % r->rows]
                   [code == PULSE_ITEM ? p->item : columns[code]];
}

/* Returns the ticks of @count iterations from the current moment, and advances the clock. */
static double pass(struct replay *p, enum pulse_code code, double count)
{
    double begun = p->now;

    while (count > 1e-9) {
        double tempo = column(p->r, p, p->now, code),
               room = p->r->row_ticks - fmod(p->now, p->r->row_ticks);
        double part = fmin(count, fmax(room, 1) / tempo);
        p->now += part * tempo;
        count -= part;
    }
    return p->now - begun;
}

static uint64_t replay_run(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                           unsigned *fault)
{
    struct replay *p = self;

    *fault = 0;
    pass(p, code, (double)warm);
    double ticks = OVERHEAD + pass(p, code, (double)count);
    p->now += OVERHEAD;
    return (uint64_t)ticks;
}

static uint64_t replay_now(void *self)
{
    return (uint64_t)((struct replay *)self)->now;
}

static void replay_rest(void *self)
{
    ((struct replay *)self)->now += 0.2e-3 * TICK_HZ;
}

static void recording_read(const char *name, struct recording *out)
{
    char path[512];
    struct err err = {0};
    const char *source = getenv("PORTOLAN_SRC");

    snprintf(path, sizeof path, "%s/tests/data/contention/%s.csv", source ? source : ".", name);
    struct csv_table *t = csv_table_read(path, &err);
    if (!t)
        fail_msg("%s: %s", path, err.what);
    *out = (struct recording){
        .rows = t->count - 1, .tempo = mem_alloc(t->count * sizeof *out->tempo), .tick = INFINITY};
    for (unsigned k = 0; k < KINDS; k++) {
        int at = csv_table_column(t, kinds[k].name);
        out->has[k] = at >= 0;
        for (size_t i = 1; at >= 0 && i < t->count; i++) {
            double ticks = strtod(t->rows[i][at], NULL) - OVERHEAD,
                   count = strtod(t->rows[0][at], NULL);
            out->tempo[i - 1][k] = fmax(ticks, 1) / count;
            out->row_ticks += fmax(ticks, 1) / (double)out->rows;
        }
    }
    csv_table_free(t);
}

static double quiet(enum kind k)
{
    return kinds[k].length * kinds[k].cycles;
}

static void rules_fill(struct window_rules *rules, const struct recording *r)
{
    *rules = (struct window_rules){.chain_cycles = quiet(CHAIN),
                                   .second_cycles = quiet(SECOND),
                                   .probe_cycles = quiet(NOPS),
                                   .ports_cycles = quiet(PORTS),
                                   .room_cycles = r->has[ROOM] ? quiet(ROOM) : 0,
                                   .overhead = OVERHEAD,
                                   .chain_tolerance = 0.003,
                                   .probe_tolerance = 0.02,
                                   .ports_tolerance = 0.04,
                                   .agreement = 0.004,
                                   .chain_ticks = 10e-6 * TICK_HZ,
                                   .probe_ticks = 5e-6 * TICK_HZ,
                                   .item_ticks = 20e-6 * TICK_HZ,
                                   .patience = 0.1 * TICK_HZ};
}

static bool is_wrong(double cycles, unsigned item)
{
    return !(fabs(cycles / quiet(item) - 1) <= SETTLED_OFF);
}

/* Measures an item with the protocol for forms. Returns false if the time does not settle. */
static bool form_measured(struct replay *p, const struct pulse *pulse,
                          const struct window_rules *rules, double *cycles)
{
    struct window_result got;
    (void)p; /* The pulse object refers to the calling test. */
    struct window_wait wait = window_wait_begin(pulse, rules->patience);
    window_measure(pulse, rules, &wait, false, 0, INFINITY, &got);
    *cycles = got.cycles;
    return got.state == WINDOW_SETTLED;
}

/* Measures an item with the protocol for kernels, in visits at different times. */
static bool kernel_measured(struct replay *p, const struct pulse *pulse,
                            const struct window_rules *rules, double *cycles)
{
    struct kernel_passes passes = {.count = 0};
    uint64_t count = (uint64_t)(15e-6 * TICK_HZ / quiet(p->item)) + 2;
    double spread;

    for (unsigned visit = 0; visit < VISITS; visit++) {
        struct kernel_measured m = {.between = (double)(count - count / 2)};
        struct window_result got;
        struct window_wait wait = window_wait_begin(pulse, rules->patience);
        window_measure(pulse, rules, &wait, true, count, INFINITY, &got);
        for (unsigned i = 0; i < got.accepted; i++) {
            m.shorter[m.windows] = got.shorter[i];
            m.longer[m.windows++] = got.longer[i];
        }
        kernel_passes_add(&passes, &m);
        if (kernel_passes_settled(&passes, cycles, &spread))
            return true;
        p->now += 3e-3 * TICK_HZ;
    }
    return false;
}

typedef bool (*way)(struct replay *p, const struct pulse *pulse, const struct window_rules *rules,
                    double *cycles);

/* Measures each loop from many moments of the recording. Counts the settled values, and the wrong
 * ones among them. */
static void tally(const struct recording *r, const struct window_rules *rules, way measured,
                  unsigned *settled, unsigned *wrong)
{
    *settled = *wrong = 0;
    for (unsigned item = COMPARES; item < KINDS; item++)
        for (unsigned i = 0; r->has[item] && i < 60; i++) {
            struct replay p = {r, r->row_ticks * (double)(i * r->rows / 60), item};
            const struct pulse pulse = {replay_run, replay_now, replay_rest, &p};
            double cycles;
            if (!measured(&p, &pulse, rules, &cycles))
                continue;
            ++*settled;
            *wrong += is_wrong(cycles, item);
        }
}

/* Checks that at most 1 % of the settled values in all recordings are wrong, and that nothing
 * settles in "never-quiet". Returns the number of settled values. */
static unsigned all_right(way measured, const char *what)
{
    unsigned settled, wrong, all = 0, all_wrong = 0;

    for (size_t i = 0; i < RECORDINGS; i++) {
        struct recording r;
        struct window_rules rules;
        recording_read(names[i], &r);
        rules_fill(&rules, &r);
        tally(&r, &rules, measured, &settled, &wrong);
        print_message("%s, %s: %u settled, %u of them wrong\n", names[i], what, settled, wrong);
        all += settled;
        all_wrong += wrong;
        if (strcmp(names[i], "never-quiet") == 0)
            assert_int_equal(settled, 0);
        free(r.tempo);
    }
    if (all_wrong * 100 > all)
        fail_msg("%s: %u of %u settled values are off by more than 3 %%", what, all_wrong, all);
    return all;
}

/* Settled times are correct, and idle moments suffice to settle many items. */
static void test_settled_is_right(void **state)
{
    assert_true(all_right(form_measured, "forms") > 100);
}

static void test_kernels_are_right(void **state)
{
    assert_true(all_right(kernel_measured, "kernels") > 100);
}

/* Calibration finds the recorded core busy, or idle if there were idle moments, and never lowers
 * the baseline. */
static void test_looks(void **state)
{
    const double nops = 1 / kinds[NOPS].cycles;
    const struct baseline known = {.nops = nops, .ports = 1 / kinds[PORTS].cycles}, nothing = {0};
    for (size_t i = 0; i < 3; i++) {
        struct recording r;
        recording_read(names[i], &r);
        double tick = INFINITY, cycles[64], second[64];
        for (size_t k = 0; k < r.rows; k++)
            if (r.tempo[k][0] > 70 && r.tempo[k][0] < tick)
                tick = r.tempo[k][0];
        for (size_t from = 0; from + 64 <= r.rows; from += 64) {
            for (size_t k = 0; k < 64; k++) {
                cycles[k] =
                    r.tempo[from + k][2] / (tick / SANDBOX_CHAIN_LENGTH) / SANDBOX_PROBE_LENGTH;
                second[k] =
                    r.tempo[from + k][3] / (tick / SANDBOX_CHAIN_LENGTH) / SANDBOX_PORTS_LENGTH;
            }
            struct baseline_look by_nops = baseline_look(cycles, 64),
                                 by_ports = baseline_look(second, 64);
            enum baseline_verdict verdict = baseline_judge(&known, &by_nops, &by_ports, NAN),
                                  first = baseline_judge(&nothing, &by_nops, &by_ports, 6);
            assert_true(by_nops.rate < 1.05 * nops);
            assert_int_equal(verdict,
                             by_nops.rate >= 0.985 * nops ? BASELINE_QUIET : BASELINE_BUSY);
            if (strcmp(names[i], "never-quiet") == 0) {
                assert_int_equal(verdict, BASELINE_BUSY);
                assert_int_equal(first, BASELINE_DOUBTFUL);
            }
        }
        free(r.tempo);
    }
}

/* A loop that walks and does not settle with one plan has another plan, once. The windows of the
 * first plan are discarded. */
static void test_replan(void **state)
{
    struct kernel_passes p = {.plan = {.known = true, .kind = KERNEL_CACHED, .reached = 2}};

    p.visits = 9;
    kernel_passes_replan(&p);
    assert_true(p.plan.known); /* The loop's pointers do not advance. */
    p.plan.walks = true;
    p.visits = 3;
    p.count = 12;
    kernel_passes_replan(&p);
    assert_true(p.plan.known);
    p.visits = 4;
    kernel_passes_replan(&p);
    assert_false(p.plan.known);
    assert_int_equal(p.plan.reached, 2);
    assert_int_equal(p.count + p.visits, 0);
    p.plan.known = p.plan.walks = true;
    p.visits = 9;
    kernel_passes_replan(&p);
    assert_true(p.plan.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replan), cmocka_unit_test(test_settled_is_right),
        cmocka_unit_test(test_kernels_are_right), cmocka_unit_test(test_looks)};
    return cmocka_run_group_tests_name("contention", tests, NULL, NULL);
}
