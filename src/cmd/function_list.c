/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/function_list.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/functions.h"
#include "base/mem.h"
#include "base/watch.h"
#include "toolchain/archive.h"
#include "toolchain/demangle.h"
#include "toolchain/perf_tool.h"

/* Returns whether the object is linked. Addresses then identify functions. */
static bool linked(const struct object *o)
{
    for (size_t i = 0; i < o->sections.count; i++)
        if (o->sections.items[i].address)
            return true;
    return false;
}

/* Returns the percentage of @samples in the @size bytes of code from @place; NaN without
 * samples. */
static double share(const struct object *o, const struct perf_samples *samples, uint64_t place,
                    uint64_t size)
{
    return samples
               ? 100. * (double)perf_samples_within(samples, object_file_offset(o, place), size) /
                     (double)samples->places.count
               : NAN;
}

static void add(struct function_list *list, const char *member, const struct object *o,
                const struct perf_samples *samples, const struct ranked_function *f)
{
    const struct object_symbol *s = &o->symbols.items[f->symbol];
    const uint64_t address = object_address(o, s->offset);
    char *readable = demangle(s->name);
    struct str symbol = {0};

    if (s->nameless || linked(o))
        str_addf(&symbol, "0x%llx", (unsigned long long)address);
    else
        str_add(&symbol, s->name);
    vec_push(&list->rows,
             ((struct listed_function){readable ? readable : mem_strdup(s->name),
                                       mem_strdup(member), str_take(&symbol),
                                       address, s->size, f->loops, f->depth, f->vectors,
                                       share(o, samples, s->offset, s->size)}));
}

/* Returns the percentage of samples in @inner if it is nested in @l one level deeper; otherwise
 * 0. */
static double within(const struct object *o, const struct perf_samples *samples,
                     const struct ranked_loop *l, const struct ranked_loop *inner)
{
    const bool lies = inner->depth == l->depth + 1 && inner->place >= l->place &&
                      inner->place + inner->size <= l->place + l->size;

    steps_add(1);
    return lies ? share(o, samples, inner->place, inner->size) : 0;
}

/* Returns the percentage of samples in loop @at without its inner loops, because these have their
 * own rows. */
static double own_share(const struct object *o, const struct perf_samples *samples,
                        const struct function_ranking *ranking, size_t at)
{
    const struct ranked_loop *l = &ranking->loops.items[at];
    double own = share(o, samples, l->place, l->size);

    for (size_t i = at; own > 0 && i-- > 0 && ranking->loops.items[i].symbol == l->symbol;)
        own -= within(o, samples, l, &ranking->loops.items[i]);
    for (size_t i = at + 1;
         own > 0 && i < ranking->loops.count && ranking->loops.items[i].symbol == l->symbol; i++)
        own -= within(o, samples, l, &ranking->loops.items[i]);
    return own < 0 ? 0 : own;
}

static void add_loops(struct function_list *list, const struct object *o,
                      const struct perf_samples *samples, const struct function_ranking *ranking,
                      size_t first)
{
    const struct listed_function *f = &list->rows.items[list->rows.count - 1];
    const uint32_t symbol = ranking->loops.items[first].symbol;

    for (size_t i = first; i < ranking->loops.count && ranking->loops.items[i].symbol == symbol;
         i++) {
        const struct ranked_loop *l = &ranking->loops.items[i];
        const uint64_t offset = l->place - o->symbols.items[symbol].offset;
        struct str place = {0};
        if (str_has_prefix(f->symbol, "0x"))
            str_addf(&place, "0x%llx", (unsigned long long)(f->address + offset));
        else
            str_addf(&place, "%s+0x%llx", f->symbol, (unsigned long long)offset);
        vec_add(&list->loops,
                ((struct listed_loop){f->name, f->path, str_take(&place), offset,
                                      f->address + offset, l->size, l->depth, l->vectors,
                                      l->innermost, own_share(o, samples, ranking, i)}));
    }
}

/* Returns the index of the first loop of each symbol in @ranking. The caller frees the array.
 * Returns NULL with err if memory is exhausted. */
static size_t *first_loops(const struct object *o, const struct function_ranking *ranking,
                           struct err *err)
{
    size_t *first = mem_try_zero(o->symbols.count + 1, sizeof *first);

    if (!first)
        err_memory_for(err, "the list of functions", (o->symbols.count + 1) * sizeof *first);
    for (size_t i = ranking->loops.count; first && i-- > 0;)
        first[ranking->loops.items[i].symbol] = i;
    return first;
}

/* Adds the functions of @take_o, and their loops. @ok: whether the object was read; if not, err is
 * set. @samples may be NULL. Returns false with err on failure. */
static bool add_object(struct function_list *list, const char *member, struct object *take_o,
                       const struct perf_samples *samples, bool ok, struct err *err)
{
    struct function_ranking ranking = {0};

    ok = ok && functions_rank(take_o, &ranking, err);
    size_t *first = ok ? first_loops(take_o, &ranking, err) : NULL;
    ok = first != NULL;
    for (size_t i = 0; ok && i < ranking.list.count && !watch_steps(10); i++) {
        add(list, member, take_o, samples, &ranking.list.items[i]);
        if (ranking.list.items[i].depth)
            add_loops(list, take_o, samples, &ranking, first[ranking.list.items[i].symbol]);
    }
    free(first);
    function_ranking_done(&ranking);
    object_done(take_o);
    return ok;
}

/* Compares percentages: negative if @x is larger; 0 if they are equal, or NaN without a profile. */
static int more_samples(double x, double y)
{
    return x > y ? -1 : x < y;
}

static int hotter_first(const void *a, const void *b)
{
    const struct listed_function *x = a, *y = b;
    const int more = more_samples(x->percent, y->percent);
    const struct ranked_function f = {.depth = x->depth, .vectors = x->vectors, .size = x->size},
                                 g = {.depth = y->depth, .vectors = y->vectors, .size = y->size};
    const int hotter = functions_hotter(&f, &g);

    if (more || hotter)
        return more ? more : hotter;
    if (x->path && strcmp(x->path, y->path) != 0)
        return strcmp(x->path, y->path);
    return strcmp(x->name, y->name);
}

static int hotter_loops_first(const void *a, const void *b)
{
    const struct listed_loop *x = a, *y = b;
    const struct ranked_loop l = {
        .depth = x->depth, .vectors = x->vectors, .size = x->size, .innermost = x->innermost};
    const struct ranked_loop m = {
        .depth = y->depth, .vectors = y->vectors, .size = y->size, .innermost = y->innermost};
    const int more = more_samples(x->percent, y->percent), hotter = loops_hotter(&l, &m);

    if (more || hotter)
        return more ? more : hotter;
    return x->address != y->address ? (x->address > y->address) - (x->address < y->address)
                                    : strcmp(x->symbol, y->symbol);
}

/* Adds all members of an archive that can be read. If none can be read, err has the first
 * reason. */
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
        taken += add_object(list, m->spec, &o, NULL,
                            object_read_member(m, OBJECT_FUNCTIONS, &o, reason), reason);
    }
    archive_done(&a);
    if (ok && !taken && err)
        *err = fault;
    return ok && taken;
}

/* Adds the functions of one file, ranked by the list's profile if there is one. */
static bool add_file(struct function_list *list, struct err *err)
{
    struct perf_samples samples = {0};
    struct object o;
    bool ok = !list->profile || perf_samples_read(list->profile, list->path, &samples, err);

    ok = ok && add_object(list, NULL, &o, list->profile ? &samples : NULL,
                          object_read(list->path, OBJECT_FUNCTIONS, &o, err), err);
    perf_samples_done(&samples);
    return ok;
}

struct function_list *function_list_new(const char *path, const char *profile, struct err *err)
{
    static _Atomic unsigned long made;
    struct function_list *list = mem_zero(1, sizeof *list);
    bool ok;

    list->serial = atomic_fetch_add(&made, 1) + 1;
    list->path = mem_strdup(path);
    list->profile = mem_strdup(profile);
    if (profile && archive_is(path))
        ok = err_set(err, ERR_USAGE, "give the program that was linked with the archive",
                     "perf records samples of programs, not of archives");
    else
        ok = archive_is(path) ? add_archive(list, err) : add_file(list, err);
    if (ok && watch_goes_on(err)) {
        /* A single file without a profile is already sorted. */
        if (list->rows.count && (profile || list->rows.items[0].path))
            qsort(list->rows.items, list->rows.count, sizeof *list->rows.items, hotter_first);
        if (list->loops.count)
            qsort(list->loops.items, list->loops.count, sizeof *list->loops.items,
                  hotter_loops_first);
        return list;
    }
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
    for (size_t i = 0; i < list->loops.count; i++)
        free(list->loops.items[i].symbol);
    vec_done(&list->rows);
    vec_done(&list->loops);
    free(list->path);
    free(list->profile);
    free(list);
}
