/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int column_by_name(const char *name, size_t length, const struct table_column *columns,
                          int count)
{
    for (int i = 0; i < count; i++)
        if (length && strncasecmp(columns[i].name, name, length) == 0)
            return i;
    return -1;
}

static const char *trim(const char *at, const char **end)
{
    while (at < *end && (*at == ' ' || *at == '\t'))
        at++;
    while (*end > at && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
        --*end;
    return at;
}

/* Returns the first character of @set outside of quotes, from @at; @end if there is none. */
static const char *find_plain(const char *at, const char *end, const char *set)
{
    for (char quote = 0; at < end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (strchr(set, *at))
            return at;
        else if ((*at == '"' || *at == '\'') &&
                 memchr(at + 1, *at,
                        (size_t)(end - at - 1))) /* Skips an unclosed quote, which has no special
                                                  * meaning. */
            quote = *at;
    }
    return end;
}

/* Returns a copy of the text from @at to @end without enclosing quotes. The caller frees it. */
static char *unquoted(const char *at, const char *end)
{
    const bool quoted = end - at >= 2 && (*at == '"' || *at == '\'') && end[-1] == *at &&
                        memchr(at + 1, *at, (size_t)(end - at - 1)) == end - 1;
    return mem_strndup(at + quoted, (size_t)(end - at) - 2 * quoted);
}

/* Parses a number such as 2.5, or 40% (which is 0.4). Returns NaN if @text is not a number. */
static double number_of(const char *text)
{
    char *rest;
    const double number = strtod(text, &rest);

    if (rest == text || isnan(number))
        return NAN;
    const bool percent = *rest == '%';
    return rest[percent] ? NAN : percent ? number / 100 : number;
}

static bool unknown_column(const char *name, const char *end, const struct table_column *columns,
                           int count, struct err *err)
{
    struct str names = {0};

    for (int i = 0; i < count; i++)
        str_addf(&names, "%s%s", i ? ", " : "columns: ", columns[i].name);
    err_set(err, ERR_USAGE, str_text(&names), "unknown column \"%.*s\"", (int)(end - name), name);
    str_done(&names);
    return false;
}

static bool parse_term(const char *at, const char *end, const struct table_column *columns,
                       int count, struct filter_term *out, struct err *err)
{
    at = trim(at, &end);
    const char *op = find_plain(at, end, "<>=!~");
    if (at == end)
        return err_set(err, ERR_USAGE, "give a condition, as in cycles>2 & form~VADD",
                       "empty condition");
    if (op == end) {   /* Without an operator, the words may be in any column. */
        *out =
            (struct filter_term){.column = -1, .op = '~', .number = NAN, .text = unquoted(at, end)};
        return true;
    }
    const char *name_end = op, *value = op + 1;
    const char *name = trim(at, &name_end);
    *out = (struct filter_term){.column =
                                    column_by_name(name, (size_t)(name_end - name), columns, count),
                                .op = *op,
                                .number = NAN};
    if (out->column < 0)
        return unknown_column(name, name_end, columns, count, err);
    if (value < end && *value == '=') {
        out->op = *op == '<' ? 'l' : *op == '>' ? 'g' : *op;
        value++;
    }
    value = trim(value, &end);
    out->text = unquoted(value, end);
    out->number = number_of(out->text);
    const bool order = strchr("<>lg", out->op);
    if (order && !columns[out->column].number)
        err_set(err, ERR_USAGE, "~ matches a part of the text, = the full text",
                "%s is text, so no row can match", columns[out->column].name);
    else if (order && isnan(out->number))
        err_set(err, ERR_USAGE, "give a number, as in cycles>2", "invalid number \"%s\"",
                out->text);
    else
        return true;
    free(out->text);
    return false;
}

/* Range of a column's values that the terms of a group allow. @above: whether @low is excluded.
 * @below: whether @high is excluded. */
struct bounds_of_column { double low, high; bool above, below; };

static void narrow(struct bounds_of_column *b, const struct filter_term *term)
{
    const bool lower = term->op == '>' || term->op == 'g' || term->op == '=',
               upper = term->op == '<' || term->op == 'l' || term->op == '=';

    if (lower && term->number >= b->low) {
        b->above = (b->above && term->number == b->low) || term->op == '>';
        b->low = term->number;
    }
    if (upper && term->number <= b->high) {
        b->below = (b->below && term->number == b->high) || term->op == '<';
        b->high = term->number;
    }
}

/* Returns a column for which the group that begins at term @first allows no value; -1: there is
 * none. */
static int contradiction(const struct filter *f, size_t first, const struct table_column *columns)
{
    for (size_t i = first; i < f->count && (i == first || !f->terms[i].first); i++) {
        struct bounds_of_column b = {-INFINITY, INFINITY, false, false};
        const int column = f->terms[i].column;
        if (column < 0 || !columns[column].number)
            continue;
        for (size_t k = first; k < f->count && (k == first || !f->terms[k].first); k++)
            if (f->terms[k].column == column && !isnan(f->terms[k].number))
                narrow(&b, &f->terms[k]);
        if (b.low > b.high || (b.low == b.high && (b.above || b.below)))
            return column;
    }
    return -1;
}

static bool can_match(const struct filter *f, const struct table_column *columns, struct err *err)
{
    for (size_t i = 0; i < f->count; i++) {
        const int column = f->terms[i].first ? contradiction(f, i, columns) : -1;
        if (column >= 0)
            return err_set(err, ERR_USAGE, "| matches if at least one of its conditions matches",
                           "no value of %s meets these conditions, so no row can match",
                           columns[column].name);
    }
    return true;
}

bool filter_parse(const char *text, const struct table_column *columns, int count,
                  struct filter *out, struct err *err)
{
    const char *at = text, *end = text + strlen(text);
    bool first = true;

    *out = (struct filter){0};
    if (!text[strspn(text, " \t")])
        return true;
    for (;;) {
        const char *to = find_plain(at, end, "&|");
        struct filter_term term;
        if (!parse_term(at, to, columns, count, &term, err))
            break;
        term.first = first;
        out->terms = mem_resize(out->terms, (out->count + 1) * sizeof *out->terms);
        out->terms[out->count++] = term;
        if (to == end) {
            if (can_match(out, columns, err))
                return true;
            break;
        }
        first = *to == '|';
        at = to + 1;
    }
    filter_done(out);
    return false;
}

void filter_done(struct filter *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->terms[i].text);
    free(f->terms);
    *f = (struct filter){0};
}

static bool holds(const struct filter_term *term, const char *text)
{
    if (strpbrk(term->text, "*?"))
        return str_match(term->text, text);
    return strcasestr(text, term->text) != NULL;
}

static bool cell_matches(const struct filter_term *term, const struct filter_row *row, int column)
{
    double number = row->number(row->row, column);
    struct str text = {0};
    bool matches;

    switch (term->op) {
    case '<': return number < term->number;
    case '>': return number > term->number;
    case 'l': return number <= term->number;
    case 'g': return number >= term->number;
    default: break;
    }
    if (term->op != '~' && !isnan(term->number) && !isnan(number)) {
        matches = number == term->number;
    } else {
        row->text(row->row, column, &text);
        matches = term->op == '~' ? holds(term, str_text(&text))
                                  : str_equal_nocase(term->text, str_text(&text));
        str_done(&text);
    }
    return term->op == '!' ? !matches : matches;
}

static bool term_matches(const struct filter_term *term, const struct filter_row *row)
{
    if (term->column >= 0)
        return cell_matches(term, row, term->column);
    for (int c = 0; c < row->columns; c++)
        if (cell_matches(term, row, c))
            return true;
    return false;
}

bool filter_matches(const struct filter *f, const struct filter_row *row)
{
    bool all = true;

    for (size_t i = 0; i < f->count; i++) {
        if (f->terms[i].first && i && all)
            return true;
        all = f->terms[i].first ? term_matches(&f->terms[i], row)
                                : all && term_matches(&f->terms[i], row);
    }
    return all;
}
