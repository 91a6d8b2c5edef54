/* Clusters of a reference's distances per run, separated by gaps. */
#ifndef PORTOLAN_PROGRAM_MODES_H
#define PORTOLAN_PROGRAM_MODES_H

#include "program/runs.h"

#define MODES_MOST 12

struct mode {
    double distance;      /* mean; INFINITY: first uses, always the last cluster */
    double count, regular;
    double step;          /* mean steady step, bytes */
};

/* Finds the clusters of @r, ascending; returns their number. Clusters below a two-hundredth of the
 * references join their nearer neighbour, except first uses. The threshold is a ten-thousandth for
 * distant clusters, more than four times as far as the previous one. */
size_t modes_find(const struct run_reference *r, struct mode out[MODES_MOST]);
/* References between the shares @from and @to by distance, without first uses; count 0 when there
 * are none. */
struct mode modes_between(const struct run_reference *r, double from, double to);

#endif
