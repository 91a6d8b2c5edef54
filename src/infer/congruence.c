/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/congruence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortage.h"
#include "base/watch.h"

/* A measurement of a form with one other form (the partner): both counts, and the cycles */
struct paired {
    uint32_t partner, own, other;   /* @partner: index of the other form; UINT32_MAX: the form
                                     * was measured in isolation */
    double cycles;
};

struct profile {
    VEC(struct paired) list;        /* measurements, sorted for comparison with other profiles */
};

static int compare_paired(const void *a, const void *b)
{
    const struct paired *x = a, *y = b;
    if (x->partner != y->partner)
        return x->partner < y->partner ? -1 : 1;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    return (x->other > y->other) - (x->other < y->other);
}

/* Fills the empty @profiles, one per form of @t. If @itself is true, also derives the time of a
 * form paired with itself from its time in isolation. */
static void profiles_fill(const struct experiments *t, bool itself, struct profile *profiles)
{
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct flat_term *terms = experiments_terms(t, i);
        double cycles = t->rows.items[i].cycles;
        if (!experiments_measured(t, i))
            continue;
        if (t->rows.items[i].count == 1)
            vec_add(&profiles[terms[0].form].list,
                    ((struct paired){UINT32_MAX, terms[0].count, 0, cycles}));
        if (itself && t->rows.items[i].count == 1)
            vec_add(&profiles[terms[0].form].list,
                    ((struct paired){terms[0].form, 1, 1, 2 * cycles / (double)terms[0].count}));
        for (int side = 0; t->rows.items[i].count == 2 && side < 2; side++)
            vec_add(&profiles[terms[side].form].list,
                    ((struct paired){terms[!side].form, terms[side].count, terms[!side].count,
                                     cycles}));
    }
    for (size_t f = 0; f < t->forms.count; f++)
        if (profiles[f].list.count > 1)
            qsort(profiles[f].list.items, profiles[f].list.count, sizeof(struct paired),
                  compare_paired);
}

/* Returns whether the forms have at least @shared experiments with common partners, and agree in
 * all of them. Sets *@pairs to the number of such experiments with another form. */
static bool congruent(const struct profile *a, const struct profile *b, double epsilon,
                      unsigned shared, size_t *pairs)
{
    size_t compared = 0;

    *pairs = 0;
    for (size_t i = 0, k = 0; i < a->list.count && k < b->list.count;) {
        const struct paired *x = &a->list.items[i], *y = &b->list.items[k];
        int order = compare_paired(x, y);
        if (order == 0 &&
            fabs(x->cycles - y->cycles) / (fabs(x->cycles + y->cycles) / 2) >= epsilon)
            return false;
        compared += order == 0;
        *pairs += order == 0 && x->partner != UINT32_MAX;
        i += order <= 0;
        k += order >= 0;
    }
    return compared >= shared;
}

/* Returns whether one execution of the form was measured with one execution of @partner. */
static bool was_paired(const struct profile *profile, uint32_t partner)
{
    const struct paired sought = {partner, 1, 1, 0};
    return profile->list.count && bsearch(&sought, profile->list.items, profile->list.count,
                                          sizeof sought, compare_paired);
}

struct class_members {
    VEC(uint32_t) list;
};

/* Returns whether form @f is congruent to all @members. Sets *@untested to the number of members
 * that are compared with the form only by their times in isolation. */
static bool belongs(const struct profile *profiles, uint32_t f, const struct class_members *members,
                    double epsilon, unsigned shared, uint64_t *untested)
{
    bool fits = true;

    *untested = 0;
    for (size_t k = 0;
         fits && k < members->list.count && !watch_steps(1 + profiles[f].list.count / 16); k++) {
        size_t pairs;
        fits = congruent(&profiles[f], &profiles[members->list.items[k]], epsilon, shared, &pairs);
        *untested += !pairs;
    }
    return fits;
}

/* Adds form @f, which was measured in isolation, to the first class whose members are all congruent
 * to it. If there is no such class, creates one. */
static void join_class(const struct profile *profiles, uint32_t f, struct class_members *members,
                       double epsilon, unsigned shared, struct congruence *out)
{
    uint64_t untested = 0;
    size_t class = 0;

    while (class < out->classes && !watch_steps(1) &&
           !belongs(profiles, f, &members[class], epsilon, shared, &untested))
        class++;
    if (class == out->classes) {
        untested = 0;
        out->representative[out->classes++] = f;
    }
    out->class_of[f] = (uint32_t)class;
    out->size[class]++;
    out->untested[class] += untested;
    out->compared_to_first[f] =
        f == out->representative[class] || was_paired(&profiles[f], out->representative[class]);
    vec_push(&members[class].list, f);
}

static bool result_new_for(size_t n, struct congruence *out)
{
    *out = (struct congruence){.forms = n,
                               .class_of = shortage_alloc((n + 1) * sizeof *out->class_of),
                               .representative = shortage_zero(n + 1, sizeof *out->representative),
                               .size = shortage_zero(n + 1, sizeof *out->size),
                               .untested = shortage_zero(n + 1, sizeof *out->untested),
                               .compared_to_first =
                                   shortage_zero(n + 1, sizeof *out->compared_to_first)};
    return out->class_of && out->representative && out->size && out->untested &&
           out->compared_to_first;
}

void congruence_find(const struct experiments *t, double epsilon, unsigned shared, bool itself,
                     struct congruence *out)
{
    size_t n = t->forms.count;
    struct profile *profiles = shortage_zero(n + 1, sizeof *profiles);
    struct class_members *members = shortage_zero(n + 1, sizeof *members);

    if (!result_new_for(n, out) || !profiles || !members) {
        congruence_done(out);
        free(profiles);
        free(members);
        return;
    }
    profiles_fill(t, itself, profiles);
    for (uint32_t f = 0; f < n; f++) {
        out->class_of[f] = UINT32_MAX;
        if (profiles[f].list.count &&
            profiles[f].list.items[profiles[f].list.count - 1].partner == UINT32_MAX)
            join_class(profiles, f, members, epsilon, shared, out);
    }
    for (size_t f = 0; f < n; f++) {
        vec_done(&profiles[f].list);
        vec_done(&members[f].list);
    }
    free(members);
    free(profiles);
}

bool congruence_undistinguished(const struct congruence *c, uint32_t f)
{
    return c->class_of[f] != UINT32_MAX && c->untested[c->class_of[f]] && !c->compared_to_first[f];
}

void congruence_done(struct congruence *c)
{
    free(c->class_of);
    free(c->representative);
    free(c->size);
    free(c->untested);
    free(c->compared_to_first);
    *c = (struct congruence){0};
}
