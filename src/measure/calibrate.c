/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/calibrate.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "measure/arch.h"
#include "measure/baseline.h"
#include "measure/ticks.h"

#define ROUNDS 48
#define SAMPLES 6
#define WINDOW_SECONDS 20e-6
#define CHAIN_SECONDS 10e-6
#define PROBE_SECONDS 5e-6
#define PATIENCE_SECONDS 0.1
#define NOISE_PATIENCE_SECONDS 0.01
/* maximum seconds for the check of a possibly busy core if no baseline is known */
#define LOOK_SECONDS 2.0
#define FIRST_LOOK_SECONDS 0.5
/* share of the expected nops per cycle at which a core is certainly idle */
#define ALL_OF_EXPECTED 0.98
#define CPUS_LOOKED_AT 8
#define PROBE_TOLERANCE 0.02      /* relative tolerance of nop and room probes on an idle core */
/* Relative tolerance of the port probe. On a Golden Cove core that the other probes find idle, half
 * of the runs of this probe are 2 to 3 % slower. */
#define PORTS_TOLERANCE 0.04
#define DOUBTFUL_TOLERANCE 0.05
/* share of the expected nops per cycle that an idle core is assumed to reach: 0.93 on Golden Cove,
 * 0.98 on Skylake */
#define OF_EXPECTED 0.95
/* largest contention at which new measurements choose the load window */
#define MOSTLY_QUIET 0.5
#define CHAIN_TICKS 1000   /* minimum duration of a clock chain, in ticks */

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
    *item = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                  .code = code,
                                  .warm = 2,
                                  .count = count < 1 ? 1 : (uint64_t)count,
                                  .samples = samples};
}

/* Time stamp counter and system clock, read together */
struct stopwatch { uint64_t ticks; struct timespec time; };

static void stopwatch_read(struct stopwatch *w)
{
    clock_gettime(CLOCK_MONOTONIC_RAW, &w->time);
    w->ticks = ticks_now();
}

static double stopwatch_hz(const struct stopwatch *from, const struct stopwatch *to)
{
    double seconds = (double)(to->time.tv_sec - from->time.tv_sec) +
                     (double)(to->time.tv_nsec - from->time.tv_nsec) * 1e-9;
    return seconds > 0 ? (double)(to->ticks - from->ticks) / seconds : NAN;
}

/* Measures, by runs of two lengths, the ticks of a chain iteration (@each) and of an empty run
 * (@overhead). Returns false with err on failure. */
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
            return err_set(err, ERR_IO, NULL, "the calibration loop failed: %s",
                           sandbox_fault_text(items[i].fault));
        double ticks = least_ticks(&items[i]);
        if (i % 2)
            high = ticks < high ? ticks : high;
        else
            low = ticks < low ? ticks : low;
    }
    *each = (high - low) / 400;
    *overhead = low - 2 * *each;
    return *each > 0 || err_set(err, ERR_IO, NULL, "the time stamp counter does not count");
}

/* Measurement of a core in rounds: ticks of a chain iteration, time of the multiplication relative
 * to it, and cycles per instruction of the three probes */
struct look {
    double ticks[ROUNDS], second[ROUNDS], nops[ROUNDS], ports[ROUNDS], room[ROUNDS];
    double clock_hz;
    struct baseline_look by_nops, by_ports, by_room;
};

/* Returns the ticks of a chain iteration near round @i: the least of five rounds. Contention may
 * slow the chain down. The probes, which are compared with the chain, would then seem fast. */
static double yardstick(const struct look *l, unsigned i)
{
    unsigned from = i > 2 ? i - 2 : 0, to = i + 3 < ROUNDS ? i + 3 : ROUNDS;
    double least = INFINITY;

    for (unsigned k = from; k < to; k++)
        least = fmin(least, l->ticks[k]);
    return least;
}

/* Returns the ticks per instruction of a raw item whose loop has @length instructions. */
static double raw_each(const struct sandbox_item *item, const struct calibration *c,
                       unsigned length)
{
    return (least_ticks(item) - c->rules.overhead) / (double)item->count / length;
}

/* Returns the summary of one probe. Does not reorder @rounds. */
static struct baseline_look look_of(const double rounds[ROUNDS])
{
    double sorted[ROUNDS];

    memcpy(sorted, rounds, sizeof sorted);
    return baseline_look(sorted, ROUNDS);
}

/* Measures the chain, the multiplication and the probes in several rounds. @each is the ticks per
 * chain iteration. Returns false with err on failure. */
static bool look(struct sandbox *s, double each, const struct calibration *c, struct look *out,
                 struct err *err)
{
    struct sandbox_item *items = sandbox_items(s);
    double clocks[ROUNDS], quick = c->stretch * c->tick_hz / each;
    unsigned kinds = sandbox_has_room(s) ? 5 : 4;

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct sandbox_item *round = &items[kinds * i];
        raw(&round[0], PULSE_CHAIN, CHAIN_SECONDS * quick, SAMPLES);
        raw(&round[1], PULSE_SECOND_CHAIN, CHAIN_SECONDS * quick / 3, SAMPLES);
        raw(&round[2], PULSE_PROBE, PROBE_SECONDS * quick, SAMPLES);
        raw(&round[3], PULSE_PORTS, PROBE_SECONDS * quick, SAMPLES);
        if (kinds == 5)
            raw(&round[4], PULSE_ROOM, PROBE_SECONDS * quick / 2, SAMPLES);
    }
    if (!sandbox_run(s, kinds * ROUNDS, NULL, NULL, NULL, err))
        return false;
    for (unsigned i = 0; i < ROUNDS; i++)
        out->ticks[i] = raw_each(&items[kinds * i], c, SANDBOX_CHAIN_LENGTH);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct sandbox_item *round = &items[kinds * i];
        double tick = yardstick(out, i);
        clocks[i] = c->tick_hz / tick;
        out->second[i] = raw_each(&round[1], c, SANDBOX_CHAIN_LENGTH) / tick;
        out->nops[i] = raw_each(&round[2], c, SANDBOX_PROBE_LENGTH) / tick;
        out->ports[i] = raw_each(&round[3], c, SANDBOX_PORTS_LENGTH) / tick;
        out->room[i] = kinds == 5 ? raw_each(&round[4], c, SANDBOX_ROOM_LENGTH) / tick : 0;
    }
    out->by_nops = look_of(out->nops);
    out->by_ports = look_of(out->ports);
    out->by_room = look_of(out->room);
    qsort(clocks, ROUNDS, sizeof *clocks, compare_doubles);
    out->clock_hz = clocks[ROUNDS / 2];
    return true;
}

/* Returns the seconds for the search for an idle core, at most c->look. The limit is LOOK_SECONDS
 * if @verdict is doubtful, or if the core is busy and has no baseline of the room probe. Otherwise
 * it is FIRST_LOOK_SECONDS if there is no baseline and the core is slower than its facts predict,
 * else 0. */
static double look_seconds(const struct sandbox *s, const struct calibration *c,
                           enum baseline_verdict verdict, const struct baseline *known, double nops)
{
    if (verdict == BASELINE_DOUBTFUL ||
        (verdict == BASELINE_BUSY && !(known->room > 0) && sandbox_has_room(s)))
        return fmin(LOOK_SECONDS, c->look);
    return known->nops > 0 || nops >= ALL_OF_EXPECTED * c->expected_rate
               ? 0
               : fmin(FIRST_LOOK_SECONDS, c->look);
}

/* Measures the cores of @cpus and moves to the least busy one. If a baseline is known, stops at the
 * first idle core. Otherwise measures a possibly busy core for longer. Stores the measurement of
 * that core in @best, and sets out->busy and out->doubtful. Returns false with err on failure. */
static bool look_around(struct sandbox *s, double each, struct calibration *out, const int *cpus,
                        size_t cpu_count, struct baseline *known, struct look *best,
                        struct err *err)
{
    struct look *now = mem_alloc(sizeof *now);
    enum baseline_verdict verdict = BASELINE_DOUBTFUL;
    double begun = clock_wall();
    bool ok = true, any = false;
    int at = sandbox_cpu(s);

    do {
        for (size_t i = 0; ok && i < cpu_count && (verdict != BASELINE_QUIET || known->nops <= 0);
             i++) {
            sandbox_move(s, cpus[i]);
            ok = look(s, each, out, now, err);
            if (!ok || (any && now->by_nops.rate * now->by_ports.rate <=
                                   best->by_nops.rate * best->by_ports.rate))
                continue;
            *best = *now;
            any = true;
            at = cpus[i];
            verdict = baseline_judge(known, &best->by_nops, &best->by_ports, out->expected_rate);
        }
    } while (ok && clock_wall() - begun < look_seconds(s, out, verdict, known, best->by_nops.rate));
    sandbox_move(s, at);
    free(now);
    out->busy = verdict != BASELINE_QUIET;
    out->doubtful = verdict == BASELINE_DOUBTFUL;
    return ok;
}

/* Sets the rules' baseline to the better one of the stored and the measured baseline. Stores it in
 * @known. */
static void baseline_take(struct baseline *known, const struct look *seen, struct calibration *out)
{
    /* Omits the room probe of a busy core, because a busy neighbour may halve the buffer. */
    struct baseline now = {.nops = seen->by_nops.rate,
                           .ports = seen->by_ports.rate,
                           .room = out->busy ? 0 : seen->by_room.rate,
                           .load_window = known->load_window,
                           .doubtful = out->doubtful};

    out->seen_rate = now.nops;
    if (now.nops > 0 && now.ports > 0 && baseline_better(known, &now)) {
        now.nops = fmax(now.nops, known->doubtful ? 0 : known->nops);
        now.ports = fmax(now.ports, known->doubtful ? 0 : known->ports);
        now.room = fmax(now.room, known->doubtful ? 0 : known->room);
        baseline_remember(&now);
        *known = now;
    }
    out->probe_rate = known->nops > 0 ? known->nops : fmax(now.nops, 1);
    out->ports_rate = known->ports;
    out->room_rate = known->room;
    out->rules.probe_tolerance = PROBE_TOLERANCE;
    out->rules.ports_tolerance = PORTS_TOLERANCE;
    /* The core was never idle, so windows are accepted if they are close to the speed that the
     * machine's facts predict. */
    if (out->doubtful && out->expected_rate > 0) {
        out->probe_rate = OF_EXPECTED * out->expected_rate;
        out->ports_rate = out->room_rate = 0;
        out->rules.probe_tolerance = DOUBTFUL_TOLERANCE;
    }
    snprintf(out->day, sizeof out->day, "%s", known->day);
    out->rules.probe_cycles = SANDBOX_PROBE_LENGTH / out->probe_rate;
    out->rules.ports_cycles = out->ports_rate > 0 ? SANDBOX_PORTS_LENGTH / out->ports_rate : 0;
    out->rules.room_cycles = out->room_rate > 0 ? SANDBOX_ROOM_LENGTH / out->room_rate : 0;
}

size_t calibrate_cpus(const struct sandbox *s, int *out, size_t most)
{
    cpu_set_t cpus;
    size_t n = 0, all, next = 0;

    out[0] = sandbox_cpu(s);
    if (!sandbox_any_cpu(s) || sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return 1;
    all = (size_t)CPU_COUNT(&cpus);
    for (unsigned i = 0; i < CPU_SETSIZE && n < most; i++)
        if (CPU_ISSET(i, &cpus)) {
            /* Chooses evenly distributed CPUs if there are more than @most. */
            if (next * most >= n * all)
                out[n++] = (int)i;
            next++;
        }
    return n ? n : 1;
}

/* Measures multiplication and probes relative to the chain, and sets clock, baseline and
 * contention. */
static bool ratios(struct sandbox *s, double each, struct calibration *out, struct baseline *known,
                   struct err *err)
{
    struct look *seen = mem_zero(1, sizeof *seen);
    int cpus[CPUS_LOOKED_AT];
    size_t n = calibrate_cpus(s, cpus, CPUS_LOOKED_AT);
    bool ok = look_around(s, each, out, cpus, n, known, seen, err);

    if (ok) {
        unsigned slow = 0;
        baseline_take(known, seen, out);
        for (unsigned i = 0; i < ROUNDS; i++)
            slow += fmax(seen->nops[i] * out->probe_rate, seen->room[i] * out->room_rate) >
                        1 + out->rules.probe_tolerance ||
                    seen->ports[i] * out->ports_rate >
                        1 + fmax(out->rules.ports_tolerance, out->rules.probe_tolerance);
        out->contention = (double)slow / ROUNDS;
        out->cpu = sandbox_cpu(s);
        double ratio = calibrate_floor(seen->second, ROUNDS, 0.003);
        out->second_ratio = fabs(ratio - round(ratio)) < 0.03 * ratio ? round(ratio) : NAN;
        out->clock_hz = seen->clock_hz;
    }
    free(seen);
    return ok;
}

/* Adds a body of 200 loads that step through @window bytes. Loads are 16-byte vector loads if
 * @vector, otherwise 8-byte general loads. */
static bool loads_add(struct sandbox *s, unsigned window, bool vector, uint32_t *offset)
{
    uint8_t code[200 * 8];
    size_t at = 0;
    for (unsigned i = 0; i < 200; i++)
        at += arch_load(code + at, vector, i * (vector ? 16 : 8) % window);
    return sandbox_add(s, code, at, 1, COUNTER_BODY, offset);
}

/* Chooses the smallest load window whose 90th percentile of rounds is within 0.5 % of the lowest.
 * Keeps a known window if the core is busy. On some CPUs, banks and way predictors temporarily slow
 * loads of many lines. On others, loads of few lines conflict. Returns false with err on
 * failure. */
static bool load_window_choose(struct sandbox *s, struct calibration *out, struct baseline *known,
                               struct err *err)
{
    static const unsigned windows[] = {64, 128, 256, 512, BODY_WINDOW};
    enum { N = sizeof windows / sizeof *windows, ROUNDS_EACH = 24, OF_ROUND = 3 };
    struct sandbox_item *items = sandbox_items(s);
    double best = INFINITY, sums[N];
    uint32_t offset;

    sandbox_clear(s);
    if (known->load_window && out->contention > MOSTLY_QUIET) {
        out->load_window = known->load_window;
        return true;
    }
    for (unsigned i = 0; i < 2 * N; i++) {
        if (!loads_add(s, windows[i / 2], i % 2, &offset))
            return err_set(err, ERR_LIMIT, NULL, "no memory for the calibration code");
        /* Interleaves the rounds of all items to distribute the rounds of each item over time. */
        for (unsigned r = 0; r < ROUNDS_EACH; r++) {
            raw(&items[r * 2 * N + i], PULSE_ITEM,
                out->stretch * CHAIN_SECONDS * out->clock_hz / 100, OF_ROUND);
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
    if (out->contention <= MOSTLY_QUIET && !out->busy && known->load_window != out->load_window &&
        known->nops > 0) {
        known->load_window = out->load_window;
        baseline_remember(known);
    }
    return true;
}

/* Measures the relative noise of one loop with the rules of @out. Sets out->noise; NaN: too few
 * times settled. Returns false with err on failure. */
static bool noise_floor(struct sandbox *s, struct calibration *out, struct err *err)
{
    struct sandbox_item *items = sandbox_items(s);
    double cycles[40];
    unsigned n = 0;
    uint32_t offset;

    sandbox_clear(s);
    struct window_rules rules = out->rules;
    rules.patience = out->stretch * NOISE_PATIENCE_SECONDS * out->tick_hz;
    sandbox_add(s, arch_pair.bytes, arch_pair.length, 100, COUNTER_BODY, &offset);
    for (unsigned i = 0; i < 40; i++)
        items[i] = (struct sandbox_item){
            .mode = SANDBOX_WINDOWS, .code = PULSE_ITEM, .offset = offset, .vectors = SETUP_SSE};
    if (!sandbox_run(s, 40, &rules, NULL, NULL, err))
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

static bool calibrate_all(struct sandbox *s, double look, struct calibration *out, struct err *err)
{
    struct stopwatch from, to;
    struct baseline known;
    double each = 0, overhead = 0;

    *out = (struct calibration){.cpu = sandbox_cpu(s), .expected_rate = NAN, .look = look};
    baseline_recall(&known);
    if (known.nops <= 0 || known.doubtful)
        out->expected_rate = baseline_expected();
    stopwatch_read(&from);
    if (!chain_line(s, &each, &overhead, err))
        return false;
    do
        stopwatch_read(&to);
    while (to.time.tv_sec == from.time.tv_sec && to.time.tv_nsec - from.time.tv_nsec < 20000000);
    out->tick_hz = stopwatch_hz(&from, &to);
    out->stretch = calibrate_stretch(out->tick_hz);
    out->rules = (struct window_rules){.chain_cycles = SANDBOX_CHAIN_LENGTH,
                                       .overhead = overhead,
                                       .chain_tolerance = 0.003,
                                       .agreement = 0.004,
                                       .sizing = (unsigned)ceil(4 * out->stretch)};
    if (!ratios(s, each, out, &known, err))
        return false;
    stopwatch_read(&to);
    out->tick_hz = stopwatch_hz(&from, &to);
    out->rules.second_cycles =
        isnan(out->second_ratio) ? 0 : out->second_ratio * SANDBOX_CHAIN_LENGTH;
    out->rules.chain_ticks = out->stretch * CHAIN_SECONDS * out->tick_hz;
    out->rules.probe_ticks = out->stretch * PROBE_SECONDS * out->tick_hz;
    out->rules.item_ticks = out->stretch * WINDOW_SECONDS * out->tick_hz;
    out->rules.patience = out->stretch * PATIENCE_SECONDS * out->tick_hz;
    out->counters = sandbox_has_counter(s);
    out->unfiltered = sandbox_unfiltered(s);
    return load_window_choose(s, out, &known, err) && noise_floor(s, out, err);
}

bool calibrate(struct sandbox *s, bool (*cancelled)(void *state), void *state,
               struct calibration *out, struct err *err)
{
    return calibrate_within(s, INFINITY, cancelled, state, out, err);
}

bool calibrate_within(struct sandbox *s, double look, bool (*cancelled)(void *state), void *state,
                      struct calibration *out, struct err *err)
{
    if (cancelled)
        sandbox_cancel_by(s, cancelled, state);
    bool ok = calibrate_all(s, look, out, err);
    if (cancelled)
        sandbox_cancel_by(s, NULL, NULL);
    return ok;
}

const char *calibration_method(const struct calibration *c)
{
    return c->counters ? "cycle counter, checked by dependency chains"
                       : "dependency chains around each sample, no cycle counter";
}

const char *calibration_remark(const struct calibration *c)
{
    return c->unfiltered ? "the CPU is emulated: no system call filter, and cycles are meaningless"
                         : arch_remark();
}
