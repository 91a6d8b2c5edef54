/* Input of fits: the inputs of runs and one value per run. Plain data. */
#ifndef PORTOLAN_PROGRAM_FIT_DATA_H
#define PORTOLAN_PROGRAM_FIT_DATA_H

#include <stddef.h>

struct fit_data {
    const double *inputs;      /* @input_count per run */
    size_t input_count;        /* 1 to INPUTS_MAX */
    size_t run_count;          /* at least 1 */
    const double *values;      /* one per run, finite */
};

#endif
