/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/clipboard.h"

#include <ctype.h>
#include <string.h>

/* characters; every instruction with operands contains at least one of these characters */
#define OPERANDS "%$[(#,"

static bool ends_line(char c)
{
    return c == '\r' || c == '\n';
}

/* Returns whether a line has the form of "addq $1, %rax", possibly after blanks. */
static bool is_instruction(const char *line, size_t length)
{
    size_t at = 0, begins;

    while (at < length && isblank((unsigned char)line[at]))
        at++;
    begins = at;
    while (at < length && (islower((unsigned char)line[at]) ||
                           (at > begins && (isdigit((unsigned char)line[at]) || line[at] == '.'))))
        at++;
    if (at < begins + 2 || at == length || !isblank((unsigned char)line[at]))
        return false;
    for (; at < length; at++)
        if (strchr(OPERANDS, line[at]))
            return true;
    return false;
}

/* Returns whether a line has two adjacent words, which typed keys never have. */
static bool has_words(const char *line, size_t length)
{
    for (size_t at = 1; at + 1 < length; at++)
        if (isblank((unsigned char)line[at]) && !isblank((unsigned char)line[at - 1]))
            for (at++; at < length; at++)
                if (!isblank((unsigned char)line[at]))
                    return true;
    return false;
}

bool pasted_text(const char *bytes, size_t length)
{
    unsigned lines = 0;
    bool instruction = false;

    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)bytes[i]) && !ends_line(bytes[i]) && bytes[i] != '\t')
            return false;
    for (size_t at = 0, end; at < length; at = end + 1) {
        for (end = at; end < length && !ends_line(bytes[end]);)
            end++;
        if (bytes[at] == ':')
            return false;
        lines += has_words(bytes + at, end - at);
        instruction |= is_instruction(bytes + at, end - at);
    }
    return instruction || lines > 1;
}
