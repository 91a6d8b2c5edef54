/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ROOM 64   /* to begin with */

static void *aligned_zero(size_t size)
{
    return memset(mem_aligned(64, size), 0, size);
}

static void grow(struct columns *c, unsigned room)
{
    int32_t *sets = aligned_zero(room * sizeof *sets);
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

static void append(struct columns *c, unsigned set)
{
    if (c->present[set])
        return;
    if (c->count == c->room)
        grow(c, 2 * c->room);
    c->present[set] = true;
    c->sets[c->count] = (int32_t)set;
    c->reciprocal[c->count++] = set ? 1.0f / (float)__builtin_popcount(set) : 0;
}

void columns_init(struct columns *c, unsigned ports)
{
    *c = (struct columns){.ports = ports, .present = mem_zero((size_t)1 << ports, sizeof(bool))};
    grow(c, ROOM);
    append(c, 0);
}

void columns_done(struct columns *c)
{
    free(c->sets);
    free(c->reciprocal);
    free(c->member);
    free(c->present);
    *c = (struct columns){0};
}

bool columns_add(struct columns *c, unsigned set, unsigned most)
{
    unsigned first = c->count;

    if (c->present[set])
        return true;   /* a union of members: with any other it makes one that is here */
    append(c, set);
    c->member[c->members++] = (uint16_t)set;
    /* A connected union that contains the set can be reached from it one overlapping member at a time. */
    for (unsigned at = first; at < c->count && c->count <= most; at++) {
        unsigned from = (unsigned)c->sets[at];
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
    for (unsigned set = 1; set < 1u << c->ports; set++)
        append(c, set);
}
