/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    (void)values;
    (void)result;
    (void)err;
    s->quit = true;
    return true;
}

static const char *const examples[] = {"quit", NULL};

const struct command command_quit = {
    .name = "quit",
    .help = "leave",
    .description = "Running jobs are cancelled; their measurements are kept.",
    .examples = examples,
    .flags = COMMAND_SILENT,
    .run = run,
};
