/* The PPT-AMMP paper's profile of reuse distances, for comparison: all references of the program in
 * 40 bins, each bin's share a formula of the inputs. As inputs grow, references move to bins that
 * are empty in all runs, which no formula of a bin predicts. */
#ifndef PORTOLAN_PROGRAM_BINNED_H
#define PORTOLAN_PROGRAM_BINNED_H

#include "program/fit.h"
#include "program/histogram.h"

/* distance 0, one bin per power of two from 1 on, the last for first uses */
#define BINNED_BINS 40

/* Predicts the profile of @total references at inputs with reciprocals @at from those of
 * data->run_count runs: @profiles[r] at data->inputs, also reciprocals; data->values is not read.
 * reuse_histogram_done frees @out. */
void binned_profile(const struct fit_data *data, const struct reuse_histogram *profiles,
                    const double *at, double total, struct reuse_histogram *out);

#endif
