/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel functions */
#include <stdlib.h>
#include <string.h>

#include "analysis/functions.h"
#include "analysis/recipe.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "toolchain/demangle.h"

#define TOP 40   /* rows unless told otherwise */

struct functions_values {
    const char *file, *matching;
    size_t top;
};

static void add_function(const struct object *o, const struct ranked_function *f, const char *name, struct result_table *t)
{
    const struct object_symbol *s = &o->symbols.items[f->symbol];
    struct str address = {0};

    str_addf(&address, "0x%llx", (unsigned long long)object_address(o, s->offset));
    cell_text(t, str_text(&address));
    cell_count(t, (int64_t)s->size);
    cell_count(t, f->loops);
    cell_count(t, f->depth);
    cell_count(t, f->vectors);
    cell_text(t, name);
    str_done(&address);
}

static void add_rows(const struct object *o, const struct function_ranking *ranking, const char *path, const struct functions_values *v, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT, .width = 10}, {.key = "bytes", .kind = CELL_COUNT}, {.key = "jumps_back", .title = "jumps back", .kind = CELL_COUNT},
        {.key = "depth", .kind = CELL_COUNT}, {.key = "vectors", .kind = CELL_COUNT}, {.key = "function", .kind = CELL_TEXT},
    };
    struct result_table *t = result_table(result, "functions", columns, sizeof columns / sizeof *columns);
    size_t shown = 0, fit = 0, top = v->top == NOT_GIVEN ? TOP : v->top;

    for (size_t i = 0; i < ranking->list.count && !watch_steps(10); i++) {
        const char *plain = o->symbols.items[ranking->list.items[i].symbol].name;
        char *readable = demangle(plain);
        const char *name = readable ? readable : plain;
        if (!v->matching || strcasestr(name, v->matching)) {
            fit++;
            if (shown < top && ++shown)
                add_function(o, &ranking->list.items[i], name, t);
        }
        free(readable);
    }
    if (shown < fit)
        result_line(result, "\nand %zu more functions with a loop; --top and --matching show others", fit - shown);
    result_line(result, "\nkernel load %s --symbol NAME or --symbol ADDRESS takes one", path);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct functions_values *v = values;
    const struct kernel *k = s->document.kernel;
    const char *path = v->file ? v->file : k && k->recipe && !k->source ? k->recipe->path : NULL;
    struct function_ranking ranking = {0};
    struct object o;

    if (!path && k)
        return err_set(err, ERR_USAGE, "kernel functions FILE", "%s is no object or program", k->name);
    if (!path)
        return err_set(err, ERR_USAGE, "kernel functions FILE", "no object or program is loaded");
    bool ok = object_read(path, OBJECT_FUNCTIONS, &o, err) && functions_rank(&o, &ranking, err);
    ok = object_whole(&o, path, ok ? err : NULL) && ok;
    if (ok)
        add_rows(&o, &ranking, path, v, result);
    vec_done(&ranking.list);
    object_done(&o);
    return ok && watch_goes_on(err);
}

static const struct parameter arguments[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct functions_values, file), .complete = COMPLETE_FILE, .otherwise = "the loaded one",
     .help = "object, library or program (ELF)"},
    {0},
};
static const struct parameter options[] = {
    {.name = "--matching", .kind = PARAMETER_TEXT, .at = offsetof(struct functions_values, matching), .value = "TEXT", .otherwise = "all", .help = "only those whose name holds it"},
    {.name = "--top", .kind = PARAMETER_COUNT, .at = offsetof(struct functions_values, top), .value = "N", .least = 1, .most = 1e9, .otherwise = "40", .help = "rows to show"},
    {0},
};

static const char *const examples[] = {"kernel functions /usr/bin/gzip", "kernel functions libm.so.6 --matching sin --top 10", NULL};

const struct command command_kernel_functions = {
    .name = "kernel functions",
    .help = "list the functions of an object or program that have loops, hottest-looking first",
    .description = "Functions without a symbol are found by unwind tables, or by calls, and have their addresses as names. The order is that of a light look at the code: how "
                   "deep jumps back nest, how much of the code works on vectors, how long it is.",
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct functions_values),
    .flags = COMMAND_READS,
    .run = run,
};
