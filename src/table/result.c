/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/free.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "table/result_parts.h"

bool format_is_document(enum format format)
{
    return format != FORMAT_CSV;
}

struct result *result_new(void)
{
    return mem_zero(1, sizeof(struct result));
}

void result_set_command(struct result *r, const char *command)
{
    r->command = command;
}

const char *result_command(const struct result *r)
{
    return r->command;
}

static void cell_done(struct result_cell *c)
{
    if (c->kind == CELL_TEXT)
        free(c->text);
    else if (c->kind == CELL_NESTED)
        json_decref(c->nested);
}

static void table_free(struct result_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++)
        cell_done(&t->cells[i]);
    for (size_t i = 0; i < t->column_count; i++) {
        free((char *)t->columns[i].key);
        free((char *)t->columns[i].title);
        free((char *)t->columns[i].unit);
    }
    for (size_t i = 0; i < t->note_count; i++)
        free(t->notes[i].text);
    free(t->notes);
    free(t->columns);
    free(t->cells);
    free(t->key);
    free(t);
}

struct result *result_hold(struct result *r)
{
    atomic_fetch_add(&r->holders, 1);
    return r;
}

static void release(void *result)
{
    struct result *r = result;

    for (size_t i = 0; i < r->count; i++) {
        free(r->parts[i].key);
        str_done(&r->parts[i].text);
        cell_done(&r->parts[i].cell);
        table_free(r->parts[i].table);
    }
    free(r->parts);
    str_done(&r->prepared);
    free(r->prepared_title);
    str_done(&r->note);
    free(r);
}

void result_free(struct result *r)
{
    size_t cells = 0;

    if (!r || atomic_fetch_sub(&r->holders, 1) > 0)
        return;
    for (size_t i = 0; i < r->count; i++)
        cells += r->parts[i].table ? r->parts[i].table->count : 1;
    if (cells >= DISCARD_LEAST)
        discard(release, r);
    else
        release(r);
}

/* Moves the prepared text of @from to @to if @to has no parts. */
static void take_prepared(struct result *to, struct result *from)
{
    if (to->count)
        return;
    str_done(&to->prepared);
    free(to->prepared_title);
    to->prepared = from->prepared;
    to->prepared_parts = from->prepared_parts;
    to->prepared_format = from->prepared_format;
    to->prepared_color = from->prepared_color;
    to->prepared_title = from->prepared_title;
    from->prepared = (struct str){0};
    from->prepared_title = NULL;
}

void result_append(struct result *to, struct result *take_from)
{
    take_prepared(to, take_from);
    to->command = to->command ? to->command : take_from->command;
    str_add(&to->note, to->note.length ? "" : str_text(&take_from->note));
    to->confirmation = to->confirmation ? take_from->confirmation || !take_from->count
                                        : take_from->confirmation && !to->count;
    if (take_from->count) {
        to->parts = mem_resize(to->parts, (to->count + take_from->count) * sizeof *to->parts);
        memcpy(to->parts + to->count, take_from->parts, take_from->count * sizeof *to->parts);
        to->capacity = to->count += take_from->count;
    }
    take_from->count = 0;
    result_free(take_from);
}

bool result_empty(const struct result *r)
{
    return r->count == 0;
}

bool result_has_data(const struct result *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->parts[i].kind != PART_LINE && r->parts[i].kind != PART_BLOCK)
            return true;
    return false;
}

bool result_is_confirmation(const struct result *r)
{
    return r->confirmation;
}

void result_set_confirmation(struct result *r)
{
    r->confirmation = true;
}

void result_note(struct result *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    str_clear(&r->note);
    str_addv(&r->note, format, args);
    va_end(args);
    r->confirmation = true;
}

const char *result_noted(const struct result *r)
{
    return str_text(&r->note);
}

static struct result_part *add_part(struct result *r, enum result_part_kind kind)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 8;
        r->parts = mem_resize(r->parts, r->capacity * sizeof *r->parts);
    }
    struct result_part *part = &r->parts[r->count++];
    *part = (struct result_part){.kind = kind};
    return part;
}

static void add_line(struct result *r, const char *format, va_list args)
{
    struct str *text = &add_part(r, PART_LINE)->text;

    str_addv(text, format, args);
    if (!text->length || text->data[text->length - 1] != '\n')
        str_add_char(text, '\n');
}

void result_line(struct result *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(r, format, args);
    va_end(args);
}

void result_confirm(struct result *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(r, format, args);
    va_end(args);
    r->confirmation = true;
}

void result_block(struct result *r, const char *text)
{
    if (*text)
        str_add(&add_part(r, PART_BLOCK)->text, text);
}

static struct result_cell make_number(double value)
{
    return isfinite(value) ? (struct result_cell){.kind = CELL_NUMBER, .number = value}
                           : (struct result_cell){.kind = CELL_MISSING};
}

static struct result_cell make_text(const char *value)
{
    return value ? (struct result_cell){.kind = CELL_TEXT, .text = mem_strdup(value)}
                 : (struct result_cell){.kind = CELL_MISSING};
}

static struct result_cell make_nested(json_t *take_value)
{
    return take_value ? (struct result_cell){.kind = CELL_NESTED, .nested = take_value}
                      : (struct result_cell){.kind = CELL_MISSING};
}

static void add_field(struct result *r, const char *key, struct result_cell cell)
{
    struct result_part *part = add_part(r, PART_FIELD);

    part->key = mem_strdup(key);
    part->cell = cell;
}

void result_text(struct result *r, const char *key, const char *value)
{
    add_field(r, key, make_text(value));
}

void result_count(struct result *r, const char *key, int64_t value)
{
    add_field(r, key, (struct result_cell){.kind = CELL_COUNT, .count = value});
}

void result_number(struct result *r, const char *key, double value)
{
    add_field(r, key, make_number(value));
}

void result_switch(struct result *r, const char *key, bool value)
{
    add_field(r, key, (struct result_cell){.kind = CELL_SWITCH, .on = value});
}

void result_missing(struct result *r, const char *key)
{
    add_field(r, key, (struct result_cell){.kind = CELL_MISSING});
}

void result_nested(struct result *r, const char *key, json_t *take_value)
{
    add_field(r, key, make_nested(take_value));
}

void result_item(struct result *r, const char *key, json_t *take_object)
{
    struct result_part *part = add_part(r, PART_ITEM);
    part->key = mem_strdup(key);
    part->cell = make_nested(take_object);
}

struct result_table *result_table(struct result *r, const char *key,
                                  const struct result_column *columns, size_t count)
{
    struct result_table *t = mem_zero(1, sizeof *t);

    t->key = mem_strdup(key);
    t->columns = mem_alloc(count * sizeof *columns);
    t->column_count = count;
    for (size_t i = 0; i < count; i++) {
        t->columns[i] = columns[i];
        t->columns[i].key = mem_strdup(columns[i].key);
        t->columns[i].title = mem_strdup(columns[i].title);
        t->columns[i].unit = mem_strdup(columns[i].unit);
    }
    add_part(r, PART_TABLE)->table = t;
    return t;
}

/* Moves @cell into the table. If memory runs out, the table ends after its last complete row and
 * the command fails. */
static void add_cell(struct result_table *t, struct result_cell cell)
{
    if (!t->cut && t->count == t->capacity) {
        t->cells = mem_grow(t->cells, &t->capacity, sizeof *t->cells);
        t->cut = t->count == t->capacity;
        while (t->cut && t->count % t->column_count)
            cell_done(&t->cells[--t->count]);
    }
    if (t->cut)
        cell_done(&cell);
    else
        t->cells[t->count++] = cell;
}

void cell_text(struct result_table *t, const char *value)
{
    add_cell(t, make_text(value));
}

void cell_count(struct result_table *t, int64_t value)
{
    add_cell(t, (struct result_cell){.kind = CELL_COUNT, .count = value});
}

void cell_count_if(struct result_table *t, bool known, int64_t value)
{
    add_cell(t, (struct result_cell){.kind = known ? CELL_COUNT : CELL_MISSING, .count = value});
}

void cell_number(struct result_table *t, double value)
{
    add_cell(t, make_number(value));
}

void cell_switch(struct result_table *t, bool value)
{
    add_cell(t, (struct result_cell){.kind = CELL_SWITCH, .on = value});
}

void cell_missing(struct result_table *t)
{
    add_cell(t, (struct result_cell){.kind = CELL_MISSING});
}

void cell_nested(struct result_table *t, json_t *take_value)
{
    add_cell(t, make_nested(take_value));
}

void cell_heat(struct result_table *t, double share)
{
    if (t->count)
        t->cells[t->count - 1].heat = (float)fmin(1, fmax(0, share));
}

void table_note(struct result_table *t, const char *format, ...)
{
    struct str text = {0};
    va_list args;

    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    t->notes = mem_resize(t->notes, (t->note_count + 1) * sizeof *t->notes);
    t->notes[t->note_count++] = (struct table_note){table_rows(t), str_take(&text)};
}

void table_hide_empty(struct result_table *t)
{
    const size_t rows = table_rows(t);

    for (size_t c = 0; rows && c < t->column_count; c++) {
        bool empty = true;
        for (size_t i = 0; empty && i < rows; i++) {
            const struct result_cell *cell = &t->cells[i * t->column_count + c];
            empty = cell->kind == CELL_MISSING || (cell->kind == CELL_TEXT && !*cell->text);
        }
        t->columns[c].hide |= empty ? NOT_TEXT | NOT_DOCUMENT : 0;
    }
}

size_t table_rows(const struct result_table *t)
{
    if (t->count % t->column_count)
        BUG("a row of a result is incomplete");
    return t->count / t->column_count;
}

const struct result_table *result_find_table(const struct result *r, const char *key)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->parts[i].kind == PART_TABLE && strcmp(r->parts[i].table->key, key) == 0)
            return r->parts[i].table;
    return NULL;
}

const char *result_find_text(const struct result *r, const char *key)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->parts[i].kind == PART_FIELD && r->parts[i].cell.kind == CELL_TEXT &&
            strcmp(r->parts[i].key, key) == 0)
            return r->parts[i].cell.text;
    return "";
}

/* Returns the cell in row @row and column @column; NULL if there is no such column. */
static const struct result_cell *cell_of(const struct result_table *t, size_t row,
                                         const char *column)
{
    for (size_t c = 0; c < t->column_count; c++)
        if (strcmp(t->columns[c].key, column) == 0)
            return &t->cells[row * t->column_count + c];
    return NULL;
}

double result_cell_number(const struct result_table *t, size_t row, const char *column)
{
    const struct result_cell *cell = cell_of(t, row, column);

    return cell && cell->kind == CELL_NUMBER  ? cell->number
           : cell && cell->kind == CELL_COUNT ? (double)cell->count
                                              : NAN;
}

const char *result_cell_text(const struct result_table *t, size_t row, const char *column)
{
    const struct result_cell *cell = cell_of(t, row, column);

    return cell && cell->kind == CELL_TEXT ? cell->text : "";
}

bool result_has_table(const struct result *r, unsigned hide)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->parts[i].kind == PART_TABLE && !(r->parts[i].table->hide & hide))
            return true;
    return false;
}

void text_escape(const char *text, struct str *out)
{
    for (size_t left = strlen(text); left;) {
        size_t length = utf8_next(text, left, NULL);
        if (length)
            str_add_bytes(out, text, length);
        else
            str_addf(out, "\\x%02x", (unsigned char)*text);
        length += !length;
        text += length;
        left -= length;
    }
}

void text_plain(const char *text, struct str *out)
{
    for (; *text; text++) {
        if (text[0] == '\033' && text[1] == '[') {
            text += 2 + strspn(text + 2, "0123456789;");
            if (!*text)
                return;
            continue;
        }
        str_add_char(out, *text);
    }
}

void text_one_line(const char *text, struct str *out)
{
    for (size_t span; *text; text += span + (text[span] == '\n')) {
        span = strcspn(text, "\n");
        str_add_bytes(out, text, span);
        str_add(out, text[span] ? "\\x0a" : "");
    }
}

json_t *json_text(const char *text)
{
    struct str escaped = {0};

    if (!text)
        return json_null();
    text_escape(text, &escaped);
    json_t *value = json_string(str_text(&escaped));
    str_done(&escaped);
    return value;
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void cell_print(const struct result_cell *c, struct str *out)
{
    char number[40];

    switch (c->kind) {
    case CELL_TEXT:
        text_escape(c->text, out);
        return;
    case CELL_COUNT:
        str_addf(out, "%lld", (long long)c->count);
        return;
    case CELL_NUMBER:
        /* Finds the fewest digits that parse to the same value. */
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(number, sizeof number, "%.*g", digits, c->number);
            if (strtod(number, NULL) == c->number)
                break;
        }
        str_add(out, number);
        return;
    case CELL_SWITCH:
        str_add(out, c->on ? "1" : "0");
        return;
    case CELL_MISSING:
    case CELL_NESTED:
        return;
    }
}

void cell_show(const struct result_cell *c, const struct result_column *column, struct str *out)
{
    switch (c->kind) {
    case CELL_TEXT:
        str_add(out, c->text);
        return;
    case CELL_NUMBER:
        if (column->decimals == SHORTEST)
            str_addf(out, "%g", c->number);
        else
            str_addf(out, "%.*f", column->decimals, c->number);
        return;
    case CELL_SWITCH:
        str_add(out, c->on ? "yes" : "no");
        return;
    case CELL_COUNT:
        cell_print(c, out);
        return;
    case CELL_MISSING:
    case CELL_NESTED:
        str_add_char(out, '-');
        return;
    }
}

/* Returns whether the prepared text has all parts, and is for this format and style. For documents,
 * the titles must also agree. */
static bool is_prepared(const struct result *r, enum format format,
                        const struct result_style *style)
{
    bool document = format == FORMAT_MARKDOWN || format == FORMAT_HTML;
    const char *title = style->title ? style->title : "",
               *then = r->prepared_title ? r->prepared_title : "";
    return r->prepared.length && !style->part && r->prepared_parts == r->count &&
           r->prepared_format == format && r->prepared_color == style->color &&
           (!document || strcmp(title, then) == 0);
}

void result_prepare(struct result *r, enum format format, const struct result_style *style)
{
    str_clear(&r->prepared);
    result_write(r, format, style, &r->prepared);
    free(r->prepared_title);
    r->prepared_title = mem_strdup(style->title);
    r->prepared_parts = r->count;
    r->prepared_format = format;
    r->prepared_color = style->color;
}

bool result_take_prepared(struct result *r, enum format format, const struct result_style *style,
                          struct str *out)
{
    if (out->data || !is_prepared(r, format, style))
        return false;
    *out = r->prepared;
    r->prepared = (struct str){0};
    return true;
}

void result_write(const struct result *r, enum format format, const struct result_style *style,
                  struct str *out)
{
    if (is_prepared(r, format, style)) {
        str_add_bytes(out, r->prepared.data, r->prepared.length);
        return;
    }
    switch (format) {
    case FORMAT_TEXT:
        result_write_text(r, style, out);
        return;
    case FORMAT_CSV:
        result_write_csv(r, out);
        return;
    case FORMAT_JSON:
        result_write_json(r, out);
        return;
    case FORMAT_MARKDOWN:
    case FORMAT_HTML:
        result_write_document(r, format == FORMAT_HTML, style, out);
        return;
    }
}
