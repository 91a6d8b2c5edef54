/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/seek.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compare.h"

/* weight of the newest value in the averages of idle and contended shares */
#define LATELY 0.3
/* smallest share of lost windows at which a search for another CPU starts */
#define MUCH_LOST 0.5
#define LOOK_EVERY 0.3      /* minimum seconds between two searches */
/* number of probes per CPU, each after a run of the clock chain of equal duration */
#define LOOKS 60
#define LOOK_SECONDS 3e-6
/* smallest difference of idle shares that justifies a move to another CPU */
#define QUIETER 0.1
/* smallest ratio of idle shares that justifies a move if both CPUs are rarely idle */
#define TIMES_QUIETER 2.0
#define HARDLY 0.02
/* Relative amount by which a probe must be faster than its stored time; errors of the clock are
 * smaller. */
#define QUICKER 0.06
#define AGREE 0.02          /* relative tolerance at which the times of faster probes agree */
#define AGREEING 6          /* number of faster probes, out of LOOKS, that must agree */
#define LEARN_EVERY 5.0     /* minimum seconds between two calibrations */

void seek_take(struct seek *k, size_t i, double quiet)
{
    k->quiet[i] = isnan(k->quiet[i]) ? LATELY * quiet : (1 - LATELY) * k->quiet[i] + LATELY * quiet;
}

size_t seek_choice(const struct seek *k)
{
    size_t best = k->at;
    double here = isnan(k->quiet[k->at]) ? 0 : k->quiet[k->at];

    for (size_t i = 0; i < k->count; i++)
        if (k->quiet[i] > k->quiet[best])
            best = i;
    if (best == k->at || isnan(k->quiet[best]))
        return k->at;
    bool clearly =
        k->quiet[best] > here + QUIETER || (k->quiet[best] > TIMES_QUIETER * here + HARDLY);
    return clearly ? best : k->at;
}

void seek_begin(struct seek *k, const struct sandbox *s)
{
    *k = (struct seek){0};
    k->count = calibrate_cpus(s, k->cpus, SEEK_CPUS);
    k->at = k->count;
    for (size_t i = 0; i < k->count; i++) {
        k->quiet[i] = NAN;
        k->at = k->cpus[i] == sandbox_cpu(s) ? i : k->at;
    }
    /* Includes the current CPU even if there are too many CPUs to probe all. */
    if (k->at == k->count)
        k->cpus[--k->at] = sandbox_cpu(s);
}

bool seek_outgrown(double *took, size_t n, double expected)
{
    qsort(took, n, sizeof *took, compare_doubles);
    for (size_t i = 0; i + AGREEING <= n && took[i + AGREEING - 1] < expected * (1 - QUICKER); i++)
        if (took[i] > 0 && took[i + AGREEING - 1] <= took[i] * (1 + AGREE))
            return true;
    return false;
}

bool seek_looks(struct sandbox *s, const struct calibration *c, unsigned n, unsigned *quiet,
                bool *outgrown, struct err *err)
{
    struct sandbox_item *items = sandbox_items(s);
    double cycles = LOOK_SECONDS * c->stretch * c->clock_hz, tick = INFINITY;
    enum pulse_code probe = c->rules.room_cycles > 0    ? PULSE_ROOM
                            : c->rules.ports_cycles > 0 ? PULSE_PORTS
                                                        : PULSE_PROBE;
    double expected = probe == PULSE_ROOM    ? c->rules.room_cycles
                      : probe == PULSE_PORTS ? c->rules.ports_cycles
                                             : c->rules.probe_cycles;
    double tolerance = probe == PULSE_PORTS
                           ? fmax(c->rules.ports_tolerance, c->rules.probe_tolerance)
                           : c->rules.probe_tolerance;
    double times[SEEK_LOOKS];

    *quiet = 0;
    for (unsigned i = 0; i < 2 * n; i++)
        items[i] = (struct sandbox_item){
            .mode = SANDBOX_RAW_TICKS,
            .code = i % 2 ? probe : PULSE_CHAIN,
            .warm = 2,
            .samples = 1,
            .count = (uint64_t)(cycles / (i % 2 ? expected : c->rules.chain_cycles)) + 1};
    if (!sandbox_run(s, 2 * n, NULL, NULL, NULL, err))
        return false;
    for (unsigned i = 0; i < 2 * n; i += 2)
        if (items[i].ticks[0])
            tick = fmin(tick, ((double)items[i].ticks[0] - c->rules.overhead) /
                                  (double)items[i].count / c->rules.chain_cycles);
    for (unsigned i = 1; i < 2 * n; i += 2) {
        double took =
            ((double)items[i].ticks[0] - c->rules.overhead) / (double)items[i].count / tick;
        *quiet += items[i].ticks[0] && took < expected * (1 + tolerance);
        times[i / 2] = items[i].ticks[0] ? took : INFINITY;
    }
    *outgrown |= seek_outgrown(times, n, expected);
    return true;
}

bool seek_step(struct seek *k, struct sandbox *s, const struct calibration *c, double contended,
               struct err *err)
{
    double now = clock_seconds();
    unsigned quiet = 0;

    k->contended = (1 - LATELY) * k->contended + LATELY * (isnan(contended) ? 0 : contended);
    /* A single CPU is not an exception, because seek_learn must calibrate again if its probes are
     * faster than the baseline. */
    if (k->contended < MUCH_LOST || now - k->looked < LOOK_EVERY)
        return true;
    k->looked = now;
    for (size_t i = 0; i < k->count; i++) {
        sandbox_move(s, k->cpus[i]);
        if (!seek_looks(s, c, LOOKS, &quiet, &k->outgrown, err))
            return false;
        seek_take(k, i, (double)quiet / LOOKS);
    }
    size_t choice = seek_choice(k);
    k->moves += choice != k->at;
    k->at = choice;
    sandbox_move(s, k->cpus[choice]);
    return true;
}

bool seek_learn(struct seek *k, struct sandbox *s, struct calibration *c, struct err *err)
{
    const double now = clock_seconds();
    struct calibration anew;

    if (!k->outgrown || (k->learned > 0 && now - k->learned < LEARN_EVERY))
        return true;
    k->outgrown = false;
    k->learned = now;
    if (!calibrate_within(s, 0, NULL, NULL, &anew, err))
        return false;
    anew.rules.patience = c->rules.patience;
    anew.rules.room_cycles = c->rules.room_cycles > 0 ? anew.rules.room_cycles : 0;
    *c = anew;
    for (size_t i = 0; i < k->count; i++) {
        k->at = k->cpus[i] == sandbox_cpu(s) ? i : k->at;
        k->quiet[i] = NAN;   /* Discards the shares, which are relative to the old baseline. */
    }
    return true;
}
