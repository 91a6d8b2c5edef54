/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view, find, sort, filter: what acts on the views of the workbench */
#include <string.h>

#include "cmd/command.h"

struct view_values {
    const char *what;
};

static bool act(struct session *s, const char *verb, const char *what, struct result *result, struct err *err)
{
    if (!s->view_command)
        return err_set(err, ERR_USAGE, "open the workbench", "views need the workbench");
    return s->view_command(s, verb, what ? what : "", result, err);
}

static const struct parameter view_arguments[] = {
    {.name = "NAME", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .required = true,
     .choices = "kernel|timeline|whatif|experiments|evolution|mapping|accuracy|machine|output|log|help|next|previous", .help = "view name, or an unambiguous abbreviation"},
    {0},
};

static bool run_view(struct session *s, const void *values, struct result *result, struct err *err)
{
    return act(s, "view", ((const struct view_values *)values)->what, result, err);
}

static const char *const view_examples[] = {"view timeline", NULL};

const struct command command_view = {
    .name = "view",
    .help = "show another view; in batch mode, print it",
    .description = "In batch mode COLUMNS and LINES give the size (default 120 by 38).",
    .arguments = view_arguments,
    .examples = view_examples,
    .values_size = sizeof(struct view_values),
    .run = run_view,
};

static const struct parameter find_arguments[] = {
    {.name = "TEXT | --next | --previous", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .required = true, .verbatim = true,
     .help = "text to search for, or the direction to continue"},
    {0},
};

static bool run_find(struct session *s, const void *values, struct result *result, struct err *err)
{
    return act(s, "find", ((const struct view_values *)values)->what, result, err);
}

static const char *const find_examples[] = {"find vfmadd", "find --next", NULL};

const struct command command_find = {
    .name = "find",
    .help = "search in the view",
    .arguments = find_arguments,
    .examples = find_examples,
    .values_size = sizeof(struct view_values),
    .flags = COMMAND_RAW,
    .run = run_find,
};

static const struct parameter sort_arguments[] = {
    {.name = "COLUMN", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .otherwise = "original order",
     .help = "column to sort by; again reverses the order"},
    {0},
};

static bool run_sort(struct session *s, const void *values, struct result *result, struct err *err)
{
    return act(s, "sort", ((const struct view_values *)values)->what, result, err);
}

static const char *const sort_examples[] = {"sort error", "sort", NULL};

const struct command command_sort = {
    .name = "sort",
    .help = "sort the rows of the view",
    .arguments = sort_arguments,
    .examples = sort_examples,
    .values_size = sizeof(struct view_values),
    .flags = COMMAND_RAW,
    .run = run_sort,
};

static const struct parameter filter_arguments[] = {
    {.name = "EXPRESSION", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .otherwise = "show all rows",
     .help = "conditions on columns joined by &, such as cycles>2 & form~VADD, or words to find in any column"},
    {0},
};

static bool run_filter(struct session *s, const void *values, struct result *result, struct err *err)
{
    return act(s, "filter", ((const struct view_values *)values)->what, result, err);
}

static const char *const filter_examples[] = {"filter cycles>2 & form~VADD", "filter", NULL};

const struct command command_filter = {
    .name = "filter",
    .help = "show only the rows that match",
    .arguments = filter_arguments,
    .examples = filter_examples,
    .values_size = sizeof(struct view_values),
    .flags = COMMAND_RAW,
    .run = run_filter,
};
