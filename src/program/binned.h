/* The PPT-AMMP paper's profile of reuse distances: all references of the program in 40 bins, each
 * bin's share a formula of the inputs. For comparison: as the inputs grow, references move to bins
 * that are empty in all runs, which no formula of a bin can predict. */
#ifndef PORTOLAN_PROGRAM_BINNED_H
#define PORTOLAN_PROGRAM_BINNED_H

#include "program/fit.h"
#include "program/histogram.h"

/* a distance of 0, one for each power of two from 1 on, the last for first uses */
#define BINNED_BINS 40

/* The profile of @total references at inputs whose reciprocals are @at, from those of
 * data->run_count runs, @profiles[r] at data->inputs, which are reciprocals as well; data->values
 * is not read. reuse_histogram_done frees @out. Any thread. */
void binned_profile(const struct fit_data *data, const struct reuse_histogram *profiles,
                    const double *at, double total, struct reuse_histogram *out);

#endif
