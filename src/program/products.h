/* Counts of several inputs as sums of products of single-input terms: powers, quotients and
 * remainders from runs that differ in one input, joined by those that differ in several. Degrees
 * add up over inputs without a table of all products of that degree. */
#ifndef PORTOLAN_PROGRAM_PRODUCTS_H
#define PORTOLAN_PROGRAM_PRODUCTS_H

#include "program/fit.h"

/* An exact formula of the inputs that are @active, with runs to spare. False: none was found, @out
 * is as it was. Any thread. */
bool products_exact(const struct fit_data *data, const bool *active, struct formula *out);
/* An inexact one: adds the term that explains most while the left-out error falls. False when its
 * left-out error is not below @error: @out is unchanged. Any thread. */
bool products_best(const struct fit_data *data, const bool *active, double error,
                   struct formula *out);

#endif
