/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "cmd/command.h"
#include "work/job.h"

#define ASKED_SECONDS 10   /* a second quit within them is the answer */

static double asked = -ASKED_SECONDS;   /* UI thread: clock_seconds of the last question */

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct job_info info;

    (void)values;
    (void)result;
    if (s->interactive && clock_seconds() - asked > ASKED_SECONDS && job_working(&info)) {
        asked = clock_seconds();
        return err_set(err, ERR_USAGE, "quit again cancels it and leaves", "%s is running", info.title);
    }
    s->quit = true;
    return true;
}

static const char *const examples[] = {"quit", NULL};

const struct command command_quit = {
    .name = "quit",
    .help = "leave",
    .description = "Running jobs are cancelled; their measurements are kept. The workbench asks once when there are some.",
    .examples = examples,
    .flags = COMMAND_SILENT,
    .run = run,
};
