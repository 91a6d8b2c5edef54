/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct filter_values {
    const char *expression;
};

static const struct parameter arguments[] = {
    {.name = "EXPRESSION", .kind = PARAMETER_TEXT, .at = offsetof(struct filter_values, expression), .otherwise = "show all rows", .complete = COMPLETE_FILTER,
     .help = "conditions on columns joined by & and |, such as cycles>2 & form~VADD | error>40%, or words to find in any column; quotes take text as it stands"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "filter", ((const struct filter_values *)values)->expression, result, err);
}

static const char *const examples[] = {"filter cycles>2 & form~VADD", "filter error>40% | error<-40%", "filter", NULL};

const struct command command_filter = {
    .name = "filter",
    .help = "show only the rows that match",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct filter_values),
    .flags = COMMAND_RAW | COMMAND_SHOWN,
    .run = run,
};
