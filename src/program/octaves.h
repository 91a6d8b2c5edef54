/* Counts of all references of a run by reuse distance */
#ifndef PORTOLAN_PROGRAM_OCTAVES_H
#define PORTOLAN_PROGRAM_OCTAVES_H

#include "program/histogram.h"
#include "program/runs.h"
#include "program/sharing.h"

#define OCTAVES 64
#define OCTAVE_FIRST_USES (OCTAVES - 1)

/* References of a run; each octave has the distances between two powers of two */
struct octaves {
    /* @counts: number of references. @regular: number of references with a steady stride. */
    double counts[OCTAVES], regular[OCTAVES];
    double all;
};

/* Returns the smallest distance in @octave, in lines. */
double octave_from(int octave);
void octaves_of(const struct program *p, const struct program_run *run, struct octaves *out);
/* Returns the sharing of the last cache level by @threads threads that execute the run. @common:
 * share of the run's lines that all threads use. */
struct sharing run_sharing(const struct program *p, const struct program_run *run, double threads,
                           double common);
/* Returns the histogram of the reuse distances of all references. reuse_histogram_done frees it. */
struct reuse_histogram run_distances(const struct program *p, const struct program_run *run);

#endif
