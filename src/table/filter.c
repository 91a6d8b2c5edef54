/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int column_by_name(const char *name, size_t length, const struct table_column *columns, int count)
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

static bool parse_term(const char *at, const char *end, const struct table_column *columns, int count, struct filter_term *out, struct err *err)
{
    const char *op = at;

    at = trim(at, &end);
    while (op < end && !strchr("<>=!~", *op))
        op++;
    if (at == end)
        return err_set(err, ERR_USAGE, "cycles>2 & form~VADD", "empty condition");
    if (op == end) {   /* plain words */
        *out = (struct filter_term){-1, '~', NAN, mem_strndup(at, (size_t)(end - at))};
        return true;
    }
    const char *name_end = op, *value = op + 1;
    const char *name = trim(at, &name_end);
    *out = (struct filter_term){column_by_name(name, (size_t)(name_end - name), columns, count), *op, NAN, NULL};
    if (out->column < 0) {
        struct str names = {0};
        for (int i = 0; i < count; i++)
            str_addf(&names, "%s%s", i ? ", " : "", columns[i].name);
        err_set(err, ERR_USAGE, str_text(&names), "unknown column \"%.*s\"", (int)(name_end - name), name);
        str_done(&names);
        return false;
    }
    if (value < end && *value == '=') {
        out->op = *op == '<' ? 'l' : *op == '>' ? 'g' : *op;
        value++;
    }
    value = trim(value, &end);
    out->text = mem_strndup(value, (size_t)(end - value));
    char *rest;
    out->number = strtod(out->text, &rest);
    if (rest == out->text || *rest)
        out->number = NAN;
    if (strchr("<>lg", out->op) && isnan(out->number)) {
        err_set(err, ERR_USAGE, "cycles>2", "invalid number \"%s\"", out->text);
        free(out->text);
        return false;
    }
    return true;
}

bool filter_parse(const char *text, const struct table_column *columns, int count, struct filter *out, struct err *err)
{
    *out = (struct filter){0};
    if (!text[strspn(text, " \t")])
        return true;
    for (const char *at = text;; at++) {
        size_t span = strcspn(at, "&");
        struct filter_term term;
        if (!parse_term(at, at + span, columns, count, &term, err)) {
            filter_done(out);
            return false;
        }
        out->terms = mem_resize(out->terms, (out->count + 1) * sizeof *out->terms);
        out->terms[out->count++] = term;
        at += span;
        if (!*at)
            return true;
    }
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
        matches = term->op == '~' ? holds(term, str_text(&text)) : str_equal_nocase(term->text, str_text(&text));
        str_done(&text);
    }
    return term->op == '!' ? !matches : matches;
}

bool filter_matches(const struct filter *f, const struct filter_row *row)
{
    for (size_t i = 0; i < f->count; i++) {
        bool any = false;
        if (f->terms[i].column >= 0)
            any = cell_matches(&f->terms[i], row, f->terms[i].column);
        for (int c = 0; f->terms[i].column < 0 && c < row->columns && !any; c++)
            any = cell_matches(&f->terms[i], row, c);
        if (!any)
            return false;
    }
    return true;
}
