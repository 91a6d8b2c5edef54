/* The reuse-distance profile of the PPT-AMMP paper, for comparison. It divides all references of
 * the program into 40 bins, and each bin's share is a formula of the inputs. As inputs grow,
 * references move to bins that are empty in all runs, and the formulas do not predict these. */
#ifndef PORTOLAN_PROGRAM_BINNED_H
#define PORTOLAN_PROGRAM_BINNED_H

#include "program/fit.h"
#include "program/histogram.h"

/* number of bins: one for distance 0, one per power of two from 1, and the last one for first
 * uses */
#define BINNED_BINS 40

/* Predicts the profile of @total references at inputs with reciprocals @at. profiles[r] is the
 * profile of run r of data->run_count. data->inputs has the reciprocals of the runs' inputs;
 * data->values is unused. reuse_histogram_done frees @out. */
void binned_profile(const struct fit_data *data, const struct reuse_histogram *profiles,
                    const double *at, double total, struct reuse_histogram *out);

#endif
