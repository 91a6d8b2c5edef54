/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"
#include "base/str.h"

void line_starts_index(struct line_starts *out, const char *text, size_t length)
{
    out->length = length;
    vec_push(&out->starts, 0);
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))); at++) {
        vec_add(&out->starts, (size_t)(at - text) + 1);
        steps_add(1);
    }
}

void line_starts_find(const struct line_starts *l, size_t line, size_t *start, size_t *size)
{
    steps_add(1);
    *start = line <= l->starts.count ? l->starts.items[line - 1] : l->length;
    size_t end = line < l->starts.count ? l->starts.items[line] - 1 : l->length;
    *size = end - *start;
}

void refused_add(struct refused_list *out, const char *text, size_t length, size_t line,
                 const char *reason, size_t reason_length)
{
    if (line > length + 1)
        return;
    while (out->seen.count <= line)
        vec_push(&out->seen, false);
    if (out->seen.items[line])
        return;
    out->seen.items[line] = true;
    if (!out->lines.starts.count)
        line_starts_index(&out->lines, text, length);
    size_t start, size;
    line_starts_find(&out->lines, line, &start, &size);
    if (size && text[start + size - 1] == '\r')
        size--;
    vec_add(&out->list, ((struct diagnostic){line, mem_strndup(text + start, size),
                                             mem_strndup(reason, reason_length)}));
}

const char *find_in_line(const char *line, const char *end, const char *text)
{
    steps_add((size_t)(end - line) / 100 + 1);
    return memmem(line, (size_t)(end - line), text, strlen(text));
}

size_t messages_of_nasm(const char *printed, const char *text, size_t length,
                        struct refused_list *out)
{
    size_t before = out->list.count;

    for (const char *p = printed, *next; *p; p = next) {
        const char *end = strchrnul(p, '\n'), *error = find_in_line(p, end, ": error: ");
        next = end + (*end != '\0');
        error = error                               ? error + 9
                : find_in_line(p, end, ": fatal: ") ? find_in_line(p, end, ": fatal: ") + 9
                                                    : NULL;
        unsigned long line =
            str_has_prefix(p, NASM_TEXT ":") ? strtoul(p + sizeof NASM_TEXT, NULL, 10) : 0;
        if (error && line > 0)
            refused_add(out, text, length, line, error, (size_t)(end - error));
    }
    return out->list.count - before;
}

size_t messages_of_as(const char *printed, const char *text, size_t length,
                      struct refused_list *out, bool *foreign)
{
    static const char prefix[] = "{standard input}:";
    size_t before = out->list.count;
    for (const char *p = printed, *next; *p; p = next) {
        const char *end = strchr(p, '\n');
        next = end ? end + 1 : p + strlen(p);
        end = end ? end : next;
        const char *error = find_in_line(p, end, ": Error: "), *reason = error ? error + 9 : NULL;
        const char *fatal = find_in_line(p, end, ": Fatal error: ");
        if (fatal && (!error || fatal < error)) {
            error = fatal;
            reason = fatal + 15;
        }
        if (error && !str_has_prefix(p, prefix))
            *foreign = true;
        if (!error || !str_has_prefix(p, prefix))
            continue;
        char *stop;
        unsigned long line = strtoul(p + sizeof prefix - 1, &stop, 10);
        if (stop == error && line > 0)
            refused_add(out, text, length, line, reason, (size_t)(end - reason));
    }
    return out->list.count - before;
}
