/* Functions on words of assembler text. */
#ifndef PORTOLAN_TOOLCHAIN_WORDS_H
#define PORTOLAN_TOOLCHAIN_WORDS_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/steps.h"

#define STEP_BYTES 100   /* number of bytes searched per counted step (base/steps.h) */

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static inline const char *skip_blank(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static inline const char *trim_end(const char *start, const char *end)
{
    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    return end;
}

static inline bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

static inline const char *word_end(const char *p, const char *end)
{
    while (p < end && is_word(*p))
        p++;
    return p;
}

static inline bool word_is(const char *p, const char *end, const char *word)
{
    return (size_t)(end - p) == strlen(word) && strncasecmp(p, word, (size_t)(end - p)) == 0;
}

/* Returns whether the word is in the NULL-terminated @list. */
static inline bool word_among(const char *p, const char *end, const char *const *list)
{
    for (; *list; list++)
        if (word_is(p, end, *list))
            return true;
    return false;
}

static inline bool text_begins(const char *p, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - p) >= n && strncmp(p, with, n) == 0;
}

/* Returns the start of @what in the text from @p to @end; NULL: none. */
static inline const char *text_find(const char *p, const char *end, const char *what)
{
    return end > p ? memmem(p, (size_t)(end - p), what, strlen(what)) : NULL;
}

/* Returns whether @word is in the text from @p to @end, ignoring case. */
static inline bool contains_nocase(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    steps_add((size_t)(end - p) / STEP_BYTES);
    for (; (size_t)(end - p) >= n; p++)
        if (strncasecmp(p, word, n) == 0)
            return true;
    return false;
}

/* Returns whether the # at @p is part of a name: `{lambda(int)#1}`. */
static inline bool is_lambda(const char *first, const char *p, const char *end)
{
    const char *e = p + 1;
    while (e < end && isdigit((unsigned char)*e))
        e++;
    return p > first && p[-1] == ')' && e > p + 1 && e < end && *e == '}';
}

/* Parses at most 16 hexadecimal digits from @p. Returns their end; NULL if there are none. */
static inline const char *hex_end(const char *p, const char *end, uint64_t *value)
{
    const char *start = p;
    *value = 0;
    while (p < end && isxdigit((unsigned char)*p) && p - start < 16) {
        *value =
            *value << 4 | (uint64_t)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
        p++;
    }
    return p > start ? p : NULL;
}

#endif
