/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ROOM 64   /* initial capacity */

static void *aligned_zero(size_t size)
{
    return memset(mem_aligned(64, size), 0, size);
}

static void grow(struct columns *c, unsigned room)
{
    portset *sets = aligned_zero(room * sizeof *sets);
    float *reciprocal = aligned_zero(room * sizeof *reciprocal);

    c->member = mem_resize(c->member, room * sizeof *c->member);
    if (c->count) {
        memcpy(sets, c->sets, c->count * sizeof *sets);
        memcpy(reciprocal, c->reciprocal, c->count * sizeof *reciprocal);
    }
    free(c->sets);
    free(c->reciprocal);
    c->sets = sets;
    c->reciprocal = reciprocal;
    c->room = room;
}

static uint64_t hash_of(portset set)
{
    return set * 0x9e3779b97f4a7c15u;
}

static bool is_set(const void *sets, uint32_t item, const void *set)
{
    return ((const portset *)sets)[item] == *(const portset *)set;
}

static inline bool has(const struct columns *c, portset set)
{
    return c->present ? c->present[set]
                      : index_find(&c->index, hash_of(set), is_set, c->sets, &set) != INDEX_NONE;
}

static void append(struct columns *c, portset set)
{
    if (has(c, set))
        return;
    if (c->count == c->room)
        grow(c, 2 * c->room);
    if (c->present)
        c->present[set] = true;
    else
        index_add(&c->index, hash_of(set), c->count);
    c->sets[c->count] = set;
    c->reciprocal[c->count++] = set ? 1.0f / (float)portset_size(set) : 0;
}

void columns_init(struct columns *c, unsigned ports)
{
    *c = (struct columns){.ports = ports,
                          .present = ports <= COLUMNS_DIRECT_PORTS
                                         ? mem_zero((size_t)1 << ports, sizeof(bool))
                                         : NULL};
    grow(c, ROOM);
    append(c, 0);
}

void columns_done(struct columns *c)
{
    free(c->sets);
    free(c->reciprocal);
    free(c->member);
    free(c->present);
    index_done(&c->index);
    *c = (struct columns){0};
}

bool columns_add(struct columns *c, portset set, unsigned most)
{
    unsigned first = c->count;

    if (has(c, set))
        /* Skips a set that is already a column, because it is a union of members, and its unions
         * with other members are also columns. */
        return true;
    append(c, set);
    c->member[c->members++] = set;
    /* Adding overlapping members one by one reaches every connected union that contains the set. */
    for (unsigned at = first; at < c->count && c->count <= most; at++) {
        portset from = c->sets[at];
        for (unsigned i = 0; i < c->members; i++)
            if (c->member[i] & from)
                append(c, from | c->member[i]);
    }
    return c->count <= most;
}

void columns_truncate(struct columns *c, unsigned count, unsigned members)
{
    while (c->count > count) {
        c->count--;
        c->present[c->sets[c->count]] = false;
        c->sets[c->count] = 0;
        c->reciprocal[c->count] = 0;
    }
    c->members = members;
}

void columns_all(struct columns *c)
{
    for (portset set = 1; set < 1u << c->ports; set++)
        append(c, set);
}

size_t columns_list(const portset *sets, size_t n, size_t most, portset *out)
{
    struct columns columns;
    bool fit = true;

    columns_init(&columns, PORTS_MAX);
    for (size_t i = 0; fit && i < n; i++)
        fit = columns_add(&columns, sets[i], (unsigned)most + 1);
    /* Excludes the first column, which is the issue bound. */
    size_t count = columns.count - 1;
    if (fit)
        memcpy(out, columns.sets + 1, count * sizeof *out);
    columns_done(&columns);
    if (!fit)
        return SIZE_MAX;
    qsort(out, count, sizeof *out, portset_by_size);
    return count;
}
