/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct find_values {
    const char *text;
};

static const struct parameter arguments[] = {
    {.name = "TEXT | --next | --previous", .kind = PARAMETER_TEXT, .at = offsetof(struct find_values, text), .required = true, .verbatim = true,
     .help = "text to search for, or the direction to continue"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "find", ((const struct find_values *)values)->text, result, err);
}

static const char *const examples[] = {"find vfmadd", "find --next", NULL};

const struct command command_find = {
    .name = "find",
    .help = "search in the view",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct find_values),
    .flags = COMMAND_RAW | COMMAND_SHOWN,
    .run = run,
};
