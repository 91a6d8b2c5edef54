/* Uncertainty of a count beyond the runs: formulas that explain the runs about equally well, and
 * their values elsewhere. */
#ifndef PORTOLAN_PROGRAM_RANGE_H
#define PORTOLAN_PROGRAM_RANGE_H

#include "program/fit_data.h"
#include "program/formula.h"

#define RANGE_MOST 64   /* formulas kept */

struct formula_range {
    struct formula *others;    /* besides the chosen formula */
    size_t count;
    /* mean relative error of the formula's terms with each input value left out; NaN:
     * undetermined */
    double left_out;
    /* uncertainty of the power of each input: left-out error over the span of its values */
    double exponent[INPUTS_MAX];
    double lowest[INPUTS_MAX], highest[INPUTS_MAX];   /* range of each input in the runs */
    /* smallest and largest power of each input by which the count grew up to its largest run; NaN:
     * undetermined */
    double reach[INPUTS_MAX][2];
    /* for growth by exp(rate * input) where powers rise with the input; 0: they do not */
    double rate[INPUTS_MAX];
    double farthest;           /* count of the largest run */
    /* one run, or one value of an active input: nothing is known elsewhere */
    bool open;
};

/* Returns a bit set of inputs with a value that alone determines a coefficient of @f. A formula
 * without such inputs predicts some values from others. Pure. */
uint16_t range_decided(const struct fit_data *data, const struct formula *f);
/* Mean relative error of the terms of @f, refitted with each input value left out; NaN if
 * impossible. Pure. */
double range_left_out(const struct fit_data *data, const struct formula *f);
/* Root of the mean squared relative error (each at most 1) of the terms of @f at values that were
 * left out: each whole value of an input, and its largest two and three together, since what
 * follows is beyond the runs. NaN: some value decides a coefficient. Pure. */
double range_validated(const struct fit_data *data, const struct formula *f);
/* Fills @out for @f, which was fitted to @data, and formulas @near it, which explain the runs about
 * as well. range_done frees it. Any thread. */
void range_find(const struct fit_data *data, const struct formula *f, const struct fit_near *near,
                struct formula_range *out);
/* One more formula that explains the runs. */
void range_add(struct formula_range *r, const struct formula *f);
void range_done(struct formula_range *r);
/* Finds the least and largest value of @f and the others at @inputs, never negative; @most is
 * infinite if nothing is known. */
void range_at(const struct formula_range *r, const struct formula *f, const double *inputs,
              size_t count, double *least, double *most);

#endif
