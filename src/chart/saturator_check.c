/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/saturate.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS 6
#define SIZES 2

/* Number of copies of the saturator per experiment. The numbers are small, as in experiments with
 * other forms, because longer bodies may be slower. */
static const uint32_t copies[SIZES] = {1, 3};

/* Requests experiments of @s alone. Writes the indices of their rows to @rows. */
static void ask(struct lab *lab, const uint32_t *form_of, const struct saturator *s,
                size_t rows[SIZES])
{
    struct flat_term terms[SATURATOR_TERMS];

    for (unsigned size = 0; size < SIZES; size++) {
        for (unsigned i = 0; i < s->term_count; i++)
            terms[i] =
                (struct flat_term){form_of[s->terms[i].entry], s->terms[i].count * copies[size]};
        rows[size] = lab_ask(lab, terms, s->term_count);
    }
}

/* Returns whether the times of @s are stable and agree with the core. */
static bool is_valid(const struct lab *lab, const struct saturator *s, const size_t rows[SIZES])
{
    for (unsigned size = 0; size < SIZES; size++) {
        double cycles = lab_cycles(lab, rows[size]), says = copies[size] * s->cycles;
        if (isnan(cycles) || fabs(cycles - says) > lab_off(lab) * says)
            return false;
    }
    return true;
}

static bool is_one_of(const struct saturators *list, const struct saturator *s)
{
    for (size_t i = 0; i < list->list.count; i++)
        if (saturators_alike(&list->list.items[i], s))
            return true;
    return false;
}

static void note(struct saturators *list, const struct saturator *s)
{
    struct saturator forms = *s;

    forms.row = NULL;
    vec_push(&list->list, forms);
}

static void leave_out(const struct saturators *refused, struct saturators *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->list.count; i++)
        if (is_one_of(refused, &s->list.items[i]))
            free(s->list.items[i].row);
        else
            s->list.items[kept++] = s->list.items[i];
    s->list.count = kept;
}

/* Measures the new saturators of @found, and adds each to @valid or @refused. */
static bool judge_new(struct lab *lab, const uint32_t *form_of, const struct saturators *found,
                      struct saturators *valid, struct saturators *refused, struct err *err)
{
    size_t (*rows)[SIZES] = mem_alloc((found->list.count + 1) * sizeof *rows);
    bool *fresh = mem_zero(found->list.count + 1, sizeof *fresh);

    for (size_t i = 0; i < found->list.count; i++) {
        fresh[i] = !is_one_of(valid, &found->list.items[i]);
        if (fresh[i])
            ask(lab, form_of, &found->list.items[i], rows[i]);
    }
    bool ok = lab_measure(lab, "single saturators", err);
    for (size_t i = 0; ok && i < found->list.count; i++)
        if (fresh[i])
            note(is_valid(lab, &found->list.items[i], rows[i]) ? valid : refused,
                 &found->list.items[i]);
    free(rows);
    free(fresh);
    return ok;
}

bool saturators_validate(struct lab *lab, const struct mapping *m, const struct lattice *g,
                         const uint32_t *form_of, struct saturators *out, struct err *err)
{
    struct saturators valid = {0}, refused = {0};
    bool ok = true;

    for (unsigned round = 0; round < ROUNDS && ok; round++) {
        size_t before = refused.list.count;
        saturators_done(out);
        *out = (struct saturators){0};
        saturators_find(m, g, &refused, out);
        ok = judge_new(lab, form_of, out, &valid, &refused, err);
        if (refused.list.count == before)
            break;
    }
    leave_out(&refused, out);
    saturators_done(&valid);
    saturators_done(&refused);
    return ok;
}
