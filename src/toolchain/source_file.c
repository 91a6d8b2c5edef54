/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/source_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"

#define SOURCE_MOST ((size_t)16 << 20)

/* Permitted directories, with links resolved. */
struct roots { VEC(char *) list; };

static void roots_add(struct roots *r, const char *directory)
{
    char *real = realpath(directory, NULL);

    if (real && strcmp(real, "/") != 0)
        vec_push(&r->list, real);
    else
        free(real);
}

static void roots_init(struct roots *r, const char *object, const char *path)
{
    struct str part = {0};

    str_add_bytes(&part, object, (size_t)(path_base(object) - object));
    roots_add(r, part.length ? str_text(&part) : ".");
    roots_add(r, ".");
    for (const char *at = path ? path : ""; *at; at += strcspn(at, ":"), at += *at == ':') {
        str_clear(&part);
        str_add_bytes(&part, at, strcspn(at, ":"));
        roots_add(r, str_text(&part));
    }
    str_done(&part);
}

/* Returns whether @file, with links resolved, is below a permitted directory and not in a hidden
 * directory. */
static bool in_roots(const struct roots *r, const char *file)
{
    for (size_t i = 0; i < r->list.count; i++) {
        const size_t length = strlen(r->list.items[i]);
        if (strncmp(file, r->list.items[i], length) == 0 && file[length] == '/' &&
            !strstr(file + length, "/."))
            return true;
    }
    return false;
}

/* Reads @place if permitted. Returns whether it was read. Sets *@elsewhere if it exists but is
 * forbidden, and @fault if it cannot be read. */
static bool try_place(const struct roots *r, const char *place, bool *elsewhere, struct str *out,
                      struct err *fault)
{
    char *real = realpath(place, NULL);
    const bool allowed = real && in_roots(r, real);
    const bool found = allowed && file_read(real, SOURCE_MOST, out, fault);

    *elsewhere |= real && !allowed;
    free(real);
    return found;
}

bool source_file_read(const char *named, const char *object, const char *path, struct str *out,
                      struct err *err)
{
    /* Reads only a regular file, because the name may be that of a pipe or device. */
    const bool before = file_only_files(true);
    struct roots roots = {{0}};
    struct str place = {0};
    struct err fault = {0};
    bool elsewhere = false;

    roots_init(&roots, object, path);
    bool found = try_place(&roots, named, &elsewhere, out, &fault);
    for (size_t i = 0; i < roots.list.count && !found; i++)
        for (const char *tail = named; tail && !found; tail = strchr(tail, '/')) {
            tail += strspn(tail, "/");
            str_clear(&place);
            str_addf(&place, "%s/%s", roots.list.items[i], tail);
            found = *tail && try_place(&roots, str_text(&place), &elsewhere, out, &fault);
        }
    file_only_files(before);
    vec_free_texts(&roots.list);
    str_done(&place);
    if (found)
        return true;
    if (fault.code) {
        *err = fault;
        return false;
    }
    return elsewhere ? err_set(err, ERR_USAGE,
                               "set source-path DIRECTORY allows the directory of the file",
                               "the source file %.300s is not read, because it is hidden, or not "
                               "below the object's directory, the working directory or source-path",
                               named)
                     : err_set(err, ERR_MISSING,
                               "set source-path DIRECTORY sets the directory of the file",
                               "the source file %.300s does not exist", named);
}
