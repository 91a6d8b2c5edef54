/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/loading.h"

/* Returns whether the kernel's file can be read again. */
static bool has_file(const struct kernel *k)
{
    return k->recipe && strcmp(k->recipe->path, "/dev/stdin") != 0;
}

static bool prepare_reload(struct session *s, const void *values, struct task *task,
                           struct err *err)
{
    const struct kernel *k = s->document.kernel;

    if (!session_has_kernel(s, err))
        return false;
    if (!has_file(k))
        return err_set(err, ERR_USAGE, "kernel save FILE writes the loop to a file",
                       "%s was not loaded from a file", k->name);
    if (!session_may_open(s, k->recipe, err))
        return false;
    struct recipe *r = recipe_copy(k->recipe);
    return loading_start(s, r, task);
}

const struct command command_kernel_reload = {
    .name = "kernel reload",
    .help = "read or compile the kernel's file again, with the same options",
    .examples = EXAMPLES("kernel reload"),
    .flags = COMMAND_CHANGES,
    .prepare = prepare_reload,
};

struct edit_values {
    size_t line;
};

/* Writes the kernel's text to a file in a new directory. Returns false with err on failure. */
static bool put_text(const struct kernel *k, struct edit_request *edit, struct err *err)
{
    struct str path = {0};

    edit->directory = child_directory_new(err);
    if (!edit->directory)
        return false;
    str_addf(&path, "%s/kernel.s", edit->directory);
    bool ok = file_write(str_text(&path), k->source, strlen(k->source), err);
    edit->path = str_take(&path);
    if (!ok)
        edit_request_done(edit);
    return ok;
}

static bool run_edit(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct edit_values *v = values;
    const struct kernel *k = s->document.kernel;

    if (!session_has_kernel(s, err))
        return false;
    if (!s->interactive)
        return err_set(err, ERR_USAGE,
                       "open the workbench; in a script use kernel reload after an edit",
                       "kernel edit needs the workbench");
    if (!k->source)
        return err_set(err, ERR_USAGE, "kernel save FILE.s writes the loop as text",
                       "%s is machine code, not text", k->name);
    if (has_file(k) && !session_may_open(s, k->recipe, err))
        return false;
    edit_request_done(&s->edit);
    s->edit.line = v->line == NOT_GIVEN ? 0 : v->line;
    if (!has_file(k))
        return put_text(k, &s->edit, err);
    s->edit.path = mem_strdup(k->recipe->path);
    return true;
}

const struct command command_kernel_edit = {
    .name = "kernel edit",
    .help = "open the kernel's file or text in $VISUAL or $EDITOR",
    .description = "Saved text is analysed at once, even while the editor is still open in its own "
                   "window. Text with errors can be edited again.",
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--line", struct edit_values, line), .value = "N", .least = 1,
         .most = 1e9, .fallback = "the first line", .help = "line where the editor starts"}),
    .examples = EXAMPLES("kernel edit", "kernel edit --line 12"),
    .values_size = sizeof(struct edit_values),
    .run = run_edit,
};
