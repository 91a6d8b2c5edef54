/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/window.h"

#include <math.h>
#include <stddef.h>

#include "measure/bare.h"

#define VALUES WINDOW_VALUES
#define FLOOR_LEAST 3
#define RUNS 3      /* of the item in one window */

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

BARE bool window_agreed(double *values, unsigned n, double agreement, double *cycles, double *spread)
{
    unsigned needed = n < 4 ? 2 : n / 2 + 1;

    sort(values, n);
    *spread = INFINITY;
    for (unsigned i = 0; i + needed <= n; i++) {
        double apart = (values[i + needed - 1] - values[i]) / values[i];
        if (apart < *spread) {
            *spread = apart;
            *cycles = values[i];
        }
    }
    return *spread < agreement;
}

BARE bool window_floor(double *values, unsigned n, double width, double share, double *cycles, double *spread)
{
    unsigned needed = (unsigned)ceil(share * n);

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

/* Ticks per cycle by a chain; 0 when the run failed. */
static BARE double clock_by(const struct pulse *pulse, const struct window_rules *rules, enum pulse_code code, double ticks_per_cycle)
{
    unsigned fault;
    double cycles = code == PULSE_CHAIN ? rules->chain_cycles : rules->second_cycles;
    uint64_t count = (uint64_t)(rules->chain_ticks / (cycles * ticks_per_cycle)) + 1;
    uint64_t ticks = pulse->run(pulse->self, code, 2, count, &fault);
    return ticks ? ((double)ticks - rules->overhead) / ((double)count * cycles) : 0;
}

/* Whether a probe takes what it does on a quiet core. One that is faster proves that the clock was misread. */
static BARE bool probe_right(const struct pulse *pulse, const struct window_rules *rules, enum pulse_code code, double wanted, double share, double ticks_per_cycle)
{
    unsigned fault;
    uint64_t count = (uint64_t)(share * rules->probe_ticks / (wanted * ticks_per_cycle)) + 1;
    uint64_t ticks = pulse->run(pulse->self, code, 2, count, &fault);
    double cycles = ((double)ticks - rules->overhead) / ((double)count * ticks_per_cycle);
    return ticks && cycles < wanted * (1 + rules->probe_tolerance) && cycles > wanted * (1 - rules->probe_tolerance);
}

/* Nobody takes from the front end, nor from the ports: who shares the core may leave nops nearly alone (5 % slower) while additions take 40 % longer. */
static BARE bool probe_quiet(const struct pulse *pulse, const struct window_rules *rules, double ticks_per_cycle)
{
    bool ports = rules->ports_cycles > 0;
    return probe_right(pulse, rules, PULSE_PROBE, rules->probe_cycles, ports ? 0.5 : 1, ticks_per_cycle) &&
           (!ports || probe_right(pulse, rules, PULSE_PORTS, rules->ports_cycles, 0.5, ticks_per_cycle));
}

/* The shortest of a few runs; false on a fault. */
static BARE bool shortest(const struct pulse *pulse, uint64_t warm, uint64_t count, double *ticks, unsigned *fault)
{
    *ticks = INFINITY;
    for (unsigned i = 0; i < RUNS; i++) {
        uint64_t t = pulse->run(pulse->self, PULSE_ITEM, warm, count, fault);
        if (!t)
            return false;
        *ticks = (double)t < *ticks ? (double)t : *ticks;
    }
    return true;
}

/* How many iterations fill the window; 0 on a fault. */
static BARE uint64_t count_for(const struct pulse *pulse, const struct window_rules *rules, unsigned *fault)
{
    unsigned sizing = rules->sizing ? rules->sizing : 4;
    double ticks, least = 1.0 / sizing;

    if (!shortest(pulse, 1, sizing, &ticks, fault))
        return 0;
    double each = (ticks - rules->overhead) / sizing;
    double count = rules->item_ticks / (each > least ? each : least);
    return count < 2 ? 2 : (uint64_t)count;
}

BARE void window_measure(const struct pulse *pulse, const struct window_rules *rules, bool difference, uint64_t count, double beat, struct window_result *out)
{
    double values[VALUES], tick = 1;
    uint64_t start = pulse->now(pulse->self);
    unsigned have = 0;

    *out = (struct window_result){.state = WINDOW_UNSETTLED, .cycles = NAN, .spread = NAN};
    count = count ? count : count_for(pulse, rules, &out->fault);
    if (!count) {
        out->state = WINDOW_FAULT;
        return;
    }
    bool first = true;
    while (have < VALUES && (first || (double)(pulse->now(pulse->self) - start) < rules->patience)) {
        double shorter = rules->overhead, longer;
        first = false;
        double before = clock_by(pulse, rules, PULSE_CHAIN, tick);
        if (before <= 0)
            continue;
        tick = before;
        if (!probe_quiet(pulse, rules, before)) {
            out->contended++;
            pulse->rest(pulse->self);
            continue;
        }
        uint64_t warm = difference ? count : count / 8;
        if ((difference && !shortest(pulse, warm, count / 2, &shorter, &out->fault)) || !shortest(pulse, warm, count, &longer, &out->fault)) {
            out->state = WINDOW_FAULT;
            return;
        }
        double after = clock_by(pulse, rules, rules->second_cycles > 0 ? PULSE_SECOND_CHAIN : PULSE_CHAIN, before);
        if (!(fabs(after - before) < rules->chain_tolerance * before)) {
            out->disturbed++;
            continue;
        }
        if (!probe_quiet(pulse, rules, after)) {
            out->contended++;
            continue;
        }
        double ticks_per_cycle = after < before ? after : before;
        values[have] = (longer - shorter) / ((double)(difference ? count - count / 2 : count) * ticks_per_cycle);
        out->values[have] = (float)values[have];
        have++;
        out->clock = 1 / ticks_per_cycle;
        out->accepted++;
        if (have == 1 && values[0] >= beat * (1 - rules->agreement)) {
            out->cycles = values[0];
            out->state = WINDOW_BEATEN;
            return;
        }
        if (have >= 3) {
            out->cycles = window_lowest(values, have, &out->spread);
            if (out->spread < rules->agreement)
                break;
        }
    }
    if (!have)
        return;
    out->cycles = window_lowest(values, have, &out->spread);
    /* Code whose time itself wanders never agrees closer: many quiet windows are an answer too. */
    out->state = out->spread < rules->agreement || have == VALUES ? WINDOW_SETTLED : WINDOW_UNSETTLED;
    if (have < 3)
        out->state = WINDOW_UNSETTLED;
}
