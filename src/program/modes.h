/* Clusters of a reference's distances, run by run: distances that belong together lie close, those
 * of another loop lie a gap away. */
#ifndef PORTOLAN_PROGRAM_MODES_H
#define PORTOLAN_PROGRAM_MODES_H

#include "program/runs.h"

#define MODES_MOST 12

struct mode {
    double distance;      /* mean; INFINITY: first uses, always the last of them */
    double count, regular;
    double step;          /* mean of the steady ones, bytes */
};

/* The clusters of @r, ascending; returns how many. Clusters of less than a two-hundredth of the
 * references join their nearer neighbour, except for first uses. The threshold is a ten-thousandth
 * for those above all larger clusters, more than four times as far as the one before them. */
size_t modes_find(const struct run_reference *r, struct mode out[MODES_MOST]);
/* References between the shares @from and @to by distance, without first uses; its count is 0 when
 * there are none. */
struct mode modes_between(const struct run_reference *r, double from, double to);

#endif
