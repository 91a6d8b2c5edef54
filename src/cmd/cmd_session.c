/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session save, session load, source, quit */
#include "base/file.h"
#include "cmd/command.h"
#include "cmd/session_file.h"

#define SCRIPT_LIMIT ((size_t)64 << 20)
#define SCRIPTS_NESTED 16

struct path_values {
    const char *path;
};

static const struct parameter directory[] = {
    {.name = "DIRECTORY", .kind = PARAMETER_TEXT, .at = offsetof(struct path_values, path), .required = true, .complete = COMPLETE_FILE,
     .help = "session directory; only session files in it are replaced"},
    {0},
};

static bool run_save(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct path_values *v = values;

    if (!session_save(s, v->path, err))
        return false;
    result_confirm(result, "session saved to %s", v->path);
    result_text(result, "session", v->path);
    return true;
}

static const char *const save_examples[] = {"session save work", NULL};

const struct command command_session_save = {
    .name = "session save",
    .help = "save kernel, machines, changes, experiments and settings to a directory",
    .description = "Replaces an older session there completely, or not at all.",
    .arguments = directory,
    .examples = save_examples,
    .values_size = sizeof(struct path_values),
    .run = run_save,
};

static bool run_load(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct path_values *v = values;

    if (!session_load(s, v->path, err))
        return false;
    result_text(result, "session", v->path);
    result_set_confirmation(result);
    return true;
}

static const char *const load_examples[] = {"session load work", NULL};

const struct command command_session_load = {
    .name = "session load",
    .help = "resume a saved session",
    .description = "Replaces the current session. Refused while jobs run.",
    .arguments = directory,
    .examples = load_examples,
    .values_size = sizeof(struct path_values),
    .flags = COMMAND_CHANGES,
    .run = run_load,
};

static const struct parameter script[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct path_values, path), .required = true, .complete = COMPLETE_FILE, .help = "script with one or more commands per line"},
    {0},
};

static bool run_source(struct session *s, const void *values, struct result *result, struct err *err)
{
    static int depth;
    const struct path_values *v = values;
    struct str text = {0};

    (void)result;
    if (depth == SCRIPTS_NESTED)
        return err_set(err, ERR_LIMIT, "check whether a script sources itself", "scripts nested deeper than %d", SCRIPTS_NESTED);
    depth++;
    bool ok = file_read(v->path, SCRIPT_LIMIT, &text, err) && command_script(s, v->path, str_text(&text), s->out, err);
    depth--;
    str_done(&text);
    return ok;
}

static const char *const source_examples[] = {"source evolve.pf", NULL};

const struct command command_source = {
    .name = "source",
    .help = "run commands from a file",
    .arguments = script,
    .examples = source_examples,
    .values_size = sizeof(struct path_values),
    .flags = COMMAND_CHANGES | COMMAND_SILENT,
    .run = run_source,
};

static bool run_quit(struct session *s, const void *values, struct result *result, struct err *err)
{
    (void)values;
    (void)result;
    (void)err;
    s->quit = true;
    return true;
}

static const char *const quit_examples[] = {"quit", NULL};

const struct command command_quit = {
    .name = "quit",
    .help = "leave",
    .description = "Running jobs are cancelled; their measurements are kept.",
    .examples = quit_examples,
    .flags = COMMAND_SILENT,
    .run = run_quit,
};
