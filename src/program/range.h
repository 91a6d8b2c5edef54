/* Uncertainty of a count beyond the runs: formulas that explain the runs about equally well, and
 * their range of values */
#ifndef PORTOLAN_PROGRAM_RANGE_H
#define PORTOLAN_PROGRAM_RANGE_H

#include "program/fit_data.h"
#include "program/formula.h"

#define RANGE_MOST 64   /* maximum number of formulas */

struct formula_range {
    struct formula *others;    /* formulas in addition to the chosen one */
    size_t count;
    /* mean relative error of the formula's terms at left-out input values; NaN: unknown */
    double left_out;
    /* uncertainty of the power of each input: standard errors of the power, if the counts have the
     * error at left-out values */
    double exponent[INPUTS_MAX];
    double lowest[INPUTS_MAX], highest[INPUTS_MAX];   /* range of each input in the runs */
    /* smallest and largest power of each input with which the count grew up to the largest run;
     * NaN: unknown */
    double reach[INPUTS_MAX][2];
    /* per input: rate of growth exp(rate * input) if the power of the input rises with the input,
     * otherwise 0 */
    double rate[INPUTS_MAX];
    double farthest;           /* count of the largest run */
    /* whether there is only one run, or one value of each input; counts for other inputs have no
     * upper limit then */
    bool open;
};

/* Returns the set of the inputs of which one value is necessary: without the runs with that value,
 * the other runs do not determine all coefficients of @f. Pure. */
uint16_t range_decided(const struct fit_data *data, const struct formula *f);
/* Returns the mean relative error of the terms of @f at input values. For each value, the terms are
 * refitted without that value. Returns NaN if the terms cannot be refitted. Pure. */
double range_left_out(const struct fit_data *data, const struct formula *f);
/* Returns the root of the mean squared relative error (each at most 1) of the terms of @f at
 * left-out values. Leaves out all runs with one value of an input. Also leaves out the runs with
 * the two and the three largest values, because predictions are beyond the runs. Returns NaN if a
 * coefficient depends on one value, or if no value can be left out. Pure. */
double range_validated(const struct fit_data *data, const struct formula *f);
/* Fills @out for @f, a formula fitted to @data. @near: the formulas that explain the runs about
 * equally well. range_done frees @out. Any thread. */
void range_find(const struct fit_data *data, const struct formula *f, const struct fit_near *near,
                struct formula_range *out);
/* Adds another formula that explains the runs to the range. */
void range_add(struct formula_range *r, const struct formula *f);
void range_done(struct formula_range *r);
/* Computes the smallest and largest value of @f and the other formulas at @inputs. Both are at
 * least 0. @most is infinite if the runs set no limit. Stores the values in *@least and *@most. */
void range_at(const struct formula_range *r, const struct formula *f, const double *inputs,
              size_t count, double *least, double *most);

#endif
