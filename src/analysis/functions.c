/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "isa/isa.h"
#include "toolchain/demangle.h"

#define OVERLAPS 4       /* of functions: aliases have the same place */

const size_t function_largest = 160000;

/* A function's worth by a light look: how many branches go back, how deep they nest. */
static struct ranked_function look_at(enum isa isa, const uint8_t *code, size_t length)
{
    struct ranked_function f = {0};
    VEC(size_t) heads = {0};

    for (size_t at = 0; at < length;) {
        int64_t branch = 0;
        bool vector = false;
        size_t n = isa_ops(isa)->glance(code + at, length - at, &branch, &vector);
        f.vectors += n && vector;
        if (n && branch < 0 && -branch <= (int64_t)at) {
            const size_t target = at - (size_t)-branch;
            /* Heads at or after this one belong to loops that this branch encloses. */
            uint32_t depth = 1;
            while (heads.count && heads.items[heads.count - 1] > target) {
                heads.count--;
                depth = 2;
            }
            vec_push(&heads, target);
            f.depth = depth > f.depth ? depth : f.depth;
            f.loops++;
        }
        at += n ? n : isa_step(isa);
    }
    vec_done(&heads);
    return f;
}

/* The object whose functions are sorted. */
static _Thread_local const struct object *sorted;

static int by_heat(const void *a, const void *b)
{
    const struct ranked_function *x = a, *y = b;
    uint64_t small = sorted->symbols.items[x->symbol].size, large = sorted->symbols.items[y->symbol].size;

    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (x->vectors != y->vectors)
        return x->vectors > y->vectors ? -1 : 1;
    if (small != large)
        return small > large ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

bool functions_rank(const struct object *o, struct function_ranking *out, struct err *err)
{
    uint64_t looked_at = 0, most = OVERLAPS * (uint64_t)o->length;   /* functions that lie over each other say more than there is */

    for (size_t i = 0; i < o->symbols.count && looked_at <= most && !watch_steps(1); i++) {
        const struct object_symbol *s = &o->symbols.items[i];
        const bool again = i && s[-1].function && s[-1].offset == s->offset && s[-1].size == s->size;
        size_t length = s->function && !again ? (size_t)s->size : 0;
        if (length == 0 || length > function_largest)
            continue;
        looked_at += length;
        watch_steps(length / 16);
        struct ranked_function f = look_at(o->isa, o->code + s->offset, length);
        f.symbol = (uint32_t)i;
        if (f.loops)
            vec_add(&out->list, f);
    }
    sorted = o;
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_heat);
    return watch_goes_on(err);
}

/* The function around an address. */
static const struct object_symbol *around(const struct object *o, const char *wanted)
{
    char *end;
    unsigned long long address = strtoull(wanted, &end, 16);
    const uint64_t place = str_has_prefix(wanted, "0x") && !*end ? object_address_place(o, address) : UINT64_MAX;
    const struct object_symbol *best = NULL;

    for (size_t i = 0; place != UINT64_MAX && i < o->symbols.count && !watch_steps(1); i++) {
        const struct object_symbol *s = &o->symbols.items[i];
        if (s->function && place >= s->offset && place - s->offset < s->size)
            best = s;
    }
    return best;
}

const struct object_symbol *function_find(const struct object *o, const char *wanted, struct err *err)
{
    const struct object_symbol *found = object_symbol_find(o, wanted), *other = NULL;

    if (found || (found = around(o, wanted)))
        return found;
    for (size_t i = 0; i < o->symbols.count && !watch_steps(10); i++) {
        const struct object_symbol *s = &o->symbols.items[i];
        if (!demangle_matches(s->name, wanted) || (found && found->offset == s->offset))
            continue;
        other = found ? s : NULL;
        found = found ? found : s;
        if (other)
            break;
    }
    if (other) {
        char *first = demangle(found->name), *second = demangle(other->name);
        err_set(err, ERR_USAGE, "name one of them", "several functions are called %s: %.300s, %.300s", wanted, first ? first : found->name, second ? second : other->name);
        free(first);
        free(second);
        return NULL;
    }
    if (!found)
        err_set(err, ERR_DATA, "kernel functions FILE lists its functions", "no function %s with code in this file", wanted);
    return found;
}
