/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/names.h"

#include <string.h>

#include "base/vec.h"

void names_done(struct names *n)
{
    mem_free_texts(n->items, n->count);
    index_done(&n->index);
    *n = (struct names){0};
}

static bool is_named(const void *items, uint32_t item, const void *text)
{
    return strcmp(((const struct names *)items)->items[item], text) == 0;
}

uint32_t names_find(const struct names *n, const char *text)
{
    return index_find(&n->index, hash_text(text), is_named, n, text);
}

uint32_t names_try_add(struct names *n, const char *text)
{
    uint64_t hash = hash_text(text);
    uint32_t item = index_find(&n->index, hash, is_named, n, text);

    if (item != INDEX_NONE)
        return item;
    char *copy = index_try_reserve(&n->index) ? mem_try_strndup(text, strlen(text)) : NULL;
    bool ok = copy != NULL;
    vec_try_push(n, copy, ok);
    if (!ok) {
        free(copy);
        return UINT32_MAX;
    }
    index_add(&n->index, hash, (uint32_t)n->count - 1);
    return (uint32_t)n->count - 1;
}

uint32_t names_add(struct names *n, const char *text)
{
    uint32_t item;
    for (unsigned tries = 0; (item = names_try_add(n, text)) == UINT32_MAX; tries++)
        mem_again(n->count * sizeof *n->items, tries);
    return item;
}
