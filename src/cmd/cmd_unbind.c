/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"
#include "cmd/keymap.h"

struct unbind_values {
    const char *text;
};

static const struct parameter arguments[] = {
    {.name = "[VIEW] KEY", .kind = PARAMETER_TEXT, .at = offsetof(struct unbind_values, text), .required = true, .verbatim = true, .help = "key that is to do nothing in one view or in all"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const char *text = ((const struct unbind_values *)values)->text;

    if (!keymap_unbind(s->keys, text, err))
        return false;
    result_confirm(result, "unbound: %s", text);
    return true;
}

static const char *const examples[] = {"unbind kernel b", "unbind F10", NULL};

const struct command command_unbind = {
    .name = "unbind",
    .help = "take back what a key does, in one view or in all",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct unbind_values),
    .flags = COMMAND_RAW,
    .run = run,
};
