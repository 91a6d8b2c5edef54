/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes results as Markdown and HTML documents. */
#include <string.h>

#include "table/result_parts.h"

struct document_writer {
    bool html;
    struct str *out;
};

static void escape(const struct document_writer *w, const char *text)
{
    struct str clean = {0}, plain = {0};

    text_plain(text, &plain);
    text_escape(str_text(&plain), &clean);
    for (const char *at = str_text(&clean); *at; at++)
        if (w->html && strchr("<>&\"'", *at))
            str_addf(w->out, "&#%d;", *at);
        else if (!w->html && strchr("\\`*_{}[]<>#|~&", *at))
            str_addf(w->out, "\\%c", *at);
        else
            str_add_char(w->out, (unsigned char)*at < 32 ? ' ' : *at);
    str_done(&clean);
    str_done(&plain);
}

static void begin_row(const struct document_writer *w)
{
    str_add(w->out, w->html ? "<tr>" : "|");
}

static void add_cell(const struct document_writer *w, const char *text, const char *tag,
                     double heat)
{
    if (w->html) {
        str_addf(w->out, "<%s", tag);
        if (heat > 0)
            heat_html(heat, w->out);
        str_add_char(w->out, '>');
    } else {
        str_add_char(w->out, ' ');
    }
    escape(w, text);
    if (w->html)
        str_addf(w->out, "</%s>", tag);
    else
        str_add(w->out, " |");
}

static void end_row(const struct document_writer *w)
{
    str_add(w->out, w->html ? "</tr>\n" : "\n");
}

static void begin_table(const struct document_writer *w)
{
    str_add(w->out, w->html ? "<table>\n<thead>" : "");
    begin_row(w);
}

/* Ends the headings of @columns columns. */
static void end_head(const struct document_writer *w, size_t columns)
{
    end_row(w);
    str_add(w->out, w->html ? "</thead>\n<tbody>\n" : "|");
    for (size_t i = 0; !w->html && i < columns; i++)
        str_add(w->out, "---|");
    str_add(w->out, w->html ? "" : "\n");
}

static void end_table(const struct document_writer *w)
{
    str_add(w->out, w->html ? "</tbody>\n</table>\n" : "\n");
}

static bool in_document(const struct result_column *column)
{
    return !(column->hide & NOT_DOCUMENT) && column->kind != CELL_NESTED;
}

/* Writes the notes above row @row as rows of @columns columns; the first cell has the text. */
static void add_notes(const struct document_writer *w, const struct result_table *t, size_t row,
                      size_t columns, size_t *next)
{
    for (; *next < t->note_count && t->notes[*next].row == row; ++*next) {
        const char *text = t->notes[*next].text;
        begin_row(w);
        if (w->html)
            str_addf(w->out, "<td colspan=\"%zu\">", columns);
        else
            str_add_char(w->out, ' ');
        escape(w, text + strspn(text, " "));
        str_add(w->out, w->html ? "</td>" : " |");
        for (size_t c = 1; !w->html && c < columns; c++)
            str_add(w->out, " |");
        end_row(w);
    }
}

static void add_table(const struct document_writer *w, const struct result_table *t)
{
    struct str text = {0};
    size_t columns = 0, note = 0;

    begin_table(w);
    for (size_t c = 0; c < t->column_count; c++) {
        if (!in_document(&t->columns[c]))
            continue;
        str_clear(&text);
        str_add(&text, t->columns[c].title ? t->columns[c].title : t->columns[c].key);
        if (t->columns[c].unit)
            str_addf(&text, " [%s]", t->columns[c].unit);
        add_cell(w, str_text(&text), "th", 0);
        columns++;
    }
    end_head(w, columns);
    for (size_t i = 0, rows = table_rows(t); i < rows; i++) {
        const char *tag = t->totals && i + 1 == rows ? "th" : "td";
        add_notes(w, t, i, columns, &note);
        begin_row(w);
        for (size_t c = 0; c < t->column_count; c++) {
            if (!in_document(&t->columns[c]))
                continue;
            const struct result_cell *cell = &t->cells[i * t->column_count + c];
            str_clear(&text);
            if (cell->kind != CELL_MISSING)
                cell_show(cell, &t->columns[c], &text);
            add_cell(w, str_text(&text), tag, cell->heat);
        }
        end_row(w);
    }
    end_table(w);
    str_done(&text);
}

/* Writes fields as a table of names and values. */
static void add_fields(const struct document_writer *w, const struct result *r)
{
    struct str text = {0};
    bool any = false;

    for (size_t i = 0; i < r->count; i++) {
        const struct result_part *part = &r->parts[i];
        if (part->kind != PART_FIELD || part->cell.kind == CELL_NESTED)
            continue;
        if (!any) {
            begin_table(w);
            add_cell(w, "name", "th", 0);
            add_cell(w, "value", "th", 0);
            end_head(w, 2);
        }
        any = true;
        str_clear(&text);
        cell_show(&part->cell, &(struct result_column){.decimals = SHORTEST}, &text);
        begin_row(w);
        add_cell(w, part->key, "td", 0);
        add_cell(w, str_text(&text), "td", 0);
        end_row(w);
    }
    if (any)
        end_table(w);
    str_done(&text);
}

/* Writes preformatted text in a block with a fixed-width font. */
static void add_block(const struct document_writer *w, const char *text)
{
    struct str line = {0}, plain = {0};

    str_add(w->out, w->html ? "<pre>" : "");
    while (*text) {
        size_t span = strcspn(text, "\n");
        str_clear(&line);
        str_clear(&plain);
        str_add_bytes(&line, text, span);
        if (w->html) {
            escape(w, str_text(&line));
        } else {
            text_plain(str_text(&line), &plain);
            str_add(w->out, "    ");
            text_escape(str_text(&plain), w->out);
        }
        str_add_char(w->out, '\n');
        text += span + (text[span] == '\n');
    }
    str_add(w->out, w->html ? "</pre>\n" : "\n");
    str_done(&line);
    str_done(&plain);
}

/* Writes lines of text as a paragraph with a line break after each. */
static void add_line(const struct document_writer *w, const struct result_part *part, bool first,
                     bool last)
{
    struct str text = {0};

    str_add(&text, str_text(&part->text));
    while (text.length && text.data[text.length - 1] == '\n')
        text.data[--text.length] = '\0';
    str_add(w->out, w->html ? first ? "<p>" : "<br>\n" : first ? "" : "  \n");
    escape(w, str_text(&text));
    str_add(w->out, !last ? "" : w->html ? "</p>\n" : "\n\n");
    str_done(&text);
}

void result_write_document(const struct result *r, bool html, const struct result_style *style,
                           struct str *out)
{
    const struct document_writer writer = {html, out}, *w = &writer;
    bool tables = result_has_table(r, NOT_DOCUMENT), text = false;

    if (html && style->part)
        str_add(out, "<div class=\"plain\">\n");
    else if (html)
        str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
                     "charset=\"utf-8\">\n<title>Portolan</title>\n<style>\n"
                     "body { font: 15px/1.45 system-ui, sans-serif; max-width: 75em; margin: 2em "
                     "auto; padding: 0 1em }\n"
                     "table { border-collapse: collapse } th, td { text-align: left; padding: "
                     ".15em .6em; border-bottom: 1px solid #ddd }\n"
                     "</style>\n</head>\n<body>\n");
    if (style->title) {
        const unsigned level = style->part ? style->part : 1;
        if (html)
            str_addf(out, "<h%u>", level);
        else
            str_addf(out, "%.*s ", (int)level, "######");
        escape(w, style->title);
        if (html)
            str_addf(out, "</h%u>\n", level);
        else
            str_add(out, "\n\n");
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct result_part *part = &r->parts[i];
        if (part->kind == PART_LINE) {
            add_line(w, part, i == 0 || part[-1].kind != PART_LINE,
                     i + 1 == r->count || part[1].kind != PART_LINE);
            text = true;
        } else if (part->kind == PART_BLOCK && !tables) {
            add_block(w, str_text(&part->text));
            text = true;
        } else if (part->kind == PART_TABLE && !(part->table->hide & NOT_DOCUMENT)) {
            add_table(w, part->table);
        }
    }
    if (!tables && !text)
        add_fields(w, r);
    str_add(out, !html ? "" : style->part ? "</div>\n" : "</body>\n</html>\n");
}
