/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/recipe.h"
#include "base/mem.h"
#include "base/path.h"

void shelf_done(struct shelf *s)
{
    for (size_t i = 0; i < s->list.count; i++)
        kernel_free(s->list.items[i].kernel);
    vec_done(&s->list);
    free(s->dropped);
    s->dropped = NULL;
    s->at = 0;
}

void shelf_copy(const struct shelf *from, struct shelf *to)
{
    for (size_t i = 0; i < from->list.count; i++)
        vec_push(&to->list, ((struct shelved){kernel_hold(from->list.items[i].kernel),
                                              from->list.items[i].loop}));
    to->at = from->at;
}

void shelf_append(struct shelf *s, const struct kernel *k, size_t loop)
{
    vec_push(&s->list, ((struct shelved){kernel_hold(k), loop}));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Returns whether both kernels are from the same pasted text, or from the same file, symbol and
 * lines. */
static bool same_origin(const struct kernel *old, const struct kernel *fresh)
{
    const struct recipe *a = old->recipe, *b = fresh->recipe;

    if (!a && !b && old->source && fresh->source)
        return strcmp(old->source, fresh->source) == 0;
    return a && b && strcmp(a->path, b->path) == 0 &&
           same_text(a->options.symbol, b->options.symbol) &&
           a->options.first_line == b->options.first_line &&
           a->options.last_line == b->options.last_line;
}

/* Returns whether both kernels were compiled in the same way, or neither was. */
static bool same_making(const struct kernel *old, const struct kernel *fresh)
{
    struct str a = {0}, b = {0};

    if (old->recipe)
        recipe_print(old->recipe, old->isa, &a);
    if (fresh->recipe)
        recipe_print(fresh->recipe, fresh->isa, &b);
    bool same = strcmp(str_text(&a), str_text(&b)) == 0;
    str_done(&a);
    str_done(&b);
    return same;
}

/* Returns the index of the kernel that @k replaces, which has the same origin and was compiled in
 * the same way; the length of the list: none. */
static size_t find_same(const struct shelf *s, const struct kernel *k)
{
    for (size_t i = 0; i < s->list.count; i++)
        if (same_origin(s->list.items[i].kernel, k) && same_making(s->list.items[i].kernel, k))
            return i;
    return s->list.count;
}

struct shelved shelf_put(struct shelf *s, const struct kernel *k, size_t loop)
{
    struct shelved fresh = {kernel_hold(k), loop};
    const size_t same = find_same(s, k);

    if (same < s->list.count) {
        const struct shelved replaced = s->list.items[same];
        s->list.items[same] = fresh;
        s->at = same;
        return replaced;
    }
    if (s->list.count == SHELF_MOST) {
        free(s->dropped);
        s->dropped = mem_strdup(path_base(s->list.items[0].kernel->name));
        kernel_free(s->list.items[0].kernel);
        memmove(s->list.items, s->list.items + 1, --s->list.count * sizeof *s->list.items);
    }
    vec_push(&s->list, fresh);
    s->at = s->list.count - 1;
    return (struct shelved){0};
}

void shelf_tell_dropped(struct shelf *s, struct str *out)
{
    if (s->dropped)
        str_addf(out, "; the list of %d kernels was full: %s, the oldest, was removed", SHELF_MOST,
                 s->dropped);
    free(s->dropped);
    s->dropped = NULL;
}

void shelf_name(const struct shelved *item, struct str *out)
{
    const struct kernel *k = item->kernel;

    str_add(out, path_base(k->name));
    if (k->recipe)
        recipe_print(k->recipe, k->isa, out);
    str_addf(out, ": %s", k->loops[item->loop].why);
}
