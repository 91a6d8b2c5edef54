/* Selects the CPU to measure on: the one that recent probes found idle most often. */
#ifndef PORTOLAN_MEASURE_SEEK_H
#define PORTOLAN_MEASURE_SEEK_H

#include "measure/calibrate.h"

#define SEEK_CPUS 8
#define SEEK_LOOKS (SANDBOX_ITEMS / 2)   /* maximum number of probes of a CPU in one run */

struct seek {
    int cpus[SEEK_CPUS];
    /* share of probes that found the CPU idle, in which recent probes have more weight; NaN: not
     * probed */
    double quiet[SEEK_CPUS];
    size_t count, at;
    double contended;          /* recent share of lost windows on the current CPU */
    /* clock_seconds of the last search, and of the last calibration */
    double looked, learned;
    unsigned moves;
    /* whether a probe was faster than the stored baseline, which therefore came from a busy
     * core */
    bool outgrown;
};

/* seek_take adds the result of probing CPU @i. seek_choice returns the index of the CPU to use. The
 * choice changes only to a CPU that is idle clearly more often, and a CPU's first result counts
 * only partly. Pure. */
void seek_take(struct seek *k, size_t i, double quiet);
size_t seek_choice(const struct seek *k);

/* Returns whether several of the @n times @took of a probe are clearly below its stored minimum
 * @expected and agree. Sorts @took. Pure. */
bool seek_outgrown(double *took, size_t n, double expected);

/* Runs @n probes of 6 µs each on the sandbox's CPU. Sets *@quiet to the number of probes that
 * found the CPU idle, and *@outgrown if probes were faster than the baseline. Overwrites items of
 * the sandbox. Returns false with err like sandbox_run. */
bool seek_looks(struct sandbox *s, const struct calibration *c, unsigned n, unsigned *quiet,
                bool *outgrown, struct err *err);

/* Sets @k to the allowed CPUs, or to the only CPU of a pinned sandbox. */
void seek_begin(struct seek *k, const struct sandbox *s);
/* Probes all CPUs and moves to the one that seek_choice returns, at most once per LOOK_EVERY
 * seconds. Call it after measurements that lost the share @contended of their windows (NaN: none).
 * Probes nothing while the recent share is small. Overwrites items of the sandbox. Returns false
 * with err like sandbox_run. */
bool seek_step(struct seek *k, struct sandbox *s, const struct calibration *c, double contended,
               struct err *err);
/* If a probe was faster than the baseline, calibrates @c again, at most once per LEARN_EVERY
 * seconds. Without this calibration, no window would be accepted. Keeps the patience and the choice
 * of probes. Discards the idle shares of CPUs. Overwrites items of the sandbox. Returns false with
 * err like calibrate. */
bool seek_learn(struct seek *k, struct sandbox *s, struct calibration *c, struct err *err);

#endif
