/* Counts by a neural arithmetic logic unit (Trask et al. 2018; PPT-AMMP, section 6.2): two layers
 * of cells that add inputs, or multiply powers of them, with a gate between the two. Of cell i,
 * with inputs x: W = tanh(A) s(B), s the logistic function; a = W x; m = exp(W log(|x| + 1e-7)); g
 * = s(G x); y = g a + (1 - g) m. Inputs and the count are scaled by the largest of the runs. */
#ifndef PORTOLAN_PROGRAM_NALU_H
#define PORTOLAN_PROGRAM_NALU_H

#include "program/fit.h"

#define NALU_HIDDEN 4
#define NALU_PARAMETERS (3 * NALU_HIDDEN * (INPUTS_MAX + 1))

/* Plain data. Parameters: of the first layer A, B and G, each cell by cell, then those of the
 * second, which has one cell. */
struct nalu {
    size_t inputs, hidden;                 /* up to INPUTS_MAX, NALU_HIDDEN */
    double input_scale[INPUTS_MAX], scale; /* scale of 1 */
    double parameters[NALU_PARAMETERS];
};

/* Of @n's parameters, those in use. */
size_t nalu_parameter_count(const struct nalu *n);
/* The count at @inputs; not rounded, may be below 0. Any thread. */
double nalu_value(const struct nalu *n, const double *inputs);
/* Mean over the runs of the square of the relative error (of small counts relative to a thousandth
 * of the largest). @gradient, unless NULL, gets the derivative by each parameter. Any thread. */
double nalu_loss(const struct nalu *n, const struct fit_data *data, double *gradient);
/* Trains one on @data by Adam, from several starting points of a fixed seed; the one of the least
 * loss stays: the same data give the same network. Returns the mean relative error of runs held out
 * from training, a quarter of them at a time; NaN with fewer than four. Seconds with many runs. Any
 * thread. */
double nalu_fit(const struct fit_data *data, struct nalu *out);

#endif
