/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/weight.h"

struct weight weight_of(double base)
{
    return (struct weight){.base = base};
}

struct weight weight_branch(uint32_t branch)
{
    struct weight share = {.count = 1};

    share.shares[0].branch = branch;
    share.shares[0].by = 1;
    return share;
}

bool weight_is_nothing(const struct weight *w)
{
    return !w->unknown && !w->count && w->base == 0;
}

bool weight_is_exact(const struct weight *w)
{
    return !w->unknown && !w->count;
}

static void add_share(struct weight *w, uint32_t branch, double by)
{
    for (unsigned i = 0; i < w->count; i++) {
        if (w->shares[i].branch != branch)
            continue;
        w->shares[i].by += by;
        if (w->shares[i].by == 0)
            w->shares[i] = w->shares[--w->count];
        return;
    }
    if (w->count == WEIGHT_SHARES)
        w->unknown = true;
    else {
        w->shares[w->count].branch = branch;
        w->shares[w->count++].by = by;
    }
}

void weight_add(struct weight *w, const struct weight *other, double by)
{
    w->base += by * other->base;
    w->unknown |= other->unknown;
    for (unsigned i = 0; i < other->count && !w->unknown; i++)
        add_share(w, other->shares[i].branch, by * other->shares[i].by);
}

bool weight_same(const struct weight *a, const struct weight *b)
{
    struct weight difference = *a;
    weight_add(&difference, b, -1);
    return weight_is_nothing(&difference);
}
