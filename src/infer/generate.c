/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/generate.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/shortage.h"
#include "base/watch.h"
#include "infer/row_index.h"

#define TRIES 20       /* number of attempts per random experiment */
#define REPEATS 1000   /* maximum number of repetitions of the faster form */

/* Adds the row unless it exists. Returns whether it was added. @terms are sorted by form. */
static bool add(struct row_index *k, struct experiments *t, const struct flat_term *terms, size_t n)
{
    size_t bytes = 2 * t->rows.count * sizeof *t->rows.items;

    if (row_index_find(k, terms, n) != INDEX_NONE)
        return false;
    size_t row = experiments_try_add(t, terms, n);
    if (row == SIZE_MAX && bytes > SHORTAGE_KEPT && shortage_lose(bytes))
        return false;
    row_index_add(k, (uint32_t)(row == SIZE_MAX ? experiments_add(t, terms, n) : row));
    return true;
}

size_t generate_singletons(struct experiments *t, const uint32_t *forms, size_t n)
{
    struct row_index k = row_index_new(t);
    size_t added = 0;

    for (size_t i = 0; i < n; i++)
        added += add(&k, t, &(struct flat_term){forms[i], 1}, 1);
    row_index_done(&k);
    return added;
}

static double alone(const struct row_index *k, uint32_t form)
{
    uint32_t row = row_index_find(k, &(struct flat_term){form, 1}, 1);
    return row != INDEX_NONE && experiments_measured(k->t, row) ? k->t->rows.items[row].cycles
                                                                : NAN;
}

static bool add_pair(struct row_index *k, struct experiments *t, uint32_t a, uint32_t count_a,
                     uint32_t b, uint32_t count_b)
{
    struct flat_term terms[2] = {{a, count_a}, {b, count_b}};
    if (a > b) {
        terms[0] = (struct flat_term){b, count_b};
        terms[1] = (struct flat_term){a, count_a};
    }
    return add(k, t, terms, 2);
}

size_t generate_pairs(struct experiments *t, const uint32_t *forms, size_t n)
{
    struct row_index k = row_index_new(t);
    size_t added = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && !watch_steps(1); j++) {
            watch_at("experiments", (double)added, (double)n * (double)(n - 1) / 2);
            double a = alone(&k, forms[i]), b = alone(&k, forms[j]);
            added += add_pair(&k, t, forms[i], 1, forms[j], 1);
            double repeats = ceil(fmax(a, b) / fmin(a, b) - 1e-9);
            if (isnan(a) || isnan(b) || repeats < 2 || repeats > REPEATS)
                continue;
            added += a > b ? add_pair(&k, t, forms[i], 1, forms[j], (uint32_t)repeats)
                           : add_pair(&k, t, forms[i], (uint32_t)repeats, forms[j], 1);
        }
    row_index_done(&k);
    return added;
}

size_t generate_indistinct(struct experiments *t, const struct congruence *c)
{
    struct row_index k = row_index_new(t);
    size_t added = 0;

    for (uint32_t f = 0; f < c->forms && !watch_steps(1); f++)
        if (congruence_undistinguished(c, f))
            added += add_pair(&k, t, c->representative[c->class_of[f]], 1, f, 1);
    row_index_done(&k);
    return added;
}

size_t generate_hidden(struct experiments *t, const struct observable *list)
{
    struct row_index k = row_index_new(t);
    size_t added = 0, n = t->forms.count;

    for (size_t f = 0; f < n && !watch_steps(1); f++) {
        const struct experiment *e = &list[f].settle;
        struct flat_term *terms = mem_alloc((e->count + 1) * sizeof *terms);
        for (unsigned i = 0; i < e->count; i++)
            terms[i] =
                (struct flat_term){names_add(&t->forms, e->terms[i].form), e->terms[i].count};
        qsort(terms, e->count, sizeof *terms, compare_uint32);
        added += e->count && add(&k, t, terms, e->count);
        free(terms);
    }
    row_index_done(&k);
    return added;
}

size_t generate_random(struct experiments *t, const uint32_t *forms, size_t n, size_t count,
                       unsigned size, struct rng *rng)
{
    struct row_index k = row_index_new(t);
    struct flat_term *terms = mem_alloc((size + 1) * sizeof *terms);
    size_t added = 0;

    for (size_t tries = 0; size > 0 && size <= n && added < count && tries < TRIES * count &&
                           !watch_steps(1 + size / 16);
         tries++) {
        watch_at("experiments", (double)added, (double)count);
        for (unsigned i = 0; i < size && !watch_steps(i / 64);) {
            terms[i] = (struct flat_term){forms[rng_below(rng, n)], 1};
            bool fresh = true;
            for (unsigned j = 0; j < i; j++)
                fresh &= terms[j].form != terms[i].form;
            i += fresh;
        }
        qsort(terms, size, sizeof *terms, compare_uint32);
        added += add(&k, t, terms, size);
    }
    free(terms);
    row_index_done(&k);
    return added;
}

size_t generate_recorded(struct experiments *t, const struct experiments *record, size_t count,
                         unsigned size, struct rng *rng)
{
    struct row_index k = row_index_new(t);
    struct flat_term *terms = mem_alloc((size + 1) * sizeof *terms);
    uint32_t *rows = mem_alloc((record->rows.count + 1) * sizeof *rows);
    size_t n = 0, added = 0;

    for (uint32_t i = 0; i < record->rows.count; i++)
        if (record->rows.items[i].count == size && experiments_measured(record, i))
            rows[n++] = i;
    for (; n > 0 && added < count && !watch_steps(1 + size / 16); n--) {
        size_t drawn = rng_below(rng, n);
        added += experiments_translate(record, rows[drawn], t, terms) && add(&k, t, terms, size);
        rows[drawn] = rows[n - 1];
    }
    free(terms);
    free(rows);
    row_index_done(&k);
    return added;
}
