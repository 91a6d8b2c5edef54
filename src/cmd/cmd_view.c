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
        return err_set(err, ERR_USAGE, "open the workbench", "nothing shows views here");
    return s->view_command(s, verb, what ? what : "", result, err);
}

static const struct parameter view_arguments[] = {
    {.name = "NAME", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .required = true,
     .choices = "kernel|timeline|whatif|experiments|evolution|mapping|accuracy|machine|output|log|help|next|previous", .help = "the view to show, or as much of its name as tells"},
    {0},
};

static bool run_view(struct session *s, const void *values, struct result *result, struct err *err)
{
    return act(s, "view", ((const struct view_values *)values)->what, result, err);
}

static const char *const view_examples[] = {"view timeline", NULL};

const struct command command_view = {
    .name = "view",
    .help = "show another view; in batch it is printed",
    .description = "In batch COLUMNS and LINES give its size (default 120 by 38).",
    .arguments = view_arguments,
    .examples = view_examples,
    .values_size = sizeof(struct view_values),
    .run = run_view,
};

static const struct parameter find_arguments[] = {
    {.name = "TEXT | --next | --previous", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .required = true, .verbatim = true,
     .help = "what to search for in the rows of the view, or the direction in which to go on"},
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
    {.name = "COLUMN", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .otherwise = "the order of the rows as they come",
     .help = "the column to sort by; once more: the other way round"},
    {0},
};

static bool run_sort(struct session *s, const void *values, struct result *result, struct err *err)
{
    return act(s, "sort", ((const struct view_values *)values)->what, result, err);
}

static const char *const sort_examples[] = {"sort error", "sort", NULL};

const struct command command_sort = {
    .name = "sort",
    .help = "sort the view's rows",
    .arguments = sort_arguments,
    .examples = sort_examples,
    .values_size = sizeof(struct view_values),
    .flags = COMMAND_RAW,
    .run = run_sort,
};

static const struct parameter filter_arguments[] = {
    {.name = "EXPRESSION", .kind = PARAMETER_TEXT, .at = offsetof(struct view_values, what), .otherwise = "shows all rows",
     .help = "comparisons of columns joined by &, or words that any column may hold: cycles>2 & form~VADD"},
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
