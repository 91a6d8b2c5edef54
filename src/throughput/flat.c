/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/vec.h"

#define UNIONS_MOST 1024            /* columns */
#define SUMS_SIZE_MAX (512u << 10)  /* bytes: half of a common second-level cache */

static size_t usage_size(const struct flat_mapping *flat, size_t form)
{
    return flat->start[form + 1] - flat->start[form];
}

static uint64_t usage_hash(const struct flat_mapping *flat, size_t form)
{
    size_t n = usage_size(flat, form);
    return n ? hash_bytes(flat->masses + flat->start[form], n * sizeof *flat->masses) : 0;
}

/* The distinct usages so far, by the first form that has each. */
struct usages {
    const struct flat_mapping *flat;
    size_t *first;
};

static bool same_usage(const void *items, uint32_t item, const void *key)
{
    const struct usages *usages = items;
    const struct flat_mapping *flat = usages->flat;
    size_t a = usages->first[item], b = *(const size_t *)key, n = usage_size(flat, a);
    return n == usage_size(flat, b) &&
           (n == 0 || memcmp(flat->masses + flat->start[a], flat->masses + flat->start[b], n * sizeof *flat->masses) == 0);
}

/* Numbers the distinct usages into flat->rows[].index and returns the first form of each. */
static size_t *number_usages(struct flat_mapping *flat, size_t *count)
{
    const struct usages usages = {flat, mem_alloc(flat->forms * sizeof(size_t))};
    struct index index = {0};

    *count = 0;
    for (size_t form = 0; form < flat->forms; form++) {
        uint64_t hash = usage_hash(flat, form);
        uint32_t item = index_find(&index, hash, same_usage, &usages, &form);
        if (item == INDEX_NONE) {
            item = (uint32_t)*count;
            usages.first[(*count)++] = form;
            index_add(&index, hash, item);
        }
        flat->rows[form].index = item;
    }
    index_done(&index);
    return usages.first;
}

/* Adds the µop sums, unless they would be too large to pay. */
static void add_sums(struct flat_mapping *flat)
{
    flat->rows = mem_alloc(flat->forms * sizeof *flat->rows);
    size_t rows, count = 0, *first = number_usages(flat, &rows);
    portset *sets = mem_alloc(flat->start[flat->forms] * sizeof *sets);
    uint32_t *masses = mem_alloc(rows * sizeof *masses);

    for (size_t i = 0; i < rows; i++)
        for (uint32_t k = flat->start[first[i]]; k < flat->start[first[i] + 1]; k++)
            sets[count++] = flat->masses[k].ports;
    flat->unions = unions_new(sets, count, UNIONS_MOST);
    size_t size = flat->unions ? unions_row_size(flat->unions) : 0;
    if (!flat->unions || rows * size * sizeof *flat->sums > SUMS_SIZE_MAX) {
        free(flat->rows);
        flat->rows = NULL;
        unions_free(flat->unions);
        flat->unions = NULL;
        goto out;
    }
    flat->sums = unions_rows_new(flat->unions, rows);
    for (size_t i = 0; i < rows; i++)
        masses[i] = unions_row(flat->unions, flat->masses + flat->start[first[i]], usage_size(flat, first[i]), flat->sums + i * size);
    for (size_t form = 0; form < flat->forms; form++)
        flat->rows[form].mass = masses[flat->rows[form].index];
out:
    free(masses);
    free(sets);
    free(first);
}

struct flat_mapping *flat_mapping_new(const struct mapping *m)
{
    struct flat_mapping *flat = mem_zero(1, sizeof *flat);
    VEC(struct mass) masses = {0};

    flat->ports = mapping_ports(m)->count;
    flat->forms = mapping_count(m);
    flat->start = mem_alloc((flat->forms + 1) * sizeof *flat->start);
    for (size_t i = 0; i < flat->forms; i++) {
        const struct usage *usage = &mapping_at(m, i)->usage;
        flat->start[i] = (uint32_t)masses.count;
        for (unsigned k = 0; k < usage->count; k++)
            vec_push(&masses, ((struct mass){usage->uops[k].ports, usage->uops[k].count}));
    }
    flat->start[flat->forms] = (uint32_t)masses.count;
    flat->masses = masses.items;
    add_sums(flat);
    return flat;
}

void flat_mapping_free(struct flat_mapping *m)
{
    if (!m)
        return;
    free(m->start);
    free(m->masses);
    unions_free(m->unions);
    free(m->rows);
    free(m->sums);
    free(m);
}

struct flat_experiments *flat_experiments_new(const struct mapping *m, const struct experiment *e, size_t n, struct err *err)
{
    struct flat_experiments *flat = mem_zero(1, sizeof *flat);
    VEC(struct flat_term) terms = {0};

    flat->count = n;
    flat->start = mem_alloc((n + 1) * sizeof *flat->start);
    for (size_t i = 0; i < n; i++) {
        flat->start[i] = (uint32_t)terms.count;
        for (unsigned k = 0; k < e[i].count; k++) {
            size_t form = mapping_index(m, e[i].terms[k].form);
            if (form == SIZE_MAX) {
                err_set(err, ERR_DATA, "add it to the mapping or omit the experiment",
                        "the mapping does not know the form %s", e[i].terms[k].form);
                vec_done(&terms);
                flat_experiments_free(flat);
                return NULL;
            }
            vec_push(&terms, ((struct flat_term){(uint32_t)form, e[i].terms[k].count}));
        }
    }
    flat->start[n] = (uint32_t)terms.count;
    flat->terms = terms.items;
    return flat;
}

void flat_experiments_free(struct flat_experiments *e)
{
    if (!e)
        return;
    free(e->start);
    free(e->terms);
    free(e);
}
