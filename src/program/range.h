/* Uncertainty of a count beyond the runs: formulas that explain the runs about equally well, and
 * their range of values. */
#ifndef PORTOLAN_PROGRAM_RANGE_H
#define PORTOLAN_PROGRAM_RANGE_H

#include "program/fit_data.h"
#include "program/formula.h"

#define RANGE_MOST 64   /* formulas, at most */

struct formula_range {
    struct formula *others;    /* formulas in addition to the chosen one */
    size_t count;
    /* mean relative error of the formula's terms at left-out input values; NaN: undetermined */
    double left_out;
    /* uncertainty of the power of each input: error at left-out values over the span of its
     * values */
    double exponent[INPUTS_MAX];
    double lowest[INPUTS_MAX], highest[INPUTS_MAX];   /* range of each input in the runs */
    /* smallest and largest power of each input with which the count grew up to its largest run;
     * NaN: undetermined */
    double reach[INPUTS_MAX][2];
    /* rate of growth exp(rate * input), for inputs whose power rises with the input; 0: others */
    double rate[INPUTS_MAX];
    double farthest;           /* count of the largest run */
    /* one run, or one value of an active input: no upper limit elsewhere */
    bool open;
};

/* Returns a bit set of the inputs with a value that alone determines a coefficient of @f. If it is
 * empty, some values predict others. Pure. */
uint16_t range_decided(const struct fit_data *data, const struct formula *f);
/* Returns the mean relative error of the terms of @f at each input value, refitted without that
 * value; NaN if impossible. Pure. */
double range_left_out(const struct fit_data *data, const struct formula *f);
/* Returns the root of the mean squared relative error (each at most 1) of the terms of @f at
 * left-out values. Leaves out all runs with one value of an input, and with its two and three
 * largest values, because predictions are beyond the runs. NaN: a value alone determines a
 * coefficient. Pure. */
double range_validated(const struct fit_data *data, const struct formula *f);
/* Fills @out for @f, a formula fitted to @data, and the formulas @near that explain the runs about
 * as well. range_done frees @out. Any thread. */
void range_find(const struct fit_data *data, const struct formula *f, const struct fit_near *near,
                struct formula_range *out);
/* Adds another formula that explains the runs. */
void range_add(struct formula_range *r, const struct formula *f);
void range_done(struct formula_range *r);
/* Computes the least and largest value of @f and the other formulas at @inputs, at least 0. @most
 * is infinite if the runs set no limit. */
void range_at(const struct formula_range *r, const struct formula *f, const double *inputs,
              size_t count, double *least, double *most);

#endif
