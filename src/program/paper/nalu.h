/* Counts by a neural arithmetic logic unit (Trask et al. 2018; PPT-AMMP, section 6.2) of two layers
 * of cells. A cell adds inputs or multiplies powers of them, and a gate mixes both results. For
 * cell i with inputs x: W = tanh(A) s(B), with the logistic function s; a = W x; m = exp(W log(|x|
 * + 1e-7)); g = s(G x); y = g a + (1 - g) m. Inputs and count are divided by the largest values of
 * the runs. */
#ifndef PORTOLAN_PROGRAM_PAPER_NALU_H
#define PORTOLAN_PROGRAM_PAPER_NALU_H

#include "program/fit_data.h"

#define NALU_HIDDEN 4
#define NALU_PARAMETERS (3 * NALU_HIDDEN * (INPUTS_MAX + 1))

/* A network. Its parameters are A, B and G of each cell of the first layer, then of the single cell
 * of the second layer. */
struct nalu {
    /* @inputs: number of inputs, at most INPUTS_MAX. @hidden: number of cells of the first layer,
     * at most NALU_HIDDEN. */
    size_t inputs, hidden;
    /* largest value of each input in the runs, and largest count */
    double input_scale[INPUTS_MAX], scale;
    double parameters[NALU_PARAMETERS];
};

/* Returns the number of @n's parameters in use. */
size_t nalu_parameter_count(const struct nalu *n);
/* Returns the count at @inputs. It is not rounded and may be negative. */
double nalu_value(const struct nalu *n, const double *inputs);
/* Returns the mean squared relative error over the runs. If a count is below a thousandth of the
 * largest count, its error is relative to that thousandth. Sets @gradient (may be NULL) to the
 * derivative with respect to each parameter. */
double nalu_loss(const struct nalu *n, const struct fit_data *data, double *gradient);
/* Trains a network on @data with Adam, from several starting points with a fixed seed. Stores the
 * network with the smallest loss. Deterministic. Returns the mean relative error of held-out runs,
 * NaN with fewer than four runs. In turn, each quarter of the runs is held out. Takes seconds with
 * many runs. */
double nalu_fit(const struct fit_data *data, struct nalu *out);

#endif
