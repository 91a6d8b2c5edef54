/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool options_duration(const char *text, double *out, struct err *err)
{
    char *end;
    double value = strtod(text, &end);
    double unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : 1;

    end += *end == 's' || *end == 'm' || *end == 'h';
    if (end == text || *end || !(value >= 0) || !isfinite(value))
        return err_set(err, ERR_USAGE, "write 90s, 15m or 2h; a bare number is seconds", "\"%s\" is no duration", text);
    *out = value * unit;
    return true;
}

static bool parse_number(const char *text, double *out, struct err *err)
{
    char *end;
    *out = strtod(text, &end);
    return (end != text && !*end && *out >= 0 && isfinite(*out)) || err_set(err, ERR_USAGE, "give a number from 0 up", "\"%s\" is no such number", text);
}

static bool take(const struct option *option, const char *value, struct err *err)
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
        return options_duration(value, option->to, err);
    case OPTION_LIST:
        if (list->count == sizeof list->items / sizeof *list->items)
            return err_set(err, ERR_USAGE, "name fewer", "%s is given too often", option->name);
        list->items[list->count++] = value;
        return true;
    case OPTION_FLAG:
        break;
    }
    *(bool *)option->to = true;
    return true;
}

bool options_parse(int argc, char **argv, const struct option *options, const char **words, size_t most, size_t *count, struct err *err)
{
    *count = 0;
    for (int i = 1; i < argc; i++) {
        const struct option *option = options;
        if (strncmp(argv[i], "--", 2) != 0) {
            if (*count == most)
                return err_set(err, ERR_USAGE, "see help", "\"%s\" is not expected here", argv[i]);
            words[(*count)++] = argv[i];
            continue;
        }
        while (option->name && strcmp(option->name, argv[i]) != 0)
            option++;
        if (!option->name)
            return err_set(err, ERR_USAGE, "see help", "there is no option %s here", argv[i]);
        if (option->kind != OPTION_FLAG && i + 1 >= argc)
            return err_set(err, ERR_USAGE, "give it a value", "%s stands alone", argv[i]);
        if (!take(option, option->kind == OPTION_FLAG ? NULL : argv[++i], err))
            return false;
    }
    return true;
}
