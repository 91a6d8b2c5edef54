/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct jump_values {
    const char *where;
};

static const struct parameter arguments[] = {
    {.name = "WHERE", .kind = PARAMETER_CHOICE, .at = offsetof(struct jump_values, where), .choices = "back|forward|mapping|experiments|kernel",
     .otherwise = "the mapping, from there the experiments", .help = "the view in which the form under the cursor is looked for, or a place where one was"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const char *where = ((const struct jump_values *)values)->where;

    return session_view(s, "jump", where ? where : "", result, err);
}

static const char *const examples[] = {"jump", "jump kernel", "jump back", NULL};

const struct command command_jump = {
    .name = "jump",
    .help = "go to the form under the cursor in another view, or back",
    .description = "From an instruction, an experiment (its first form) or a checked form to its row in the mapping, from there to the experiments that have it or the lines of the loop. "
                   "jump back and jump forward go through the places that were left by jumps and by view.",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct jump_values),
    .flags = COMMAND_SILENT,
    .run = run,
};
