/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8_text.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"

static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? dot + 1 : "";
}

struct export_values {
    const char *file;
};

/* Finds the format of @extension. Returns false with err for an unknown extension, or a picture. */
static bool format_of(const char *extension, enum format *out, struct err *err)
{
#define FORMAT_ROW(value, name, extension) {value, extension},
    static const struct {
        enum format format;
        const char *extension;
    } formats[] = {FORMATS(FORMAT_ROW)};
    const size_t count = sizeof formats / sizeof *formats;
    struct str todo = {0};

    if (strcmp(extension, "svg") == 0 || strcmp(extension, "png") == 0) {
        err_set(err, ERR_USAGE, "plot accuracy FILE.svg draws a plot; help plot lists all plots",
                "export writes tables, not pictures");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(formats[i].extension, extension) == 0) {
            *out = formats[i].format;
            str_done(&todo);
            return true;
        }
        str_addf(&todo, "%s.%s",
                 i == 0          ? "use the extension "
                 : i + 1 < count ? ", "
                                 : " or ",
                 formats[i].extension);
    }
    err_set(err, ERR_USAGE, str_text(&todo), "unknown file extension \"%s\"", extension);
    str_done(&todo);
    return false;
}

struct exporting {
    const char *file;
    char *title;
    /* result to write (counted reference); NULL: the worker collects rows */
    struct result *what;
    struct rows_shown rows;    /* source of the rows; its state is NULL if there is a result */
    enum format format;
};

static void exporting_free(void *state)
{
    struct exporting *e = state;
    if (e->rows.state)
        e->rows.free(e->rows.state);
    result_free(e->what);
    free(e->title);
    free(e);
}

static bool export_work(void *state, struct result *result, struct err *err)
{
    struct exporting *e = state;
    struct str text = {0}, document = {0};

    if (!e->what) {
        e->what = result_new();
        if (!e->rows.collect(e->rows.state, e->what, err))
            return false;
    }
    result_write(e->what, e->format, &(struct result_style){.title = e->title}, &text);
    result_free(e->what);   /* Frees the result in the worker, because freeing a million rows takes
                             * long. */
    e->what = NULL;
    if (format_is_document(e->format)) {
        utf8_printable(str_text(&text), text.length, &document);
        str_done(&text);
        text = document;
    }
    bool ok = watch_goes_on(err) && command_write(e->file, &text, result, err);
    str_done(&text);
    return ok;
}

/* Reports that the last command failed, so there is no result to export. Returns false. */
static bool refuse_failed(const struct session *s, struct err *err)
{
    struct str todo = {0};

    str_add(&todo, "correct the command and run it again");
    if (s->interactive && s->last_line)
        str_addf(&todo, ", or select the view 'output' and export its text (%s)", s->last_line);
    err_set(err, ERR_USAGE, str_text(&todo), "no result to export: %s failed", s->failed_line);
    str_done(&todo);
    return false;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"writes", export_work, NULL, exporting_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct export_values *v = values;
    enum format format;

    if (!format_of(extension_of(v->file), &format, err))
        return false;
    struct rows_shown rows = {0};
    bool shown = s->views && s->views->rows && s->views->rows(s, &rows);
    if (!shown && s->failed_line)
        return refuse_failed(s, err);
    if (!shown && !s->last_line)
        return err_set(err, ERR_USAGE, "run kernel analyze, mapping show or another command first",
                       "no result to export");
    struct exporting *e = mem_alloc(sizeof *e);
    *e = (struct exporting){v->file, mem_strdup(shown ? "Portolan" : s->last_line),
                            shown ? NULL : result_hold(s->last), rows, format};
    return task_give(task, &ops, e);
}

const struct command command_export = {
    .name = "export",
    .help = "write the last result to a file",
    .description = "In the experiments and mapping views export writes the rows as filtered and "
                   "sorted, or only the tagged rows. In other views it writes the result of the "
                   "last command that had a result. After a failed command export fails until "
                   "another command has a result or a view is selected. No command is run again.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct export_values, file), .required = true,
         .complete = COMPLETE_FILE,
         .help = "file to write; the extension selects the format:" FORMATS(FORMAT_EXTENSION)}),
    .examples = EXAMPLES("export analysis.html", "export forms.csv"),
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct export_values),
    .prepare = prepare,
};
