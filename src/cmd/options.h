/* Options of a command: --name, --name VALUE, --name=VALUE. */
#ifndef PORTOLAN_CMD_OPTIONS_H
#define PORTOLAN_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char *: points into argv */
    OPTION_COUNT,      /* size_t; k and M multiply */
    OPTION_NUMBER,     /* double, not negative */
    OPTION_DURATION,   /* double: seconds; 90s, 15m, 2h or a bare number */
    OPTION_LIST,       /* struct option_list: may be repeated */
    OPTION_CHOICE,     /* const char *: one of those that the name lists: "--model=bounds|simulate" */
};

struct option_list {
    const char *items[32];
    size_t count;
};

struct legacy_option {
    const char *name;   /* "--seconds"; NULL ends the table */
    enum option_kind kind;
    void *to;
};

/* Fills what the options point to, and collects the other words in @words (up to @most); argv[0] is the command's name. False with err, which says what
 * is allowed, for an unknown option, a missing or malformed value, or too many words. */
bool options_parse(int argc, char **argv, const struct legacy_option *options, const char **words, size_t most, size_t *count, struct err *err);
/* The table of a command without options. */
extern const struct legacy_option options_none[];
/* Whole number with an optional k or M. */
bool options_count(const char *text, size_t *out, struct err *err);
/* A processor's number; NULL: -1, any. */
bool options_cpu(const char *text, int *out, struct err *err);

#endif
