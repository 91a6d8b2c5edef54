/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result that was shown last into a file. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "base/csv.h"

static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? dot + 1 : "";
}

/* Full name of the command that @line runs. */
static const char *last_command(const char *line)
{
    char copy[256], *words[3], *save;
    int count = 0, used;
    struct err ignored = {0};

    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " \t", &save); word && count < 3; word = strtok_r(NULL, " \t", &save))
        words[count++] = word;
    const struct command *c = count ? command_lookup(count, words, &used, &ignored) : NULL;
    return c ? c->name : "";
}

/* Commands that only show: running them again in another format is the same result in that format. What works in the background of a screen does not
 * have it at once. */
static bool only_shows(const struct session *s, const char *line)
{
    static const char *const slow[] = {"forms scan", "machine info"};
    static const char *const shows[] = {"mapping show", "mapping list", "mapping diff", "throughput", "forms list",
                                        "machine list", "machine show", "experiments list", "evaluate", "congruence"};
    const char *name = last_command(line);
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (strcmp(name, slow[i]) == 0)
            return !s->interactive;
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++)
        if (strcmp(name, shows[i]) == 0)
            return true;
    return false;
}

/* The last result in @format, run again unless it was printed so. */
static bool last_result(struct session *s, enum format format, struct str *out, struct err *err)
{
    if (s->last_format == format && !s->settings.color) {
        str_add_bytes(out, str_text(&s->last_output), s->last_output.length);
        return true;
    }
    if (!only_shows(s, s->last_line))
        return err_set(err, ERR_USAGE, "set format, run it again, then export", "\"%.60s\" does more than show, so its result exists only as it was printed", s->last_line);
    enum format before = s->settings.format;
    bool color = s->settings.color, ok;
    char *line = mem_strdup(s->last_line), *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length), *out_before = s->out;
    if (!stream)
        die("out of memory");
    s->settings.format = format;
    s->settings.color = false;
    ok = command_run(s, line, stream, err);
    s->settings.format = before;
    s->settings.color = color;
    s->out = out_before;
    fclose(stream);
    if (ok)
        str_add_bytes(out, text, length);
    str_clear(&s->output);
    free(text);
    free(line);
    return ok;
}

static void escape(const char *text, bool html, struct str *out)
{
    for (; *text; text++)
        if (html && strchr("<>&\"'", *text))
            str_addf(out, "&#%d;", *text);
        else if (!html && strchr("\\`*_{}[]<>#|~&", *text))
            str_addf(out, "\\%c", *text);
        else
            str_add_char(out, (unsigned char)*text < 32 ? ' ' : *text);
}

/* A CSV result as a table of Markdown or HTML; false when it is no table. */
static bool as_table(const char *title, const struct str *csv, bool html, struct str *out)
{
    struct csv_table *t = csv->length ? csv_table_parse("result", csv->data, csv->length, NULL) : NULL;

    if (!t || t->columns < 2) {
        csv_table_free(t);
        return false;
    }
    str_add(out, html ? "<h1>" : "# ");
    escape(title, html, out);
    str_add(out, html ? "</h1>\n<table>\n<thead><tr>" : "\n\n|");
    for (size_t c = 0; c < t->columns; c++) {
        str_add(out, html ? "<th>" : " ");
        escape(t->header[c], html, out);
        str_add(out, html ? "</th>" : " |");
    }
    str_add(out, html ? "</tr></thead>\n<tbody>\n" : "\n|");
    for (size_t c = 0; !html && c < t->columns; c++)
        str_add(out, "---|");
    str_add(out, html ? "" : "\n");
    for (size_t i = 0; i < t->count; i++) {
        str_add(out, html ? "<tr>" : "|");
        for (size_t c = 0; c < t->columns; c++) {
            str_add(out, html ? "<td>" : " ");
            escape(t->rows[i][c], html, out);
            str_add(out, html ? "</td>" : " |");
        }
        str_add(out, html ? "</tr>\n" : "\n");
    }
    str_add(out, html ? "</tbody>\n</table>\n" : "");
    csv_table_free(t);
    return true;
}

/* Text as it stands, in a block of fixed width. */
static void as_block(const char *title, const struct str *text, bool html, struct str *out)
{
    str_add(out, html ? "<h1>" : "# ");
    escape(title, html, out);
    str_add(out, html ? "</h1>\n<pre>" : "\n\n");
    const char *line = str_text(text);
    while (*line) {
        size_t span = strcspn(line, "\n");
        char *copy = mem_strndup(line, span);
        if (html)
            escape(copy, true, out);
        else
            str_addf(out, "    %s", copy);
        str_add_char(out, '\n');
        free(copy);
        line += span + (line[span] == '\n');
    }
    str_add(out, html ? "</pre>\n" : "");
}

static bool as_document(struct session *s, bool html, struct str *out, struct err *err)
{
    struct str result = {0};
    struct err ignored = {0};
    bool ok = true;

    char *title = mem_strdup(s->last_line);

    if (html)
        str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Portolan</title>\n<style>\n"
                     "body { font: 15px/1.45 system-ui, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em }\n"
                     "table { border-collapse: collapse } th, td { text-align: left; padding: .15em .6em; border-bottom: 1px solid #ddd }\n"
                     "</style>\n</head>\n<body>\n");
    if (!(last_result(s, FORMAT_CSV, &result, &ignored) && as_table(title, &result, html, out))) {
        str_clear(&result);
        ok = last_result(s, FORMAT_TEXT, &result, err);
        if (ok)
            as_block(title, &result, html, out);
    }
    if (html)
        str_add(out, "</body>\n</html>\n");
    free(title);
    str_done(&result);
    return ok;
}

/* Results of cmd_legacy.c's commands are text: in another format they are run again. */
static bool write_legacy(struct session *s, enum format format, struct str *out, struct err *err)
{
    return format == FORMAT_MARKDOWN || format == FORMAT_HTML ? as_document(s, format == FORMAT_HTML, out, err) : last_result(s, format, out, err);
}

struct export_values {
    const char *file;
};

static const struct parameter arguments[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct export_values, file), .required = true, .complete = COMPLETE_FILE,
     .help = "where to write it; its ending is the format: .txt, .csv, .json, .md or .html"},
    {0},
};

/* The rows of the workbench's view as they are filtered and sorted; NULL when it shows none. */
static struct result *rows_shown(struct session *s)
{
    struct result *rows = result_new();
    struct err none = {0};

    if (s->view_command && s->view_command(s, "rows", "", rows, &none))
        return rows;
    result_free(rows);
    return NULL;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct { const char *extension; enum format format; } formats[] = {
        {"txt", FORMAT_TEXT}, {"csv", FORMAT_CSV}, {"json", FORMAT_JSON}, {"md", FORMAT_MARKDOWN}, {"html", FORMAT_HTML}};
    const struct export_values *v = values;
    const char *extension = extension_of(v->file);
    size_t i = 0, count = sizeof formats / sizeof *formats;
    struct str text = {0};

    struct result *rows = rows_shown(s);
    if (!rows && !s->last_line)
        return err_set(err, ERR_USAGE, "run kernel analyze, mapping show or another command first", "there is no result to export");
    while (i < count && strcmp(formats[i].extension, extension) != 0)
        i++;
    if (i == count) {
        result_free(rows);
        return err_set(err, ERR_USAGE, "end the name in .txt, .csv, .json, .md or .html", "unknown file extension \"%s\"", extension);
    }
    bool ok = true;
    if (rows)
        result_write(rows, formats[i].format, &(struct result_style){.title = "Portolan"}, &text);
    else if (s->last_output.length)
        ok = write_legacy(s, formats[i].format, &text, err);
    else
        result_write(s->last, formats[i].format, &(struct result_style){.title = s->last_line}, &text);
    ok = ok && file_write(v->file, text.data ? text.data : "", text.length, err);
    if (ok) {
        result_confirm(result, "%s: %zu bytes", v->file, text.length);
        result_text(result, "file", v->file);
        result_count(result, "bytes", (int64_t)text.length);
    }
    str_done(&text);
    result_free(rows);
    return ok;
}

static const char *const examples[] = {"export analysis.html", "export forms.csv", NULL};

const struct command command_export = {
    .name = "export",
    .help = "write what was shown last to a file",
    .description = "In the workbench the rows of the experiments or mapping view, filtered and sorted as shown; elsewhere the result of the last command that had one. Nothing is run again.",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct export_values),
    .run = run,
};
