/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocol over contention that was recorded on a busy host (tests/data/contention): what it calls settled is right, whatever the neighbours did, and what it
 * cannot have it calls contended. The recordings are slices of about 3 us in turn (chains, probes and three loops whose quiet times are known), so each moment
 * has a tempo for every kind of code; a run takes as long as the moments it falls into say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/csv.h"
#include "base/mem.h"
#include "measure/baseline.h"
#include "measure/sandbox.h"
#include "measure/window.h"

#define OVERHEAD 64.0
#define TICK_HZ 2.0e9
#define KINDS 7
#define SETTLED_OFF 0.03   /* relative: more is wrong */

/* The host's core when nobody shares it: nops and the ports' probe per cycle, and cycles per instruction of the loops recorded. */
static const double nops = 5.5466, ports = 5.923, truth[3] = {0.2, 1.0 / 3, 0.5};
static const double lengths[KINDS] = {SANDBOX_CHAIN_LENGTH, SANDBOX_CHAIN_LENGTH, SANDBOX_PROBE_LENGTH, SANDBOX_PORTS_LENGTH, 100, 90, 64};

struct recording {
    size_t rows;
    double (*tempo)[KINDS];   /* ticks per loop iteration */
    double row_ticks;         /* that a row stands for */
    double tick;              /* ticks per cycle when quiet */
};

/* A clock that goes through a recording again and again. */
struct replay { const struct recording *r; double now; unsigned item; };

static double column(const struct recording *r, const struct replay *p, double at, enum pulse_code code)
{
    static const unsigned columns[] = {[PULSE_CHAIN] = 0, [PULSE_SECOND_CHAIN] = 1, [PULSE_PROBE] = 2, [PULSE_PORTS] = 3};
    return r->tempo[(size_t)(at / r->row_ticks) % r->rows][code == PULSE_ITEM ? 4 + p->item : columns[code]];
}

/* Ticks of @count iterations from now on. */
static double pass(struct replay *p, enum pulse_code code, double count)
{
    double begun = p->now;

    while (count > 1e-9) {
        double tempo = column(p->r, p, p->now, code), room = p->r->row_ticks - fmod(p->now, p->r->row_ticks);
        double part = fmin(count, fmax(room, 1) / tempo);
        p->now += part * tempo;
        count -= part;
    }
    return p->now - begun;
}

static uint64_t replay_run(void *self, enum pulse_code code, uint64_t warm, uint64_t count, unsigned *fault)
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
    assert_int_equal(t->columns, KINDS);
    *out = (struct recording){.rows = t->count - 1, .tempo = mem_alloc(t->count * sizeof *out->tempo), .tick = INFINITY};
    for (size_t i = 1; i < t->count; i++)
        for (unsigned k = 0; k < KINDS; k++) {
            double ticks = strtod(t->rows[i][k], NULL) - OVERHEAD, count = strtod(t->rows[0][k], NULL);
            out->tempo[i - 1][k] = fmax(ticks, 1) / count;
            out->row_ticks += fmax(ticks, 1) / (double)out->rows;
        }
    csv_table_free(t);
}

static void rules_fill(struct window_rules *rules, double probe_nops, double probe_ports)
{
    *rules = (struct window_rules){.chain_cycles = SANDBOX_CHAIN_LENGTH, .second_cycles = 3 * SANDBOX_CHAIN_LENGTH, .probe_cycles = SANDBOX_PROBE_LENGTH / probe_nops,
                                   .ports_cycles = probe_ports > 0 ? SANDBOX_PORTS_LENGTH / probe_ports : 0, .overhead = OVERHEAD, .chain_tolerance = 0.003,
                                   .probe_tolerance = 0.02, .agreement = 0.004, .chain_ticks = 10e-6 * TICK_HZ, .probe_ticks = 5e-6 * TICK_HZ,
                                   .item_ticks = 20e-6 * TICK_HZ, .patience = 0.1 * TICK_HZ};
}

/* Measures each loop from many moments of the recording on; counts those that settle, and of them the wrong ones. */
static void tally(const struct recording *r, const struct window_rules *rules, unsigned *settled, unsigned *wrong)
{
    *settled = *wrong = 0;
    for (unsigned item = 0; item < 3; item++)
        for (unsigned i = 0; i < 60; i++) {
            struct replay p = {r, r->row_ticks * (double)(i * r->rows / 60), item};
            const struct pulse pulse = {replay_run, replay_now, replay_rest, &p};
            struct window_result got;
            window_measure(&pulse, rules, false, 0, INFINITY, &got);
            if (got.state != WINDOW_SETTLED)
                continue;
            double cycles = got.cycles / lengths[4 + item];
            ++*settled;
            *wrong += !(fabs(cycles / truth[item] - 1) <= SETTLED_OFF);
        }
}

static void test_settled_is_right(void **state)
{
    static const char *const names[] = {"half-quiet", "hardly-quiet", "never-quiet"};
    unsigned settled, wrong, all = 0;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct recording r;
        struct window_rules rules;
        recording_read(names[i], &r);
        rules_fill(&rules, nops, ports);
        tally(&r, &rules, &settled, &wrong);
        print_message("%s: %u of 180 settled, %u of them wrong\n", names[i], settled, wrong);
        all += settled;
        if (wrong * 100 > settled)
            fail_msg("%s: %u of %u settled values are off by more than 3 %%", names[i], wrong, settled);
        if (strcmp(names[i], "never-quiet") == 0)
            assert_int_equal(settled, 0);
        free(r.tempo);
    }
    /* Quiet moments are used where there are any. */
    assert_true(all > 100);
}

/* The look that calibration takes at such a core: busy, or quiet where there were quiet moments, never a lower baseline. */
static void test_looks(void **state)
{
    static const char *const names[] = {"half-quiet", "hardly-quiet", "never-quiet"};
    const struct baseline known = {.nops = nops, .ports = ports}, nothing = {0};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct recording r;
        recording_read(names[i], &r);
        double tick = INFINITY, cycles[64], second[64];
        for (size_t k = 0; k < r.rows; k++)
            if (r.tempo[k][0] > 70 && r.tempo[k][0] < tick)
                tick = r.tempo[k][0];
        for (size_t from = 0; from + 64 <= r.rows; from += 64) {
            for (size_t k = 0; k < 64; k++) {
                cycles[k] = r.tempo[from + k][2] / (tick / SANDBOX_CHAIN_LENGTH) / lengths[2];
                second[k] = r.tempo[from + k][3] / (tick / SANDBOX_CHAIN_LENGTH) / lengths[3];
            }
            struct baseline_look by_nops = baseline_look(cycles, 64), by_ports = baseline_look(second, 64);
            enum baseline_verdict verdict = baseline_judge(&known, &by_nops, &by_ports, NAN), first = baseline_judge(&nothing, &by_nops, &by_ports, 6);
            assert_true(by_nops.rate < 1.05 * nops);
            assert_int_equal(verdict, by_nops.rate >= 0.985 * nops ? BASELINE_QUIET : BASELINE_BUSY);
            if (strcmp(names[i], "never-quiet") == 0) {
                assert_int_equal(verdict, BASELINE_BUSY);
                assert_int_equal(first, BASELINE_DOUBTFUL);
            }
        }
        free(r.tempo);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_settled_is_right), cmocka_unit_test(test_looks)};
    return cmocka_run_group_tests_name("contention", tests, NULL, NULL);
}
