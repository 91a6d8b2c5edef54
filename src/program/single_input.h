/* Selects runs that differ in one input only. */
#ifndef PORTOLAN_PROGRAM_SINGLE_INPUT_H
#define PORTOLAN_PROGRAM_SINGLE_INPUT_H

#include "program/fit.h"

/* Runs that are as @base in all inputs that are @active but @input, each value of it once; @xs,
 * @ys, with room for all runs: values of the input and of the run. Returns how many, @base among
 * them. */
size_t single_input_points(const struct fit_data *d, const bool *active, size_t base, size_t input,
                           double *xs, double *ys);
/* The run from which most others differ in one input alone; of such runs the one with the largest
 * value. */
size_t single_input_base(const struct fit_data *d, const bool *active);

#endif
