/* Where to measure: how quiet each CPU was lately, and when to move. */
#ifndef PORTOLAN_MEASURE_SEEK_H
#define PORTOLAN_MEASURE_SEEK_H

#include "measure/calibrate.h"

#define SEEK_CPUS 8
#define SEEK_LOOKS (SANDBOX_ITEMS / 2)   /* at most, at once */

struct seek {
    int cpus[SEEK_CPUS];
    /* share of looks that found it quiet, the last ones counting most; NaN: not looked at yet */
    double quiet[SEEK_CPUS];
    size_t count, at;
    double contended;          /* share of windows recently lost on this CPU */
    /* clock_seconds of the last look at other CPUs; of the last calibration */
    double looked, learned;
    unsigned moves;
    /* a probe was quicker than the stored baseline, which was taken on a busy core */
    bool outgrown;
};

/* Pure: records the look at CPU @i. Returns the CPU to use, another one only when it was clearly
 * quieter in more than one look. */
void seek_take(struct seek *k, size_t i, double quiet);
size_t seek_choice(const struct seek *k);

/* Pure: whether some of a probe's @n times agree on less than its stored minimum, @wanted. Sorts
 * @took. */
bool seek_outgrown(double *took, size_t n, double wanted);

/* Takes @n looks of 6 us each at the CPU of the sandbox: *@quiet of them found it quiet. *@outgrown
 * is set if they are quicker than the baseline. Items of the sandbox are overwritten. False with
 * err as sandbox_run. */
bool seek_looks(struct sandbox *s, const struct calibration *c, unsigned n, unsigned *quiet,
                bool *outgrown, struct err *err);

/* For a sandbox that may use any CPU those that this process may use, else the one it is on. */
void seek_begin(struct seek *k, const struct sandbox *s);
/* After work of which the share @contended of the windows was lost: now and then, and only while
 * much is lost, looks at all CPUs and moves. Items of the sandbox are overwritten. False with err
 * as sandbox_run. */
bool seek_step(struct seek *k, struct sandbox *s, const struct calibration *c, double contended,
               struct err *err);
/* If a step found the baseline too low, calibrates again, for @c, which keeps its patience and its
 * choice of probes; otherwise no time would be accepted again. Earlier results of CPUs are dropped.
 * Does nothing otherwise. Items of the sandbox are overwritten. False with err as calibrate. */
bool seek_learn(struct seek *k, struct sandbox *s, struct calibration *c, struct err *err);

#endif
