/* Input of fits: the inputs of runs and one value of each. Plain data. */
#ifndef PORTOLAN_PROGRAM_FIT_DATA_H
#define PORTOLAN_PROGRAM_FIT_DATA_H

#include <stddef.h>

struct fit_data {
    const double *inputs;      /* run by run, @input_count each */
    size_t input_count;        /* 1 to INPUTS_MAX */
    size_t run_count;          /* at least 1 */
    const double *values;      /* of each run, finite */
};

#endif
