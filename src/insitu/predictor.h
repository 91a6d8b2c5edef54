/* Mispredictions of a loop's branches, by a simulated predictor over their recorded outcomes:
 * tables of patterns of longer and longer history, the longest known one predicts (as TAGE, Seznec
 * and Michaud 2006). No processor's predictor is imitated: counts are near, not equal. Any
 * thread. */
#ifndef PORTOLAN_INSITU_PREDICTOR_H
#define PORTOLAN_INSITU_PREDICTOR_H

#include "insitu/placed.h"

struct predicted_branch {
    uint32_t at;               /* in the region's list */
    size_t executed, missed;
};

struct predicted_branches {
    VEC(struct predicted_branch) list;   /* the most often missed first */
    size_t iterations;         /* that were judged: a third of the recording teaches first */
    double missed;             /* mispredictions per iteration; NaN: too little was recorded */
};

/* predictor_done frees @out. */
void predictor_run(const struct placed *x, struct predicted_branches *out);
void predictor_done(struct predicted_branches *p);

#endif
