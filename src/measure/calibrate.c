/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "measure/arch.h"
#include "measure/ticks.h"

#define ROUNDS 80
#define SAMPLES 6
#define WINDOW_SECONDS 20e-6
#define CHAIN_SECONDS 10e-6
#define PROBE_SECONDS 5e-6
#define PATIENCE_SECONDS 0.1
#define CHAIN_TICKS 1000   /* of a clock's chain, at least */

double calibrate_floor(double *values, size_t n, double width)
{
    qsort(values, n, sizeof *values, compare_doubles);
    for (size_t i = 0; i + 2 < n; i++)
        if (values[i + 2] <= values[i] * (1 + width))
            return values[i + 1];
    return values[n / 2];
}

double calibrate_stretch(double tick_hz)
{
    double ticks = CHAIN_SECONDS * tick_hz;
    return ticks > 0 && ticks < CHAIN_TICKS ? CHAIN_TICKS / ticks : 1;
}

static double least_ticks(const struct sandbox_item *item)
{
    double least = INFINITY;
    for (unsigned i = 0; i < item->samples; i++)
        least = (double)item->ticks[i] < least ? (double)item->ticks[i] : least;
    return least;
}

static void raw(struct sandbox_item *item, enum pulse_code code, double count, unsigned samples)
{
    *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS, .code = code, .warm = 2, .count = count < 1 ? 1 : (uint64_t)count, .samples = samples};
}

/* Ticks of the time stamp counter a second, by the system's clock. */
struct stopwatch { uint64_t ticks; struct timespec time; };

static void stopwatch_read(struct stopwatch *w)
{
    clock_gettime(CLOCK_MONOTONIC_RAW, &w->time);
    w->ticks = ticks_now();
}

static double stopwatch_hz(const struct stopwatch *from, const struct stopwatch *to)
{
    double seconds = (double)(to->time.tv_sec - from->time.tv_sec) + (double)(to->time.tv_nsec - from->time.tv_nsec) * 1e-9;
    return seconds > 0 ? (double)(to->ticks - from->ticks) / seconds : NAN;
}

/* Ticks of one chain iteration and of an empty run, from two lengths. */
static bool chain_line(struct sandbox *s, double *each, double *overhead, struct err *err)
{
    struct sandbox_item *items = sandbox_items(s);
    double low = INFINITY, high = INFINITY;

    for (unsigned i = 0; i < 20; i++)
        raw(&items[i], PULSE_CHAIN, i % 2 ? 402 : 2, 32);
    if (!sandbox_run(s, 20, NULL, NULL, NULL, err))
        return false;
    for (unsigned i = 0; i < 20; i++) {
        if (items[i].fault)
            return err_set(err, ERR_IO, NULL, "the calibration loop does not run: %s", sandbox_fault_text(items[i].fault));
        double ticks = least_ticks(&items[i]);
        if (i % 2)
            high = ticks < high ? ticks : high;
        else
            low = ticks < low ? ticks : low;
    }
    *each = (high - low) / 400;
    *overhead = low - 2 * *each;
    return *each > 0 || err_set(err, ERR_IO, NULL, "the time stamp counter does not advance");
}

/* Multiplication and probe beside the chain, many times over. */
static bool ratios(struct sandbox *s, double each, struct calibration *out, struct err *err)
{
    struct sandbox_item *items = sandbox_items(s);
    double second[ROUNDS], probe[ROUNDS], sorted[ROUNDS], clocks[ROUNDS], quick = out->stretch * out->tick_hz / each;

    for (unsigned i = 0; i < ROUNDS; i++) {
        raw(&items[3 * i], PULSE_CHAIN, CHAIN_SECONDS * quick, SAMPLES);
        raw(&items[3 * i + 1], PULSE_SECOND_CHAIN, CHAIN_SECONDS * quick / 3, SAMPLES);
        raw(&items[3 * i + 2], PULSE_PROBE, PROBE_SECONDS * quick, SAMPLES);
    }
    if (!sandbox_run(s, 3 * ROUNDS, NULL, NULL, NULL, err))
        return false;
    for (unsigned i = 0; i < ROUNDS; i++) {
        double chain = (least_ticks(&items[3 * i]) - out->rules.overhead) / (double)items[3 * i].count / SANDBOX_CHAIN_LENGTH;
        clocks[i] = out->tick_hz / chain;
        second[i] = (least_ticks(&items[3 * i + 1]) - out->rules.overhead) / (double)items[3 * i + 1].count / SANDBOX_CHAIN_LENGTH / chain;
        probe[i] = (least_ticks(&items[3 * i + 2]) - out->rules.overhead) / (double)items[3 * i + 2].count / chain;
    }
    memcpy(sorted, probe, sizeof sorted);
    out->rules.probe_cycles = calibrate_floor(sorted, ROUNDS, 0.005);
    out->probe_rate = SANDBOX_PROBE_LENGTH / out->rules.probe_cycles;
    /* What the quiet half of the probes scatters by, but no finer than the clock of a window can be told. */
    double scatter = (sorted[ROUNDS / 2] - out->rules.probe_cycles) / out->rules.probe_cycles;
    out->rules.probe_tolerance = scatter * 3 < 0.012 ? 0.012 : scatter * 3 > 0.03 ? 0.03 : scatter * 3;
    unsigned slow = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        slow += probe[i] > out->rules.probe_cycles * (1 + out->rules.probe_tolerance);
    out->contention = (double)slow / ROUNDS;
    double ratio = calibrate_floor(second, ROUNDS, 0.003);
    out->second_ratio = fabs(ratio - round(ratio)) < 0.02 * ratio ? round(ratio) : NAN;
    qsort(clocks, ROUNDS, sizeof *clocks, compare_doubles);
    out->clock_hz = clocks[ROUNDS / 2];
    return true;
}

/* One body of 200 loads that step through @window bytes: general ones of 8 bytes or vector ones of 16. */
static bool loads_add(struct sandbox *s, unsigned window, bool vector, uint32_t *offset)
{
    uint8_t code[200 * 8];
    size_t at = 0;
    for (unsigned i = 0; i < 200; i++)
        at += arch_load(code + at, vector, i * (vector ? 16 : 8) % window);
    return sandbox_add(s, code, at, 1, COUNTER_BODY, offset);
}

/* Caches' banks and way predictors make loads of many lines take a little longer now and then, for milliseconds; those of few lines
 * collide on other machines. What nine of ten rounds stay below decides; among equals the narrowest. */
static bool load_window_choose(struct sandbox *s, struct calibration *out, struct err *err)
{
    static const unsigned windows[] = {64, 128, 256, 512, BODY_WINDOW};
    enum { N = sizeof windows / sizeof *windows, ROUNDS_EACH = 24, OF_ROUND = 3 };
    struct sandbox_item *items = sandbox_items(s);
    double best = INFINITY, sums[N];
    uint32_t offset;

    sandbox_clear(s);
    for (unsigned i = 0; i < 2 * N; i++) {
        if (!loads_add(s, windows[i / 2], i % 2, &offset))
            return err_set(err, ERR_LIMIT, NULL, "no space for the calibration code");
        /* Far apart in time rather than one after the other. */
        for (unsigned r = 0; r < ROUNDS_EACH; r++) {
            raw(&items[r * 2 * N + i], PULSE_ITEM, out->stretch * CHAIN_SECONDS * out->clock_hz / 100, OF_ROUND);
            items[r * 2 * N + i].offset = offset;
        }
    }
    if (!sandbox_run(s, 2 * N * ROUNDS_EACH, NULL, NULL, NULL, err))
        return false;
    for (unsigned w = N; w-- > 0;) {
        double sum = 0;
        for (unsigned vector = 0; vector < 2; vector++) {
            double ticks[ROUNDS_EACH];
            for (unsigned r = 0; r < ROUNDS_EACH; r++)
                ticks[r] = least_ticks(&items[r * 2 * N + 2 * w + vector]);
            qsort(ticks, ROUNDS_EACH, sizeof *ticks, compare_doubles);
            sum += ticks[ROUNDS_EACH * 9 / 10];
        }
        sums[w] = sum;
        best = sum < best ? sum : best;
    }
    for (unsigned w = N; w-- > 0;)
        if (sums[w] < best * 1.005)
            out->load_window = windows[w];
    return true;
}

/* The same loop measured again and again by the rules found. */
static bool noise_floor(struct sandbox *s, struct calibration *out, struct err *err)
{
    struct sandbox_item *items = sandbox_items(s);
    double cycles[40];
    unsigned n = 0;
    uint32_t offset;

    sandbox_clear(s);
    sandbox_add(s, arch_pair.bytes, arch_pair.length, 100, COUNTER_BODY, &offset);
    for (unsigned i = 0; i < 40; i++)
        items[i] = (struct sandbox_item){.mode = SANDBOX_WINDOWS, .code = PULSE_ITEM, .offset = offset, .vectors = SETUP_SSE};
    if (!sandbox_run(s, 40, &out->rules, NULL, NULL, err))
        return false;
    for (unsigned i = 0; i < 40; i++)
        if (items[i].result.state == WINDOW_SETTLED)
            cycles[n++] = items[i].result.cycles;
    out->noise = NAN;
    if (n < 10)
        return true;
    qsort(cycles, n, sizeof *cycles, compare_doubles);
    double middle = cycles[n / 2];
    for (unsigned i = 0; i < n; i++)
        cycles[i] = fabs(cycles[i] - middle) / middle;
    qsort(cycles, n, sizeof *cycles, compare_doubles);
    out->noise = cycles[n * 95 / 100 < n ? n * 95 / 100 : n - 1];
    return true;
}

static bool calibrate_all(struct sandbox *s, struct calibration *out, struct err *err)
{
    struct stopwatch from, to;
    double each = 0, overhead = 0;

    *out = (struct calibration){.cpu = sandbox_cpu(s)};
    stopwatch_read(&from);
    if (!chain_line(s, &each, &overhead, err))
        return false;
    do
        stopwatch_read(&to);
    while (to.time.tv_sec == from.time.tv_sec && to.time.tv_nsec - from.time.tv_nsec < 20000000);
    out->tick_hz = stopwatch_hz(&from, &to);
    out->stretch = calibrate_stretch(out->tick_hz);
    out->rules = (struct window_rules){.chain_cycles = SANDBOX_CHAIN_LENGTH, .overhead = overhead, .chain_tolerance = 0.003, .agreement = 0.004,
                                       .sizing = (unsigned)ceil(4 * out->stretch)};
    if (!ratios(s, each, out, err))
        return false;
    stopwatch_read(&to);
    out->tick_hz = stopwatch_hz(&from, &to);
    out->rules.second_cycles = isnan(out->second_ratio) ? 0 : out->second_ratio * SANDBOX_CHAIN_LENGTH;
    out->rules.chain_ticks = out->stretch * CHAIN_SECONDS * out->tick_hz;
    out->rules.probe_ticks = out->stretch * PROBE_SECONDS * out->tick_hz;
    out->rules.item_ticks = out->stretch * WINDOW_SECONDS * out->tick_hz;
    out->rules.patience = out->stretch * PATIENCE_SECONDS * out->tick_hz;
    out->counters = sandbox_has_counter(s);
    out->unfiltered = sandbox_unfiltered(s);
    return load_window_choose(s, out, err) && noise_floor(s, out, err);
}

bool calibrate(struct sandbox *s, bool (*cancelled)(void *state), void *state, struct calibration *out, struct err *err)
{
    sandbox_cancel_by(s, cancelled, state);
    bool ok = calibrate_all(s, out, err);
    sandbox_cancel_by(s, NULL, NULL);
    return ok;
}

const char *calibration_method(const struct calibration *c)
{
    return c->counters ? "cycle counter, checked by dependent chains" : "dependent chains beside each sample, no cycle counter";
}

const char *calibration_remark(const struct calibration *c)
{
    return c->unfiltered ? "this is an emulator: no system call filter, and cycles mean nothing" : arch_remark();
}
