/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/tags.h"

#include <string.h>

static bool same(const void *items, uint32_t item, const void *key)
{
    const struct tags *t = items;
    return strcmp(t->list.items[item].name, key) == 0;
}

static uint32_t place(const struct tags *t, const char *name)
{
    return index_find(&t->index, hash_text(name), same, t, name);
}

struct tag *tags_find(const struct tags *t, const char *name)
{
    const uint32_t at = t->list.count ? place(t, name) : INDEX_NONE;
    return at == INDEX_NONE ? NULL : &t->list.items[at];
}

bool tags_have(const struct tags *t, const char *name)
{
    return tags_find(t, name) != NULL;
}

/* Adds a tag. Returns false if memory runs out. */
static bool add(struct tags *t, const char *name, size_t row)
{
    if (!index_try_reserve(&t->index) || !vec_room(&t->list))
        return false;
    index_add(&t->index, hash_text(name), (uint32_t)t->list.count);
    t->list.items[t->list.count++] = (struct tag){mem_strdup(name), row};
    return true;
}

void tags_turn(struct tags *t, const char *name, size_t row)
{
    const uint32_t at = place(t, name), last = (uint32_t)t->list.count - 1;

    if (at == INDEX_NONE) {
        add(t, name, row);
        return;
    }
    index_remove(&t->index, hash_text(name), at);
    free(t->list.items[at].name);
    if (at != last) {   /* Moves the last tag into the gap. */
        index_remove(&t->index, hash_text(t->list.items[last].name), last);
        t->list.items[at] = t->list.items[last];
        index_add(&t->index, hash_text(t->list.items[at].name), at);
    }
    t->list.count--;
}

bool tags_copy(struct tags *to, const struct tags *from)
{
    for (size_t i = 0; i < from->list.count; i++)
        if (!add(to, from->list.items[i].name, from->list.items[i].row))
            return false;
    return true;
}

void tags_done(struct tags *t)
{
    for (size_t i = 0; i < t->list.count; i++)
        free(t->list.items[i].name);
    vec_done(&t->list);
    index_done(&t->index);
    *t = (struct tags){0};
}
