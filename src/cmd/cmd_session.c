/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/saved_state.h"
#include "cmd/session_file.h"
#include "cmd/task.h"

struct path_values {
    const char *path;
};

struct moving {
    char *directory;
    struct session *saved;    /* snapshot to save, or session that the worker read */
    struct session *into;     /* session that waits for the load; NULL: none */
};

static void moving_free(void *state)
{
    struct moving *m = state;
    session_forget(m->saved);
    if (m->into)
        m->into->replacing = 0;
    free(m->directory);
    free(m);
}

static bool save_work(void *state, struct result *result, struct err *err)
{
    struct moving *m = state;

    if (!session_save(m->saved, m->directory, err))
        return false;
    result_confirm(result, "session saved to %s", m->directory);
    result_text(result, "session", m->directory);
    return true;
}

static bool prepare_save(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"saves", save_work, NULL, .free = moving_free};
    const struct path_values *v = values;
    struct moving *m = mem_zero(1, sizeof *m);

    m->directory = mem_strdup(v->path);
    m->saved = session_snapshot(s);
    return task_give(task, &ops, m);
}

const struct command command_session_save = {
    .name = "session save",
    .meant = "keep store",
    .help = "save kernel, machines, changes, experiments and settings to a directory",
    .description = "An older session in the directory is replaced completely, or not at all.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "DIRECTORY", struct path_values, path), .required = true,
         .complete = COMPLETE_FILE,
         .help = "session directory; only session files in the directory are replaced"}),
    .examples = EXAMPLES("session save work", "session save ~/loops/triad"),
    .values_size = sizeof(struct path_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_save,
};

static bool load_work(void *state, struct result *result, struct err *err)
{
    struct moving *m = state;

    m->saved = session_read(m->directory, err);
    if (!m->saved)
        return false;
    result_text(result, "session", m->directory);
    result_note(result, "%s loaded", m->directory);
    return true;
}

static bool load_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct moving *m = state;
    return session_take(s, m->saved, err);
}

static void load_goes_on(struct session *s, unsigned number)
{
    s->replacing = number;
    s->replacing_how = "is loading another session";
}

static bool prepare_load(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"loads", load_work, load_publish, moving_free,
                                        .goes_on = load_goes_on};
    const struct path_values *v = values;

    if (!session_idle(err))
        return false;
    char *directory = saved_state_find(v->path, err);
    if (!directory)
        return false;
    struct moving *m = mem_zero(1, sizeof *m);
    m->directory = directory;
    m->into = s;
    return task_give(task, &ops, m);
}

const struct command command_session_load = {
    .name = "session load",
    .help = "resume a saved session",
    .description = "Replaces the current session. Rejected while jobs run.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "DIRECTORY", struct path_values, path), .required = true,
         .complete = COMPLETE_FILE,
         .help = "session directory, a name from session list, or last: the newest session of a "
                 "closed workbench"}),
    .examples = EXAMPLES("session load work", "session load last"),
    .values_size = sizeof(struct path_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_load,
};
