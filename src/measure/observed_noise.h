/* Distribution of deviations between repeated measurements on a real CPU, for simulated ones. Pure,
 * any thread. */
#ifndef PORTOLAN_MEASURE_OBSERVED_NOISE_H
#define PORTOLAN_MEASURE_OBSERVED_NOISE_H

/* Quantile of the relative deviation at @at, 0 to 1. From 279,731 experiments that two charts of
 * one Zen 4 (a virtual EPYC 9004 of two CPUs, without counters) measured an hour apart, including
 * orders, contention and exclusions; logarithm of the ratio of both values. */
double observed_deviation(double at);

#endif
