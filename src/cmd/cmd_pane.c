/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct pane_values {
    const char *name;
};

static const struct parameter arguments[] = {
    {.name = "NAME", .kind = PARAMETER_TEXT, .at = offsetof(struct pane_values, name), .required = true, .complete = COMPLETE_VIEW, .help = "next, previous, or a view of the place"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "pane", ((const struct pane_values *)values)->name, result, err);
}

static const char *const examples[] = {"pane next", "pane timeline", NULL};

const struct command command_pane = {
    .name = "pane",
    .help = "give the keys to another pane of the place",
    .description = "On a large screen the panes of a place stand next to each other; set panes off leaves the one with the keys alone.",
    .arguments = arguments,
    .examples = examples,
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct pane_values),
    .run = run,
};
