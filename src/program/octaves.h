/* All references of a run by their reuse distance. */
#ifndef PORTOLAN_PROGRAM_OCTAVES_H
#define PORTOLAN_PROGRAM_OCTAVES_H

#include "program/histogram.h"
#include "program/runs.h"
#include "program/sharing.h"

#define OCTAVES 64
#define OCTAVE_FIRST_USES (OCTAVES - 1)

/* By powers of two of the distance. */
struct octaves {
    double counts[OCTAVES], regular[OCTAVES];   /* references; of them those at a steady step */
    double all;
};

/* The distance from which on references fall into @octave, in lines. */
double octave_from(int octave);
void octaves_of(const struct program *p, const struct program_run *run, struct octaves *out);
/* Share of the run of @threads threads, @common of its lines used by all. */
struct sharing run_sharing(const struct program *p, const struct program_run *run, double threads,
                           double common);
/* All distances, for reuse_histogram_done to free. */
struct reuse_histogram run_distances(const struct program *p, const struct program_run *run);

#endif
