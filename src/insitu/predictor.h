/* Counts mispredictions of a loop's branches: simulates the predictor of
 * simulate/branch_predictor.h with the recorded directions and targets. */
#ifndef PORTOLAN_INSITU_PREDICTOR_H
#define PORTOLAN_INSITU_PREDICTOR_H

#include "insitu/placed.h"

struct predicted_branch {
    /* index in the region's list: of the branch, or of the part of a loop of computed gotos that
     * ends with the branch */
    uint32_t at;
    size_t executed, missed;
};

struct predicted_branches {
    /* branches, most frequently mispredicted first */
    VEC(struct predicted_branch) list;
    /* Number of evaluated iterations, without the first third of the recording, which only trains
     * the predictor. */
    size_t iterations;
    double missed;             /* mispredictions per iteration; NaN: too few records */
};

/* Simulates the recorded branches of a region. The caller frees @out with predictor_done. */
void predictor_run(const struct placed *x, struct predicted_branches *out);
void predictor_done(struct predicted_branches *p);

#endif
