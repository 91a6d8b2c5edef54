/* Counts of several inputs as sums of products of single-input terms: powers, quotients and
 * remainders from runs that differ in one input, combined by those that differ in several. Avoids a
 * table of all products of the total degree. */
#ifndef PORTOLAN_PROGRAM_PRODUCTS_H
#define PORTOLAN_PROGRAM_PRODUCTS_H

#include "program/fit.h"

/* Finds an exact formula of the inputs @active, with spare runs. False if none; @out is unchanged
 * then. */
bool products_exact(const struct fit_data *data, const bool *active, struct formula *out);
/* Finds an inexact formula: adds the most useful term while the left-out error falls. False unless
 * its left-out error is below @error; @out is unchanged then. */
bool products_best(const struct fit_data *data, const bool *active, double error,
                   struct formula *out);

#endif
