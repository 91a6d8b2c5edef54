/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/coverage.h"
#include "cmd/task.h"
#include "io/machine_file.h"

#define SHOWN 4   /* maximum number of machines that --show selects */

struct machines_values {
    bool show;
};

struct machines_search {
    const struct kernel *kernel;
    size_t loop;
    bool show;
    struct machine_names shown;     /* machines that were selected before */
    struct machine_names coverage;
};

static void search_free(void *state)
{
    struct machines_search *w = state;
    kernel_free(w->kernel);
    vec_free_texts(&w->shown.list);
    vec_free_texts(&w->coverage.list);
    free(w);
}

static void add_rows(const struct machines_search *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT, .width = 20},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "bottleneck", .kind = CELL_TEXT, .width = 12},
        {.key = "title", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "machines", columns);

    for (size_t i = 0; i < w->coverage.list.count && !watch_over(); i++) {
        struct err none = {0};
        struct machine *m = machine_load(w->coverage.list.items[i], &none);
        struct analysis *a = m ? analysis_new(w->kernel, w->loop, m) : NULL;
        if (a) {
            cell_text(t, m->id);
            cell_number(t, a->cycles);
            cell_text(t, bound_name(a->bottleneck));
            cell_text(t, m->title);
        }
        analysis_free(a);
        machine_free(m);
    }
}

static bool search_work(void *state, struct result *result, struct err *err)
{
    struct machines_search *w = state;

    coverage_find(w->kernel, w->loop, &w->coverage);
    if (!watch_goes_on(err))
        return false;
    if (!w->coverage.list.count && w->show)
        return err_set(err, ERR_DATA,
                       "add the usages of missing forms with kernel learn or mapping set",
                       "no available machine has all instructions of this loop");
    if (!w->show)
        add_rows(w, result);
    return watch_goes_on(err);
}

/* Keeps, with --show, the selected machines that have all forms of the loop. Appends other machines
 * that have all forms, at most SHOWN in total. */
static bool search_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    const struct machines_search *w = state;
    struct str line = {0};
    char *ids[SHOWN];
    size_t count = 0;

    if (!w->show)
        return true;
    for (size_t i = 0; i < w->shown.list.count && count < SHOWN; i++)
        if (machine_names_have(&w->coverage, w->shown.list.items[i]))
            ids[count++] = w->shown.list.items[i];
    for (size_t i = 0; i < w->coverage.list.count && count < SHOWN; i++)
        if (!machine_names_have(&w->shown, w->coverage.list.items[i]))
            ids[count++] = w->coverage.list.items[i];
    bool ok = session_select(s, ids, count, err);
    for (size_t i = 0; i < count; i++)
        str_addf(&line, "%s%s", i ? ", " : "", ids[i]);
    if (ok)
        result_confirm(result, "machines: %s", str_text(&line));
    str_done(&line);
    return ok;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"searches", search_work, search_publish, search_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct machines_values *v = values;

    if (!session_has_kernel(s, err))
        return false;
    struct machines_search *w = mem_zero(1, sizeof *w);
    w->kernel = kernel_hold(s->document.kernel);
    w->loop = s->document.loop;
    w->show = v->show;
    for (size_t i = 0; i < s->document.selected_count; i++)
        vec_push(&w->shown.list, mem_strdup(s->document.selected[i]));
    return task_give(task, &ops, w);
}

const struct command command_kernel_machines = {
    .name = "kernel machines",
    .help = "list the machines that have all instructions of the loop",
    .description = "A machine that lacks an instruction, for example of AVX-512, shows only a "
                   "lower bound. In the loop's view, key a shows the machines with all "
                   "instructions.",
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--show", struct machines_values, show),
         .help = "select up to four of these machines instead of the selected machines that lack "
                 "an instruction"}),
    .examples = EXAMPLES("kernel machines", "kernel machines --show"),
    .values_size = sizeof(struct machines_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare,
};
