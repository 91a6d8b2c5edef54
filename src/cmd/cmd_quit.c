/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "base/path.h"
#include "cmd/command.h"
#include "profile/profile.h"
#include "work/job.h"

#define ASKED_SECONDS 10   /* a second quit within them is the answer */

static double asked = -1e9;   /* UI thread: clock_seconds of the last question */

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct job_info info;

    (void)values;
    (void)result;
    if (s->interactive && clock_seconds() - asked > ASKED_SECONDS) {
        const bool asks = job_working(&info) || s->document.profile;
        asked = asks ? clock_seconds() : asked;
        if (job_working(&info))
            return err_set(err, ERR_USAGE, "quit again cancels it and leaves", "%s is running", info.title);
        if (s->document.profile)
            return err_set(err, ERR_USAGE, "quit again leaves it", "the profile of %s is in no file", path_base(s->document.profile->program));
    }
    s->quit = true;
    return true;
}

static const char *const examples[] = {"quit", NULL};

const struct command command_quit = {
    .name = "quit",
    .help = "leave",
    .description = "Running jobs are cancelled; their measurements are kept. The workbench asks once when a job runs, or there is a profile, which no file holds.",
    .examples = examples,
    .flags = COMMAND_SILENT,
    .run = run,
};
