/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/tags.h"

#include <string.h>

static bool same(const void *items, uint32_t item, const void *key)
{
    const struct tags *t = items;
    return strcmp(t->names.items[item], key) == 0;
}

static uint32_t place(const struct tags *t, const char *name)
{
    return index_find(&t->index, hash_text(name), same, t, name);
}

bool tags_have(const struct tags *t, const char *name)
{
    return t->names.count && place(t, name) != INDEX_NONE;
}

/* False when memory runs out. */
static bool add(struct tags *t, const char *name)
{
    if (!index_try_reserve(&t->index) || !vec_room(&t->names))
        return false;
    index_add(&t->index, hash_text(name), (uint32_t)t->names.count);
    t->names.items[t->names.count++] = mem_strdup(name);
    return true;
}

void tags_turn(struct tags *t, const char *name)
{
    const uint32_t at = place(t, name), last = (uint32_t)t->names.count - 1;

    if (at == INDEX_NONE) {
        add(t, name);
        return;
    }
    index_remove(&t->index, hash_text(name), at);
    free(t->names.items[at]);
    if (at != last) {   /* the last one takes its place */
        index_remove(&t->index, hash_text(t->names.items[last]), last);
        t->names.items[at] = t->names.items[last];
        index_add(&t->index, hash_text(t->names.items[at]), at);
    }
    t->names.count--;
}

bool tags_copy(struct tags *to, const struct tags *from)
{
    for (size_t i = 0; i < from->names.count; i++)
        if (!add(to, from->names.items[i]))
            return false;
    return true;
}

void tags_done(struct tags *t)
{
    for (size_t i = 0; i < t->names.count; i++)
        free(t->names.items[i]);
    vec_done(&t->names);
    index_done(&t->index);
    *t = (struct tags){0};
}
