/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/genome.h"

#include <math.h>

static unsigned total(const struct gene *gene)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < gene->uops; i++)
        sum += gene->count[i];
    return sum;
}

static double overlap(const struct gene *a, const struct gene *b)
{
    unsigned common = 0, x = total(a), y = total(b);

    for (unsigned i = 0; i < a->uops; i++)
        for (unsigned k = 0; k < b->uops; k++)
            if (a->set[i] == b->set[k])
                common += a->count[i] < b->count[k] ? a->count[i] : b->count[k];
    return x || y ? (double)common / (x > y ? x : y) : 1;
}

void confidence_of(struct genome *const *genomes, size_t n, double *out)
{
    uint8_t to[PROBLEM_PORTS_MAX];
    size_t others = 0, forms = n ? genomes[0]->forms : 0;

    for (size_t f = 0; f < forms; f++)
        out[f] = 0;
    for (size_t i = 1; i < n; i++) {
        if (genomes[i]->cost > genomes[0]->cost * CONFIDENCE_COST)
            continue;
        struct genome *aligned = genome_copy(genomes[i]);
        genome_align(genomes[0], aligned, to);
        genome_rename(aligned, to);
        for (size_t f = 0; f < forms; f++)
            out[f] += overlap(&genomes[0]->genes[f], &aligned->genes[f]);
        genome_free(aligned);
        others++;
    }
    for (size_t f = 0; f < forms; f++)
        out[f] = others ? out[f] / (double)others : NAN;
}
