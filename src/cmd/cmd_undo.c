/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"
#include "cmd/undo.h"

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return undo_run(s, false, result, err);
}

const struct command command_undo = {
    .name = "undo",
    .help = "undo the last change to a mapping or kernel",
    .description =
        "Undoes changes by mapping set and kernel learn, and edits and reloads of kernels. Also "
        "removes machines that mapping load, new and import or evolve adopt added. The title of a "
        "changed machine ends in \", edited\". Loading a session clears the list of changes.",
    .examples = EXAMPLES("undo"),
    .flags = COMMAND_CHANGES,
    .run = run,
};
