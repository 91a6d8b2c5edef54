/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/row_index.h"

#include <string.h>

#include "base/watch.h"

struct terms {
    const struct flat_term *items;
    size_t count;
};

static uint64_t hash_terms(struct terms terms)
{
    uint64_t hash = terms.count;
    for (size_t i = 0; i < terms.count; i++)
        hash = (hash ^ (uint64_t)terms.items[i].form << 32 ^ terms.items[i].count) *
               0x9e3779b97f4a7c15u,
        hash ^= hash >> 29;
    return hash;
}

static bool is_row(const void *table, uint32_t row, const void *key)
{
    const struct experiments *t = table;
    const struct terms *terms = key;
    return t->rows.items[row].count == terms->count &&
           memcmp(experiments_terms(t, row), terms->items, terms->count * sizeof *terms->items) ==
               0;
}

uint32_t row_index_find(const struct row_index *x, const struct flat_term *terms, size_t n)
{
    struct terms key = {terms, n};
    return index_find(&x->index, hash_terms(key), is_row, x->t, &key);
}

void row_index_add(struct row_index *x, uint32_t row)
{
    index_add(&x->index,
              hash_terms((struct terms){experiments_terms(x->t, row), x->t->rows.items[row].count}),
              row);
}

struct row_index row_index_new(const struct experiments *t)
{
    struct row_index x = {.t = t};
    for (size_t i = 0; i < t->rows.count && !watch_steps(1); i++)
        if (row_index_find(&x, experiments_terms(t, i), t->rows.items[i].count) == INDEX_NONE)
            row_index_add(&x, (uint32_t)i);
    return x;
}

void row_index_done(struct row_index *x)
{
    index_done(&x->index);
}
