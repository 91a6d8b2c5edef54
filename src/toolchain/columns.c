/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/columns.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "toolchain/words.h"

const char *column_bytes(const char *p, const char *end, unsigned *count)
{
    *count = 0;
    while (end - p >= 2 && isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) &&
           (end - p == 2 || p[2] == ' ' || p[2] == '\t')) {
        ++*count;
        p += 2;
        const char *gap = skip_blank(p, end);
        bool column_ends = gap - p > 1 || (gap > p && *p == '\t');
        p = gap;
        if (column_ends)
            break;
    }
    return p;
}

const char *column_joined(const char *p, const char *end)
{
    const char *e = p;
    while (e < end && isxdigit((unsigned char)*e))
        e++;
    return e - p >= 2 && (e - p) % 2 == 0 && (e == end || isspace((unsigned char)*e)) ? e : p;
}

const char *column_percent(const char *p, const char *end, float *percent)
{
    const char *start = p;
    float value = 0, unit = 1;
    for (; p < end && isdigit((unsigned char)*p) && p - start < 3; p++)
        value = 10 * value + (float)(*p - '0');
    if (p == start || p >= end || *p != '.')
        return NULL;
    for (p++; p < end && isdigit((unsigned char)*p); p++)
        value += (unit /= 10) * (float)(*p - '0');
    if (unit > 0.5f)
        return NULL;
    p += p < end && *p == '%';
    if (p < end && !isspace((unsigned char)*p) && *p != ':' && *p != '|' &&
        !text_begins(p, end, BAR))
        return NULL;
    *percent = value;
    return p;
}

/* Returns the length in bytes of the arrow or frame character at @p (U+2190 to U+21FF, U+2500 to
 * U+257F, U+25B8), or 0 if there is none. */
static size_t art_length(const char *p, const char *end)
{
    if (end - p < 3 || (uint8_t)p[0] != 0xe2)
        return 0;
    const uint8_t page = (uint8_t)p[1];
    return (page >= 0x86 && page <= 0x87) || page == 0x94 || page == 0x95 ||
                   (page == 0x96 && (uint8_t)p[2] == 0xb8)
               ? 3
               : 0;
}

const char *column_art(const char *p, const char *end)
{
    p = skip_blank(p, end);
    bool ascii = p < end && (*p == '|' || *p == '\\' || *p == '+' ||
                             (*p == '/' && p + 1 < end && p[1] != '/' && p[1] != '*') ||
                             text_begins(p, end, ">-"));
    for (size_t n = 1; n && p < end; p += n)
        n = isspace((unsigned char)*p) ||
                    (ascii && strchr("|\\/+->X", *p) && (*p != 'X' || p[1] == '-' || p[1] == '\t'))
                ? 1
                : art_length(p, end);
    return p;
}

const char *column_art_before(const char *p, const char *end)
{
    for (end = trim_end(p, end); end - p >= 3 && art_length(end - 3, end);
         end = trim_end(p, end - 3))
        ;
    return end;
}
