/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"
#include "cmd/command.h"

#define SCRIPT_LIMIT ((size_t)64 << 20)
#define SCRIPTS_NESTED 16

struct source_values {
    const char *path;
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static int depth;
    const struct source_values *v = values;
    struct str text = {0};

    if (depth == SCRIPTS_NESTED)
        return err_set(err, ERR_LIMIT, "check whether a script sources itself",
                       "scripts are nested deeper than %d levels", SCRIPTS_NESTED);
    depth++;
    bool ok = file_read(v->path, SCRIPT_LIMIT, &text, err) &&
              command_script(s, v->path, str_text(&text), s->out, err);
    depth--;
    str_done(&text);
    return ok;
}

const struct command command_source = {
    .name = "source",
    .help = "run commands from a file",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct source_values, path), .required = true,
         .complete = COMPLETE_FILE, .help = "script with one or more commands per line"}),
    .examples = EXAMPLES("source evolve.pf", "source measure.pf"),
    .values_size = sizeof(struct source_values),
    .flags = COMMAND_CHANGES | COMMAND_SILENT,
    .run = run,
};
