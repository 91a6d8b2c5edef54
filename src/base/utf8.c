/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/file_calls.h"

/* size of the output buffer in bytes; a message of at most twice this size is written without
 * allocation */
#define SAID 4096

size_t utf8_next(const char *text, size_t left, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;

    if (!left)
        return 0;
    size_t length = s[0] < 0x80                   ? 1
                    : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                    : (s[0] & 0xf0) == 0xe0       ? 3
                    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                  : 0;
    if (!length || length > left)
        return 0;
    uint32_t value = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (s[i] & 0x3f);
    }
    /* Rejects an overlong encoding, a surrogate, and a value that is too large. */
    if ((length == 3 && value < 0x800) || (value >= 0xd800 && value < 0xe000) ||
        (length == 4 && (value < 0x10000 || value > 0x10ffff)))
        return 0;
    if (code)
        *code = value;
    return length;
}

size_t utf8_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool utf8_valid(const char *text, size_t length, size_t *bad)
{
    for (size_t at = 0, step; at < length; at += step)
        if (!(step = utf8_next(text + at, length - at, NULL))) {
            if (bad)
                *bad = at;
            return false;
        }
    return true;
}

void utf8_copy(char *to, size_t room, const char *text)
{
    size_t cut;

    snprintf(to, room, "%s", text);
    if (!utf8_valid(to, strlen(to), &cut))
        to[cut] = '\0';
}

int utf8_columns(uint32_t code)
{
    if (code < 0x80)
        return code < 32 || code == 127 ? -1 : 1;
    return wcwidth((wchar_t)code);
}

/* A range of characters, with both ends */
struct code_range { uint32_t first, last; };

/* Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt, Unicode 14 to 16). Programs
 * that do not support such a character show nothing for it. */
static const struct code_range ignorable[] = {
    {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/* Returns whether @code is in one of the @ranges, which are sorted. */
static bool in_ranges(const struct code_range *ranges, size_t count, uint32_t code)
{
    while (count) {
        const size_t middle = count / 2;
        if (code >= ranges[middle].first && code <= ranges[middle].last)
            return true;
        if (code > ranges[middle].last) {
            ranges += middle + 1;
            count -= middle + 1;
        } else {
            count = middle;
        }
    }
    return false;
}

bool utf8_steers(uint32_t code)
{
    if (code < 127)
        return code < 32;
    const bool control = code < 160, separator = code == 0x2028 || code == 0x2029,
               annotation = code >= 0xfff9 && code <= 0xfffb;
    /* Includes a blank braille character, which looks like a space but is not found by a search for
     * spaces. */
    const bool blank = code == 0x2800;
    const bool noncharacter = (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);

    return control || separator || annotation || blank || noncharacter ||
           in_ranges(ignorable, sizeof ignorable / sizeof *ignorable, code);
}

size_t utf8_printable_next(const char *text, size_t left, char shown[UTF8_SHOWN])
{
    uint32_t code = 0;
    size_t step = utf8_next(text, left, &code);
    bool line_end = code == '\n' || code == '\t' || (code == '\r' && left > 1 && text[1] == '\n');

    *shown = '\0';
    if (step && (line_end || !utf8_steers(code)))
        return step;
    if (step && code > 0xffff)   /* Writes two escapes, a surrogate pair of JSON. */
        snprintf(shown, UTF8_SHOWN, "\\u%04x\\u%04x", 0xd800u + ((code - 0x10000) >> 10 & 0x3ff),
                 0xdc00u + (code & 0x3ff));
    else if (step && code >= 127)
        snprintf(shown, UTF8_SHOWN, "\\u%04x", code & 0xffff);
    else
        snprintf(shown, UTF8_SHOWN, "\\x%02x", (unsigned char)*text);
    return step ? step : 1;
}

void utf8_sayv_now(int fd, const char *format, va_list args)
{
    char text[2 * SAID], out[SAID], shown[UTF8_SHOWN];
    size_t filled = 0, length;

    vsnprintf(text, sizeof text, format, args);
    length = strlen(text);
    for (size_t at = 0, step; at < length; at += step) {
        step = utf8_printable_next(text + at, length - at, shown);
        const char *add = *shown ? shown : text + at;
        size_t bytes = *shown ? strlen(shown) : step;
        if (filled + bytes > sizeof out) {
            if (!file_calls_write_all(fd, out, filled))
                return;
            filled = 0;
        }
        memcpy(out + filled, add, bytes);
        filled += bytes;
    }
    file_calls_write_all(fd, out, filled);   /* Ignores an error, which cannot be reported here. */
}

void utf8_say_now(int fd, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    utf8_sayv_now(fd, format, args);
    va_end(args);
}
