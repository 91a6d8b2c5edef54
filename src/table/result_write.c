/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes results as text, CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "base/watch.h"
#include "table/result_parts.h"

/* Returns the number of terminal columns of @text. Counts one column per character, which is
 * correct for the text of results. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Returns the background colour for @share, 0 to 1, of a terminal with 256 colours. */
static unsigned heat_terminal(double share)
{
    static const unsigned grounds[] = {236, 237, 58, 94, 130, 166, 202, 196};
    unsigned level = share > 0 ? (unsigned)(fmin(1, share) * 7.999) : 0;

    return grounds[level];
}

static void add_padded(const char *text, size_t width, bool right, double heat, struct str *out)
{
    size_t blanks = width_of(text) < width ? width - width_of(text) : 0;

    if (heat > 0)
        str_addf(out, "\033[48;5;%um", heat_terminal(heat));
    if (right)
        str_addf(out, "%*s", (int)blanks, "");
    str_add(out, text);
    if (!right)
        str_addf(out, "%*s", (int)blanks, "");
    if (heat > 0)
        str_add(out, "\033[0m");
}

/* Returns the text of the cell, followed by the unit if the table has no headings. */
static const char *shown(const struct result_table *t, const struct result_cell *c,
                         const struct result_column *column, struct str *buffer)
{
    str_clear(buffer);
    if (c->kind == CELL_TEXT) {
        struct str line = {0};
        text_one_line(c->text, &line);
        text_plain(str_text(&line), buffer);
        str_done(&line);
    } else {
        cell_show(c, column, buffer);
        if (t->headless && column->unit && c->kind != CELL_MISSING)
            str_addf(buffer, " %s", column->unit);
    }
    return str_text(buffer);
}

static const char *title_of(const struct result_column *column, struct str *buffer)
{
    str_clear(buffer);
    str_add(buffer, column->title ? column->title : column->key);
    if (column->unit)
        str_addf(buffer, " [%s]", column->unit);
    return str_text(buffer);
}

/* Writes row @row; SIZE_MAX: the headings. Headings and totals are bold on colour terminals. */
static void write_row(const struct result_table *t, const size_t *widths, size_t row, bool color,
                      struct str *out)
{
    const struct result_cell *cells = row == SIZE_MAX ? NULL : &t->cells[row * t->column_count];
    bool first = true, bold = color && (!cells || (t->totals && row + 1 == table_rows(t)));
    struct str buffer = {0};

    str_add(out, bold ? "\033[1m" : "");
    if (t->indent)
        str_add(out, t->indent);
    for (size_t c = 0; c < t->column_count; c++) {
        const struct result_column *column = &t->columns[c];
        if (column->hide & NOT_TEXT || column->kind == CELL_NESTED)
            continue;
        const char *text = cells ? shown(t, &cells[c], column, &buffer) : title_of(column, &buffer);
        if (column->width == RAGGED && !*text)
            continue;
        str_add(out, first ? "" : "  ");
        first = false;
        add_padded(text, widths[c], column->kind == CELL_COUNT || column->kind == CELL_NUMBER,
                   cells && color ? cells[c].heat : 0, out);
        if (bold && cells && cells[c].heat > 0)
            str_add(out, "\033[1m");
    }
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    str_add(out, bold ? "\033[0m\n" : "\n");
    str_done(&buffer);
}

static void write_notes(const struct result_table *t, size_t row, size_t *next, bool color,
                        struct str *out)
{
    for (; *next < t->note_count && t->notes[*next].row == row; ++*next) {
        str_add(out, color ? "\033[2m" : "");
        text_plain(t->notes[*next].text, out);
        str_add(out, color ? "\033[0m\n" : "\n");
    }
}

static void table_text(const struct result_table *t, bool color, struct str *out)
{
    size_t *widths = mem_zero(t->column_count, sizeof *widths), rows = table_rows(t), note = 0;
    struct str buffer = {0};

    for (size_t c = 0; c < t->column_count; c++) {
        if (t->columns[c].width == RAGGED)
            continue;
        widths[c] = (size_t)t->columns[c].width;
        size_t width = t->headless ? 0 : width_of(title_of(&t->columns[c], &buffer));
        widths[c] = width > widths[c] ? width : widths[c];
        for (size_t i = 0; i < rows && !watch_steps(1); i++) {
            width = width_of(shown(t, &t->cells[i * t->column_count + c], &t->columns[c], &buffer));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    if (!t->headless && rows)
        write_row(t, widths, SIZE_MAX, color, out);
    for (size_t i = 0; i < rows && !watch_steps(t->column_count); i++) {
        write_notes(t, i, &note, color, out);
        write_row(t, widths, i, color, out);
    }
    str_done(&buffer);
    free(widths);
}

void result_write_text(const struct result *r, const struct result_style *style, struct str *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct result_part *part = &r->parts[i];
        if (part->kind == PART_LINE || part->kind == PART_BLOCK) {
            if (style->color)
                str_add(out, str_text(&part->text));
            else
                text_plain(str_text(&part->text), out);
        } else if (part->kind == PART_TABLE && !(part->table->hide & NOT_TEXT)) {
            table_text(part->table, style->color, out);
        }
    }
}

static bool in_csv(const struct result_column *column)
{
    return !(column->hide & NOT_CSV) && column->kind != CELL_NESTED;
}

static void add_csv(const char *text, bool *first, struct str *out)
{
    if (!*first)
        str_add_char(out, ',');
    *first = false;
    csv_add_field(out, text, true);
    out->data[--out->length] = '\0';   /* Removes the line feed, because the row continues. */
}

static void table_csv(const struct result_table *t, struct str *out)
{
    struct str buffer = {0};
    bool first = true;

    for (size_t c = 0; c < t->column_count; c++)
        if (in_csv(&t->columns[c]))
            add_csv(t->columns[c].key, &first, out);
    str_add_char(out, '\n');
    for (size_t i = 0, rows = table_rows(t); i < rows; i++) {
        first = true;
        for (size_t c = 0; c < t->column_count; c++) {
            if (!in_csv(&t->columns[c]))
                continue;
            str_clear(&buffer);
            cell_print(&t->cells[i * t->column_count + c], &buffer);
            add_csv(str_text(&buffer), &first, out);
        }
        str_add_char(out, '\n');
    }
    str_done(&buffer);
}

static void fields_csv(const struct result *r, struct str *out)
{
    struct str buffer = {0}, values = {0};
    bool first = true, first_value = true;

    for (size_t i = 0; i < r->count; i++) {
        const struct result_part *part = &r->parts[i];
        if (part->kind != PART_FIELD || part->cell.kind == CELL_NESTED)
            continue;
        str_clear(&buffer);
        cell_print(&part->cell, &buffer);
        add_csv(part->key, &first, out);
        add_csv(str_text(&buffer), &first_value, &values);
    }
    if (!first)
        str_addf(out, "\n%s\n", str_text(&values));
    str_done(&buffer);
    str_done(&values);
}

void result_write_csv(const struct result *r, struct str *out)
{
    bool any = false;

    if (r->confirmation)
        return;
    if (!result_has_table(r, NOT_CSV)) {
        fields_csv(r, out);
        return;
    }
    for (size_t i = 0; i < r->count; i++) {
        if (r->parts[i].kind != PART_TABLE || r->parts[i].table->hide & NOT_CSV)
            continue;
        str_add(out, any ? "\n" : "");
        any = true;
        table_csv(r->parts[i].table, out);
    }
}

static json_t *cell_json(const struct result_cell *c)
{
    switch (c->kind) {
    case CELL_TEXT:
        return json_text(c->text);
    case CELL_COUNT:
        return json_integer(c->count);
    case CELL_NUMBER:
        return json_real(c->number);
    case CELL_SWITCH:
        return json_boolean(c->on);
    case CELL_NESTED:
        return json_incref(c->nested);
    case CELL_MISSING:
        break;
    }
    return json_null();
}

static json_t *row_json(const struct result_table *t, size_t row)
{
    json_t *object = json_object();

    for (size_t c = 0; c < t->column_count; c++)
        if (!(t->columns[c].hide & NOT_JSON))
            json_object_set_new(object, t->columns[c].key,
                                cell_json(&t->cells[row * t->column_count + c]));
    return object;
}

/* Returns the index of the @n-th column (from 0) that JSON includes. */
static size_t json_column(const struct result_table *t, size_t n)
{
    for (size_t c = 0; c < t->column_count; c++)
        if (!(t->columns[c].hide & NOT_JSON) && n-- == 0)
            return c;
    BUG("a table has too few columns for its shape");
}

static json_t *table_json(const struct result_table *t)
{
    json_t *value = t->shape == TABLE_MAP ? json_object() : json_array();
    struct str key = {0};

    for (size_t i = 0, rows = table_rows(t); i < rows; i++) {
        const struct result_cell *cells = &t->cells[i * t->column_count];
        if (t->shape == TABLE_MAP) {
            str_clear(&key);
            cell_print(&cells[json_column(t, 0)], &key);
            json_object_set_new(value, str_text(&key), cell_json(&cells[json_column(t, 1)]));
        } else {
            json_array_append_new(value, t->shape == TABLE_VALUES
                                             ? cell_json(&cells[json_column(t, 0)])
                                             : row_json(t, i));
        }
    }
    str_done(&key);
    return value;
}

static void add_json(json_t *take_value, struct str *out)
{
    char *text = json_dumps(take_value, JSON_COMPACT | JSON_REAL_PRECISION(17));

    if (text)
        str_addf(out, "%s\n", text);
    else if (!shortage_lose(out->length))
        die("out of memory");
    free(text);
    json_decref(take_value);
}

/* Appends @take_item to the array @key of @items. place_items replaces arrays of one item. */
static void add_item(json_t *items, const char *key, json_t *take_item)
{
    if (!json_object_get(items, key))
        json_object_set_new(items, key, json_array());
    json_array_append_new(json_object_get(items, key), take_item);
}

/* Adds each array of @items to @object. If an array has one item, adds that item's members
 * instead, unless @object already has members of these names. */
static void place_items(json_t *items, json_t *object)
{
    const char *key;
    json_t *array;

    json_object_foreach(items, key, array)
        if (json_array_size(array) == 1)
            json_object_update_missing(object, json_array_get(array, 0));
        else
            json_object_set(object, key, array);
}

void result_write_json(const struct result *r, struct str *out)
{
    json_t *object = json_object(), *items = json_object();

    json_object_set_new(object, "schema", json_integer(RESULT_SCHEMA));
    if (r->command)
        json_object_set_new(object, "command", json_text(r->command));
    for (size_t i = 0; i < r->count; i++) {
        const struct result_part *part = &r->parts[i];
        const struct result_table *t = part->table;
        if (part->kind == PART_ITEM)
            add_item(items, part->key, cell_json(&part->cell));
        else if (part->kind == PART_TABLE && t->shape == TABLE_SPREAD && table_rows(t) &&
                 !(t->hide & NOT_JSON))
            for (size_t row = 0, rows = table_rows(t); row < rows; row++)
                add_item(items, t->key, row_json(t, row));
        else if (part->kind == PART_TABLE && !(t->hide & NOT_JSON))
            json_object_set_new(object, t->key, table_json(t));
        else if (part->kind == PART_FIELD)
            json_object_set_new(object, part->key, cell_json(&part->cell));
    }
    place_items(items, object);
    json_decref(items);
    add_json(object, out);
}

void heat_html(double share, struct str *out)
{
    double heat = fmin(1, share);
    int green = (int)lround(heat < 0.5 ? 250 - 50 * heat : 225 - 185 * (2 * heat - 1)),
        blue = (int)lround(heat < 0.5 ? 225 - 290 * heat : 80 - 50 * (2 * heat - 1));

    str_addf(out, " style=\"background:#%02x%02x%02x%s\"",
             heat < 0.5 ? 255 : (int)lround(255 - 60 * (2 * heat - 1)), green, blue,
             heat > 0.75 ? ";color:#fff" : "");
}
