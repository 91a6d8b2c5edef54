/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_passes.h"

#include <string.h>

#define WIDTH 0.01    /* relative: values of one floor */
#define SHARE 0.35    /* of all values on it */
#define APART 0.02    /* relative: what agrees so far below it is another floor */
#define FEW 3         /* values that agree are no chance */

void kernel_passes_add(struct kernel_passes *p, const struct kernel_measured *m)
{
    for (unsigned i = 0; i < m->value_count && p->count < KERNEL_PASSES_VALUES; i++) {
        p->visit[p->count] = (unsigned char)p->visits;
        p->values[p->count++] = m->values[i];
    }
    p->visits += m->value_count > 0;
}

/* Visits with a value from @low to @high. */
static unsigned visits_between(const struct kernel_passes *p, double low, double high)
{
    bool met[KERNEL_PASSES_VALUES] = {false};
    unsigned n = 0;

    for (unsigned i = 0; i < p->count; i++)
        if (p->values[i] >= low && p->values[i] <= high && !met[p->visit[i]]) {
            met[p->visit[i]] = true;
            n++;
        }
    return n;
}

bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread)
{
    double sorted[KERNEL_PASSES_VALUES];

    for (unsigned i = 0; i < p->count; i++)
        sorted[i] = (double)p->values[i];
    if (!window_floor(sorted, p->count, WIDTH, SHARE, cycles, spread) || visits_between(p, *cycles * (1 - WIDTH), *cycles * (1 + WIDTH)) < 2)
        return false;
    for (unsigned i = 0; i + FEW <= p->count && sorted[i + FEW - 1] < *cycles * (1 - APART); i++)
        if (sorted[i] > 0 && sorted[i + FEW - 1] <= sorted[i] * (1 + WIDTH))
            return false;
    return true;
}
