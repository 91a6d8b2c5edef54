/* All references of a run, by reuse distance. */
#ifndef PORTOLAN_PROGRAM_OCTAVES_H
#define PORTOLAN_PROGRAM_OCTAVES_H

#include "program/histogram.h"
#include "program/runs.h"
#include "program/sharing.h"

#define OCTAVES 64
#define OCTAVE_FIRST_USES (OCTAVES - 1)

/* References by powers of two of the distance. */
struct octaves {
    /* number of references; number of references with a steady step */
    double counts[OCTAVES], regular[OCTAVES];
    double all;
};

/* Returns the smallest distance in @octave, in lines. */
double octave_from(int octave);
void octaves_of(const struct program *p, const struct program_run *run, struct octaves *out);
/* Returns the sharing of the run by @threads threads. All threads use the share @common of its
 * lines. */
struct sharing run_sharing(const struct program *p, const struct program_run *run, double threads,
                           double common);
/* Returns all distances of the run. reuse_histogram_done frees the result. */
struct reuse_histogram run_distances(const struct program *p, const struct program_run *run);

#endif
