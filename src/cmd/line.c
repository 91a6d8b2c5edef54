/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/steps.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

const char *line_end(const char *at, const char **next)
{
    const char *start = at;
    char quote = 0;
    int depth = 0;

    for (; *at && *at != '\n'; at++) {
        if (*at == '\\' && quote != '\'' && at[1] && at[1] != '\n')
            at++;
        else if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '(')
            depth++;
        else if (*at == ')' && depth)
            depth--;
        else if (*at == ';' && depth == 0)
            break;
        else if (*at == '#' && (at == start || is_blank(at[-1])))
            break;
    }
    *next = at + (*at == '#' ? strcspn(at, "\n") : 0);
    *next += **next != '\0';
    return at;
}

/* Copies the word at @at to @storage, without quotes and escapes, and with the home directory for
 * ~. Returns the position after it; NULL with err. */
static const char *take_word(const char *at, const char *end, struct str *storage, struct err *err)
{
    const char *home =
        at[0] == '~' && (at + 1 == end || at[1] == '/' || is_blank(at[1])) ? getenv("HOME") : NULL;
    const char *word = at;
    char quote = 0;

    if (home) {   /* Only the current user's home directory is replaced; ~NAME is not supported. */
        str_add(storage, home);
        at++;
    }
    for (; at < end && (quote || !is_blank(*at)); at++) {
        if (quote ? *at == quote : (*at == '"' || *at == '\''))
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at + 1 < end)
            str_add_char(storage, *++at);
        else
            str_add_char(storage, *at);
    }
    str_add_char(storage, '\0');
    steps_add(1 + (size_t)(at - word) / 16);
    if (quote) {
        err_set(err, ERR_USAGE, "close the quote, or escape it with a backslash",
                "unclosed %c quote", quote);
        return NULL;
    }
    return at;
}

bool line_split(const char *text, const char *end, struct line_words *words, struct err *err)
{
    size_t starts[LINE_WORDS];

    words->count = 0;
    for (const char *at = text; at < end;) {
        if (is_blank(*at)) {
            at++;
            continue;
        }
        if (words->count == LINE_WORDS)
            return err_set(err, ERR_USAGE, "split the command",
                           "the command has more than %d words", LINE_WORDS);
        starts[words->count++] = words->storage.length;
        if (!(at = take_word(at, end, &words->storage, err)))
            return false;
    }
    for (int i = 0; i < words->count; i++)
        words->items[i] = words->storage.data + starts[i];
    words->items[words->count] = NULL;
    return true;
}

void line_add_quoted(const char *before, const char *word, struct str *out)
{
    str_addf(out, "%s'", before);
    for (; *word; word++)
        if (*word == '\'')
            str_add(out, "'\\''");
        else
            str_add_char(out, *word);
    str_add_char(out, '\'');
}

void line_words_done(struct line_words *words)
{
    str_done(&words->storage);
}

char *line_rest(const char *text, const char *end, int skip)
{
    struct str rest = {0};

    for (; text < end && is_blank(*text); text++)
        continue;
    for (; skip; skip--) {
        while (text < end && !is_blank(*text))
            text++;
        while (text < end && is_blank(*text))
            text++;
    }
    while (end > text && is_blank(end[-1]))
        end--;
    for (; text < end; text++)
        if (*text == '\\' && text + 1 < end && strchr(";#\\'\"", text[1]))
            str_add_char(&rest, *++text);
        else
            str_add_char(&rest, *text);
    return str_take(&rest);
}
