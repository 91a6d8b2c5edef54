/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/names.h"

#include <string.h>

#include "base/vec.h"

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;   /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

void names_done(struct names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->items[i]);
    free(n->items);
    free(n->slots);
    *n = (struct names){0};
}

/* The slot that holds @text, or the free one where it belongs. */
static size_t slot_of(const struct names *n, const char *text)
{
    size_t at = hash_of(text) & (n->slot_count - 1);
    while (n->slots[at] && strcmp(n->items[n->slots[at] - 1], text) != 0)
        at = (at + 1) & (n->slot_count - 1);
    return at;
}

static void grow(struct names *n)
{
    free(n->slots);
    n->slot_count = n->slot_count ? 2 * n->slot_count : 64;
    n->slots = mem_zero(n->slot_count, sizeof *n->slots);
    for (size_t i = 0; i < n->count; i++)
        n->slots[slot_of(n, n->items[i])] = (uint32_t)i + 1;
}

uint32_t names_find(const struct names *n, const char *text)
{
    uint32_t slot = n->slot_count ? n->slots[slot_of(n, text)] : 0;
    return slot ? slot - 1 : UINT32_MAX;
}

uint32_t names_add(struct names *n, const char *text)
{
    if (2 * (n->count + 1) >= n->slot_count)
        grow(n);
    size_t slot = slot_of(n, text);
    if (!n->slots[slot]) {
        vec_push(n, mem_strdup(text));
        n->slots[slot] = (uint32_t)n->count;
    }
    return n->slots[slot] - 1;
}
