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
    if (p < end && !isspace((unsigned char)*p) && *p != ':' && *p != '|' && !text_begins(p, end, BAR))
        return NULL;
    *percent = value;
    return p;
}

const char *column_art(const char *p, const char *end)
{
    static const char *const arrows[] = {"\u2191", "\u2193", "\u2190", "\u2192", "\u2502", "\u250c", "\u2514", "\u251c", "\u2500", "\u256d", "\u2570", "\u254e", "\u25b8", "\u2197", "\u2198", "\u256e", "\u256f"};
    p = skip_blank(p, end);
    bool ascii = p < end && (*p == '|' || *p == '\\' || *p == '+' || (*p == '/' && p + 1 < end && p[1] != '/' && p[1] != '*'));
    for (bool more = true; more && p < end;) {
        more = false;
        if (isspace((unsigned char)*p) || (ascii && strchr("|\\/+->X", *p) && (*p != 'X' || p[1] == '-' || p[1] == '\t'))) {
            p++;
            more = true;
        }
        for (size_t i = 0; !more && i < sizeof arrows / sizeof *arrows; i++)
            if (text_begins(p, end, arrows[i])) {
                p += strlen(arrows[i]);
                more = true;
            }
    }
    return p;
}
