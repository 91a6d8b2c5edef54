/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/octaves.h"

#include <math.h>

double octave_from(int octave)
{
    return octave ? ldexp(1, octave - 1) : 0;
}

void octaves_of(const struct program *p, const struct program_run *run, struct octaves *out)
{
    *out = (struct octaves){.all = 0};
    for (size_t i = 0; i < p->reference_count; i++)
        for (size_t k = 0; k < run->references[i].bin_count; k++) {
            const struct run_bin *b = &run->references[i].bins[k];
            int octave = isinf(b->distance) ? OCTAVE_FIRST_USES
                         : b->distance < 1
                             ? 0
                             : (int)fmin(OCTAVE_FIRST_USES - 1, floor(log2(b->distance)) + 1);
            out->counts[octave] += b->count;
            out->regular[octave] += b->regular;
            out->all += b->count;
        }
}

struct sharing run_sharing(const struct program *p, const struct program_run *run, double threads,
                           double common)
{
    struct sharing s = {threads, 0, common};

    for (size_t i = 0; i < p->reference_count; i++)
        for (size_t k = 0; k < run->references[i].bin_count; k++)
            s.footprint +=
                isinf(run->references[i].bins[k].distance) ? run->references[i].bins[k].count : 0;
    return s;
}

struct reuse_histogram run_distances(const struct program *p, const struct program_run *run)
{
    struct reuse_histogram all = {0};

    for (size_t i = 0; i < p->reference_count; i++) {
        struct reuse_histogram one = {0};
        for (size_t k = 0; k < run->references[i].bin_count; k++)
            reuse_histogram_add(&one, run->references[i].bins[k].distance,
                                run->references[i].bins[k].count);
        reuse_histogram_merge(&all, &one, 1);
        reuse_histogram_done(&one);
    }
    return all;
}
