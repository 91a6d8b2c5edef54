/* Counts mispredictions of a loop's branches. Simulates the recorded directions and targets with
 * the model of simulate/branch_predictor.h. */
#ifndef PORTOLAN_INSITU_PREDICTOR_H
#define PORTOLAN_INSITU_PREDICTOR_H

#include "insitu/placed.h"

struct predicted_branch {
    uint32_t at;               /* index in the region's list */
    size_t executed, missed;
};

struct predicted_branches {
    VEC(struct predicted_branch) list;   /* most mispredicted first */
    /* iterations evaluated; the first third of the recording trains the predictor */
    size_t iterations;
    double missed;             /* mispredictions per iteration; NaN: too few records */
};

/* Simulates the recorded branches of a region. predictor_done frees @out. */
void predictor_run(const struct placed *x, struct predicted_branches *out);
void predictor_done(struct predicted_branches *p);

#endif
