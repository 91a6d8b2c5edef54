/* SPDX-License-Identifier: GPL-3.0-or-later */
/* undo, redo */
#include "cmd/command.h"
#include "cmd/undo.h"

static bool tell(const char *what, const char *key, struct result *result)
{
    if (!what)
        return false;
    result_confirm(result, "%s: %s", key, what);
    result_text(result, key, what);
    return true;
}

static bool run_undo(struct session *s, const void *values, struct result *result, struct err *err)
{
    (void)values;
    return tell(undo_step_back(s, false, err), "undone", result);
}

static bool run_redo(struct session *s, const void *values, struct result *result, struct err *err)
{
    (void)values;
    return tell(undo_step_back(s, true, err), "redone", result);
}

static const char *const undo_examples[] = {"undo", NULL};
static const char *const redo_examples[] = {"redo", NULL};

const struct command command_undo = {
    .name = "undo",
    .help = "take back the last change of a mapping, or edit of a kernel",
    .description = "Changes by mapping set and kernel learn, and kernels that were edited or read again. A changed machine says \", edited\" behind its title. Loading a session forgets them.",
    .examples = undo_examples,
    .flags = COMMAND_CHANGES,
    .run = run_undo,
};

const struct command command_redo = {
    .name = "redo",
    .help = "do again what undo took back",
    .examples = redo_examples,
    .flags = COMMAND_CHANGES,
    .run = run_redo,
};
