/* Choice of the CPU: recent idleness of each CPU, and when to move. */
#ifndef PORTOLAN_MEASURE_SEEK_H
#define PORTOLAN_MEASURE_SEEK_H

#include "measure/calibrate.h"

#define SEEK_CPUS 8
#define SEEK_LOOKS (SANDBOX_ITEMS / 2)   /* probes at once, at most */

struct seek {
    int cpus[SEEK_CPUS];
    /* share of idle probes, recent ones weighted most; NaN: not probed yet */
    double quiet[SEEK_CPUS];
    size_t count, at;
    double contended;          /* share of windows recently lost on this CPU */
    /* clock_seconds of the last probing of other CPUs; of the last calibration */
    double looked, learned;
    unsigned moves;
    /* a probe was faster than the kept baseline, which was taken on a busy core */
    bool outgrown;
};

/* Records a probing of CPU @i. Returns the CPU to use, another one only when clearly more idle in
 * several probings. Pure. */
void seek_take(struct seek *k, size_t i, double quiet);
size_t seek_choice(const struct seek *k);

/* Returns whether several of a probe's @n times agree below its kept minimum, @wanted. Sorts @took.
 * Pure. */
bool seek_outgrown(double *took, size_t n, double wanted);

/* Runs @n probes of 6 us each on the sandbox's CPU: *@quiet of them found it idle. *@outgrown is
 * set if they beat the baseline. Overwrites items of the sandbox. False with err as sandbox_run. */
bool seek_looks(struct sandbox *s, const struct calibration *c, unsigned n, unsigned *quiet,
                bool *outgrown, struct err *err);

/* Initialises with the allowed CPUs for an unpinned sandbox, else with its CPU. */
void seek_begin(struct seek *k, const struct sandbox *s);
/* After work with the share @contended of lost windows: occasionally, and only while many are lost,
 * probes all CPUs and moves. Overwrites items of the sandbox. False with err as sandbox_run. */
bool seek_step(struct seek *k, struct sandbox *s, const struct calibration *c, double contended,
               struct err *err);
/* If a step found the baseline too low, calibrates @c again, keeping its patience and choice of
 * probes; without that no time would be accepted again. Drops earlier results of CPUs. Overwrites
 * items of the sandbox. False with err as calibrate. */
bool seek_learn(struct seek *k, struct sandbox *s, struct calibration *c, struct err *err);

#endif
