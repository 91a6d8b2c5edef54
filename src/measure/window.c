/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/window.h"

#include <math.h>
#include <stddef.h>

#include "measure/bare.h"

#define VALUES WINDOW_VALUES
#define FLOOR_LEAST 3
#define RUNS 3      /* number of runs of the item per window */

static BARE void sort(double *values, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k && values[k] < values[k - 1]; k--) {
            double swap = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
}

BARE double window_lowest(double *values, unsigned n, double *spread)
{
    sort(values, n);
    unsigned last = n < 3 ? n - 1 : 2;
    *spread = values[0] > 0 ? (values[last] - values[0]) / values[0] : 0;
    return values[n < 3 ? 0 : 1];
}

BARE bool window_floor(double *values, unsigned n, double width, double share, double *cycles,
                       double *spread)
{
    unsigned needed = (unsigned)(share * n);

    /* Rounds up without ceil(), which may be a library call. */
    needed += needed < share * n;
    needed = needed < FLOOR_LEAST ? FLOOR_LEAST : needed;
    sort(values, n);
    for (unsigned i = 0; i + needed <= n; i++)
        if (values[i] > 0 && values[i + needed - 1] <= values[i] * (1 + width)) {
            *cycles = values[i + needed / 2];
            *spread = (values[i + needed - 1] - values[i]) / values[i];
            return true;
        }
    return false;
}

/* Measures ticks per cycle with a chain. Returns 0 if the run failed. */
static BARE double clock_by(const struct pulse *pulse, const struct window_rules *rules,
                            enum pulse_code code, double ticks_per_cycle)
{
    unsigned fault;
    double cycles = code == PULSE_CHAIN ? rules->chain_cycles : rules->second_cycles;
    uint64_t count = (uint64_t)(rules->chain_ticks / (cycles * ticks_per_cycle)) + 1;
    uint64_t ticks = pulse->run(pulse->self, code, 2, count, &fault);
    return ticks ? ((double)ticks - rules->overhead) / ((double)count * cycles) : 0;
}

/* Returns whether a probe takes the time that it takes on an idle core. If it takes less, the
 * measured clock is wrong. */
static BARE bool probe_right(const struct pulse *pulse, const struct window_rules *rules,
                             enum pulse_code code, double expected, double tolerance,
                             double ticks_per_cycle)
{
    unsigned fault;
    uint64_t count = (uint64_t)(0.5 * rules->probe_ticks / (expected * ticks_per_cycle)) + 1;
    uint64_t ticks = pulse->run(pulse->self, code, 2, count, &fault);
    double cycles = ((double)ticks - rules->overhead) / ((double)count * ticks_per_cycle);
    return ticks && cycles < expected * (1 + tolerance) &&
           cycles > expected * (1 - rules->probe_tolerance);
}

/* Returns whether front end, ports and reorder buffer are uncontended. A neighbour may slow nops
 * less than additions. A neighbour that waits for memory slows neither, but occupies half of every
 * buffer. */
static BARE bool probe_quiet(const struct pulse *pulse, const struct window_rules *rules,
                             double ticks_per_cycle)
{
    double tolerance = rules->probe_tolerance,
           ports = rules->ports_tolerance > tolerance ? rules->ports_tolerance : tolerance;

    return (!(rules->room_cycles > 0) || probe_right(pulse, rules, PULSE_ROOM, rules->room_cycles,
                                                     tolerance, ticks_per_cycle)) &&
           probe_right(pulse, rules, PULSE_PROBE, rules->probe_cycles, tolerance,
                       ticks_per_cycle) &&
           (!(rules->ports_cycles > 0) ||
            probe_right(pulse, rules, PULSE_PORTS, rules->ports_cycles, ports, ticks_per_cycle));
}

/* Runs the item @runs times. Stores the shortest time in *@ticks. Returns false on a fault. */
static BARE bool shortest(const struct pulse *pulse, unsigned runs, uint64_t warm, uint64_t count,
                          double *ticks, unsigned *fault)
{
    *ticks = INFINITY;
    for (unsigned i = 0; i < runs; i++) {
        uint64_t t = pulse->run(pulse->self, PULSE_ITEM, warm, count, fault);
        if (!t)
            return false;
        *ticks = (double)t < *ticks ? (double)t : *ticks;
    }
    return true;
}

/* Returns the number of iterations that fill the window; 0 on a fault. */
static BARE uint64_t count_for(const struct pulse *pulse, const struct window_rules *rules,
                               unsigned *fault)
{
    unsigned sizing = rules->sizing ? rules->sizing : 4;
    double ticks, least = 1.0 / sizing;

    if (!shortest(pulse, RUNS, 1, sizing, &ticks, fault))
        return 0;
    double each = (ticks - rules->overhead) / sizing;
    double count = rules->item_ticks / (each > least ? each : least);
    return count < 2 ? 2 : (uint64_t)count;
}

/* Returns the middle of the three lowest @values, and sets *@apart to their range. @n is at least
 * 3. */
static BARE double lowest_three(const float *values, unsigned n, double *apart)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};

    for (unsigned i = 0; i < n; i++) {
        double value = (double)values[i];
        if (value < low[0]) {
            low[2] = low[1];
            low[1] = low[0];
            low[0] = value;
        } else if (value < low[1]) {
            low[2] = low[1];
            low[1] = value;
        } else if (value < low[2]) {
            low[2] = value;
        }
    }
    *apart = low[2] - low[0];
    return low[1];
}

/* Computes cycles and spread from the windows so far. Returns whether the lowest windows agree.
 * @iterations: for a difference, the iterations of the long run minus those of the short run. */
static BARE bool windows_agree(const struct window_rules *rules, bool difference, double iterations,
                               double values[VALUES], struct window_result *out)
{
    double longer, shorter, longer_apart, shorter_apart;

    if (!difference || out->accepted < 3) {
        out->cycles = window_lowest(values, out->accepted, &out->spread);
        return out->spread < rules->agreement;
    }
    longer = lowest_three(out->longer, out->accepted, &longer_apart);
    shorter = lowest_three(out->shorter, out->accepted, &shorter_apart);
    out->cycles = (longer - shorter) / iterations;
    out->spread = (longer_apart + shorter_apart) / (longer - shorter);
    return longer_apart < rules->agreement * longer && shorter_apart < rules->agreement * shorter;
}

/* Sets the numbers of a result one by one, because the compiler may call the C library for a large
 * assignment. */
static BARE void result_begin(struct window_result *out)
{
    out->state = WINDOW_UNSETTLED;
    out->fault = 0;
    out->cycles = out->spread = out->contended_cycles = NAN;
    out->clock = 0;
    out->accepted = out->contended = out->disturbed = 0;
}

static BARE void result_fault(struct window_result *out)
{
    out->state = WINDOW_FAULT;
    out->cycles = out->spread = out->contended_cycles = NAN;
}

BARE void window_not_run(struct window_result *out)
{
    result_begin(out);
    out->state = WINDOW_BEATEN;
}

BARE struct window_wait window_wait_begin(const struct pulse *pulse, double ticks)
{
    uint64_t now = pulse->now(pulse->self);
    return (struct window_wait){now, now + (uint64_t)ticks};
}

static BARE bool may_wait(const struct pulse *pulse, const struct window_rules *rules,
                          const struct window_wait *wait)
{
    uint64_t now = pulse->now(pulse->self);
    return now < wait->until && (double)(now - wait->quiet) < rules->patience;
}

/* Measures unconfirmed cycles per iteration on the shared core. Returns false on a fault. */
static BARE bool contended_look(const struct pulse *pulse, const struct window_rules *rules,
                                uint64_t count, struct window_result *out)
{
    double longer, before = clock_by(pulse, rules, PULSE_CHAIN, 1);

    if (!shortest(pulse, RUNS, count / 8, count, &longer, &out->fault))
        return false;
    double after = clock_by(pulse, rules, PULSE_CHAIN, before > 0 ? before : 1);
    if (before > 0 && after > 0)
        out->contended_cycles =
            (longer - rules->overhead) / ((double)count * (after < before ? after : before));
    return true;
}

/* Opens a window: measures the clock and the probes. Returns ticks per cycle, or 0 if the core is
 * busy. Sets *@tick to the ticks per cycle of the clock chain. */
static BARE double window_open(const struct pulse *pulse, const struct window_rules *rules,
                               double *tick, struct window_result *out)
{
    double before = clock_by(pulse, rules, PULSE_CHAIN, *tick);

    if (before <= 0)
        return 0;
    *tick = before;
    if (probe_quiet(pulse, rules, before))
        return before;
    out->contended++;
    pulse->rest(pulse->self);
    return 0;
}

BARE void window_measure(const struct pulse *pulse, const struct window_rules *rules,
                         struct window_wait *wait, bool difference, uint64_t count, double beat,
                         struct window_result *out)
{
    double values[VALUES], tick = 1, before = 0;
    bool first = true, agree = false;

    result_begin(out);
    count = count ? count : count_for(pulse, rules, &out->fault);
    if (!count) {
        result_fault(out);
        return;
    }
    /* For a difference, each window has one run of each kind, because idle moments are short. The
     * lowest of many windows are used. */
    unsigned runs = difference ? 1 : RUNS;
    double iterations = (double)(difference ? count - count / 2 : count);
    while (!agree && out->accepted < VALUES &&
           (first || before > 0 || may_wait(pulse, rules, wait))) {
        double shorter = rules->overhead, longer;
        first = false;
        /* The check after an accepted window is also the check before the next window. */
        before = before > 0 ? before : window_open(pulse, rules, &tick, out);
        if (!(before > 0))
            continue;
        uint64_t warm = difference ? count : count / 8;
        if ((difference && !shortest(pulse, runs, warm, count / 2, &shorter, &out->fault)) ||
            !shortest(pulse, runs, warm, count, &longer, &out->fault)) {
            result_fault(out);
            return;
        }
        double begun = before,
               after = clock_by(pulse, rules,
                                rules->second_cycles > 0 ? PULSE_SECOND_CHAIN : PULSE_CHAIN, begun);
        before = 0;
        if (!(fabs(after - begun) < rules->chain_tolerance * begun)) {
            out->disturbed++;
            continue;
        }
        if (!probe_quiet(pulse, rules, after)) {
            out->contended++;
            continue;
        }
        wait->quiet = pulse->now(pulse->self);
        before = tick = after;
        double ticks_per_cycle = after < begun ? after : begun;
        unsigned at = out->accepted++;
        values[at] = (longer - shorter) / (iterations * ticks_per_cycle);
        out->values[at] = (float)values[at];
        out->shorter[at] = (float)(shorter / ticks_per_cycle);
        out->longer[at] = (float)(longer / ticks_per_cycle);
        out->clock = 1 / ticks_per_cycle;
        if (at == 0 && values[0] >= beat * (1 - rules->agreement)) {
            out->cycles = values[0];
            out->state = WINDOW_BEATEN;
            return;
        }
        agree = windows_agree(rules, difference, iterations, values, out) && out->accepted >= 3;
    }
    /* Ends after many idle windows even if they do not agree, because the time of some code always
     * varies. */
    if (out->accepted >= 3 && (agree || out->accepted == VALUES))
        out->state = WINDOW_SETTLED;
    if (!out->accepted && !difference && !contended_look(pulse, rules, count, out))
        result_fault(out);
}
