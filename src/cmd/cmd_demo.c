/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/session_file.h"

struct demo_values {
    double seconds;
};

static const struct parameter demo_options[] = {
    {.name = "--seconds", .kind = PARAMETER_DURATION, .at = offsetof(struct demo_values, seconds), .value = "T", .least = 1, .most = 3600, .initial = "120", .help = "how long it plays, such as 60 or 2m"},
    {0},
};

static bool run_demo(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct demo_values *v = values;
    char seconds[48];

    if (s->views && !session_idle(err))
        return false;
    snprintf(seconds, sizeof seconds, "%.17g", v->seconds);
    return session_view(s, "demo", seconds, result, err);
}

static const char *const demo_examples[] = {"demo", "demo --seconds 60", NULL};

const struct command command_demo = {
    .name = "demo",
    .help = "play two minutes of commands: a loop, then the ports of a simulated CPU, then this one",
    .description = "Any key ends it. It plays in a session of its own; yours comes back as it was. Refused while jobs run.",
    .options = demo_options,
    .examples = demo_examples,
    .values_size = sizeof(struct demo_values),
    .run = run_demo,
};
