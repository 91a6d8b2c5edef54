/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <time.h>

#include "base/path.h"
#include "cmd/command.h"
#include "cmd/saved_state.h"

static const struct result_column columns[] = {
    {.key = "name", .kind = CELL_TEXT, .width = 24},
    {.key = "saved", .kind = CELL_TEXT, .width = 16},
    {.key = "in_use", .title = "open", .kind = CELL_SWITCH, .width = 4},
    {.key = "kernel", .kind = CELL_TEXT, .width = 24},
    {.key = "kernel_count", .title = "kernels", .kind = CELL_COUNT, .width = 7},
    {.key = "experiments", .kind = CELL_COUNT, .width = 11},
    {.key = "measured", .kind = CELL_COUNT, .width = 8},
    {.key = "run_done", .title = "run", .unit = "%", .kind = CELL_NUMBER, .decimals = 0},
    {.key = "path", .kind = CELL_TEXT, .hide = NOT_TEXT},
};

static void add_session(const struct kept_session *k, struct result_table *t)
{
    char when[32] = "";
    struct tm local;

    if (localtime_r(&k->saved, &local))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    cell_text(t, k->name);
    cell_text(t, when);
    cell_switch(t, k->open);
    cell_text(t, k->kernel ? path_base(k->kernel) : "");
    cell_count(t, (int64_t)k->kernels);
    cell_count(t, (int64_t)k->experiments);
    cell_count(t, (int64_t)k->measured);
    cell_number(t, k->run.checkpoint && k->run.limit > 0 ? 100 * k->run.seconds / k->run.limit
                                                        : NAN);
    cell_text(t, k->path);
}

/* Reads the directories on a worker, because there may be many. */
static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct kept_sessions list = saved_state_list();
    struct result_table *t;

    if (!list.count)
        result_line(result, "no saved session; the workbench saves its session automatically");
    t = RESULT_TABLE(result, "sessions", columns);
    for (size_t i = 0; i < list.count; i++)
        add_session(&list.items[i], t);
    saved_state_done(&list);
    return true;
}

const struct command command_session_list = {
    .name = "session list",
    .help = "list the sessions that workbenches saved automatically",
    .description = "The workbench saves its session after each change in "
                   "$XDG_STATE_HOME/portolan/sessions. session load NAME resumes a session; the "
                   "column run shows the progress of the session's inference run.",
    .examples = EXAMPLES("session list"),
    .doing = "lists",
    .read = run,
};
