/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/parameter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

#define EACH(p, table) for (const struct parameter *p = (table); p && p->name; p++)

bool parameter_is_option(const struct parameter *p)
{
    return p->name[0] == '-';
}

/* Appends "att or intel" for "att|intel". */
static void print_choices(const char *choices, struct str *out)
{
    for (const char *at = choices; *at;) {
        size_t span = strcspn(at, "|");
        str_addf(out, "%s%.*s", at == choices ? "" : at[span] ? ", " : " or ", (int)span, at);
        at += span + (at[span] == '|');
    }
}

static bool refuse_value(const struct parameter *p, const char *text, const char *todo,
                         struct err *err)
{
    return err_set(err, ERR_USAGE, todo, "%s cannot be \"%.80s\"", p->name, text);
}

static bool in_range(const struct parameter *p, double value, const char *text, struct err *err)
{
    char todo[160];

    if (p->most == 0 ? value >= 0 : value >= p->least && value <= p->most)
        return true;
    if (p->most == 0)
        snprintf(todo, sizeof todo, "give a number of at least 0");
    else if (isinf(p->most))
        snprintf(todo, sizeof todo, "give a number of at least %g", p->least);
    else
        snprintf(todo, sizeof todo, "give a number from %g to %g%s%s", p->least, p->most,
                 p->unset ? ", or " : "", p->unset ? p->unset : "");
    return refuse_value(p, text, todo, err);
}

static bool read_choice(const struct parameter *p, const char *text, const char **out,
                        struct err *err)
{
    struct str todo = {0};

    *out = text;
    for (const char *at = p->choices; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strlen(text) == strcspn(at, "|") && strncmp(at, text, strlen(text)) == 0)
            return true;
    str_add(&todo, "use ");
    print_choices(p->choices, &todo);
    refuse_value(p, text, str_text(&todo), err);
    str_done(&todo);
    return false;
}

static void add_word(struct word_list *list, const char *text)
{
    list->items = mem_resize(list->items, (list->count + 1) * sizeof *list->items);
    list->items[list->count++] = text;
}

/* Appends @text to *@to, after a blank if *@to is not empty. The result is valid until
 * given_free. */
static bool join(char **to, const char *text, struct err *err)
{
    size_t before = *to ? strlen(*to) : 0, length = strlen(text);
    char *joined = mem_try_resize(*to, before + length + 2);

    if (!joined)
        return err_memory_for(err, "the command line", before + length + 2);
    *to = joined;
    if (before)
        (*to)[before++] = ' ';
    memcpy(*to + before, text, length + 1);
    return true;
}

bool parameter_count(const char *text, size_t *out)
{
    char *end;
    double value = strtod(text, &end);
    double unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : 1;

    end += unit > 1;
    if (end == text || *end || !(value >= 0) || value * unit > 1e12 ||
        value * unit != floor(value * unit))
        return false;
    *out = (size_t)(value * unit);
    return true;
}

bool parameter_lines(const char *text, struct line_range *out)
{
    char *end;

    *out = (struct line_range){0};
    if (*text < '0' || *text > '9')
        return false;
    out->first = out->last = strtoul(text, &end, 10);
    if (end[0] == '-' && end[1] >= '0' && end[1] <= '9')
        out->last = strtoul(end + 1, &end, 10);
    return !*end && out->first > 0 && out->last >= out->first;
}

/* Parses a number of ports ("7": ports 0 to 6) or a list of names. Returns false with err if
 * invalid. */
static bool read_ports(const struct parameter *p, const char *text, struct port_list *out,
                       struct err *err)
{
    char todo[80];
    size_t count;

    *out = (struct port_list){0};
    if (*text && text[strspn(text, "0123456789")] == '\0') {
        snprintf(todo, sizeof todo, "give a number of ports from %g to %g, or names: 0,1,DV",
                 p->least, p->most);
        if (!parameter_count(text, &count) || (double)count < p->least || (double)count > p->most)
            return refuse_value(p, text, todo, err);
        ports_number(&out->ports, (unsigned)count);
        return true;
    }
    out->named = true;
    if (!ports_parse(text, &out->ports, err))
        return false;
    snprintf(todo, sizeof todo, "give at most %g ports", p->most);
    return (double)out->ports.count <= p->most || refuse_value(p, text, todo, err);
}

/* Parses a value of any kind. @before: the previous argument for PARAMETER_VALUE, else NULL. */
static bool read_value(const struct parameter *p, const char *text, const char *before,
                       void *values, struct err *err);

/* Parses @text as a numeric value of the option --@before. Returns false with err if invalid.
 * Stores the value in *@out. */
static bool read_as_option(const struct parameter *p, const char *text, const char *before,
                           double *out, struct err *err)
{
    struct { size_t count; double number; } value;

    EACH(option, p->of) {
        bool count = option->kind == PARAMETER_COUNT;
        struct parameter like = *option;
        if (strcmp(option->name + 2, before) != 0)
            continue;
        like.name = before;
        like.at = count ? 0 : (size_t)((char *)&value.number - (char *)&value);
        if (!read_value(&like, text, NULL, &value, err))
            return false;
        *out = count ? (double)value.count : value.number;
        return true;
    }
    BUG("%s is not a numeric option", before);
}

static bool read_value(const struct parameter *p, const char *text, const char *before,
                       void *values, struct err *err)
{
    void *to = (char *)values + p->at;
    double number;
    char *end, or_unset[80];

    if (p->unset && strcmp(text, p->unset) == 0)
        return true;
    switch (p->kind) {
    case PARAMETER_FLAG:
        *(bool *)to = true;
        return true;
    case PARAMETER_TEXT:
        *(const char **)to = text;
        return true;
    case PARAMETER_COUNT:
        return parameter_count(text, to)
                   ? in_range(p, (double)*(size_t *)to, text, err)
                   : refuse_value(p, text, "give a whole number, such as 200, 5k or 2M", err);
    case PARAMETER_NUMBER:
        number = strtod(text, &end);
        *(double *)to = number;
        snprintf(or_unset, sizeof or_unset, "give a number, or %s", p->unset ? p->unset : "");
        if (end == text || *end || !isfinite(number))
            return refuse_value(p, text, p->unset ? or_unset : "give a number", err);
        return in_range(p, number, text, err);
    case PARAMETER_DURATION:
        return duration_parse(text, to, err) && in_range(p, *(double *)to, text, err);
    case PARAMETER_CHOICE:
        return read_choice(p, text, to, err);
    case PARAMETER_PORTS:
        return read_ports(p, text, to, err);
    case PARAMETER_LINES:
        return parameter_lines(text, to) || refuse_value(p, text, "give lines as 10-25", err);
    case PARAMETER_VALUE:
        return read_as_option(p, text, before, to, err);
    case PARAMETER_WORDS:
        add_word(to, text);
        return true;
    case PARAMETER_JOINED:
        return join(to, text, err);
    }
    BUG("the parameter has an unknown kind");
}

/* Sets the default, or the value for "not given", before parsing. */
static void set_initial(const struct parameter *p, void *values)
{
    void *to = (char *)values + p->at;
    struct err err = {0};

    if (p->initial && !read_value(p, p->initial, NULL, values, &err))
        BUG("the default of %s: %s", p->name, err.what);
    if (p->initial)
        return;
    if (p->kind == PARAMETER_COUNT)
        *(size_t *)to = NOT_GIVEN;
    else if (p->kind == PARAMETER_NUMBER || p->kind == PARAMETER_DURATION ||
             p->kind == PARAMETER_VALUE)
        *(double *)to = NAN;
}

void given_free(struct given *g)
{
    if (!g)
        return;
    const struct parameter *const tables[] = {g->arguments, g->options};

    for (size_t i = 0; i < 2; i++)
        EACH(p, tables[i]) {
            void *to = (char *)g->values + p->at;
            if (p->kind == PARAMETER_WORDS)
                free(((struct word_list *)to)->items);
            else if (p->kind == PARAMETER_JOINED)
                free(*(char **)to);
        }
    free(g->values);
    mem_free_texts(g->words, g->count);
    free(g);
}

static bool refuse_option(const char *command, const char *word, int length,
                          const struct parameter *options, struct err *err)
{
    struct str names = {0};

    EACH(p, options)
        str_addf(&names, "%s%s", !names.length ? "options: " : p[1].name ? ", " : " and ", p->name);
    err_set(err, ERR_USAGE, names.length ? str_text(&names) : "the command has no options",
            "%s has no option \"%.*s\"", command, length, word);
    str_done(&names);
    return false;
}

/* Parses the option at words[*i]. Advances *@i to the option's value if that is a separate word. */
static bool read_option(const char *command, const struct parameter *options, char **words,
                        size_t count, size_t *i, void *values, struct err *err)
{
    const char *word = words[*i], *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : strlen(word);
    const struct parameter *found = NULL;

    EACH(p, options)
        if (strlen(p->name) == length && strncmp(p->name, word, length) == 0)
            found = p;
    if (!found)
        return refuse_option(command, word, (int)length, options, err);
    if (found->kind == PARAMETER_FLAG && value)
        return err_set(err, ERR_USAGE, "omit the value",
                       "%s has no value, so \"%s\" is not allowed", found->name, value + 1);
    if (found->kind != PARAMETER_FLAG && !value && *i + 1 >= count)
        return err_set(err, ERR_USAGE, "write the value after the option", "%s needs a value",
                       found->name);
    return read_value(found,
                      found->kind == PARAMETER_FLAG ? ""
                      : value                       ? value + 1
                                                    : words[++*i],
                      NULL, values, err);
}

static bool is_list(const struct parameter *p)
{
    return p->kind == PARAMETER_WORDS || p->kind == PARAMETER_JOINED;
}

static bool refuse_word(const char *command, const struct parameter *arguments, const char *word,
                        struct err *err)
{
    char todo[128];

    if (!arguments || !arguments->name)
        return err_set(err, ERR_USAGE, "omit the argument",
                       "%s has no arguments, so \"%s\" is not allowed", command, word);
    snprintf(todo, sizeof todo, "help %s lists the arguments", command);
    return err_set(err, ERR_USAGE, todo, "unexpected argument \"%s\" for %s", word, command);
}

static bool read_all(const char *command, const struct parameter *arguments,
                     const struct parameter *options, char **words, size_t count, void *values,
                     struct err *err)
{
    const struct parameter *next = arguments && arguments->name ? arguments : NULL;
    const char *before = NULL;
    char todo[128];
    size_t given = 0;
    bool over = false;   /* whether "--" was read */

    EACH(p, arguments)
        set_initial(p, values);
    EACH(p, options)
        set_initial(p, values);
    for (size_t i = 0; i < count; i++) {
        if (!over && strncmp(words[i], "--", 2) == 0 && !(next && next->verbatim)) {
            over = !words[i][2];
            if (over)
                continue;
            if (!read_option(command, options, words, count, &i, values, err))
                return false;
            continue;
        }
        if (!next)
            return refuse_word(command, arguments, words[i], err);
        if (!read_value(next, words[i], before, values, err))
            return false;
        before = words[i];
        given++;
        if (!is_list(next))
            next = next[1].name ? next + 1 : NULL;
    }
    EACH(p, arguments)
        if (p->required && given <= (size_t)(p - arguments)) {
            snprintf(todo, sizeof todo, "help %s shows an example", command);
            return err_set(err, ERR_USAGE, todo, "%s needs %s", command, p->name);
        }
    return true;
}

struct given *given_new(const char *command, const struct parameter *arguments,
                        const struct parameter *options, size_t size, char **words, size_t count,
                        struct err *err)
{
    struct given *g = mem_zero(1, sizeof *g);

    *g = (struct given){arguments, options, mem_zero(count + 1, sizeof *g->words), 0,
                        mem_zero(1, size + 1)};
    for (; g->count < count; g->count++) {
        const size_t length = strlen(words[g->count]);
        if (!(g->words[g->count] = mem_try_strndup(words[g->count], length))) {
            err_memory_for(err, "the command line", length);
            break;
        }
    }
    if (g->count == count && read_all(command, arguments, options, g->words, count, g->values, err))
        return g;
    given_free(g);
    return NULL;
}

void parameter_print(const struct parameter *p, struct str *out)
{
    str_add(out, p->name);
    if (parameter_is_option(p) && p->kind != PARAMETER_FLAG)
        str_addf(out, " %s", p->choices ? p->choices : p->value);
}

void parameters_usage(const struct parameter *arguments, const struct parameter *options,
                      struct str *out)
{
    size_t before = out->length;

    EACH(p, arguments)
        str_addf(out, p->required ? "%s%s%s" : "%s[%s]%s", out->length > before ? " " : "",
                 p->choices ? p->choices : p->name,
                 is_list(p) && p->kind == PARAMETER_WORDS ? "..." : "");
    EACH(p, options) {
        str_add(out, out->length > before ? " [" : "[");
        parameter_print(p, out);
        str_add(out, p->kind == PARAMETER_WORDS ? "]..." : "]");
    }
}

void parameter_explain(const struct parameter *p, struct str *out)
{
    str_add(out, p->help);
    if (p->unit)
        str_addf(out, ", in %s", p->unit);
    if (p->most > 0 && isfinite(p->most))
        str_addf(out, ", %.15g to %.15g", p->least, p->most);
    else if (p->most > 0)
        str_addf(out, ", at least %.15g", p->least);
    if (p->choices) {
        str_add(out, ": ");
        print_choices(p->choices, out);
    }
    if (p->initial || p->fallback)
        str_addf(out, " (default: %s)", p->initial ? p->initial : p->fallback);
    if (p->kind == PARAMETER_WORDS && parameter_is_option(p))
        str_add(out, "; can be repeated");
}
