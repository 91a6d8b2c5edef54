/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/function_list.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "analysis/functions.h"
#include "base/mem.h"
#include "base/watch.h"
#include "toolchain/demangle.h"

/* Whether addresses tell functions apart. */
static bool linked(const struct object *o)
{
    for (size_t i = 0; i < o->sections.count; i++)
        if (o->sections.items[i].address)
            return true;
    return false;
}

static void add(struct function_list *list, const struct object *o, const struct ranked_function *f)
{
    const struct object_symbol *s = &o->symbols.items[f->symbol];
    const uint64_t address = object_address(o, s->offset);
    char *readable = demangle(s->name);
    struct str symbol = {0};

    if (s->nameless || linked(o))
        str_addf(&symbol, "0x%llx", (unsigned long long)address);
    else
        str_add(&symbol, s->name);
    vec_push(&list->rows, ((struct listed_function){readable ? readable : mem_strdup(s->name), str_take(&symbol), address, s->size, f->loops, f->depth, f->vectors}));
}

struct function_list *function_list_new(const char *path, struct err *err)
{
    static _Atomic unsigned long made;
    struct function_list *list = mem_zero(1, sizeof *list);
    struct function_ranking ranking = {0};
    struct object o;

    list->serial = atomic_fetch_add(&made, 1) + 1;
    list->path = mem_strdup(path);
    bool ok = object_read(path, OBJECT_FUNCTIONS, &o, err) && functions_rank(&o, &ranking, err);
    for (size_t i = 0; ok && i < ranking.list.count && !watch_steps(10); i++)
        add(list, &o, &ranking.list.items[i]);
    function_ranking_done(&ranking);
    object_done(&o);
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
        free(list->rows.items[i].symbol);
    }
    vec_done(&list->rows);
    free(list->path);
    free(list);
}
