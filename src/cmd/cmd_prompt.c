/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

struct prompt_values {
    const char *text;
};

static const struct parameter arguments[] = {
    {.name = "TEXT", .kind = PARAMETER_TEXT, .at = offsetof(struct prompt_values, text), .otherwise = "an empty prompt", .verbatim = true,
     .help = "what stands in the prompt, to be completed; the filter in force follows filter"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, "prompt", ((const struct prompt_values *)values)->text, result, err);
}

static const char *const examples[] = {"prompt", "prompt kernel load", NULL};

const struct command command_prompt = {
    .name = "prompt",
    .help = "open the command prompt",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct prompt_values),
    .flags = COMMAND_RAW | COMMAND_SILENT,
    .run = run,
};
