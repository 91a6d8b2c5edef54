/* Source of measurements: this CPU in the sandbox, or a simulated one with a mapping. */
#ifndef PORTOLAN_MEASURE_SOURCE_H
#define PORTOLAN_MEASURE_SOURCE_H

#include "isa/forms.h"
#include "measure/calibrate.h"
#include "measure/form_codes.h"
#include "measure/record.h"
#include "model/experiment.h"
#include "model/mapping.h"

struct measured {
    /* cycles per execution of the experiment; NaN: no value, and state has the reason */
    double cycles;
    double spread;       /* relative spread of the cycles */
    double clock_hz;
    uint32_t repeats;    /* number of accepted windows */
    bool counter;        /* cycles were read from the hardware counter */
    /* cycles with a body of SOURCE_SHORT instructions; NaN: not measured. Only the runner sets
     * it. */
    double short_cycles;
    /* comparison of both lengths by the runner (runner_lengths); "": one is unknown */
    char lengths[24];
    /* nops per cycle of the idle baseline; 0: none, simulated */
    double baseline;
    double slowed;       /* share of windows with contention */
    /* cycles on a busy core if there is no value; NaN: unknown */
    double contended_cycles;
    /* failed because the machine was busy: a retry may succeed */
    bool busy;
    char state[96];      /* EXPERIMENT_OK, or why there is no value */
};

/* Combines the @n orders of one experiment to the least. @beaten: orders that one window showed not
 * to be faster. An order that failed because of contention may be the fastest; there is then no
 * value. Returns the index of the order that counts. Pure. */
unsigned measured_least(const struct measured *orders, const bool *beaten, unsigned n,
                        struct measured *out);

/* A source of measurements. One thread at a time. */
struct source {
    unsigned instructions;   /* approximate length of a body; may be changed between calls */
    /* Orders of a body that are measured, 1 to BODY_ORDERS; the least counts. With several, a
     * padded one (BODY_PAIRED) is also measured if it may be faster. May be changed between
     * calls. */
    unsigned orders;
    double baseline;         /* nops per cycle of the idle baseline; 0: simulated */
    /* CPUs used concurrently in the last call with more than a few experiments; 0: none,
     * simulated */
    unsigned cpus;
    bool doubtful;           /* the baseline is doubtful, so values must be measured again */
    /* The source does not measure, so a single journal pass is a value. */
    bool one_pass;
    struct record *record;   /* record for samples; NULL: none */
    /* Fills @out for @n experiments (at most SANDBOX_ITEMS). False with err when measurement fails
     * or is cancelled; @out is then invalid. */
    bool (*measure)(struct source *s, const struct experiment *e, size_t n, struct measured *out,
                    bool (*cancelled)(void *state), void *state, struct err *err);
    /* Writes the code sums of @n experiments (form_codes_sums), which are a part of journal keys.
     * NULL: no code, simulated. */
    void (*sums)(struct source *s, const struct experiment *e, size_t n,
                 char (*out)[FORM_CODES_SUM]);
    void (*free)(struct source *s);
};
static inline void source_free(struct source *s)
{
    if (s)
        s->free(s);
}

/* Returns the least cycles of @instructions by the largest known issue width and by @baseline nops
 * per cycle (0 or NaN: unknown). Lower times are invalid. Pure. */
double source_least_cycles(double baseline, uint64_t instructions);

/* Slots per cycle above which the µop cache may deliver short instructions too slowly. Bodies are
 * then also run padded (docs/measuring.md, "Padded"). */
#define SOURCE_WIDE 6.5

/* Default body length in instructions. The loop's branch costs half a percent of an issue-limited
 * body, and the body fits every µop cache. */
#define SOURCE_BODY 200
/* Body length of PMEvo. The front end or the loop causes a difference between the two lengths. */
#define SOURCE_SHORT 50

/* Callbacks that run a function on several threads, for CPUs that measure concurrently (contracts
 * in work/crew.h). begin returns @crew; NULL with err if no threads can be started. */
struct source_threads {
    void *(*begin)(unsigned members, struct err *err);
    void (*call)(void *crew, void (*work)(void *state, unsigned member), void *state,
                 void (*waiting)(void *state));
    void (*end)(void *crew);
};

/* Creates a simulated processor with the times of @mapping (borrowed). Its clock drifts, and
 * interruptions and contention occur as on real ones. @noise: relative jitter of each run; NaN:
 * none, but values have the errors of a real CPU. */
struct source *source_simulated(const struct mapping *mapping, double noise, uint64_t seed);

/* observed_noise.c: distribution of deviations between repeated measurements of a real CPU, which
 * simulated ones use as noise. Pure, any thread. */

/* Returns the quantile @at (0 to 1) of the relative deviation: logarithm of the ratio of two values
 * of one experiment. From 279,731 experiments that two charts of one Zen 4 (a virtual EPYC 9004 of
 * two CPUs, without counters) measured an hour apart, with orders, contention and exclusions. */
double observed_deviation(double at);

#endif
