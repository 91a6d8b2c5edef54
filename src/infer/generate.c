/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/generate.h"

#include <math.h>
#include <string.h>

#define TRIES 20       /* per wanted random experiment */
#define REPEATS 1000   /* of the quicker form at most */

/* The rows of a table by their terms. */
struct known {
    const struct experiments *t;
    uint32_t *slots;     /* row + 1, 0 free */
    size_t slot_count, rows;
};

static uint64_t hash_terms(const struct flat_term *terms, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)terms[i].form << 32 ^ terms[i].count) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return hash;
}

static size_t slot_of(const struct known *k, const struct flat_term *terms, size_t n)
{
    size_t at = hash_terms(terms, n) & (k->slot_count - 1);
    for (; k->slots[at]; at = (at + 1) & (k->slot_count - 1)) {
        size_t row = k->slots[at] - 1;
        if (k->t->rows.items[row].count == n && memcmp(experiments_terms(k->t, row), terms, n * sizeof *terms) == 0)
            break;
    }
    return at;
}

static void known_grow(struct known *k)
{
    free(k->slots);
    k->slot_count = k->slot_count ? 2 * k->slot_count : 1024;
    while (k->slot_count < 4 * k->t->rows.count)
        k->slot_count *= 2;
    k->slots = mem_zero(k->slot_count, sizeof *k->slots);
    for (size_t i = 0; i < k->t->rows.count; i++)
        k->slots[slot_of(k, experiments_terms(k->t, i), k->t->rows.items[i].count)] = (uint32_t)i + 1;
}

static struct known known_new(const struct experiments *t)
{
    struct known k = {.t = t};
    known_grow(&k);
    return k;
}

/* Adds the row unless it is there; @terms sorted by form. */
static bool add(struct known *k, struct experiments *t, const struct flat_term *terms, size_t n)
{
    if (2 * (t->rows.count + 1) > k->slot_count)
        known_grow(k);
    size_t slot = slot_of(k, terms, n);
    if (k->slots[slot])
        return false;
    k->slots[slot] = (uint32_t)experiments_add(t, terms, n) + 1;
    return true;
}

size_t generate_singletons(struct experiments *t, const uint32_t *forms, size_t n)
{
    struct known k = known_new(t);
    size_t added = 0;

    for (size_t i = 0; i < n; i++)
        added += add(&k, t, &(struct flat_term){forms[i], 1}, 1);
    free(k.slots);
    return added;
}

/* Cycles of form @form alone, NaN when not measured. */
static double alone(const struct known *k, uint32_t form)
{
    uint32_t row = k->slots[slot_of(k, &(struct flat_term){form, 1}, 1)];
    return row && experiments_measured(k->t, row - 1) ? k->t->rows.items[row - 1].cycles : NAN;
}

static bool add_pair(struct known *k, struct experiments *t, uint32_t a, uint32_t count_a, uint32_t b, uint32_t count_b)
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
    struct known k = known_new(t);
    size_t added = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            double a = alone(&k, forms[i]), b = alone(&k, forms[j]);
            added += add_pair(&k, t, forms[i], 1, forms[j], 1);
            double repeats = ceil(fmax(a, b) / fmin(a, b) - 1e-9);
            if (isnan(a) || isnan(b) || repeats < 2 || repeats > REPEATS)
                continue;
            added += a > b ? add_pair(&k, t, forms[i], 1, forms[j], (uint32_t)repeats) : add_pair(&k, t, forms[i], (uint32_t)repeats, forms[j], 1);
        }
    free(k.slots);
    return added;
}

static int compare_terms(const void *a, const void *b)
{
    uint32_t x = ((const struct flat_term *)a)->form, y = ((const struct flat_term *)b)->form;
    return (x > y) - (x < y);
}

size_t generate_random(struct experiments *t, const uint32_t *forms, size_t n, size_t count, unsigned size, struct rng *rng)
{
    struct known k = known_new(t);
    struct flat_term *terms = mem_alloc((size + 1) * sizeof *terms);
    size_t added = 0;

    for (size_t tries = 0; size > 0 && size <= n && added < count && tries < TRIES * count; tries++) {
        for (unsigned i = 0; i < size;) {
            terms[i] = (struct flat_term){forms[rng_below(rng, n)], 1};
            bool fresh = true;
            for (unsigned j = 0; j < i; j++)
                fresh &= terms[j].form != terms[i].form;
            i += fresh;
        }
        qsort(terms, size, sizeof *terms, compare_terms);
        added += add(&k, t, terms, size);
    }
    free(terms);
    free(k.slots);
    return added;
}
