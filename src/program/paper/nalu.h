/* Counts by a neural arithmetic logic unit (Trask et al. 2018; PPT-AMMP, section 6.2). Two layers
 * of cells add inputs or multiply powers of them; a gate mixes both results. For cell i with inputs
 * x: W = tanh(A) s(B), s the logistic function; a = W x; m = exp(W log(|x| + 1e-7)); g = s(G x); y
 * = g a + (1 - g) m. Inputs and count are divided by their largest values of the runs. */
#ifndef PORTOLAN_PROGRAM_PAPER_NALU_H
#define PORTOLAN_PROGRAM_PAPER_NALU_H

#include "program/fit_data.h"

#define NALU_HIDDEN 4
#define NALU_PARAMETERS (3 * NALU_HIDDEN * (INPUTS_MAX + 1))

/* Plain data. Parameters: A, B and G of each cell of the first layer, then those of the second
 * layer's only cell. */
struct nalu {
    size_t inputs, hidden;                 /* up to INPUTS_MAX and NALU_HIDDEN */
    double input_scale[INPUTS_MAX], scale; /* largest value of each input; of the count */
    double parameters[NALU_PARAMETERS];
};

/* Returns the number of @n's parameters in use. */
size_t nalu_parameter_count(const struct nalu *n);
/* Returns the count at @inputs. It is not rounded and may be negative. */
double nalu_value(const struct nalu *n, const double *inputs);
/* Returns the mean squared relative error over the runs. Small counts are relative to a thousandth
 * of the largest. @gradient (may be NULL) gets the derivative by each parameter. */
double nalu_loss(const struct nalu *n, const struct fit_data *data, double *gradient);
/* Trains a network on @data by Adam from several starting points with a fixed seed. Stores the
 * network with the least loss. Deterministic. Returns the mean relative error of held-out runs, a
 * quarter at a time; NaN with fewer than four runs. Takes seconds with many runs. */
double nalu_fit(const struct fit_data *data, struct nalu *out);

#endif
