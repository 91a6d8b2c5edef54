/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"
#include "cmd/undo.h"

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    (void)values;
    return undo_run(s, false, result, err);
}

static const char *const examples[] = {"undo", NULL};

const struct command command_undo = {
    .name = "undo",
    .help = "take back the last change or arrival of a mapping, or edit of a kernel",
    .description =
        "Changes by mapping set and kernel learn, machines that mapping load, new and import or "
        "evolve adopt brought and selected, and kernels that were edited or read again. A changed "
        "machine says \", edited\" behind its title. Loading a session forgets them.",
    .examples = examples,
    .flags = COMMAND_CHANGES,
    .run = run,
};
