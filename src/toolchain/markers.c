/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/markers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "toolchain/words.h"

struct cursor {
    const char *at, *end;
};

static bool line_next(struct cursor *c, const char **start, const char **end)
{
    if (c->at >= c->end)
        return false;
    *start = c->at;
    const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
    *end = newline ? newline : c->end;
    if (watch_steps(1 + (size_t)(*end - *start) / STEP_BYTES))
        return false;
    c->at = newline ? newline + 1 : c->end;
    if (*end > *start && (*end)[-1] == '\r')
        --*end;
    return true;
}

unsigned marker_of_iaca(const char *p, const char *end)
{
    unsigned numbers[2] = {0, 0}, count = 0;
    const char *e = word_end(p, end);

    if (!(word_is(p, e, "mov") || word_is(p, e, "movb")) || !contains_nocase(e, end, "gs:"))
        return 0;
    for (const char *at = e; at < end; at = e) {
        e = word_end(at, end);
        if (e == at)
            e++;
        const char *digits = at + (*at == '$' && at + 1 < end);
        if (e == at || !isdigit((unsigned char)*digits))
            continue;
        const bool hex = (e[-1] | 32) == 'h' || (end - digits > 1 && (digits[1] | 32) == 'x');
        if (count < 2)
            numbers[count] = (unsigned)strtoul(digits, NULL, hex ? 16 : 10);
        count++;
    }
    return count == 2 && numbers[0] == numbers[1] && (numbers[0] == 111 || numbers[0] == 222)
               ? numbers[0]
               : 0;
}

/* Returns the end of the code, which is the start of the comment or @end. */
static const char *code_stop(const char *p, const char *end)
{
    while (p < end && *p != ';' && *p != '#')
        p++;
    return p;
}

void markers_find(const char *text, size_t length, struct marker_list *out)
{
    static const char *const words[] = {"LLVM-MCA-BEGIN", "LLVM-MCA-END", "OSACA-BEGIN",
                                        "OSACA-END"};
    memset(out, 0, sizeof *out);
    struct cursor c = {text, text + length};
    size_t number = 0;
    for (const char *start, *end; line_next(&c, &start, &end);) {
        number++;
        const char *p = start, *store = text_find(start, end, "mov");
        const unsigned iaca = store || (store = text_find(start, end, "MOV"))
                                  ? marker_of_iaca(store, code_stop(store, end))
                                  : 0;
        if (iaca) {
            vec_add(&out->list, ((struct marker){iaca == 222 ? MARKER_END : MARKER_BEGIN, number,
                                                 mem_strdup("IACA markers")}));
            continue;
        }
        while (p < end && *p != '#' && *p != ';' && *p != '/')
            p++;
        while (p < end &&
               (*p == '#' || *p == ';' || *p == '/' || *p == '*' || *p == ' ' || *p == '\t'))
            p++;
        for (size_t i = 0; i < 4; i++)
            if ((size_t)(end - p) >= strlen(words[i]) &&
                strncmp(p, words[i], strlen(words[i])) == 0) {
                const char *stop = end;
                while (stop > p && (isspace((unsigned char)stop[-1])))
                    stop--;
                vec_add(&out->list, ((struct marker){i % 2 ? MARKER_END : MARKER_BEGIN, number,
                                                     mem_strndup(p, (size_t)(stop - p))}));
                break;
            }
    }
}

void markers_done(struct marker_list *m)
{
    for (size_t i = 0; i < m->list.count; i++)
        free(m->list.items[i].text);
    vec_done(&m->list);
}
