/* Clusters of a reference's distances in one run, separated by gaps. */
#ifndef PORTOLAN_PROGRAM_MODES_H
#define PORTOLAN_PROGRAM_MODES_H

#include "program/runs.h"

#define MODES_MOST 12

struct mode {
    double distance;      /* mean in lines; INFINITY: first uses, always the last cluster */
    double count, regular;
    double step;          /* most common steady step, bytes */
};

/* Finds the clusters of @r in ascending order; returns their number. A cluster with less than 1/200
 * of the references joins its nearer neighbour, except first uses. The threshold is 1/10000 for
 * distant clusters, more than four times as far as the previous one. */
size_t modes_find(const struct run_reference *r, struct mode out[MODES_MOST]);
/* Returns the mean of the references between the shares @from and @to, sorted by distance, without
 * first uses. Count 0 if there are none. */
struct mode modes_between(const struct run_reference *r, double from, double to);

#endif
