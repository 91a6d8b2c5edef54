/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/steps.h"
#include "base/str.h"

#define TEMPLATE_MOST ((size_t)16 << 20)
#define OWN "directory"   /* placeholder for the directory of the run */

/* Appends the value of {@name}, whose name has @length letters. Returns false if it is unknown. */
static bool put(char *const *names, const double *inputs, size_t count, const char *directory,
                const char *name, size_t length, struct str *out)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) {
            str_addf(out, "%.15g", inputs[i]);
            return true;
        }
    if (length != sizeof OWN - 1 || strncmp(name, OWN, length) != 0)
        return false;
    str_add(out, directory);
    return true;
}

static size_t longest_name(char *const *names, size_t count)
{
    size_t longest = sizeof OWN - 1;
    for (size_t i = 0; i < count; i++)
        longest = strlen(names[i]) > longest ? strlen(names[i]) : longest;
    return longest;
}

/* Returns the length of the name in braces at @at; 0 if no brace closes within @longest letters,
 * because a file may contain many open braces. */
static size_t name_at(const char *at, size_t longest)
{
    size_t most = strnlen(at, longest + 2);
    const char *end = memchr(at, '}', most);

    steps_add(1 + most / 64);
    return end ? (size_t)(end - at) - 1 : 0;
}

static bool write_template(char *const *names, const double *inputs, size_t count, const char *path,
                           const char *directory, struct err *err)
{
    const char *slash = strrchr(path, '/');
    size_t longest = longest_name(names, count);
    struct str text = {0}, filled = {0}, place = {0};
    bool ok = file_read(path, TEMPLATE_MOST, &text, err);

    for (const char *at = str_text(&text), *stop = at + text.length; ok && at < stop; at++) {
        size_t length = *at == '{' ? name_at(at, longest) : 0;
        if (length && put(names, inputs, count, directory, at + 1, length, &filled))
            at += length + 1;
        else
            str_add_char(&filled, *at);
    }
    str_addf(&place, "%s/%s", directory, slash ? slash + 1 : path);
    FILE *f = ok ? fopen(str_text(&place), "we") : NULL;
    if (ok && (!f || fwrite(str_text(&filled), 1, filled.length, f) != filled.length))
        ok = file_fault(err, str_text(&place), "write", NULL);
    if (f && fclose(f) != 0 && ok)
        ok = file_fault(err, str_text(&place), "write", NULL);
    str_done(&text);
    str_done(&filled);
    str_done(&place);
    return ok;
}

bool invocation_macros(const struct invocation *how, const char *name, double value,
                       struct str *out)
{
    const size_t length = name ? strlen(name) : 0;
    bool found = false;

    for (const char *at = how->defines; at && *at; at += strspn(at, " ")) {
        const size_t end = strcspn(at, " "), equals = strcspn(at, "=");
        if (!name || (equals == length && strncmp(at, name, length) == 0)) {
            found = true;
            if (out)
                str_addf(out, "-D%.*s=%.15g ", (int)(end - equals - 1), at + equals + 1, value);
        }
        at += end;
    }
    return found;
}

bool words_make(char *const *names, const double *inputs, size_t count,
                const struct invocation *how, const char *directory, struct words *out,
                struct err *err)
{
    bool ok =
        (!how->template || write_template(names, inputs, count, how->template, directory, err)) &&
        (!how->input || write_template(names, inputs, count, how->input, directory, err));

    const char *last = how->arguments ? strrchr(how->arguments, '}') : NULL;

    *out = (struct words){0};
    if (how->input) {
        struct str path = {0};
        const char *slash = strrchr(how->input, '/');
        str_addf(&path, "%s/%s", directory, slash ? slash + 1 : how->input);
        out->input = str_take(&path);
    }
    for (size_t i = 0; !how->arguments && i < count; i++) {
        if (invocation_macros(how, names[i], inputs[i], NULL))
            continue;
        struct str word = {0};
        str_addf(&word, "%.15g", inputs[i]);
        vec_push(&out->list, str_take(&word));
    }
    for (const char *at = how->arguments; ok && at && *(at += strspn(at, " "));) {
        struct str word = {0};
        for (; ok && *at && *at != ' '; at++) {
            size_t length = *at == '{' && last && at < last ? strcspn(at, "}") : 0;
            if (!length) {
                str_add_char(&word, *at);
                continue;
            }
            ok = put(names, inputs, count, directory, at + 1, length - 1, &word) ||
                 err_set(err, ERR_USAGE, "give values of the input to program run, as NAME=VALUES",
                         "{%.*s} in --arguments is not an input", (int)length - 1, at + 1);
            at += length;
        }
        vec_push(&out->list, str_take(&word));
    }
    return ok;
}

void words_done(struct words *words)
{
    for (size_t i = 0; i < words->list.count; i++)
        free(words->list.items[i]);
    vec_done(&words->list);
    free(words->input);
}

struct invocation invocation_copy(const struct invocation *from)
{
    return (struct invocation){from->arguments ? mem_strdup(from->arguments) : NULL,
                               from->template ? mem_strdup(from->template) : NULL,
                               from->input ? mem_strdup(from->input) : NULL,
                               from->defines ? mem_strdup(from->defines) : NULL, from->any_status};
}

void invocation_done(struct invocation *how)
{
    free(how->arguments);
    free(how->template);
    free(how->input);
    free(how->defines);
    *how = (struct invocation){0};
}
