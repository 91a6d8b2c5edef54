/* Source of measurements: this CPU through the sandbox, or a simulated one with a mapping. */
#ifndef PORTOLAN_MEASURE_SOURCE_H
#define PORTOLAN_MEASURE_SOURCE_H

#include "isa/forms.h"
#include "measure/calibrate.h"
#include "measure/form_codes.h"
#include "measure/record.h"
#include "model/experiment.h"
#include "model/mapping.h"

struct measured {
    double cycles;       /* per execution of the experiment; NaN: none, with the reason in state */
    double spread;       /* relative */
    double clock_hz;
    uint32_t repeats;    /* accepted windows */
    bool counter;        /* cycles are from the hardware counter */
    /* the same with a body of SOURCE_SHORT instructions; NaN: not measured, also by a source
     * alone */
    double short_cycles;
    /* set by the runner: comparison of both lengths, runner_lengths; "" when one is unknown */
    char lengths[24];
    /* nops per cycle of the idle baseline used; 0: none, simulated */
    double baseline;
    double slowed;       /* share of contended windows */
    /* without a value: time on a busy core; NaN: unknown */
    double contended_cycles;
    /* failed because the machine was busy: try again */
    bool busy;
    char state[96];      /* EXPERIMENT_OK or the reason */
};

/* Combines the @n orders of one experiment to the least, where @beaten ones were shown not to be
 * faster by one window. An order that failed because of contention may be the fastest: then there
 * is no value. Returns the index that counts. Pure. */
unsigned measured_least(const struct measured *orders, const bool *beaten, unsigned n,
                        struct measured *out);

/* One thread. */
struct source {
    unsigned instructions;   /* approximate length of a body: may be changed between calls */
    /* orders of a body, 1 to BODY_ORDERS, of which the least counts; with several also a padded one
     * (BODY_PAIRED) where it may be faster: may be changed between calls */
    unsigned orders;
    double baseline;         /* nops per cycle of the idle baseline; 0: simulated */
    /* CPUs used concurrently in the last non-trivial call; 0: none, simulated */
    unsigned cpus;
    bool doubtful;           /* the baseline is doubtful: values must be measured again */
    /* without measurements: a single journal pass is a value */
    bool one_pass;
    struct record *record;   /* records samples; NULL: none */
    /* Fills @out for @n experiments (at most SANDBOX_ITEMS). False with err when measuring is
     * impossible or cancelled: then @out is invalid. */
    bool (*measure)(struct source *s, const struct experiment *e, size_t n, struct measured *out,
                    bool (*cancelled)(void *state), void *state, struct err *err);
    /* Code sums of @n experiments (form_codes_sums), the key of a journal; NULL: no code,
     * simulated. */
    void (*sums)(struct source *s, const struct experiment *e, size_t n,
                 char (*out)[FORM_CODES_SUM]);
    void (*free)(struct source *s);
};
static inline void source_free(struct source *s)
{
    if (s)
        s->free(s);
}

/* Least cycles of @instructions by the largest known issue width, and by @baseline nops per cycle
 * (0 or NaN: unknown). Lower times are invalid. Pure. */
double source_least_cycles(double baseline, uint64_t instructions);

/* Slots per cycle from which the µop cache's delivery of short instructions may limit: bodies are
 * also run padded (docs/measuring.md, "Padded"). */
#define SOURCE_WIDE 6.5

/* Long enough that the loop's branch costs half a percent of an issue-limited body, short enough
 * for every µop cache. */
#define SOURCE_BODY 200
/* PMEvo's length: a difference between the two lengths is caused by the front end or the loop. */
#define SOURCE_SHORT 50

/* Threads for CPUs that measure concurrently, where threads may start (contracts in work/crew.h).
 * @crew: returned by begin; NULL with err when there are none. */
struct source_threads {
    void *(*begin)(unsigned members, struct err *err);
    void (*call)(void *crew, void (*work)(void *state, unsigned member), void *state,
                 void (*waiting)(void *state));
    void (*end)(void *crew);
};

/* A processor with the times of @mapping (borrowed), with the clock drifting, runs interrupted and
 * contention now and then as seen on real ones. @noise: relative jitter of each run; NaN: none, but
 * values have the errors of a real CPU. */
struct source *source_simulated(const struct mapping *mapping, double noise, uint64_t seed);

/* observed_noise.c: distribution of deviations between repeated measurements of a real CPU, for the
 * noise of simulated ones. Pure, any thread. */

/* Quantile of the relative deviation at @at, 0 to 1. From 279,731 experiments that two charts of
 * one Zen 4 (a virtual EPYC 9004 of two CPUs, without counters) measured an hour apart, including
 * orders, contention and exclusions; logarithm of the ratio of both values. */
double observed_deviation(double at);

#endif
