/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SLOTS_FIRST 64

static void put(struct index *x, struct index_slot slot)
{
    size_t at = slot.hash & (x->slot_count - 1);
    for (; x->slots[at].item; at = (at + 1) & (x->slot_count - 1))
        steps_add(1);
    x->slots[at] = slot;
}

bool index_try_reserve(struct index *x)
{
    struct index_slot *old = x->slots;
    size_t count = x->slot_count;

    if (2 * (x->count + 1) <= count)
        return true;
    struct index_slot *slots = mem_try_zero(count ? 2 * count : SLOTS_FIRST, sizeof *slots);
    if (!slots)
        return false;
    x->slot_count = count ? 2 * count : SLOTS_FIRST;
    x->slots = slots;
    for (size_t i = 0; i < count; i++)
        if (old[i].item)
            put(x, old[i]);
    free(old);
    return true;
}

void index_add(struct index *x, uint64_t hash, uint32_t item)
{
    for (unsigned tries = 0; !index_try_reserve(x); tries++)
        mem_again(2 * x->slot_count * sizeof *x->slots, tries);
    put(x, (struct index_slot){item + 1, (uint32_t)(hash ^ hash >> 32)});
    x->count++;
}

void index_remove(struct index *x, uint64_t hash, uint32_t item)
{
    size_t mask = x->slot_count - 1, hole = (hash ^ hash >> 32) & mask;

    while (x->slots[hole].item != item + 1)
        hole = (hole + 1) & mask;
    x->count--;
    /* Backward-shift deletion: each entry whose probe sequence includes the free slot moves into
     * that slot. */
    for (size_t at = hole; x->slots[at = (at + 1) & mask].item;)
        if (((at - x->slots[at].hash) & mask) >= ((at - hole) & mask)) {
            x->slots[hole] = x->slots[at];
            hole = at;
        }
    x->slots[hole] = (struct index_slot){0};
}

void index_clear(struct index *x)
{
    if (x->slot_count)
        memset(x->slots, 0, x->slot_count * sizeof *x->slots);
    x->count = 0;
}

void index_done(struct index *x)
{
    free(x->slots);
    *x = (struct index){0};
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
    return hash_fixed(HASH_START, bytes, length);
}

uint64_t hash_text(const char *text)
{
    return hash_bytes(text, strlen(text));
}

uint64_t hash_fixed(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}
