/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct sort_values {
    const char *column;
};

static const struct parameter arguments[] = {
    {.name = "COLUMN", .kind = PARAMETER_TEXT, .at = offsetof(struct sort_values, column), .otherwise = "original order", .complete = COMPLETE_SORT,
     .help = "columns to sort by, one after the other, at most four; -COLUMN for descending order"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "sort", ((const struct sort_values *)values)->column, result, err);
}

static const char *const examples[] = {"sort error", "sort -cycles", "sort state -error", "sort", NULL};

const struct command command_sort = {
    .name = "sort",
    .help = "sort the rows of the view",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct sort_values),
    .flags = COMMAND_RAW | COMMAND_SHOWN,
    .run = run,
};
