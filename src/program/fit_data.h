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

/* Selects runs equal to @base in all @active inputs but @input, one per value. @xs, @ys, with room
 * for all runs: values of input and run. Returns their number, including @base. */
size_t single_input_points(const struct fit_data *d, const bool *active, size_t base, size_t input,
                           double *xs, double *ys);
/* Returns the run from which most others differ in one input only; of several the one with the
 * largest value. */
size_t single_input_base(const struct fit_data *d, const bool *active);

#endif
