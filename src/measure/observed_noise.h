/* Distribution of deviations between repeated measurements of a real CPU, for the noise of
 * simulated ones. Pure, any thread. */
#ifndef PORTOLAN_MEASURE_OBSERVED_NOISE_H
#define PORTOLAN_MEASURE_OBSERVED_NOISE_H

/* The relative deviation below which a share of @at lies, @at from 0 to 1. Recorded: 279,731
 * experiments that two charts of one Zen 4 (a virtual EPYC 9004 of two CPUs, without counters)
 * measured an hour apart, each through the whole runner, with its orders, contention and
 * exclusions; the logarithm of the ratio of both values. */
double observed_deviation(double at);

#endif
