/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"

bool str_try_reserve(struct str *s, size_t more)
{
    if (more > (size_t)-1 / 4 || s->length > (size_t)-1 / 4)
        return false;
    size_t needed = s->length + more + 1;
    if (s->capacity >= needed)
        return true;
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    if (capacity < needed)
        capacity = needed;
    char *data = mem_try_resize(s->data, capacity);
    if (!data)
        return false;
    s->data = data;
    s->capacity = capacity;
    return true;
}

/* Makes room for @more bytes. Returns false if the string is too large for the reserve, such as the
 * text of a whole table. The thread's work then fails. */
static bool reserve(struct str *s, size_t more)
{
    size_t needed = s->length + more;

    for (unsigned tries = 0; !str_try_reserve(s, more); tries++) {
        if ((tries || needed > SHORTAGE_KEPT) && needed > MEM_SMALL && shortage_lose(needed))
            return false;
        mem_again(needed, tries);
    }
    return true;
}

void str_done(struct str *s)
{
    free(s->data);
    *s = (struct str){0};
}

void str_clear(struct str *s)
{
    s->length = 0;
    if (s->data)
        s->data[0] = '\0';
}

void str_add_bytes(struct str *s, const void *bytes, size_t length)
{
    if (!reserve(s, length))
        return;
    if (length)
        memcpy(s->data + s->length, bytes, length);
    s->length += length;
    s->data[s->length] = '\0';
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_add_char(struct str *s, char c)
{
    str_add_bytes(s, &c, 1);
}

void str_addv(struct str *s, const char *format, va_list args)
{
    va_list again;

    if (!reserve(s, 64))
        return;
    va_copy(again, args);
    int needed = vsnprintf(s->data + s->length, s->capacity - s->length, format, args);
    if (needed < 0)
        BUG("bad format string \"%s\"", format);
    bool fits = (size_t)needed < s->capacity - s->length;
    if (!fits && (fits = reserve(s, (size_t)needed)))
        vsnprintf(s->data + s->length, s->capacity - s->length, format, again);
    s->length += fits ? (size_t)needed : 0;
    s->data[s->length] = '\0';
    va_end(again);
}

void str_addf(struct str *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    str_addv(s, format, args);
    va_end(args);
}

const char *str_text(const struct str *s)
{
    return s->data ? s->data : "";
}

char *str_take(struct str *s)
{
    reserve(s, 0);
    char *data = s->data;
    data[s->length] = '\0';
    *s = (struct str){0};
    return data;
}

bool str_has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Converts only ASCII letters, because the locale must not change the meaning of a command or
 * mnemonic. */
static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

bool str_equal_nocase(const char *a, const char *b)
{
    while (*a && lower((unsigned char)*a) == lower((unsigned char)*b))
        a++, b++;
    return lower((unsigned char)*a) == lower((unsigned char)*b);
}

bool str_match(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == '?' ||
                   (*pattern && lower((unsigned char)*pattern) == lower((unsigned char)*text))) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool str_match_any(const char *const *patterns, const char *text)
{
    for (; *patterns; patterns++)
        if (str_match(*patterns, text))
            return true;
    return false;
}

bool text_is_hex(const char *text)
{
    const size_t length = strlen(text);
    return length && length % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == length;
}
