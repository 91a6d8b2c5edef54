/* Source of measurements: this CPU through the sandbox, or a simulated CPU with a mapping */
#ifndef PORTOLAN_MEASURE_SOURCE_H
#define PORTOLAN_MEASURE_SOURCE_H

#include "isa/forms.h"
#include "measure/calibrate.h"
#include "measure/form_codes.h"
#include "measure/record.h"
#include "model/experiment.h"
#include "model/mapping.h"

struct measured {
    /* cycles per execution of the experiment; NaN: no value, for the reason in @state */
    double cycles;
    double spread;       /* relative spread of the cycles */
    double clock_hz;
    uint32_t repeats;    /* number of accepted windows */
    bool counter;        /* whether the cycles are from the hardware counter */
    /* cycles with a body of SOURCE_SHORT instructions, set only by the runner; NaN: not measured */
    double short_cycles;
    /* comparison of both body lengths by the runner (runner_lengths); empty if a time is unknown */
    char lengths[24];
    /* nops per cycle of the idle baseline; 0 if simulated */
    double baseline;
    double slowed;       /* share of windows that contention made invalid */
    /* cycles on a busy core if there is no valid value; NaN: unknown */
    double contended_cycles;
    /* whether the value is missing because the core was busy; a retry may succeed */
    bool busy;
    char state[96];      /* EXPERIMENT_OK, or the reason why there is no value */
};

/* Combines the results of the @n orders of an experiment into the smallest one. @beaten marks
 * orders whose first window showed that they are slower than another order. If contention left an
 * order without a value, the experiment has no value, because that order may be the fastest.
 * Returns the index of the smallest result. Pure. */
unsigned measured_least(const struct measured *orders, const bool *beaten, unsigned n,
                        struct measured *out);

/* A source of measurements; for one thread at a time */
struct source {
    unsigned instructions;   /* approximate number of instructions in a body; may be changed between
                              * calls */
    /* Number of orders of a body that are measured, 1 to BODY_ORDERS. The result is the shortest of
     * their times. If there are several orders, also measures a padded body where it may be faster.
     * May be changed between calls. */
    unsigned orders;
    double baseline;         /* nops per cycle of the idle baseline; 0 if simulated */
    /* number of CPUs that measured concurrently in the last call with more than a few experiments;
     * 0 if simulated */
    unsigned cpus;
    bool doubtful;           /* whether the baseline is doubtful; values must then be measured
                              * again */
    /* whether the source always returns the same value, so a single pass is final */
    bool one_pass;
    struct record *record;   /* receives the samples; may be NULL */
    /* Fills @out for the @n experiments @e (at most SANDBOX_ITEMS). Returns false with err when
     * measurement fails or is cancelled; @out is then invalid. */
    bool (*measure)(struct source *s, const struct experiment *e, size_t n, struct measured *out,
                    bool (*cancelled)(void *state), void *state, struct err *err);
    /* Writes the code sums of @n experiments (form_codes_sums), which are part of keys in the
     * journal. NULL if the source is simulated and therefore has no code. */
    void (*sums)(struct source *s, const struct experiment *e, size_t n,
                 char (*out)[FORM_CODES_SUM]);
    void (*free)(struct source *s);
};
static inline void source_free(struct source *s)
{
    if (s)
        s->free(s);
}

/* Returns a lower limit of the cycles of @instructions. It is computed from the largest issue width
 * of known cores and from @baseline, the nops per cycle (0 or NaN: unknown). Shorter times are
 * invalid. Pure. */
double source_least_cycles(double baseline, uint64_t instructions);

/* Nops per cycle above which a core's µop cache may deliver short instructions too slowly, so
 * padded bodies are also measured (docs/measuring.md, "Padded") */
#define SOURCE_WIDE 6.5

/* Default number of instructions in a body. With it, the loop's branch adds half a percent to a
 * body that issue slots limit. Every µop cache can hold such a body. */
#define SOURCE_BODY 200
/* Number of instructions in PMEvo's body. If the time per execution differs between the two
 * lengths, the front end or the loop is the cause. */
#define SOURCE_SHORT 50

/* Callbacks that run a function on several threads, for concurrent measurement on several CPUs.
 * work/crew.h has the contracts. `begin` returns @crew. It returns NULL with err if no threads can
 * be started. */
struct source_threads {
    void *(*begin)(unsigned members, struct err *err);
    void (*call)(void *crew, void (*work)(void *state, unsigned member), void *state,
                 void (*waiting)(void *state));
    void (*end)(void *crew);
};

/* Creates a simulated CPU with the times of @mapping (borrowed). Like a real CPU, it has a drifting
 * clock, interruptions and contention. @noise: relative jitter of each run; NaN: runs have no
 * jitter, but the resulting values have errors like those of a real CPU. */
struct source *source_simulated(const struct mapping *mapping, double noise, uint64_t seed);

/* observed_noise.c: distribution of deviations between repeated measurements on a real CPU.
 * Simulated CPUs use it as noise. Pure, any thread. */

/* Returns quantile @at (0 to 1) of the deviation, the logarithm of the ratio of two values of one
 * experiment. Derived from 279,731 experiments of two charts of a Zen 4 (virtual EPYC 9004, two
 * CPUs, no counters), measured an hour apart. The deviations include effects of orders, contention
 * and exclusions. */
double observed_deviation(double at);

#endif
