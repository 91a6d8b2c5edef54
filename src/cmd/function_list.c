/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/function_list.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/functions.h"
#include "base/mem.h"
#include "base/watch.h"
#include "toolchain/archive.h"
#include "toolchain/demangle.h"

/* Whether addresses tell functions apart. */
static bool linked(const struct object *o)
{
    for (size_t i = 0; i < o->sections.count; i++)
        if (o->sections.items[i].address)
            return true;
    return false;
}

static void add(struct function_list *list, const char *member, const struct object *o, const struct ranked_function *f)
{
    const struct object_symbol *s = &o->symbols.items[f->symbol];
    const uint64_t address = object_address(o, s->offset);
    char *readable = demangle(s->name);
    struct str symbol = {0};

    if (s->nameless || linked(o))
        str_addf(&symbol, "0x%llx", (unsigned long long)address);
    else
        str_add(&symbol, s->name);
    vec_push(&list->rows, ((struct listed_function){readable ? readable : mem_strdup(s->name), member ? mem_strdup(member) : NULL, str_take(&symbol), address, s->size, f->loops, f->depth, f->vectors}));
}

/* The functions of @o, which is done then; @ok: it was read. */
static bool add_object(struct function_list *list, const char *member, struct object *take_o, bool ok, struct err *err)
{
    struct function_ranking ranking = {0};

    ok = ok && functions_rank(take_o, &ranking, err);
    for (size_t i = 0; ok && i < ranking.list.count && !watch_steps(10); i++)
        add(list, member, take_o, &ranking.list.items[i]);
    function_ranking_done(&ranking);
    object_done(take_o);
    return ok;
}

static int hotter_first(const void *a, const void *b)
{
    const struct listed_function *x = a, *y = b;
    const struct ranked_function f = {.depth = x->depth, .vectors = x->vectors, .size = x->size}, g = {.depth = y->depth, .vectors = y->vectors, .size = y->size};
    const int hotter = functions_hotter(&f, &g);

    return hotter ? hotter : strcmp(x->path, y->path) ? strcmp(x->path, y->path) : strcmp(x->name, y->name);
}

/* A member that cannot be read leaves its functions out; the first reason is told where none can. */
static bool add_archive(struct function_list *list, struct err *err)
{
    struct archive a;
    struct object o;
    struct err fault = {0}, more = {0};
    size_t taken = 0;
    bool ok = archive_read(list->path, &a, err);

    for (size_t i = 0; ok && i < a.members.count && !watch_over(); i++) {
        const struct archive_member *m = &a.members.items[i];
        struct err *reason = fault.code == ERR_NONE ? &fault : &more;
        watch_at("object files", (double)i, (double)a.members.count);
        taken += add_object(list, m->spec, &o, object_read_member(m, OBJECT_FUNCTIONS, &o, reason), reason);
    }
    archive_done(&a);
    if (list->rows.count)
        qsort(list->rows.items, list->rows.count, sizeof *list->rows.items, hotter_first);
    if (ok && !taken && err)
        *err = fault;
    return ok && taken;
}

struct function_list *function_list_new(const char *path, struct err *err)
{
    static _Atomic unsigned long made;
    struct function_list *list = mem_zero(1, sizeof *list);
    struct object o;

    list->serial = atomic_fetch_add(&made, 1) + 1;
    list->path = mem_strdup(path);
    const bool ok = archive_is(path) ? add_archive(list, err) : add_object(list, NULL, &o, object_read(path, OBJECT_FUNCTIONS, &o, err), err);
    if (ok && watch_goes_on(err))
        return list;
    function_list_free(list);
    return NULL;
}

void function_list_free(struct function_list *list)
{
    if (!list || atomic_fetch_sub(&list->holders, 1) > 0)
        return;
    for (size_t i = 0; i < list->rows.count; i++) {
        free(list->rows.items[i].name);
        free(list->rows.items[i].path);
        free(list->rows.items[i].symbol);
    }
    vec_done(&list->rows);
    free(list->path);
    free(list);
}
