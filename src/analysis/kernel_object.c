/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel_object.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/functions.h"
#include "base/log.h"
#include "base/path.h"
#include "base/watch.h"
#include "isa/isa.h"
#include "toolchain/archive.h"
#include "toolchain/debug_lines.h"
#include "toolchain/demangle.h"
#include "toolchain/object.h"
#include "toolchain/source_file.h"

/* largest number of functions of a large file that the search for a loop decodes */
#define CANDIDATES 64

/* Returns false with err if the options name an instruction set that is not the object's. */
static bool options_fit(const struct object *o, const struct kernel_options *options,
                        struct err *err)
{
    if (!options)
        return true;
    return !options->isa_given || options->isa == o->isa ||
           err_set(err, ERR_USAGE, "omit --isa", "this object has %s code, not %s code",
                   isa_name(o->isa), isa_name(options->isa));
}

/* Adds the function's name to the descriptions of the loops that do not contain it. */
static void loops_of(struct kernel *k, const struct object_symbol *symbol)
{
    char *readable = demangle(symbol->name);
    const char *name = readable ? readable : symbol->name;

    for (size_t i = 0; i < k->loop_count; i++) {
        struct str why = {0};
        if (str_has_prefix(k->loops[i].why, "whole"))
            str_addf(&why, "whole function %s (no loop)", name);
        else
            str_addf(&why, strstr(k->loops[i].why, name) ? "%s" : "%s of %s", k->loops[i].why,
                     name);
        free(k->loops[i].why);
        k->loops[i].why = str_take(&why);
    }
    free(readable);
}

static void loop_first(struct kernel *k, size_t loop)
{
    const struct kernel_loop chosen = k->loops[loop];

    memmove(&k->loops[1], &k->loops[0], loop * sizeof *k->loops);
    k->loops[0] = chosen;
}

/* Moves the loop that begins at position @place to the front. If there is none, moves the smallest
 * loop that contains @place. */
static void prefer_loop(struct kernel *k, uint64_t place)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < k->loop_count; i++) {
        const struct kernel_loop *loop = &k->loops[i];
        const struct insn *first = &k->insns[loop->first], *last = first + loop->count - 1;
        if (!loop->depth || place < first->offset || place > last->offset)
            continue;
        const bool exact = first->offset == place,
                   before = best != SIZE_MAX && k->insns[k->loops[best].first].offset == place;
        if (best == SIZE_MAX || (exact && !before) ||
            (exact == before && loop->count < k->loops[best].count))
            best = i;
    }
    if (best != SIZE_MAX)
        loop_first(k, best);
}

/* Moves the smallest loop with the source lines in @options to the front. Returns false with err if
 * there is none. @fault is the error of reading the debug information; empty if there was none. */
static bool prefer_lines(struct kernel *k, const struct kernel_options *options,
                         const struct err *fault, struct err *err)
{
    size_t best = SIZE_MAX;

    if (!options || !options->first_line)
        return true;
    if (fault->code != ERR_NONE)
        return err_set(err, fault->code, fault->todo, "no source lines: %s", fault->what);
    if (!k->debug->file)
        return err_set(err, ERR_DATA,
                       "compile the source file with -g; libdw must be installed (Debian: libdw1)",
                       "no source lines: this code has no debug information");
    for (size_t i = 0; i < k->loop_count; i++) {
        const struct kernel_loop *loop = &k->loops[i];
        bool has = false;
        for (size_t at = loop->first; at < loop->first + loop->count && !has && !watch_steps(1);
             at++)
            has = k->insns[at].origin >= options->first_line &&
                  (!options->last_line || k->insns[at].origin <= options->last_line);
        if (has && (best == SIZE_MAX || loop->count < k->loops[best].count))
            best = i;
    }
    if (best == SIZE_MAX)
        return err_set(
            err, ERR_DATA,
            "kernel list shows the loops; the compiler may have removed or merged the code of "
            "these lines",
            "no loop with code from lines %zu-%zu of %s", options->first_line, options->last_line,
            path_base(k->debug->file));
    loop_first(k, best);
    return true;
}

/* Makes a kernel of the code of @symbol, or of all code if @symbol is NULL. */
static struct kernel *kernel_of(const struct object *o, const char *path,
                                const struct object_symbol *symbol, struct err *err)
{
    struct kernel *k = kernel_from_code(o, path, symbol ? (size_t)symbol->offset : 0,
                                        symbol ? (size_t)symbol->size : o->length, true, err);

    if (k && symbol)
        loops_of(k, symbol);
    return k;
}

bool kernel_object_source(struct kernel *k, const struct object *o, const char *source_path,
                          struct err *err)
{
    const struct insn *last = &k->insns[k->insn_count - 1];
    struct debug_lines lines;
    struct str text = {0};

    const uint64_t at = object_position_place(o, k->insns[k->loops[0].first].offset);
    const struct object_section *section = object_section_at(o, at);
    /* Each section has its own debug information. Only the information of the function's section is
     * read. */
    const uint64_t before = section ? at - section->offset : 0, first = k->insns[0].offset,
                   from = section && first > section->position ? first - section->position : 0;
    const uint64_t to = section && last->offset + last->length - section->position < section->size
                            ? last->offset + last->length - section->position
                        : section ? section->size
                                  : 0;
    const bool ok = debug_lines_read(o, at - before + from, at - before + to, at, &lines, err);
    if (!ok)
        log_add(LOG_INFO, "%s: %s", o->path, err->what);
    struct err missing = {0};
    if (lines.file && !source_file_read(lines.file, o->path, source_path, &text, &missing))
        log_add(LOG_INFO, "%s: %s; %s", o->path, missing.what, missing.todo);
    kernel_set_debug(k, &lines, text.length ? str_take(&text) : NULL);
    str_done(&text);
    return ok;
}

/* Returns the better of two kernels and frees the other. @next is better if it has a loop: @k's
 * function may have only jumps to shared code, which the scan took for a loop. */
static struct kernel *better(struct kernel *k, struct kernel *next)
{
    const bool take = !k || (next && next->loops[0].depth);

    kernel_free(take ? k : next);
    return take ? next : k;
}

static bool has_loop(const struct kernel *k)
{
    return k && k->loops[0].depth;
}

static bool no_loops(const char *what, uint64_t bytes, struct err *err)
{
    return err_set(
        err, ERR_DATA, "give a function with --symbol; kernel functions FILE lists the functions",
        "no function with a loop in %llu kB of %s", (unsigned long long)bytes / 1000, what);
}

static struct kernel *kernel_of_hottest(const struct object *o, const char *path, struct err *err)
{
    struct function_ranking ranking = {0};
    struct kernel *k = NULL;

    bool ok = functions_rank(o, &ranking, err);
    if (ok && !ranking.list.count)
        no_loops("code", o->length, err);
    for (size_t i = 0;
         ok && i < ranking.list.count && i < CANDIDATES && !has_loop(k) && !watch_over(); i++)
        k = better(k, kernel_of(o, path, &o->symbols.items[ranking.list.items[i].symbol], err));
    function_ranking_done(&ranking);
    if (k)
        k->of_many = true;
    return k;
}

static void which_function(struct err *err)
{
    err_set(err, ERR_USAGE, "also give --symbol FUNCTION",
            "--lines needs --symbol: line numbers are ambiguous if the code comes from several "
            "source files");
}

static struct kernel *kernel_of_object(const struct object *o, const char *path,
                                       const struct kernel_options *options, struct err *err)
{
    const char *requested = options ? options->symbol : NULL;
    const bool small = o->together && o->length <= kernel_unit_most;
    uint64_t place = UINT64_MAX;
    struct kernel *k = NULL;

    if (!options_fit(o, options, err))
        return NULL;
    const struct object_symbol *symbol =
        requested ? function_find(o, requested, &place, err) : NULL;
    if (!requested && !small && options && options->first_line)
        which_function(err);
    else if (!requested && !small)
        k = kernel_of_hottest(o, path, err);
    else if (symbol || !requested)
        k = kernel_of(o, path, symbol, err);
    if (k && place != UINT64_MAX)
        prefer_loop(k, object_position(o, place));
    return k;
}

/* Returns @k. If the file of @o was truncated while @k was read from it, frees @k and returns NULL
 * with err. */
static struct kernel *whole_or_none(struct object *o, const char *path, struct kernel *k,
                                    struct err *err)
{
    if (object_whole(o, path, err))
        return k;
    kernel_free(k);
    return NULL;
}

/* Adds the source lines to @k, a kernel of @o, and moves the loop with the selected lines to the
 * front. Frees @o. On failure, frees @k and returns NULL with err. */
static struct kernel *finish(struct object *o, const char *path, struct kernel *k,
                             const struct kernel_options *options, struct err *err)
{
    k = whole_or_none(o, path, k, err);
    if (!k) {
        err_at(err, path, 0, 0);
    } else {
        struct err fault = {0};
        kernel_object_source(k, o, options ? options->source_path : NULL, &fault);
        if (!prefer_lines(k, options, &fault, err)) {
            err_at(err, path, 0, 0);
            kernel_free(k);
            k = NULL;
        }
    }
    object_done(o);
    return k;
}

struct kernel *kernel_from_object(const char *path, const struct kernel_options *options,
                                  struct err *err)
{
    struct object o;
    struct kernel *k = object_read(path, OBJECT_FUNCTIONS | OBJECT_NAMES, &o, err)
                           ? kernel_of_object(&o, path, options, err)
                           : NULL;

    k = finish(&o, path, k, options, err);
    return k ? kernel_with_loop(k, options, err) : NULL;
}

/* Makes a kernel of the selected function, which only one member of the archive may contain. */
static struct kernel *named_in_archive(const struct archive *a,
                                       const struct kernel_options *options, struct err *err)
{
    struct kernel *k = NULL;
    struct err nearest = {0};
    bool several = false;

    for (size_t i = 0; i < a->members.count && !several && !watch_over(); i++) {
        const struct archive_member *m = &a->members.items[i];
        struct object o;
        struct err fault = {0};
        struct kernel *next = object_read_member(m, OBJECT_FUNCTIONS | OBJECT_NAMES, &o, &fault)
                                  ? kernel_of_object(&o, m->spec, options, &fault)
                                  : NULL;
        next = finish(&o, m->spec, next, options, &fault);
        if (next && k) {
            several = true;
            err_set(err, ERR_USAGE, "load one of these members",
                    "several members have a function %s: %.200s, %.200s", options->symbol, k->name,
                    next->name);
        }
        if (!next &&
            (nearest.code == ERR_NONE || (fault.code != ERR_DATA && nearest.code == ERR_DATA) ||
             (str_has_prefix(fault.todo, "did you mean") &&
              !str_has_prefix(nearest.todo, "did you mean"))))
            nearest = fault;
        if (next && !k)
            k = next;
        else
            kernel_free(next);
    }
    if (several) {
        kernel_free(k);
        k = NULL;
    } else if (!k && err) {
        *err = nearest;
    }
    return k;
}

struct archived_function {
    struct ranked_function function;
    size_t member;
};

struct archived_list { VEC(struct archived_function) list; };

static int hotter_first(const void *a, const void *b)
{
    const struct archived_function *x = a, *y = b;
    const int hotter = functions_hotter(&x->function, &y->function);

    return hotter                   ? hotter
           : x->member != y->member ? (x->member > y->member) - (x->member < y->member)
                                    : (x->function.symbol > y->function.symbol) -
                                          (x->function.symbol < y->function.symbol);
}

/* Adds the highest-ranked functions of one member to @best, which keeps at most CANDIDATES
 * functions. Adds the member's size to *@bytes. Returns false with err on failure. */
static bool rank_member(const struct archive *a, size_t member, struct archived_list *best,
                        uint64_t *bytes, struct err *err)
{
    struct function_ranking ranking = {0};
    struct object o;
    bool ok = object_read_member(&a->members.items[member], OBJECT_FUNCTIONS, &o, err) &&
              functions_rank(&o, &ranking, err);

    *bytes += o.length;
    for (size_t i = 0; ok && i < ranking.list.count && i < CANDIDATES; i++)
        vec_add(&best->list, ((struct archived_function){ranking.list.items[i], member}));
    if (best->list.count)
        qsort(best->list.items, best->list.count, sizeof *best->list.items, hotter_first);
    best->list.count = best->list.count < CANDIDATES ? best->list.count : CANDIDATES;
    function_ranking_done(&ranking);
    object_done(&o);
    return ok;
}

static struct kernel *hottest_in_archive(const struct archive *a,
                                         const struct kernel_options *options, struct err *err)
{
    struct archived_list best = {0};
    struct kernel *k = NULL;
    uint64_t bytes = 0;
    size_t read = 0, member = 0;
    struct err fault = {0};
    struct object o;

    /* Skips damaged members. */
    for (size_t i = 0; i < a->members.count && !watch_over(); i++) {
        watch_at("object files", (double)i, (double)a->members.count);
        read += rank_member(a, i, &best, &bytes, &fault);
    }
    for (size_t i = 0; i < best.list.count && !has_loop(k) && !watch_over(); i++) {
        const struct archive_member *m = &a->members.items[best.list.items[i].member];
        struct kernel *next = NULL;
        if (object_read_member(m, OBJECT_FUNCTIONS | OBJECT_NAMES, &o, err) &&
            options_fit(&o, options, err) && best.list.items[i].function.symbol < o.symbols.count)
            next =
                kernel_of(&o, m->spec, &o.symbols.items[best.list.items[i].function.symbol], err);
        next = whole_or_none(&o, m->spec, next, err);
        k = better(k, next);
        member = k && k == next ? best.list.items[i].member : member;
        object_done(&o);
    }
    /* Reads only the debug information of the selected member, because reading other debug
     * information may take long. */
    if (k) {
        const struct archive_member *m = &a->members.items[member];
        if (!object_read_member(m, OBJECT_FUNCTIONS | OBJECT_NAMES, &o, err)) {
            kernel_free(k);
            k = NULL;
        }
        k = finish(&o, m->spec, k, options, err);
    }
    if (!read && err)
        *err = fault;
    else if (!best.list.count)
        no_loops("archived code", bytes, err);
    vec_done(&best.list);
    if (k)
        k->of_many = true;
    return k;
}

struct kernel *kernel_from_archive(const char *path, const struct kernel_options *options,
                                   struct err *err)
{
    struct archive a = {0};
    struct kernel *k = NULL;

    if (options && options->first_line && !options->symbol)
        which_function(err);
    else if (archive_read(path, &a, err))
        k = options && options->symbol ? named_in_archive(&a, options, err)
                                       : hottest_in_archive(&a, options, err);
    archive_done(&a);
    if (k)
        err_clear(err);   /* Clears an error that an earlier member may have set. */
    else if (err && !err->file[0])
        err_at(err, path, 0, 0);
    if (!watch_goes_on(err)) {
        kernel_free(k);
        k = NULL;
    }
    return k ? kernel_with_loop(k, options, err) : NULL;
}
