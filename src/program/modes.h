/* Clusters of a reference's distances in one run, separated by gaps */
#ifndef PORTOLAN_PROGRAM_MODES_H
#define PORTOLAN_PROGRAM_MODES_H

#include "program/runs.h"

#define MODES_MOST 12
#define MODE_STEPS 4   /* maximum number of strides that a cluster counts */

struct mode {
    /* mean distance in lines; INFINITY: first uses, always the last cluster */
    double distance;
    double count, regular;
    double step;          /* most common steady stride in bytes */
    /* numbers of references by steady stride; those of the rarest strides may be missing */
    struct { double step, count; } steps[MODE_STEPS];
};

/* Finds the clusters of @r in ascending order of distance. Returns their number. A cluster with
 * less than 1/200 of the references joins its nearer neighbour. If its distance is more than four
 * times that of the previous cluster, this limit is 1/10000. First uses are always a cluster.
 * Stores the clusters in @out. */
size_t modes_find(const struct run_reference *r, struct mode out[MODES_MOST]);
/* Returns the mean of the references between shares @from and @to of the references, sorted by
 * distance and without first uses. The mean's count is 0 if there are no such references. */
struct mode modes_between(const struct run_reference *r, double from, double to);

#endif
