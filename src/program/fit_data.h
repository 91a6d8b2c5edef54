/* Input of fits: the inputs of runs and one value per run. Selects runs that differ in only one
 * input. */
#ifndef PORTOLAN_PROGRAM_FIT_DATA_H
#define PORTOLAN_PROGRAM_FIT_DATA_H

#include <stdbool.h>
#include <stddef.h>

#define INPUTS_MAX 12

struct fit_data {
    const double *inputs;      /* inputs of all runs, @input_count per run */
    size_t input_count;        /* number of inputs, 1 to INPUTS_MAX */
    size_t run_count;          /* number of runs, at least 1 */
    const double *values;      /* one value per run, finite */
};

/* Selects the runs that equal run @base in all @active inputs except @input, one per value of
 * @input. Stores the values of @input in @xs and the runs' values in @ys, which need @run_count
 * entries. Returns the number of selected runs, including @base. */
size_t single_input_points(const struct fit_data *d, const bool *active, size_t base, size_t input,
                           double *xs, double *ys);
/* Returns the run from which most other runs differ in only one input; of several, the one with the
 * largest value. */
size_t single_input_base(const struct fit_data *d, const bool *active);

#endif
