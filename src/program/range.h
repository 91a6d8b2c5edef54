/* Uncertainty of a count beyond the runs: formulas that explain them about as well as the chosen
 * one, and their values elsewhere. */
#ifndef PORTOLAN_PROGRAM_RANGE_H
#define PORTOLAN_PROGRAM_RANGE_H

#include "program/fit_data.h"
#include "program/formula.h"

#define RANGE_MOST 64   /* formulas kept */

struct formula_range {
    struct formula *others;    /* besides the formula itself */
    size_t count;
    /* mean relative error of the formula's terms where each value of an input is left out; NaN:
     * undetermined */
    double left_out;
    /* uncertainty of the power of each input: the left-out error over the span of its values */
    double exponent[INPUTS_MAX];
    double lowest[INPUTS_MAX], highest[INPUTS_MAX];   /* values of each input that were run */
    /* powers of each input, the least and the most, by which the count grew up to its largest run;
     * NaN: undetermined by the runs */
    double reach[INPUTS_MAX][2];
    /* of growth by exp(rate * input) where powers rise with the input; 0: they do not */
    double rate[INPUTS_MAX];
    double farthest;           /* count of the largest run */
    /* one run, or one value of an input that matters: nothing is known elsewhere */
    bool open;
};

/* Inputs, a bit each, of which some value alone decides a coefficient of @f: the runs without that
 * value have no single set of them. A formula without such inputs was found from some values and is
 * right at others. Pure. */
uint16_t range_decided(const struct fit_data *data, const struct formula *f);
/* Mean relative error of the terms of @f, refitted, at each whole value of an input that is left
 * out; NaN: one cannot be left out. Pure. */
double range_left_out(const struct fit_data *data, const struct formula *f);
/* Fills @out for @f, which was fitted to @data and is inexact. range_done frees it. Any thread. */
void range_find(const struct fit_data *data, const struct formula *f, struct formula_range *out);
/* One more formula that explains the runs. */
void range_add(struct formula_range *r, const struct formula *f);
void range_done(struct formula_range *r);
/* The least and the largest value of @f and the others at @inputs, never below 0; @most is infinite
 * if nothing is known. */
void range_at(const struct formula_range *r, const struct formula *f, const double *inputs,
              size_t count, double *least, double *most);

#endif
