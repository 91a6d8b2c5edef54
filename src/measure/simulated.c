/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "measure/source.h"
#include "model/experiments.h"
#include "throughput/throughput.h"

#define TICK_HZ 2.1e9
#define CLOCK_HZ 3.3e9
#define NOPS_A_CYCLE 6.0
#define PORTS_A_CYCLE 5.0
#define OVERHEAD 60.0
#define INTERRUPTIONS 5500.0   /* simulated interrupts per second */
#define INTERRUPTION_SECONDS 20e-6
#define QUIET_SECONDS 0.5      /* mean seconds of idle episodes, and of contended ones */
#define BUSY_SECONDS 0.02
#define EXECUTIONS 50.0        /* number of executions in an iteration of the loop */

struct simulated {
    struct source base;
    const struct mapping *mapping;
    struct rng rng;
    double noise;
    double ticks;            /* simulated time in ticks */
    double episode_ends;     /* time in ticks at which the current episode of contention ends */
    bool contended;
    double item_cycles;      /* cycles per iteration of the item's loop */
};

/* Returns the cycles per execution: the port bound or, if the mapping's issue width is known and
 * the issue bound is larger, the issue bound. */
static double experiment_cycles(const struct mapping *m, const struct experiment *e,
                                struct str *unknown)
{
    double cycles = throughput_of(m, e, unknown), width = mapping_issue_width(m), slots = 0;

    for (unsigned i = 0; i < e->count && width > 0; i++) {
        const struct mapping_entry *entry = mapping_find(m, e->terms[i].form);
        slots += entry ? (double)e->terms[i].count * entry->micro_ops : 0;
    }
    return width > 0 ? fmax(cycles, slots / width) : cycles;
}

static double exponential(struct rng *rng, double mean)
{
    return -mean * log(1 - rng_unit(rng));
}

static void pass(struct simulated *s, double ticks)
{
    s->ticks += ticks;
    while (s->ticks > s->episode_ends) {
        s->contended = !s->contended;
        s->episode_ends +=
            TICK_HZ * exponential(&s->rng, s->contended ? BUSY_SECONDS : QUIET_SECONDS);
    }
}

static double loop_cycles(const struct simulated *s, enum pulse_code code)
{
    double slow = s->contended ? 1.6 : 1;
    switch (code) {
    case PULSE_CHAIN:
        return SANDBOX_CHAIN_LENGTH * (s->contended ? 1.03 : 1);
    case PULSE_SECOND_CHAIN:
        return 3 * SANDBOX_CHAIN_LENGTH * (s->contended ? 1.03 : 1);
    case PULSE_PROBE:
        return SANDBOX_PROBE_LENGTH / NOPS_A_CYCLE * slow;
    case PULSE_PORTS:
        return SANDBOX_PORTS_LENGTH / PORTS_A_CYCLE * slow;
    default:
        return s->item_cycles * slow;
    }
}

static uint64_t simulated_run(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                              unsigned *fault)
{
    struct simulated *s = self;
    /* The clock drifts by a few parts in ten thousand, as on a CPU with turbo. */
    double clock = CLOCK_HZ * (1 + 3e-4 * sin(s->ticks / TICK_HZ)),
           jitter = 1 + (isnan(s->noise) ? 0 : s->noise * rng_unit(&s->rng));
    double ticks = OVERHEAD + (double)count * loop_cycles(s, code) * jitter * TICK_HZ / clock;

    *fault = 0;
    if (rng_unit(&s->rng) < ticks / TICK_HZ * INTERRUPTIONS)
        ticks += TICK_HZ * exponential(&s->rng, INTERRUPTION_SECONDS);
    pass(s, ticks + (double)warm * loop_cycles(s, code) * TICK_HZ / clock);
    return (uint64_t)ticks;
}

static uint64_t simulated_now(void *self)
{
    return (uint64_t)((struct simulated *)self)->ticks;
}

static void simulated_rest(void *self)
{
    pass(self, TICK_HZ * 0.2e-3);
}

static bool simulated_measure(struct source *base, const struct experiment *e, size_t n,
                              struct measured *out, bool (*cancelled)(void *state), void *state,
                              struct err *err)
{
    static const struct window_rules rules = {.chain_cycles = SANDBOX_CHAIN_LENGTH,
                                              .second_cycles = 3 * SANDBOX_CHAIN_LENGTH,
                                              .probe_cycles = SANDBOX_PROBE_LENGTH / NOPS_A_CYCLE,
                                              .ports_cycles = SANDBOX_PORTS_LENGTH / PORTS_A_CYCLE,
                                              .overhead = OVERHEAD,
                                              .chain_tolerance = 0.003,
                                              .probe_tolerance = 0.02,
                                              .agreement = 0.004,
                                              .chain_ticks = TICK_HZ * 10e-6,
                                              .probe_ticks = TICK_HZ * 5e-6,
                                              .item_ticks = TICK_HZ * 20e-6,
                                              .patience = TICK_HZ * 0.1};
    struct simulated *s = (struct simulated *)base;
    const struct pulse pulse = {simulated_run, simulated_now, simulated_rest, s};

    for (size_t i = 0; i < n; i++) {
        struct str unknown = {0};
        struct window_result r = {0};
        out[i] = (struct measured){
            .cycles = NAN, .spread = NAN, .contended_cycles = NAN, .clock_hz = CLOCK_HZ};
        if (cancelled && cancelled(state))
            return err_set(err, ERR_INTERRUPTED, NULL, "measuring was cancelled");
        s->item_cycles = EXECUTIONS * experiment_cycles(s->mapping, &e[i], &unknown);
        if (unknown.length || !(s->item_cycles > 0)) {
            snprintf(out[i].state, sizeof out[i].state, "unknown to the simulated machine: %.*s",
                     unknown.length ? (int)strcspn(str_text(&unknown), "\n") : 8,
                     unknown.length ? str_text(&unknown) : "anything");
        } else {
            struct window_wait wait = window_wait_begin(&pulse, rules.patience);
            window_measure(&pulse, &rules, &wait, false, 0, INFINITY, &r);
            out[i].repeats = r.accepted;
            out[i].busy = r.state != WINDOW_SETTLED;
            out[i].cycles =
                out[i].busy ? NAN
                            : r.cycles / EXECUTIONS *
                                  (isnan(s->noise) ? 1 + observed_deviation(rng_unit(&s->rng)) : 1);
            out[i].contended_cycles = (r.accepted ? r.cycles : r.contended_cycles) / EXECUTIONS;
            out[i].spread = r.spread;
            if (base->record) {
                record_windows(base->record, s->ticks / TICK_HZ, r.clock * TICK_HZ, r.accepted,
                               r.contended, r.disturbed);
                record_add(base->record, &e[i],
                           &(struct record_pass){.values = r.values,
                                                 .count = r.accepted,
                                                 .executions = (unsigned)EXECUTIONS,
                                                 .instructions = base->instructions,
                                                 .clock_hz = r.clock * TICK_HZ});
            }
            snprintf(out[i].state, sizeof out[i].state, "%s",
                     out[i].busy ? EXPERIMENT_CONTENDED : EXPERIMENT_OK);
        }
        str_done(&unknown);
    }
    return true;
}

static void simulated_free(struct source *base)
{
    free(base);
}

struct source *source_simulated(const struct mapping *mapping, double noise, uint64_t seed)
{
    struct simulated *s = mem_zero(1, sizeof *s);
    s->base = (struct source){.instructions = SOURCE_BODY,
                              .orders = 1,
                              .measure = simulated_measure,
                              .free = simulated_free};
    s->mapping = mapping;
    s->noise = noise;
    rng_seed(&s->rng, seed);
    s->episode_ends = TICK_HZ * exponential(&s->rng, QUIET_SECONDS);
    return &s->base;
}
