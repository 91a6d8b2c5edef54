/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/unions.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/vec.h"

/* A growing list of distinct sets and an index of it. */
struct set_list {
    VEC(portset) sets;
    struct index index;
};

static bool is_set(const void *list, uint32_t item, const void *set)
{
    return ((const struct set_list *)list)->sets.items[item] == *(const portset *)set;
}

static void list_add(struct set_list *list, portset set)
{
    uint64_t hash = set * 0x9e3779b97f4a7c15u;
    if (index_find(&list->index, hash, is_set, list, &set) != INDEX_NONE)
        return;
    vec_push(&list->sets, set);
    index_add(&list->index, hash, (uint32_t)list->sets.count - 1);
}

/* Closes @list under union with those of its sets that share a port; false past @limit. */
static bool list_close(struct set_list *list, size_t limit)
{
    size_t stock = list->sets.count;

    for (size_t i = 0; i < list->sets.count && list->sets.count <= limit; i++)
        for (size_t j = 0; j < stock; j++) {
            portset set = list->sets.items[i], other = list->sets.items[j];
            if (set & other)
                list_add(list, set | other);
        }
    return list->sets.count <= limit;
}

static int by_size(const void *a, const void *b)
{
    portset x = *(const portset *)a, y = *(const portset *)b;
    int sizes = (int)portset_size(x) - (int)portset_size(y);
    return sizes ? sizes : (x > y) - (x < y);
}

static double common_multiple(double a, unsigned b)
{
    double multiple = a;
    while ((uint64_t)multiple % b)
        multiple += a;
    return multiple;
}

/* Adds a run of @groups groups from group @first on, whose columns are in place. */
static void add_run(struct unions *u, size_t first, size_t groups)
{
    struct union_run *run = &u->runs[u->run_count++];
    const portset *columns = u->columns + first * UNIONS_LANES;

    run->first = (uint32_t)first;
    run->end = (uint32_t)(first + groups);
    for (unsigned i = 0; i < UNIONS_LANES / 2; i++) {
        run->even[i] = columns[2 * i] ? 1 / (float)portset_size(columns[2 * i]) : 0;
        run->odd[i] = columns[2 * i + 1] ? 1 / (float)portset_size(columns[2 * i + 1]) : 0;
    }
}

/* Lays out the @count sets, sorted by size: whole groups of one size first, one run for each size; what is left over is mixed. */
static void lay_out(struct unions *u, const portset *sets, size_t count)
{
    size_t group = 0, left = 0;
    portset *rest = mem_alloc(count * sizeof *rest);

    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && portset_size(sets[end]) == portset_size(sets[i]);)
            end++;
        size_t whole = (end - i) / UNIONS_LANES;
        memcpy(u->columns + group * UNIONS_LANES, sets + i, whole * UNIONS_LANES * sizeof *sets);
        if (whole)
            add_run(u, group, whole);
        group += whole;
        for (size_t k = i + whole * UNIONS_LANES; k < end; k++)
            rest[left++] = sets[k];
    }
    memcpy(u->columns + group * UNIONS_LANES, rest, left * sizeof *rest);
    for (; group < u->groups; group++)
        add_run(u, group, 1);
    free(rest);
}

struct unions *unions_new(const portset *sets, size_t n, size_t limit)
{
    struct set_list list = {0};
    struct unions *u = NULL;

    for (size_t i = 0; i < n && list.sets.count <= limit; i++)
        list_add(&list, sets[i]);
    if (!list_close(&list, limit))
        goto out;
    u = mem_zero(1, sizeof *u);
    u->count = list.sets.count;
    /* One group at least, so that a row is never empty. */
    u->groups = u->count ? (u->count + UNIONS_LANES - 1) / UNIONS_LANES : 1;
    u->columns = mem_zero(u->groups * UNIONS_LANES, sizeof *u->columns);
    u->runs = mem_alloc((u->groups + PORTS_MAX) * sizeof *u->runs);
    u->common = 1;
    u->largest = 1;
    if (u->count)
        qsort(list.sets.items, u->count, sizeof *list.sets.items, by_size);
    for (size_t i = 0; i < u->count; i++) {
        unsigned size = portset_size(list.sets.items[i]);
        if (size != u->largest)
            u->common = common_multiple(u->common, size);
        u->largest = size;
    }
    lay_out(u, list.sets.items, u->count);
out:
    vec_done(&list.sets);
    index_done(&list.index);
    return u;
}

void unions_free(struct unions *u)
{
    if (!u)
        return;
    free(u->columns);
    free(u->runs);
    free(u);
}

int16_t *unions_rows_new(const struct unions *u, size_t rows)
{
    return mem_aligned(64, rows * unions_row_size(u) * sizeof(int16_t));
}

uint32_t unions_row(const struct unions *u, const struct mass *masses, size_t n, int16_t *row)
{
    size_t size = unions_row_size(u);
    uint64_t total = 0;

    memset(row, 0, size * sizeof *row);
    for (size_t i = 0; i < n; i++)
        total += masses[i].count;
    if (total > UNIONS_MASS_MAX)
        return UINT32_MAX;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < size; k++)
            row[k] = (int16_t)(row[k] + (masses[i].ports & ~u->columns[k] ? 0 : (int)masses[i].count));
    return (uint32_t)total;
}
