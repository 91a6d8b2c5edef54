/* Selects runs that differ in one input only. */
#ifndef PORTOLAN_PROGRAM_SINGLE_INPUT_H
#define PORTOLAN_PROGRAM_SINGLE_INPUT_H

#include "program/fit.h"

/* Selects runs equal to @base in all @active inputs but @input, one per value. @xs, @ys, with room
 * for all runs: values of input and run. Returns their number, including @base. */
size_t single_input_points(const struct fit_data *d, const bool *active, size_t base, size_t input,
                           double *xs, double *ys);
/* Returns the run from which most others differ in one input only; of several the one with the
 * largest value. */
size_t single_input_base(const struct fit_data *d, const bool *active);

#endif
