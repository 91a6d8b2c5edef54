/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands for guided tours of the workbench, and for quitting. */
#include <stdio.h>

#include "base/clock.h"
#include "base/path.h"
#include "cmd/command.h"
#include "cmd/session_file.h"
#include "profile/profile.h"
#include "work/job.h"

struct tutorial_values {
    size_t step;
};

static bool run_tutorial(struct session *s, const void *values, struct result *result,
                         struct err *err)
{
    const struct tutorial_values *v = values;
    char step[24];

    snprintf(step, sizeof step, "%zu", v->step);
    return session_view(s, "tutorial", step, result, err);
}

const struct command command_tutorial = {
    .name = "tutorial",
    .help = "show a tutorial of the workbench",
    .description = "Each step names a key or command; using it leads to the next step. F8 skips a "
                   "step, Esc ends the tutorial.",
    .arguments = PARAMETERS(
        {PARAMETER(COUNT, "STEP", struct tutorial_values, step), .least = 1, .most = 99,
         .initial = "1", .help = "first step, counted from 1"}),
    .examples = EXAMPLES("tutorial", "tutorial 7"),
    .values_size = sizeof(struct tutorial_values),
    .run = run_tutorial,
};

struct demo_values {
    double seconds;
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

const struct command command_demo = {
    .name = "demo",
    .help =
        "show the workbench in two minutes: a loop, and the ports of a simulated CPU and of this "
        "CPU",
    .description = "Any key ends the demonstration. The demonstration uses a separate session; "
                   "your session is restored unchanged. Rejected while jobs run.",
    .options = PARAMETERS({PARAMETER(DURATION, "--seconds", struct demo_values, seconds),
                           .value = "T", .least = 1, .most = 3600, .initial = "120",
                           .help = "duration, such as 60 or 2m"}),
    .examples = EXAMPLES("demo", "demo --seconds 60"),
    .values_size = sizeof(struct demo_values),
    .run = run_demo,
};

/* seconds within which a second quit needs no confirmation */
#define ASKED_SECONDS 10

static double asked = -1e9;   /* clock_seconds() of the last request for confirmation; UI thread */

static bool run_quit(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct job_info info;

    if (s->interactive && clock_seconds() - asked > ASKED_SECONDS) {
        const bool asks = job_working(&info) || s->document.profile;
        asked = asks ? clock_seconds() : asked;
        if (job_working(&info))
            return err_set(err, ERR_USAGE, "enter quit again to cancel the job and leave",
                           "%s is running", info.title);
        if (s->document.profile)
            return err_set(err, ERR_USAGE, "enter quit again to leave",
                           "the profile of %s is not saved",
                           path_base(s->document.profile->program));
    }
    s->quit = true;
    return true;
}

const struct command command_quit = {
    .name = "quit",
    .meant = "exit leave",
    .help = "leave",
    .description = "Running jobs are cancelled; their measurements are kept. The workbench asks "
                   "for confirmation if a job runs or a profile would be lost.",
    .examples = EXAMPLES("quit"),
    .flags = COMMAND_SILENT,
    .run = run_quit,
};
