/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct pane_values {
    const char *name;
};

static const struct parameter arguments[] = {
    {.name = "NAME", .kind = PARAMETER_TEXT, .at = offsetof(struct pane_values, name), .required = true, .complete = COMPLETE_VIEW, .help = "next, previous, or a view that is shown"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "pane", ((const struct pane_values *)values)->name, result, err);
}

static const char *const examples[] = {"pane next", "pane timeline", NULL};

const struct command command_pane = {
    .name = "pane",
    .help = "give the keys to another pane of a wide screen",
    .description = "On a wide screen other views stand beside the one that was chosen; set panes off leaves that one alone.",
    .arguments = arguments,
    .examples = examples,
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct pane_values),
    .run = run,
};
