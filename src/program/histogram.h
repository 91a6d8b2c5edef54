/* Histogram of reuse distances, as in program traces (runtime/bins.h). Each distance below 16 has
 * its own bin. Larger distances have eight bins per octave, and first uses have one bin. The value
 * of a bin is the mean of its distances. */
#ifndef PORTOLAN_PROGRAM_HISTOGRAM_H
#define PORTOLAN_PROGRAM_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct reuse_bin {
    double distance;     /* mean distance in distinct lines; INFINITY: first uses */
    double count;        /* number of references */
};

/* Bins in ascending order of distance */
struct reuse_histogram {
    VEC(struct reuse_bin) bins;
};

void reuse_histogram_done(struct reuse_histogram *h);
/* Appends a bin, whose @distance must exceed the distances of all other bins. Does nothing unless
 * @count is positive. */
void reuse_histogram_add(struct reuse_histogram *h, double distance, double count);
/* Adds @factor times @from. Merges bins of equal distance. */
void reuse_histogram_merge(struct reuse_histogram *h, const struct reuse_histogram *from,
                           double factor);
double reuse_histogram_total(const struct reuse_histogram *h);

#endif
