/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/congruence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortage.h"
#include "base/watch.h"

/* A form beside one partner: what else is in the experiment, how often each occurs, and the cycles. */
struct beside {
    uint32_t partner, own, other;   /* partner UINT32_MAX: alone */
    double cycles;
};

struct profile {
    VEC(struct beside) list;        /* sorted */
};

static int compare_beside(const void *a, const void *b)
{
    const struct beside *x = a, *y = b;
    if (x->partner != y->partner)
        return x->partner < y->partner ? -1 : 1;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    return (x->other > y->other) - (x->other < y->other);
}

/* Into @profiles, one per form of @t and all empty. */
static void profiles_fill(const struct experiments *t, struct profile *profiles)
{
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(t, i);
        double cycles = t->rows.items[i].cycles;
        if (!experiments_measured(t, i))
            continue;
        if (t->rows.items[i].count == 1)
            vec_add(&profiles[terms[0].form].list, ((struct beside){UINT32_MAX, terms[0].count, 0, cycles}));
        for (int side = 0; t->rows.items[i].count == 2 && side < 2; side++)
            vec_add(&profiles[terms[side].form].list, ((struct beside){terms[!side].form, terms[side].count, terms[!side].count, cycles}));
    }
    for (size_t f = 0; f < t->forms.count; f++)
        if (profiles[f].list.count > 1)
            qsort(profiles[f].list.items, profiles[f].list.count, sizeof(struct beside), compare_beside);
}

static bool congruent(const struct profile *a, const struct profile *b, double epsilon, unsigned shared)
{
    size_t compared = 0;

    for (size_t i = 0, k = 0; i < a->list.count && k < b->list.count;) {
        const struct beside *x = &a->list.items[i], *y = &b->list.items[k];
        int order = compare_beside(x, y);
        if (order == 0 && fabs(x->cycles - y->cycles) / (fabs(x->cycles + y->cycles) / 2) >= epsilon)
            return false;
        compared += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return compared >= shared;
}

void congruence_find(const struct experiments *t, double epsilon, unsigned shared, struct congruence *out)
{
    size_t n = t->forms.count;
    struct profile *profiles = shortage_zero(n + 1, sizeof *profiles);
    VEC(uint32_t) *members = shortage_zero(n + 1, sizeof *members);

    *out = (struct congruence){n, shortage_alloc((n + 1) * sizeof(uint32_t)), 0, shortage_zero(n + 1, sizeof(uint32_t)), shortage_zero(n + 1, sizeof(uint32_t))};
    if (!profiles || !members || !out->class_of || !out->representative || !out->size) {
        congruence_done(out);
        free(profiles);
        free(members);
        return;
    }
    profiles_fill(t, profiles);
    for (uint32_t f = 0; f < n; f++) {
        bool alone = profiles[f].list.count && profiles[f].list.items[profiles[f].list.count - 1].partner == UINT32_MAX;
        size_t class = 0;
        out->class_of[f] = UINT32_MAX;
        for (; alone && class < out->classes && !watch_steps(1); class++) {
            bool fits = true;
            for (size_t k = 0; fits && k < members[class].count && !watch_steps(1 + profiles[f].list.count / 16); k++)
                fits = congruent(&profiles[f], &profiles[members[class].items[k]], epsilon, shared);
            if (fits)
                break;
        }
        if (!alone)
            continue;
        if (class == out->classes)
            out->representative[out->classes++] = f;
        out->class_of[f] = (uint32_t)class;
        out->size[class]++;
        vec_push(&members[class], f);
    }
    for (size_t f = 0; f < n; f++) {
        vec_done(&profiles[f].list);
        vec_done(&members[f]);
    }
    free(members);
    free(profiles);
}

void congruence_done(struct congruence *c)
{
    free(c->class_of);
    free(c->representative);
    free(c->size);
    *c = (struct congruence){0};
}
