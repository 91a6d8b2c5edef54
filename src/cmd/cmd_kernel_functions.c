/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/recipe.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/function_list.h"
#include "cmd/task.h"

#define TOP 40   /* default number of rows */
/* the first column, which exists only with a profile */
#define SAMPLES_COLUMN                                                                             \
    {                                                                                              \
        .key = "percent", .title = "samples", .unit = "%", .kind = CELL_NUMBER, .decimals = 2      \
    }

struct functions_values {
    const char *file, *matching, *profile;
    size_t top;
    bool loops;
};

struct functions_listing {
    char *path, *profile;
    const char *matching;
    size_t top;
    bool loops;                   /* whether to list loops instead of functions */
    bool shown;                   /* whether the workbench's functions view lists all functions
                                   * instead */
    struct function_list *list;
};

/* Returns whether @name is printed. Counts matching names in *@fit, including those beyond the
 * limit. */
static bool takes(const struct functions_listing *l, const char *name, size_t *fit)
{
    return (!l->matching || strcasestr(name, l->matching)) && (*fit)++ < l->top;
}

static void cell_address(struct result_table *t, uint64_t address)
{
    char text[24];

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    cell_text(t, text);
}

/* Adds the share of samples if there is a profile. */
static void cell_samples(struct result_table *t, const struct functions_listing *l, double percent)
{
    if (l->list->profile)
        cell_number(t, percent);
}

static void say_how_to_take(const struct functions_listing *l, size_t fit, const char *what,
                            struct result *result)
{
    if (fit > l->top)
        result_line(result,
                    "\nand %zu more %s; --top N shows more, --matching TEXT selects by name",
                    fit - l->top, what);
    result_line(result, "\nkernel load %s --symbol S loads the code at the name or address S",
                l->path);
}

static void add_loops(const struct functions_listing *l, struct result *result)
{
    static const struct result_column columns[] = {
        SAMPLES_COLUMN,
        {.key = "address", .kind = CELL_TEXT, .width = 10},
        {.key = "bytes", .kind = CELL_COUNT},
        {.key = "depth", .kind = CELL_COUNT},
        {.key = "innermost", .kind = CELL_SWITCH},
        {.key = "vectors", .kind = CELL_COUNT},
        {.key = "loop", .kind = CELL_TEXT},
    };
    struct result_table *t = result_table(result, "loops", columns + !l->list->profile,
                                          sizeof columns / sizeof *columns - !l->list->profile);
    size_t fit = 0;

    for (size_t i = 0; i < l->list->loops.count; i++) {
        const struct listed_loop *loop = &l->list->loops.items[i];
        struct str name = {0};
        str_addf(&name, "%s+0x%llx", loop->function, (unsigned long long)loop->offset);
        if (takes(l, str_text(&name), &fit)) {
            cell_samples(t, l, loop->percent);
            cell_address(t, loop->address);
            cell_count(t, (int64_t)loop->size);
            cell_count(t, loop->depth);
            cell_switch(t, loop->innermost);
            cell_count(t, loop->vectors);
            cell_text(t, str_text(&name));
        }
        str_done(&name);
    }
    say_how_to_take(l, fit, "loops", result);
}

static void add_rows(const struct functions_listing *l, struct result *result)
{
    static const struct result_column columns[] = {
        SAMPLES_COLUMN,
        {.key = "address", .kind = CELL_TEXT, .width = 10},
        {.key = "bytes", .kind = CELL_COUNT},
        {.key = "jumps_back", .title = "jumps back", .kind = CELL_COUNT},
        {.key = "depth", .kind = CELL_COUNT},
        {.key = "vectors", .kind = CELL_COUNT},
        {.key = "function", .kind = CELL_TEXT},
    };
    struct result_table *t = result_table(result, "functions", columns + !l->list->profile,
                                          sizeof columns / sizeof *columns - !l->list->profile);
    size_t fit = 0;

    for (size_t i = 0; i < l->list->rows.count; i++) {
        const struct listed_function *f = &l->list->rows.items[i];
        if (!takes(l, f->name, &fit))
            continue;
        cell_samples(t, l, f->percent);
        cell_address(t, f->address);
        cell_count(t, (int64_t)f->size);
        cell_count(t, f->loops);
        cell_count(t, f->depth);
        cell_count(t, f->vectors);
        cell_text(t, f->name);
    }
    say_how_to_take(l, fit, "functions with a loop", result);
}

static bool list_work(void *state, struct result *result, struct err *err)
{
    struct functions_listing *l = state;

    l->list = function_list_new(l->path, l->profile, err);
    if (l->list)
        l->list->by_loops = l->loops;
    if (l->list && !l->shown)
        (l->loops ? add_loops : add_rows)(l, result);
    return l->list != NULL;
}

static bool list_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct functions_listing *l = state;

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
    free(l->profile);
    free(l);
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"lists functions", list_work, list_publish, list_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct functions_values *v = values;
    const struct kernel *k = s->document.kernel;
    const bool loaded = !v->file && k && k->recipe && (!k->source || k->recipe->profile);
    const char *path = loaded ? k->recipe->path : v->file;

    if (!path && k)
        return err_set(err, ERR_USAGE,
                       "use kernel functions FILE with an object, library or program",
                       "%s is not an object or program", k->name);
    if (!path)
        return err_set(err, ERR_USAGE, "use kernel functions FILE",
                       "no object or program is loaded");
    if (loaded && !session_may_open(s, k->recipe, err))
        return false;
    struct functions_listing *l = mem_zero(1, sizeof *l);
    l->path = mem_strdup(path);
    l->matching = v->matching;
    l->profile = v->profile                     ? mem_strdup(v->profile)
                 : loaded && k->recipe->profile ? mem_strdup(k->recipe->profile)
                                                : NULL;
    l->top = v->top == NOT_GIVEN ? TOP : v->top;
    l->loops = v->loops;
    l->shown = s->interactive && !v->matching && v->top == NOT_GIVEN;
    return task_give(task, &ops, l);
}

const struct command command_kernel_functions = {
    .name = "kernel functions",
    .help = "list the functions with loops of an object or program, the likely hottest first",
    .description = "In the workbench the view functions shows them; they can be searched, filtered "
                   "and opened. Functions without a symbol are located by unwind tables or calls, "
                   "and named by address. The order is an estimate from the code: nesting of "
                   "backward jumps, share of vector instructions, length. Innermost loops come "
                   "first. With --profile functions and loops are sorted by their share of the "
                   "program's samples. An outer loop counts only its own samples.",
    .arguments = PARAMETERS({PARAMETER(TEXT, "FILE", struct functions_values, file),
                             .complete = COMPLETE_FILE, .fallback = "the loaded file",
                             .help = "object, library or program (ELF)"}),
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--loops", struct functions_values, loops),
         .help = "list loops instead of functions"},
        {PARAMETER(TEXT, "--profile", struct functions_values, profile), .value = "FILE",
         .fallback = "the profile given to kernel load, if any", .complete = COMPLETE_FILE,
         .help = "sort by the samples of perf record (perf.data); needs perf"},
        {PARAMETER(TEXT, "--matching", struct functions_values, matching), .value = "TEXT",
         .fallback = "all", .help = "print only functions whose names contain TEXT"},
        {PARAMETER(COUNT, "--top", struct functions_values, top), .value = "N", .least = 1,
         .most = 1e9, .fallback = "40", .help = "maximum number of rows to print"}),
    .examples = EXAMPLES("kernel functions /usr/bin/gzip",
                         "kernel functions libm.so.6 --matching sin --top 10",
                         "kernel functions /usr/bin/gzip --loops",
                         "kernel functions ./program --loops --profile perf.data"),
    .values_size = sizeof(struct functions_values),
    .flags = COMMAND_JOB,
    .prepare = prepare,
};
