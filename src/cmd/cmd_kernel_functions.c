/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/recipe.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/function_list.h"
#include "cmd/task.h"

#define TOP 40   /* rows unless told otherwise */

struct functions_values {
    const char *file, *matching;
    size_t top;
};

/* What the job works on: the file, and which of its functions are printed. */
struct functions_listing {
    char *path, *matching;
    size_t top;
    bool shown;                   /* on the screen the view functions has them all */
    struct function_list *list;
};

static void add_rows(const struct functions_listing *l, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT, .width = 10}, {.key = "bytes", .kind = CELL_COUNT}, {.key = "jumps_back", .title = "jumps back", .kind = CELL_COUNT},
        {.key = "depth", .kind = CELL_COUNT}, {.key = "vectors", .kind = CELL_COUNT}, {.key = "function", .kind = CELL_TEXT},
    };
    struct result_table *t = result_table(result, "functions", columns, sizeof columns / sizeof *columns);
    size_t shown = 0, fit = 0;

    for (size_t i = 0; i < l->list->rows.count; i++) {
        const struct listed_function *f = &l->list->rows.items[i];
        char address[24];
        if ((l->matching && !strcasestr(f->name, l->matching)) || fit++ >= l->top)
            continue;
        shown++;
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)f->address);
        cell_text(t, address);
        cell_count(t, (int64_t)f->size);
        cell_count(t, f->loops);
        cell_count(t, f->depth);
        cell_count(t, f->vectors);
        cell_text(t, f->name);
    }
    if (shown < fit)
        result_line(result, "\nand %zu more functions with a loop; --top and --matching show others", fit - shown);
    result_line(result, "\nkernel load %s --symbol NAME or --symbol ADDRESS takes one", l->path);
}

static bool list_work(void *state, struct result *result, struct err *err)
{
    struct functions_listing *l = state;

    l->list = function_list_new(l->path, err);
    if (l->list && !l->shown)
        add_rows(l, result);
    return l->list != NULL;
}

static bool list_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct functions_listing *l = state;

    (void)result;
    (void)err;
    function_list_free(s->document.functions);
    s->document.functions = l->list;
    l->list = NULL;
    return true;
}

static void list_free(void *state)
{
    struct functions_listing *l = state;

    function_list_free(l->list);
    free(l->path);
    free(l->matching);
    free(l);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct task_ops ops = {list_work, list_publish, list_free};
    const struct functions_values *v = values;
    const struct kernel *k = s->document.kernel;
    const char *path = v->file ? v->file : k && k->recipe && !k->source ? k->recipe->path : NULL;

    (void)result;   /* the job fills it */
    if (!path && k)
        return err_set(err, ERR_USAGE, "kernel functions FILE", "%s is no object or program", k->name);
    if (!path)
        return err_set(err, ERR_USAGE, "kernel functions FILE", "no object or program is loaded");
    struct functions_listing *l = mem_zero(1, sizeof *l);
    l->path = mem_strdup(path);
    l->matching = v->matching ? mem_strdup(v->matching) : NULL;
    l->top = v->top == NOT_GIVEN ? TOP : v->top;
    l->shown = s->interactive && !v->matching && v->top == NOT_GIVEN;
    return task_start_passing(s, "kernel functions", "lists functions", &ops, l, err);
}

static const struct parameter arguments[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct functions_values, file), .complete = COMPLETE_FILE, .otherwise = "the loaded one",
     .help = "object, library or program (ELF)"},
    {0},
};
static const struct parameter options[] = {
    {.name = "--matching", .kind = PARAMETER_TEXT, .at = offsetof(struct functions_values, matching), .value = "TEXT", .otherwise = "all", .help = "print only those whose name holds it"},
    {.name = "--top", .kind = PARAMETER_COUNT, .at = offsetof(struct functions_values, top), .value = "N", .least = 1, .most = 1e9, .otherwise = "40", .help = "rows to print"},
    {0},
};

static const char *const examples[] = {"kernel functions /usr/bin/gzip", "kernel functions libm.so.6 --matching sin --top 10", NULL};

const struct command command_kernel_functions = {
    .name = "kernel functions",
    .help = "list the functions of an object or program that have loops, hottest-looking first",
    .description = "In the workbench the view functions shows them, to be searched, filtered and opened. "
                   "Functions without a symbol are found by unwind tables, or by calls, and have their addresses as names. The order is that of a light look at the code: how "
                   "deep jumps back nest, how much of the code works on vectors, how long it is.",
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct functions_values),
    .flags = COMMAND_JOB,
    .run = run,
};
