/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/usage_pool.h"

#include <math.h>

/* relative tolerance of a usage's time in isolation */
#define NEAR 0.025
#define NEAR_CYCLES 0.005    /* absolute tolerance of a usage's time in isolation, in cycles */
#define MOST 400

void usage_pool_done(struct usage_pool *p)
{
    vec_done(&p->list);
}

void usage_pool_add(struct usage_pool *p, const struct guess *g)
{
    for (size_t i = 0; i < p->list.count; i++)
        if (guess_equal(&p->list.items[i], g))
            return;
    if (p->list.count < MOST && !(g->pipe > 0))
        vec_push(&p->list, *g);
}

void usage_pool_fill(struct usage_pool *p, const struct lattice *lattice, const struct mapping *m)
{
    for (size_t i = 0; i < mapping_count(m); i++) {
        const struct mapping_entry *e = mapping_at(m, i);
        struct guess g = {.slots = e->micro_ops};
        bool fits_in = e->usage.count <= GUESS_SETS;
        for (unsigned k = 0; k < e->usage.count && fits_in; k++)
            for (size_t s = 0; s < lattice->sets.count; s++)
                if (lattice->sets.items[s] == e->usage.uops[k].ports) {
                    g.uops[g.n].set = (uint16_t)s;
                    g.uops[g.n++].count = (uint16_t)e->usage.uops[k].count;
                    break;
                }
        if (fits_in)
            usage_pool_add(p, &g);
    }
}

size_t usage_pool_choices(const struct usage_pool *p, const struct lattice *lattice, double alone,
                          struct guess *out, size_t most)
{
    float row[COLUMNS_MOST];
    size_t n = 0;

    for (size_t i = p->list.count; i-- > 0 && n < most;) {
        const struct guess *g = &p->list.items[i];
        guess_row(g, lattice, row);
        const double says = guess_cycles(g, row, lattice, NULL, 0);
        if (fabs(says - alone) <= NEAR * alone + NEAR_CYCLES ||
            (lattice->above_ports && is_above_ports(says, alone, RESIDUAL_RATIO_ALONE)))
            out[n++] = *g;
    }
    return n;
}
