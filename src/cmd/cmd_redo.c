/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"
#include "cmd/undo.h"

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    return undo_run(s, true, result, err);
}

const struct command command_redo = {
    .name = "redo",
    .help = "redo the last undone change",
    .examples = EXAMPLES("redo"),
    .flags = COMMAND_CHANGES,
    .run = run,
};
