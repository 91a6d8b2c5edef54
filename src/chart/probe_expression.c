/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/probe_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/facts.h"

void *reader_own(struct table_reader *r, void *block)
{
    vec_push(&r->t->owned, block);
    return block;
}

void reader_fail(struct table_reader *r, const char *format, ...)
{
    char what[256];
    va_list args;
    size_t line = 1;
    const char *start = r->text;

    if (!r->ok)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (const char *at = r->text; at < r->at; at++)
        if (*at == '\n') {
            line++;
            start = at + 1;
        }
    err_set(r->err, ERR_DATA, NULL, "%s", what);
    err_at(r->err, r->path, line, (size_t)(r->at - start) + 1);
    r->ok = false;
}

size_t reader_continuation(const char *at)
{
    return at[0] == '\\' && at[1] == '\n' ? 2 : 0;
}

void reader_skip(struct table_reader *r)
{
    while (*r->at == ' ' || reader_continuation(r->at))
        r->at += *r->at == ' ' ? 1 : reader_continuation(r->at);
}

bool reader_at_end(struct table_reader *r)
{
    reader_skip(r);
    return !*r->at || *r->at == '\n';
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool reader_take(struct table_reader *r, const char *sign)
{
    const size_t length = strlen(sign);

    reader_skip(r);
    if (strncmp(r->at, sign, length) != 0 || (in_name(*sign) && in_name(r->at[length])) ||
        (strcmp(sign, "-") == 0 && r->at[1] == '>'))
        return false;
    r->at += length;
    return true;
}

void reader_expect(struct table_reader *r, const char *sign)
{
    if (r->ok && !reader_take(r, sign))
        reader_fail(r, "'%s' is missing", sign);
}

bool reader_name(struct table_reader *r, char name[NAME_MOST])
{
    size_t length = 0;

    reader_skip(r);
    while (in_name(r->at[length]))
        length++;
    if (!length || length >= NAME_MOST || isdigit((unsigned char)*r->at))
        return false;
    snprintf(name, NAME_MOST, "%.*s", (int)length, r->at);
    r->at += length;
    return true;
}

unsigned reader_group(const struct table_reader *r, const char *name)
{
    unsigned at;

    READER_FIND(r->t->groups, name, at);
    return r->in_items && at + 1 == r->t->groups.count ? at + 1 : at;
}

static struct probe_node *new_node(struct table_reader *r, enum probe_node_kind kind, unsigned at)
{
    struct probe_node *n = reader_own(r, mem_zero(1, sizeof *n));

    n->kind = kind;
    n->at = at;
    n->depth = 1;
    return n;
}

/* Makes the depth of @n greater than that of @below. Limits the depth, because values are computed
 * by recursion over the chain of operators and definitions. Does nothing after an error. */
static void nest(struct table_reader *r, struct probe_node *n, const struct probe_node *below)
{
    if (!r->ok)
        return;
    if (below->depth >= n->depth)
        n->depth = below->depth + 1;
    if (n->depth > CHAIN_MOST)
        reader_fail(r, "an expression nests more than %d operators and definitions", CHAIN_MOST);
}

static struct probe_node *number_node(struct table_reader *r, double number)
{
    struct probe_node *n = new_node(r, NODE_NUMBER, 0);

    n->number = number;
    return n;
}

#define NOT_LEVEL 2          /* precedence of the operator not */
#define LEVELS 6             /* number of precedences */

/* Reads an expression of operators of precedence @at or higher. */
static struct probe_node *level(struct table_reader *r, unsigned at);
static struct probe_node *deeper(struct table_reader *r, unsigned at);

unsigned reader_local(struct table_reader *r, const char *name)
{
    if (r->local_count == PROBE_LOCALS) {
        reader_fail(r, "more than %d variables", PROBE_LOCALS);
        return 0;
    }
    r->locals[r->local_count] = reader_own(r, mem_strdup(name));
    return r->local_count++;
}

/* Reads arguments up to @close. */
static void arguments(struct table_reader *r, struct probe_node *n, unsigned count,
                      const char *close)
{
    for (unsigned i = 0; r->ok && i < count; i++) {
        if (i)
            reader_expect(r, ",");
        n->args[i] = reader_expression(r);
        nest(r, n, n->args[i]);
    }
    reader_expect(r, close);
}

unsigned reader_range(struct table_reader *r, struct probe_node *n)
{
    char name[NAME_MOST], group[NAME_MOST];

    if (!reader_name(r, name)) {
        reader_fail(r, "the name of a variable is missing");
        return NO_GROUP;
    }
    reader_expect(r, "in");
    const char *before = r->at;
    const unsigned at = reader_name(r, group) ? reader_group(r, group) : r->t->groups.count;
    const bool grouped = at < r->t->groups.count;
    if (grouped) {
        n->args[0] = number_node(r, 0);
        n->args[1] = number_node(r, (double)r->t->groups.items[at].items.count - 1);
    } else {
        r->at = before;
        n->args[0] = reader_expression(r);
        nest(r, n, n->args[0]);
        reader_expect(r, "..");
        n->args[1] = reader_expression(r);
        nest(r, n, n->args[1]);
    }
    n->variable = reader_local(r, name);
    return grouped ? at : NO_GROUP;
}

static const struct { const char *name; unsigned args; } functions[] = {
    [FUNCTION_IF] = {"if", 3},     [FUNCTION_NONE] = {"none", 1},   [FUNCTION_ABS] = {"abs", 1},
    [FUNCTION_RINT] = {"rint", 1}, [FUNCTION_TRUNC] = {"trunc", 1}, [FUNCTION_CEIL] = {"ceil", 1},
    [FUNCTION_MIN] = {"min", 2},   [FUNCTION_MAX] = {"max", 2},
};
static const char *const overs[] = {
    [OVER_COUNT] = "count", [OVER_FIRST] = "first", [OVER_LAST] = "last",
    [OVER_LEAST] = "least", [OVER_MOST] = "most",   [OVER_MEDIAN] = "median",
};
static const struct { const char *name; enum probe_node_kind kind; } settings[] = {
    {"width", NODE_WIDTH}, {"fills", NODE_FILLS}, {"dense", NODE_DENSE}};
#define COUNT(list) (sizeof (list) / sizeof *(list))

bool reader_reserved(const char *name)
{
    static const char *const words[] = {"nan",   "machine", "alone", "words", "ports",
                                        "filler", "and",    "or",    "not",   "in"};
    bool found = false;

    for (size_t i = 0; i < COUNT(words); i++)
        found |= strcmp(words[i], name) == 0;
    for (size_t i = 0; i < COUNT(functions); i++)
        found |= strcmp(functions[i].name, name) == 0;
    for (size_t i = 0; i < COUNT(overs); i++)
        found |= strcmp(overs[i], name) == 0;
    for (size_t i = 0; i < COUNT(settings); i++)
        found |= strcmp(settings[i].name, name) == 0;
    return found;
}

static struct probe_node *over_node(struct table_reader *r, unsigned which)
{
    struct probe_node *n = new_node(r, NODE_OVER, which);
    const unsigned before = r->local_count;

    reader_expect(r, "(");
    reader_range(r, n);
    reader_expect(r, ",");
    n->args[2] = r->ok ? reader_expression(r) : NULL;
    nest(r, n, n->args[2]);
    reader_expect(r, ")");
    r->local_count = before;
    return n;
}

struct probe_node *reader_of_item(struct table_reader *r, enum probe_node_kind kind)
{
    char word[NAME_MOST];

    reader_expect(r, "(");
    const unsigned at = reader_name(r, word) ? reader_group(r, word) : r->t->groups.count;
    if (at == r->t->groups.count)
        reader_fail(r, "the name of a list of items is missing");
    struct probe_node *n = new_node(r, kind, at);
    reader_expect(r, ",");
    arguments(r, n, 1, ")");
    return n;
}

/* Reads an expression that begins with the reserved word @name. Returns NULL if @name is not
 * reserved. */
static struct probe_node *reserved_node(struct table_reader *r, const char *name)
{
    char word[NAME_MOST];

    for (unsigned i = 0; i < COUNT(settings); i++)
        if (strcmp(settings[i].name, name) == 0)
            return new_node(r, settings[i].kind, 0);
    for (unsigned i = 0; i < COUNT(overs); i++)
        if (strcmp(overs[i], name) == 0)
            return over_node(r, i);
    for (unsigned i = 0; i < COUNT(functions); i++)
        if (strcmp(functions[i].name, name) == 0) {
            struct probe_node *n = new_node(r, NODE_FUNCTION, i);
            reader_expect(r, "(");
            arguments(r, n, functions[i].args, ")");
            return n;
        }
    if (strcmp(name, "nan") == 0)
        return number_node(r, NAN);
    if (strcmp(name, "machine") == 0) {
        struct probe_node *n = new_node(r, NODE_MACHINE, 0);
        reader_expect(r, "(");
        if (r->ok && !reader_name(r, word))
            reader_fail(r, "the name of a fact is missing");
        if (r->ok && !fact_find(word))
            reader_fail(r, "no fact is called '%s'", word);
        n->key = r->ok ? reader_own(r, mem_strdup(word)) : NULL;
        reader_expect(r, ")");
        return n;
    }
    return strcmp(name, "alone") == 0 ? reader_of_item(r, NODE_ALONE) : NULL;
}

static struct probe_node *named_node(struct table_reader *r, const char *name)
{
    struct probe_node *n;
    unsigned at;

    for (unsigned i = r->local_count; i-- > 0;)
        if (strcmp(r->locals[i], name) == 0)
            return new_node(r, NODE_LOCAL, i);
    n = reserved_node(r, name);
    if (n)
        return n;
    READER_FIND(r->t->definitions, name, at);
    if (at < r->t->definitions.count) {
        const unsigned parameters = r->t->definitions.items[at].parameters;
        n = new_node(r, NODE_LET, at);
        nest(r, n, r->t->definitions.items[at].value);
        if (parameters) {
            reader_expect(r, "(");
            arguments(r, n, parameters, ")");
        }
        return n;
    }
    READER_FIND(r->t->loops, name, at);
    if (at < r->t->loops.count) {
        const unsigned dimensions = r->t->loops.items[at].dimensions;
        n = new_node(r, NODE_LOOP, at);
        if (dimensions) {
            reader_expect(r, "[");
            arguments(r, n, dimensions, "]");
        }
        return n;
    }
    at = reader_group(r, name);
    if (at < r->t->groups.count) {
        n = new_node(r, NODE_ITEM, at);
        reader_expect(r, "[");
        arguments(r, n, 1, "]");
        return n;
    }
    reader_fail(r, "'%s' is not defined above", name);
    return number_node(r, NAN);
}

static struct probe_node *primary(struct table_reader *r)
{
    char name[NAME_MOST];
    struct probe_node *n;

    if (reader_take(r, "-")) {
        n = new_node(r, NODE_NEGATIVE, 0);
        n->args[0] = deeper(r, LEVELS);
        nest(r, n, n->args[0]);
        return n;
    }
    if (reader_take(r, "(")) {
        n = reader_expression(r);
        reader_expect(r, ")");
        return n;
    }
    reader_skip(r);
    if (isdigit((unsigned char)*r->at)) {
        double number = 0, unit = 1;
        while (isdigit((unsigned char)*r->at))
            number = 10 * number + (*r->at++ - '0');
        /* Two points belong to a range instead of the number. */
        if (r->at[0] == '.' && isdigit((unsigned char)r->at[1]))
            for (r->at++; isdigit((unsigned char)*r->at); unit *= 10)
                number = 10 * number + (*r->at++ - '0');
        return number_node(r, number / unit);
    }
    if (reader_name(r, name))
        return named_node(r, name);
    reader_fail(r, "an expression is missing");
    return number_node(r, NAN);
}

/* Operators by precedence. A sign precedes its prefixes, so the longest one matches. */
static const struct { const char *sign; enum node_sign is; unsigned level; } signs[] = {
    {"or", SIGN_OR, 0},       {"and", SIGN_AND, 1},     {"<=", SIGN_AT_MOST, 3},
    {">=", SIGN_AT_LEAST, 3}, {"!=", SIGN_UNEQUAL, 3},  {"<", SIGN_BELOW, 3},
    {">", SIGN_ABOVE, 3},     {"=", SIGN_EQUAL, 3},     {"+", SIGN_PLUS, 4},
    {"-", SIGN_MINUS, 4},     {"*", SIGN_TIMES, 5},     {"/", SIGN_OVER, 5},
    {"%", SIGN_REST, 5},
};

static struct probe_node *level(struct table_reader *r, unsigned at)
{
    struct probe_node *left;

    if (at == NOT_LEVEL && reader_take(r, "not")) {
        left = new_node(r, NODE_NOT, 0);
        left->args[0] = deeper(r, NOT_LEVEL);
        nest(r, left, left->args[0]);
        return left;
    }
    left = at == LEVELS ? primary(r) : level(r, at + 1);
    for (unsigned i = 0; r->ok && at < LEVELS && i < COUNT(signs);)
        if (signs[i].level == at && reader_take(r, signs[i].sign)) {
            struct probe_node *n = new_node(r, NODE_SIGN, signs[i].is);
            n->args[0] = left;
            n->args[1] = level(r, at + 1);
            nest(r, n, n->args[0]);
            nest(r, n, n->args[1]);
            left = n;
            i = 0;
        } else {
            i++;
        }
    return left;
}

static struct probe_node *deeper(struct table_reader *r, unsigned at)
{
    struct probe_node *n = NULL;

    if (++r->depth > DEPTH_MOST)
        reader_fail(r, "more than %d nested expressions", DEPTH_MOST);
    else
        n = level(r, at);
    r->depth--;
    return n;
}

struct probe_node *reader_expression(struct table_reader *r)
{
    return deeper(r, 0);
}
