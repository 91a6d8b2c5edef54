/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results into files: `export` for whatever was shown last, `kernel report` for the analysis as a document. */
#include <stdlib.h>
#include <string.h>

#include "report/report_markup.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "base/csv.h"

static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? dot + 1 : "";
}

/* The report of the loaded kernel on @ids into @out, in the language of the file's extension. */
static bool write_report(struct session *s, const char *const *ids, size_t count, bool html, struct str *out, struct err *err)
{
    struct analysis **analyses = mem_zero(count, sizeof *analyses);
    size_t made = 0;
    bool ok = s->document.kernel || err_set(err, ERR_USAGE, "kernel load FILE, or kernel paste", "no kernel is loaded");

    for (; ok && made < count; made += ok) {
        struct machine *m = session_machine(s, ids[made], err);
        ok = m && session_fits(s, m, err);
        if (ok)
            analyses[made] = analysis_new(s->document.kernel, m);
    }
    if (ok && html)
        report_html(s->document.kernel, analyses, count, out);
    else if (ok)
        report_markdown(s->document.kernel, analyses, count, out);
    for (size_t i = 0; i < made; i++)
        analysis_free(analyses[i]);
    free(analyses);
    return ok;
}

static bool say_written(struct session *s, const char *path, size_t bytes)
{
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:i}", "file", path, "bytes", (int)bytes));
    else if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%s: %zu bytes\n", path, bytes);
    return true;
}

bool cmd_kernel_report(struct session *s, int argc, char **argv, struct err *err)
{
    struct option_list machines = {0};
    const struct legacy_option options[] = {{"--machine", OPTION_LIST, &machines}, {NULL, OPTION_FLAG, NULL}};
    const char *path = NULL;
    struct str text = {0};
    size_t words;

    if (!options_parse(argc, argv, options, &path, 1, &words, err))
        return false;
    bool html = path && strcmp(extension_of(path), "html") == 0;
    if (!html && !(path && strcmp(extension_of(path), "md") == 0))
        return err_set(err, ERR_USAGE, "kernel report FILE.html, or FILE.md", "a file name that ends in .html or .md was expected");
    const char *const *ids = machines.count ? machines.items : (const char *const *)s->document.selected;
    bool ok = write_report(s, ids, machines.count ? machines.count : s->document.selected_count, html, &text, err) &&
              file_write(path, text.data, text.length, err) && say_written(s, path, text.length);
    str_done(&text);
    return ok;
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
    static const char *const shows[] = {"kernel analyze", "kernel show", "kernel list",  "mapping show", "mapping list", "mapping diff", "throughput", "forms list",
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
        return err_set(err, ERR_USAGE, "experiments save FILE.csv writes experiments", "nothing to export from \"%.60s\"", s->last_line);
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

/* The machines that "kernel analyze --machine ID..." named, else those selected. */
static bool analysis_report(struct session *s, bool html, struct str *out, struct err *err)
{
    char *line = mem_strdup(s->last_line), *ids[64], *save;
    size_t count = 0;
    bool named = false;

    for (char *word = strtok_r(line, " \t", &save); word && count < 64; word = strtok_r(NULL, " \t", &save)) {
        if (named)
            ids[count++] = word;
        named = strcmp(word, "--machine") == 0;
    }
    bool ok = write_report(s, count ? (const char *const *)ids : (const char *const *)s->document.selected, count ? count : s->document.selected_count, html, out, err);
    free(line);
    return ok;
}

static bool as_document(struct session *s, bool html, struct str *out, struct err *err)
{
    struct str result = {0};
    struct err ignored = {0};
    bool ok = true;

    if (strcmp(last_command(s->last_line), "kernel analyze") == 0)
        return analysis_report(s, html, out, err);
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
     .help = "file to write; the extension is the format: .txt, .csv, .json, .md or .html"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct { const char *extension; enum format format; } formats[] = {
        {"txt", FORMAT_TEXT}, {"csv", FORMAT_CSV}, {"json", FORMAT_JSON}, {"md", FORMAT_MARKDOWN}, {"html", FORMAT_HTML}};
    const struct export_values *v = values;
    const char *extension = extension_of(v->file);
    size_t i = 0, count = sizeof formats / sizeof *formats;
    struct str text = {0};

    if (!s->last_line)
        return err_set(err, ERR_USAGE, "run kernel analyze, mapping show or another command first", "no result to export");
    while (i < count && strcmp(formats[i].extension, extension) != 0)
        i++;
    if (i == count)
        return err_set(err, ERR_USAGE, "end the name in .txt, .csv, .json, .md or .html", "unknown file extension \"%s\"", extension);
    bool ok = true;
    if (s->last_output.length)
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
    return ok;
}

static const char *const examples[] = {"export analysis.html", "export forms.csv", NULL};

const struct command command_export = {
    .name = "export",
    .help = "write the last result to a file",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct export_values),
    .run = run,
};
