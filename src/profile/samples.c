/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/samples.h"

#include <stdlib.h>
#include <string.h>

void samples_done(struct samples *s)
{
    vec_free_texts(&s->images);
    vec_done(&s->points);
    index_done(&s->by_place);
    *s = (struct samples){.count = 0};
}

uint32_t samples_image(struct samples *s, const char *path)
{
    for (size_t i = 0; i < s->images.count; i++)
        if (strcmp(s->images.items[i], path) == 0)
            return (uint32_t)i;
    vec_push(&s->images, mem_strdup(path));
    return (uint32_t)s->images.count - 1;
}

static bool same_place(const void *items, uint32_t item, const void *key)
{
    const struct sample_point *a = (const struct sample_point *)items + item, *b = key;
    return a->image == b->image && a->offset == b->offset;
}

void samples_add(struct samples *s, uint32_t image, uint64_t offset)
{
    struct sample_point point = {image, offset, 1};
    const uint64_t place[] = {image, offset};
    uint64_t hash = hash_bytes(place, sizeof place);
    uint32_t at = index_find(&s->by_place, hash, same_place, s->points.items, &point);

    s->count++;
    if (at != INDEX_NONE) {
        s->points.items[at].count++;
        return;
    }
    vec_push(&s->points, point);
    index_add(&s->by_place, hash, (uint32_t)s->points.count - 1);
}
