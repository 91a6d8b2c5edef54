/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/unions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "throughput/columns.h"

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
    struct columns columns;
    struct unions *u = NULL;
    bool fit = true;

    columns_init(&columns, PORTS_MAX);
    for (size_t i = 0; fit && i < n; i++)
        fit = columns_add(&columns, sets[i], (unsigned)limit + 1);
    if (!fit)
        goto out;
    portset *unions = columns.sets + 1;   /* the first is the issue bound's */
    u = mem_zero(1, sizeof *u);
    u->count = columns.count - 1;
    /* One group at least, so that a row is never empty. */
    u->groups = u->count ? (u->count + UNIONS_LANES - 1) / UNIONS_LANES : 1;
    u->columns = mem_zero(u->groups * UNIONS_LANES, sizeof *u->columns);
    u->runs = mem_alloc((u->groups + PORTS_MAX) * sizeof *u->runs);
    u->common = 1;
    u->largest = 1;
    qsort(unions, u->count, sizeof *unions, portset_by_size);
    for (size_t i = 0; i < u->count; i++) {
        unsigned size = portset_size(unions[i]);
        if (size != u->largest)
            u->common = common_multiple(u->common, size);
        u->largest = size;
    }
    lay_out(u, unions, u->count);
out:
    columns_done(&columns);
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
