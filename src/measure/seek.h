/* Selects the CPU to measure on by the recent idle share of each CPU. */
#ifndef PORTOLAN_MEASURE_SEEK_H
#define PORTOLAN_MEASURE_SEEK_H

#include "measure/calibrate.h"

#define SEEK_CPUS 8
#define SEEK_LOOKS (SANDBOX_ITEMS / 2)   /* most probes of a core in one run */

struct seek {
    int cpus[SEEK_CPUS];
    /* share of idle probes, recent ones weighted more; NaN: not probed */
    double quiet[SEEK_CPUS];
    size_t count, at;
    double contended;          /* share of windows recently lost on this CPU */
    /* clock_seconds when other CPUs were last probed; when last calibrated */
    double looked, learned;
    unsigned moves;
    /* A probe was faster than the stored baseline, which was measured on a busy core. */
    bool outgrown;
};

/* seek_take records a probing of CPU @i. seek_choice returns the CPU to use: another one only if it
 * was clearly more idle in several probings. Pure. */
void seek_take(struct seek *k, size_t i, double quiet);
size_t seek_choice(const struct seek *k);

/* Returns whether several of a probe's @n times @took agree below its stored minimum @wanted. Sorts
 * @took. Pure. */
bool seek_outgrown(double *took, size_t n, double wanted);

/* Runs @n probes of 6 us each on the sandbox's CPU. *@quiet: number that found it idle. *@outgrown:
 * they were faster than the baseline. Overwrites items of the sandbox. False with err as
 * sandbox_run. */
bool seek_looks(struct sandbox *s, const struct calibration *c, unsigned n, unsigned *quiet,
                bool *outgrown, struct err *err);

/* Initialises @k with the allowed CPUs, or with the CPU of a pinned sandbox. */
void seek_begin(struct seek *k, const struct sandbox *s);
/* Call it after measurements that lost the share @contended of their windows. Occasionally, and
 * only while many windows are lost, probes all CPUs and moves. Overwrites items of the sandbox.
 * False with err as sandbox_run. */
bool seek_step(struct seek *k, struct sandbox *s, const struct calibration *c, double contended,
               struct err *err);
/* If a step found the baseline too low, calibrates @c again, with its patience and choice of
 * probes. Without that no window would be accepted any more. Discards earlier idle shares of CPUs.
 * Overwrites items of the sandbox. False with err as calibrate. */
bool seek_learn(struct seek *k, struct sandbox *s, struct calibration *c, struct err *err);

#endif
