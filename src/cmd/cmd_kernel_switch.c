/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/loading.h"

struct switch_values {
    const char *to;
    bool loops;
};

static void take(struct session *s, size_t at, size_t loop, struct result *result)
{
    session_use_shelved(s, at, loop);
    kernel_tell_loaded(s, result);
}

/* Selects the next or previous loop of the kernel. Returns false if there is none. */
static bool step_loop(struct session *s, int step, struct result *result)
{
    const struct document *d = &s->document;

    if (step > 0 ? d->loop + 1 >= d->kernel->loop_count : d->loop == 0)
        return false;
    document_use_loop(&s->document, step > 0 ? d->loop + 1 : d->loop - 1);
    kernel_tell_loaded(s, result);
    return true;
}

static bool run_switch(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    const struct switch_values *v = values;
    struct shelf *shelf = &s->document.shelf;
    const int step = strcmp(v->to, "next") == 0 ? 1 : strcmp(v->to, "previous") == 0 ? -1 : 0;
    char *end;

    if (!session_has_kernel(s, err))
        return false;
    if (!step) {
        unsigned long number = strtoul(v->to, &end, 10);
        if (*end || number < 1 || number > shelf->list.count)
            return err_set(err, ERR_USAGE, "kernel opened lists the kernels",
                           "no kernel %s; numbers are 1 to %zu", v->to, shelf->list.count);
        take(s, number - 1, shelf->list.items[number - 1].loop, result);
        return true;
    }
    if (v->loops && step_loop(s, step, result))
        return true;
    if (shelf->list.count < 2 && !(v->loops && s->document.kernel->loop_count > 1))
        return err_set(err, ERR_USAGE, "kernel load and kernel paste add kernels",
                       "no other %s to switch to", v->loops ? "loop" : "kernel");
    const size_t to = (shelf->at + shelf->list.count + (step > 0 ? 1 : -1)) % shelf->list.count;
    const struct shelved *item = &shelf->list.items[to];
    take(s, to, !v->loops ? item->loop : step > 0 ? 0 : item->kernel->loop_count - 1, result);
    return true;
}

const struct command command_kernel_switch = {
    .name = "kernel switch",
    .help = "switch to another loaded or pasted kernel",
    .description = "In the loop's pane, [ and ] select the previous or next loop of a kernel, then "
                   "the previous or next kernel.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "TO", struct switch_values, to), .required = true,
         .help = "next, previous, or the number shown by kernel opened"}),
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--loops", struct switch_values, loops),
         .help = "next and previous also select the loops of each kernel"}),
    .examples = EXAMPLES("kernel switch next", "kernel switch 2"),
    .values_size = sizeof(struct switch_values),
    .flags = COMMAND_CHANGES,
    .run = run_switch,
};

static bool run_opened(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "mark", .title = "", .kind = CELL_TEXT, .width = 1, .hide = NOT_CSV | NOT_JSON},
        {.key = "number", .kind = CELL_COUNT, .width = 6},
        {.key = "current", .kind = CELL_SWITCH, .hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT},
        {.key = "loops", .kind = CELL_COUNT},
        {.key = "kernel", .kind = CELL_TEXT},
    };
    const struct shelf *shelf = &s->document.shelf;

    if (!session_has_kernel(s, err))
        return false;
    result_count(result, "current", (int64_t)shelf->at + 1);
    struct result_table *t = RESULT_TABLE(result, "kernels", columns);
    for (size_t i = 0; i < shelf->list.count; i++) {
        struct str name = {0};
        struct shelved item = shelf->list.items[i];
        item.loop = i == shelf->at ? s->document.loop : item.loop;
        shelf_name(&item, &name);
        cell_text(t, i == shelf->at ? "*" : "");
        cell_count(t, (int64_t)i + 1);
        cell_switch(t, i == shelf->at);
        cell_count(t, (int64_t)item.kernel->loop_count);
        cell_text(t, str_text(&name));
        str_done(&name);
    }
    return true;
}

const struct command command_kernel_opened = {
    .name = "kernel opened",
    .help = "list the loaded and pasted kernels; * marks the current kernel",
    .examples = EXAMPLES("kernel opened"),
    .run = run_opened,
};
