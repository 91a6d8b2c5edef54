/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/str.h"

#define CPUS_MAX 65536

bool options_count(const char *text, size_t *out, struct err *err)
{
    char *end;
    double value = strtod(text, &end);
    double unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : 1;

    end += unit > 1;
    if (end == text || *end || !(value >= 0) || value * unit > 1e12 || value * unit != floor(value * unit))
        return err_set(err, ERR_USAGE, "give a whole number, as 200, 5k or 2M", "\"%s\" is no count", text);
    *out = (size_t)(value * unit);
    return true;
}

bool options_cpu(const char *text, int *out, struct err *err)
{
    size_t number = 0;

    *out = -1;
    if (text && (!options_count(text, &number, err) || number >= CPUS_MAX))
        return err_set(err, ERR_USAGE, "use --cpu 1", "\"%s\" is no processor's number", text);
    *out = text ? (int)number : -1;
    return true;
}

static bool parse_number(const char *text, double *out, struct err *err)
{
    char *end;
    *out = strtod(text, &end);
    return (end != text && !*end && *out >= 0 && isfinite(*out)) || err_set(err, ERR_USAGE, "give a number from 0 up", "\"%s\" is no such number", text);
}

/* Of an option's name, which may stand before '='. */
static int length_of(const char *name)
{
    return (int)strcspn(name, "=");
}

/* "use bounds or simulate" of "bounds|simulate". */
static void print_choices(const char *choices, struct str *out)
{
    for (size_t span; *choices; choices += span + (choices[span] != '\0')) {
        span = strcspn(choices, "|");
        str_addf(out, "%s%.*s", !out->length ? "use " : choices[span] ? ", " : " or ", (int)span, choices);
    }
}

static bool take_choice(const struct legacy_option *option, const char *value, struct err *err)
{
    struct str choices = {0};
    bool ok = false;

    const char *names = strchr(option->name, '=') + 1;
    for (const char *at = names; *at && !ok; at += strcspn(at, "|"), at += *at == '|')
        ok = strlen(value) == strcspn(at, "|") && strncmp(at, value, strlen(value)) == 0;
    *(const char **)option->to = value;
    if (!ok) {
        print_choices(names, &choices);
        err_set(err, ERR_USAGE, str_text(&choices), "%.*s does not take \"%s\"", length_of(option->name), option->name, value);
    }
    str_done(&choices);
    return ok;
}

static bool take(const struct legacy_option *option, const char *value, struct err *err)
{
    struct option_list *list = option->to;

    switch (option->kind) {
    case OPTION_TEXT:
        *(const char **)option->to = value;
        return true;
    case OPTION_COUNT:
        return options_count(value, option->to, err);
    case OPTION_NUMBER:
        return parse_number(value, option->to, err);
    case OPTION_DURATION:
        return duration_parse(value, option->to, err);
    case OPTION_LIST:
        if (list->count == sizeof list->items / sizeof *list->items)
            return err_set(err, ERR_USAGE, "name fewer", "%s is given too often", option->name);
        list->items[list->count++] = value;
        return true;
    case OPTION_CHOICE:
        return take_choice(option, value, err);
    case OPTION_FLAG:
        break;
    }
    *(bool *)option->to = true;
    return true;
}

/* The option that @word names, alone or before '='; the table's end when there is none. */
static const struct legacy_option *find(const struct legacy_option *options, const char *word)
{
    size_t length = (size_t)length_of(word);
    while (options->name && ((size_t)length_of(options->name) != length || strncmp(options->name, word, length) != 0))
        options++;
    return options;
}

static bool refuse_option(const char *command, const char *word, const struct legacy_option *options, struct err *err)
{
    struct str names = {0};

    for (; options->name; options++)
        str_addf(&names, "%s%.*s", !names.length ? "it takes " : options[1].name ? ", " : " and ", length_of(options->name), options->name);
    err_set(err, ERR_USAGE, names.length ? str_text(&names) : "it takes none", "%s has no option \"%.*s\"", command, length_of(word), word);
    str_done(&names);
    return false;
}

static bool refuse_word(const char *command, const char *word, size_t most, struct err *err)
{
    char help[128];
    snprintf(help, sizeof help, "help %s shows what it takes", command);
    return err_set(err, ERR_USAGE, help, most ? "\"%s\" is one argument too many for %s" : "\"%s\" is not expected: %s takes options only", word, command);
}

const struct legacy_option options_none[] = {{NULL, OPTION_FLAG, NULL}};

bool options_parse(int argc, char **argv, const struct legacy_option *options, const char **words, size_t most, size_t *count, struct err *err)
{
    *count = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            if (*count == most)
                return refuse_word(argv[0], argv[i], most, err);
            words[(*count)++] = argv[i];
            continue;
        }
        const struct legacy_option *option = find(options, argv[i]);
        const char *value = strchr(argv[i], '=');
        if (!option->name)
            return refuse_option(argv[0], argv[i], options, err);
        if (option->kind == OPTION_FLAG && value)
            return err_set(err, ERR_USAGE, "leave that out", "%s takes no value, and \"%s\" is one", option->name, value + 1);
        if (option->kind != OPTION_FLAG && !value && i + 1 >= argc)
            return err_set(err, ERR_USAGE, "give it a value", "%.*s stands alone", length_of(option->name), option->name);
        if (!take(option, option->kind == OPTION_FLAG ? NULL : value ? value + 1 : argv[++i], err))
            return false;
    }
    return true;
}
