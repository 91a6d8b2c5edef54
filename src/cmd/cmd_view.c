/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct view_values {
    const char *name;
};

static const struct parameter arguments[] = {
    {.name = "NAME", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, name), .required = true, .complete = COMPLETE_VIEW,
     .help = "view, by an unambiguous abbreviation, or place"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "view", ((const struct view_values *)values)->name, result, err);
}

static const char *const examples[] = {"view timeline", NULL};

const struct command command_view = {
    .name = "view",
    .help = "show a view in its pane, or a place (LOOP, PROGRAM, LAB); in batch mode, print the view",
    .description = "In batch mode COLUMNS and LINES give the size (default 120 by 38).",
    .arguments = arguments,
    .examples = examples,
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct view_values),
    .run = run,
};
