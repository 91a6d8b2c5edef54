/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/command.h"

struct tutorial_values {
    size_t step;
};

static const struct parameter tutorial_arguments[] = {
    {.name = "STEP", .kind = PARAMETER_COUNT, .at = offsetof(struct tutorial_values, step), .least = 1, .most = 99, .initial = "1", .help = "step to begin with"},
    {0},
};

static bool run_tutorial(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct tutorial_values *v = values;
    char step[24];

    snprintf(step, sizeof step, "%zu", v->step);
    return session_view(s, "tutorial", step, result, err);
}

static const char *const tutorial_examples[] = {"tutorial", "tutorial 7", NULL};

const struct command command_tutorial = {
    .name = "tutorial",
    .help = "show the workbench step by step",
    .description = "Each step says what to press or type, and the next one comes once that was done. F8 skips a step, Esc ends the tutorial.",
    .arguments = tutorial_arguments,
    .examples = tutorial_examples,
    .values_size = sizeof(struct tutorial_values),
    .run = run_tutorial,
};
