/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/functions.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/loops.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/similar.h"
#include "base/str.h"
#include "base/watch.h"
#include "isa/isa.h"
#include "toolchain/demangle.h"
#include "toolchain/object.h"

/* Largest ratio of scanned bytes to bytes of code. The ratio can exceed 1, because symbols can
 * overlap. */
#define OVERLAPS 4
#define LARGEST 160000   /* size in bytes of the largest function examined */

struct glimpse {
    VEC(struct loop_region) jumps;   /* byte offsets of backward branches and of their targets */
    VEC(size_t) vectors;
};

static uint32_t between(const struct glimpse *l, size_t first, size_t last)
{
    size_t count[2];

    for (int end = 0; end < 2; end++) {
        size_t low = 0, high = l->vectors.count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (l->vectors.items[middle] < (end ? last + 1 : first))
                low = middle + 1;
            else
                high = middle;
        }
        count[end] = low;
    }
    steps_add(1);
    return (uint32_t)(count[1] - count[0]);
}

/* Scans the function at @start. Adds its loops, which end in backward branches, to @out. Returns
 * the function with its nesting depth and counts. */
static struct ranked_function look_at(enum isa isa, const uint8_t *code, size_t start,
                                      size_t length, uint32_t symbol, struct glimpse *l,
                                      struct function_ranking *out)
{
    struct ranked_function f = {.symbol = symbol, .size = length};

    l->jumps.count = l->vectors.count = 0;
    for (size_t at = 0; at < length;) {
        int64_t branch = 0;
        bool vector = false;
        const size_t n = isa_ops(isa)->glance(code + start + at, length - at, &branch, &vector);
        if (n && vector)
            vec_add(&l->vectors, at);
        if (n && branch < 0 && -branch <= (int64_t)at)
            vec_add(&l->jumps,
                    ((struct loop_region){
                        .first = at - (size_t)-branch, .last = at, .innermost = true, .size = n}));
        at += n ? n : isa_step(isa);
    }
    f.vectors = (uint32_t)l->vectors.count;
    f.loops = (uint32_t)l->jumps.count;
    const size_t count = loops_nest(l->jumps.items, l->jumps.count);
    for (size_t i = 0; i < count; i++) {
        const struct loop_region *r = &l->jumps.items[i];
        f.depth = r->depth > f.depth ? r->depth : f.depth;
        vec_add(&out->loops,
                ((struct ranked_loop){symbol, r->depth, between(l, r->first, r->last), r->innermost,
                                      start + r->first, r->last - r->first + r->size}));
    }
    return f;
}

int functions_hotter(const struct ranked_function *a, const struct ranked_function *b)
{
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1;
    if (a->vectors != b->vectors)
        return a->vectors > b->vectors ? -1 : 1;
    return a->size > b->size ? -1 : a->size < b->size;
}

int loops_hotter(const struct ranked_loop *a, const struct ranked_loop *b)
{
    if (a->innermost != b->innermost)
        return a->innermost ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1;
    if (a->vectors != b->vectors)
        return a->vectors > b->vectors ? -1 : 1;
    return a->size > b->size ? -1 : a->size < b->size;
}

static int by_heat(const void *a, const void *b)
{
    const struct ranked_function *x = a, *y = b;
    const int hotter = functions_hotter(x, y);

    return hotter ? hotter : x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

bool functions_rank(const struct object *o, struct function_ranking *out, struct err *err)
{
    /* Limits the number of scanned bytes, because symbols may overlap. The sum of their sizes may
     * then exceed the code size. */
    uint64_t looked_at = 0, most = OVERLAPS * (uint64_t)o->length;
    struct glimpse look = {0};

    for (size_t i = 0; i < o->symbols.count && looked_at <= most && !watch_steps(1); i++) {
        const struct object_symbol *s = &o->symbols.items[i];
        const bool again =
            i && s[-1].function && s[-1].offset == s->offset && s[-1].size == s->size;
        size_t length = s->function && !again ? (size_t)s->size : 0;
        if (length == 0 || length > LARGEST)
            continue;
        looked_at += length;
        watch_steps(length / 16);
        const struct ranked_function f =
            look_at(o->isa, o->code, (size_t)s->offset, length, (uint32_t)i, &look, out);
        if (f.loops)
            vec_add(&out->list, f);
    }
    vec_done(&look.jumps);
    vec_done(&look.vectors);
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_heat);
    return watch_goes_on(err);
}

void function_ranking_done(struct function_ranking *r)
{
    vec_done(&r->list);
    vec_done(&r->loops);
}

static bool read_hex(const char *text, uint64_t *out)
{
    char *end;

    if (!str_has_prefix(text, "0x") || !text[2])
        return false;
    *out = strtoull(text, &end, 16);
    return !*end;
}

/* Returns @todo with a suggestion for @sought: a similar name, otherwise a name that contains
 * @sought. */
static const char *near_name(const struct object *o, const char *sought, char todo[SIMILAR_TODO])
{
    struct similar near = {.word = sought};
    char *closest = NULL, *holding = NULL;

    for (size_t i = 0; i < o->symbols.count && !watch_steps(20); i++) {
        const struct object_symbol *s = &o->symbols.items[i];
        char *names[2] = {s->function && !s->nameless ? demangle_name(s->name, true) : NULL, NULL};
        names[1] = names[0] ? demangle_name(s->name, false) : NULL;
        for (int k = 0; k < 2 && names[k]; k++) {
            if (similar_try(&near, names[k])) {
                free(closest);
                near.best = closest = mem_strdup(names[k]);
            }
            if (strcasestr(names[k], sought) && (!holding || strlen(names[k]) < strlen(holding))) {
                free(holding);
                holding = mem_strdup(names[k]);
            }
        }
        free(names[0]);
        free(names[1]);
    }
    near.best = closest ? closest : holding;
    const char *said = similar_todo(&near, "kernel functions FILE lists the functions", todo);
    free(closest);
    free(holding);
    return said;
}

static const struct object_symbol *find_name(const struct object *o, const char *sought,
                                             struct err *err)
{
    const struct object_symbol *found = object_symbol_find(o, sought), *other = NULL;
    char todo[SIMILAR_TODO];

    if (found)
        return found;
    for (size_t i = 0; i < o->symbols.count && !watch_steps(10); i++) {
        const struct object_symbol *s = &o->symbols.items[i];
        if (!demangle_matches(s->name, sought) || (found && found->offset == s->offset))
            continue;
        other = found ? s : NULL;
        found = found ? found : s;
        if (other)
            break;
    }
    if (other) {
        char *first = demangle(found->name), *second = demangle(other->name);
        err_set(err, ERR_USAGE, "give the address of one function",
                "several functions have the name %s: %.300s, %.300s", sought,
                first ? first : found->name, second ? second : other->name);
        free(first);
        free(second);
        return NULL;
    }
    if (!found)
        err_set(err, ERR_DATA, near_name(o, sought, todo), "no function %s with code in this file",
                sought);
    return found;
}

/* Finds the function without a symbol at address @address of the file. Sets *@place to its position
 * in the code. Returns NULL if there is none. */
static const struct object_symbol *find_nameless(const struct object *o, uint64_t address,
                                                 uint64_t *place)
{
    const uint64_t at = object_address_place(o, address);
    const struct object_symbol *found = at == UINT64_MAX ? NULL : object_function_at(o, at);

    if (!found || !found->nameless)
        return NULL;
    *place = at;
    return found;
}

const struct object_symbol *function_find(const struct object *o, const char *sought,
                                          uint64_t *place, struct err *err)
{
    const char *plus = strrchr(sought, '+');
    const struct object_symbol *found;
    uint64_t number;

    *place = UINT64_MAX;
    if (read_hex(sought, &number)) {
        *place = object_address_place(o, number);
        found = *place == UINT64_MAX ? NULL : object_function_at(o, *place);
        return found ? found : find_name(o, sought, err);
    }
    if (!plus || !read_hex(plus + 1, &number))
        return find_name(o, sought, err);
    char *name = mem_strndup(sought, (size_t)(plus - sought));
    found = strcmp(name, path_base(o->path)) == 0 ? find_nameless(o, number, place) : NULL;
    if (found) {
        free(name);
        return found;
    }
    found = find_name(o, name, err);
    if (found && number >= found->size) {
        err_set(err, ERR_USAGE, "give an address inside the function",
                "the function %s has only 0x%llx bytes", name, (unsigned long long)found->size);
        found = NULL;
    }
    if (found)
        *place = found->offset + number;
    free(name);
    return found;
}
