/* All references of a run by reuse distance. */
#ifndef PORTOLAN_PROGRAM_OCTAVES_H
#define PORTOLAN_PROGRAM_OCTAVES_H

#include "program/histogram.h"
#include "program/runs.h"
#include "program/sharing.h"

#define OCTAVES 64
#define OCTAVE_FIRST_USES (OCTAVES - 1)

/* By powers of two of the distance. */
struct octaves {
    double counts[OCTAVES], regular[OCTAVES];   /* references, and those of them with a steady
                                                 * step */
    double all;
};

/* Smallest distance in @octave, in lines. */
double octave_from(int octave);
void octaves_of(const struct program *p, const struct program_run *run, struct octaves *out);
/* Sharing of the run by @threads threads, @common of its lines used by all. */
struct sharing run_sharing(const struct program *p, const struct program_run *run, double threads,
                           double common);
/* Collects all distances; reuse_histogram_done frees them. */
struct reuse_histogram run_distances(const struct program *p, const struct program_run *run);

#endif
