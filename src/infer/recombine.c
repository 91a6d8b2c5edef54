/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/recombine.h"

void recombine(const struct genome *a, const struct genome *b, struct rng *rng, struct genome *child)
{
    uint8_t to[PROBLEM_PORTS_MAX];
    uint64_t salt = rng_next(rng);

    genome_assign(child, a);
    genome_align(a, b, to);
    for (size_t f = 0; f < a->forms; f++) {
        uint64_t side = (gene_hash(&a->genes[f]) ^ salt) * 0x9e3779b97f4a7c15u;
        if (side >> 63) {
            child->genes[f] = b->genes[f];
            gene_rename(&child->genes[f], to);
        }
    }
}
