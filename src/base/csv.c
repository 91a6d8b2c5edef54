/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv.h"

#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/watch.h"

#define FILE_LIMIT ((size_t)256 << 20)
#define FIELDS_MAX ((size_t)16 << 20)

struct table_builder {
    struct csv_table *table;
    VEC(char *) fields;
    size_t row_capacity;
    size_t field_count;
    size_t line;           /* first line of the row being read */
    bool in_row;
    struct err *err;
    const char *name;
    size_t length;
    bool failed;
};

static void no_memory(struct table_builder *r)
{
    r->failed = true;
    err_memory(r->err, r->name, r->length);
}

static bool fault(struct table_builder *r, size_t column, const char *todo, const char *what)
{
    r->failed = true;
    err_set(r->err, ERR_DATA, todo, "%s", what);
    return err_at(r->err, r->name, r->line, column);
}

static void on_field(void *text, size_t length, void *state)
{
    struct table_builder *r = state;

    watch_steps(1 + length / 100);
    if (r->failed)
        return;
    if (memchr(text ? text : "", 0, length)) {
        fault(r, r->fields.count + 1, "remove the NUL byte", "a NUL byte in the text");
        return;
    }
    if (++r->field_count > FIELDS_MAX) {
        fault(r, r->fields.count + 1, "split the file", "the file has more than 16 million fields");
        return;
    }
    char *copy = mem_try_strndup(text ? text : "", length);
    bool ok = copy != NULL;
    vec_try_push(&r->fields, copy, ok);
    if (!ok) {
        free(copy);
        no_memory(r);
    }
}

static void on_row(int end, void *state)
{
    struct table_builder *r = state;
    struct csv_table *t = r->table;

    r->in_row = false;
    if (r->failed)
        return;
    if (!t->header) {
        t->columns = r->fields.count;
        t->header = r->fields.items;
    } else if (r->fields.count != t->columns) {
        char what[128];
        snprintf(what, sizeof what, "%zu field%s, but the header has %zu", r->fields.count,
                 plural(r->fields.count), t->columns);
        fault(r, r->fields.count < t->columns ? r->fields.count : t->columns + 1,
              "give every row exactly one field per column; an unknown value is an empty field",
              what);
        return;
    } else {
        if (t->count == r->row_capacity) {
            size_t capacity = r->row_capacity ? 2 * r->row_capacity : 256;
            char ***rows = mem_try_resize(t->rows, capacity * sizeof *t->rows);
            t->rows = rows ? rows : t->rows;
            size_t *lines = rows ? mem_try_resize(t->lines, capacity * sizeof *t->lines) : NULL;
            t->lines = lines ? lines : t->lines;
            if (!lines) {
                no_memory(r);
                return;
            }
            r->row_capacity = capacity;
        }
        t->rows[t->count] = r->fields.items;
        t->lines[t->count++] = r->line;
    }
    memset(&r->fields, 0, sizeof r->fields);
}

static size_t lines_in(const char *bytes, size_t length)
{
    size_t lines = 0;
    for (const char *at = bytes; (at = memchr(at, '\n', (size_t)(bytes + length - at))); at++)
        lines++;
    return lines;
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r\n", line[i]))
            return false;
    return true;
}

/* Parses line by line to determine the first line of each row. libcsv skips blank lines between
 * rows. */
static void feed(struct table_builder *r, struct csv_parser *parser, const char *bytes,
                 size_t length)
{
    size_t line = 1;

    for (size_t at = 0; at < length && !r->failed;) {
        if (watch_steps(1)) {
            r->failed = true;
            watch_goes_on(r->err);
            break;
        }
        const char *newline = memchr(bytes + at, '\n', length - at);
        watch_at("bytes", (double)at, (double)length);
        size_t span = newline ? (size_t)(newline - bytes) - at + 1 : length - at;
        if (!r->in_row && !is_blank(bytes + at, span)) {
            r->in_row = true;
            r->line = line;
        }
        bool whole = csv_parse(parser, bytes + at, span, on_field, on_row, r) == span;
        if (!whole && !r->failed && csv_error(parser) == CSV_ENOMEM)
            no_memory(r);
        else if (!whole && !r->failed)
            fault(r, r->fields.count + 1, "quote the field, and double the quotes in it",
                  csv_strerror(csv_error(parser)));
        at += span;
        line++;
    }
    if (!r->failed && csv_fini(parser, on_field, on_row, r) != 0)
        fault(r, r->fields.count + 1, "close the quotes", "unclosed quoted field");
}

struct csv_table *csv_table_parse(const char *name, const char *bytes, size_t length,
                                  struct err *err)
{
    struct csv_parser parser;
    struct table_builder r = {.table = mem_zero(1, sizeof(struct csv_table)),
                              .line = 1,
                              .err = err,
                              .name = name,
                              .length = length};
    size_t bad = 0;

    if (!utf8_valid(bytes, length, &bad)) {
        r.line = lines_in(bytes, bad) + 1;
        const char *start = bytes + bad;
        while (start > bytes && start[-1] != '\n')
            start--;
        fault(&r, (size_t)(bytes + bad - start) + 1, "save the file as UTF-8",
              "a byte is not valid UTF-8");
    } else if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        fault(&r, 0, NULL, "libcsv cannot be initialised");
    } else {
        size_t mark = utf8_mark(bytes, length);
        csv_set_realloc_func(&parser, mem_try_resize);
        feed(&r, &parser, bytes + mark, length - mark);
        csv_free(&parser);
        if (!r.failed && !r.table->header)
            fault(&r, 0, "begin with a header row", "the file is empty");
    }
    vec_free_texts(&r.fields);
    if (r.failed) {
        csv_table_free(r.table);
        return NULL;
    }
    return r.table;
}

struct csv_table *csv_table_read(const char *path, struct err *err)
{
    struct str bytes = {0};
    struct csv_table *t = NULL;

    if (file_read(path, FILE_LIMIT, &bytes, err))
        t = csv_table_parse(path, str_text(&bytes), bytes.length, err);
    str_done(&bytes);
    return t;
}

void csv_table_free(struct csv_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < t->columns; k++)
            free(t->rows[i][k]);
        free(t->rows[i]);
    }
    for (size_t k = 0; t->header && k < t->columns; k++)
        free(t->header[k]);
    free(t->header);
    free(t->rows);
    free(t->lines);
    free(t);
}

int csv_table_column(const struct csv_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->header[i], name) == 0)
            return (int)i;
    return -1;
}

void csv_add_field(struct str *out, const char *text, bool last)
{
    size_t length = strlen(text);
    bool edge = length && (strchr(" \t", text[0]) || strchr(" \t", text[length - 1]));
    /* Quotes an empty field that is alone in a row, because a blank line would be skipped. */
    bool nothing = !length && last && (out->length == 0 || out->data[out->length - 1] == '\n');

    if (text[strcspn(text, ",\"\r\n")] || edge || nothing || utf8_mark(text, length)) {
        str_add_char(out, '"');
        for (; *text; text++) {
            if (*text == '"')
                str_add_char(out, '"');
            str_add_char(out, *text);
        }
        str_add_char(out, '"');
    } else {
        str_add(out, text);
    }
    str_add_char(out, last ? '\n' : ',');
}
