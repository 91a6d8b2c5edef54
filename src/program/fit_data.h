/* Input of fits: the inputs of runs and one value of each; runs that differ in one input only.
 * Plain data. */
#ifndef PORTOLAN_PROGRAM_FIT_DATA_H
#define PORTOLAN_PROGRAM_FIT_DATA_H

#include <stdbool.h>
#include <stddef.h>

#define INPUTS_MAX 12

struct fit_data {
    const double *inputs;      /* @input_count per run */
    size_t input_count;        /* 1 to INPUTS_MAX */
    size_t run_count;          /* at least 1 */
    const double *values;      /* one per run, finite */
};

/* Runs that are as @base in all inputs that are @active but @input, each value of it once; @xs,
 * @ys, with room for all runs: values of the input and of the run. Returns how many, @base among
 * them. */
size_t single_input_points(const struct fit_data *d, const bool *active, size_t base, size_t input,
                           double *xs, double *ys);
/* The run from which most others differ in one input alone; of such runs the one with the largest
 * value. */
size_t single_input_base(const struct fit_data *d, const bool *active);

#endif
