/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What keys do, as a command: actions of the view that is shown. */
#include <string.h>

#include "cmd/action.h"
#include "cmd/command.h"

#define ACTION_WORD(value, name) name,
static const char *const words[] = {ACTIONS(ACTION_WORD)};

enum action action_find(const char *name)
{
    enum action a = 0;

    while (a < ACTION_COUNT && strcmp(words[a], name) != 0)
        a++;
    return a;
}

const char *action_name(enum action action)
{
    return words[action];
}

struct do_values {
    const char *action;
};

static const struct parameter arguments[] = {
    {.name = "ACTION", .kind = PARAMETER_CHOICE, .at = offsetof(struct do_values, action), .required = true, .choices = ACTION_CHOICES,
     .help = "action; what it does in a view is listed by keys"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "do", ((const struct do_values *)values)->action, result, err);
}

static const char *const examples[] = {"do page-down", "do sort-next", NULL};

const struct command command_do = {
    .name = "do",
    .help = "move in the view, or do what else a key does there",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct do_values),
    .flags = COMMAND_SILENT,
    .run = run,
};
