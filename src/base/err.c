/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void err_clear(struct err *err)
{
    if (err)
        memset(err, 0, sizeof *err);
}

_Bool err_set(struct err *err, enum err_code code, const char *todo, const char *format, ...)
{
    if (!err)
        return 0;
    /* Fills a copy first, because the arguments may point into @err. */
    struct err fresh;
    va_list args;

    memset(&fresh, 0, sizeof fresh);
    fresh.code = code;
    va_start(args, format);
    vsnprintf(fresh.what, sizeof fresh.what, format, args);
    va_end(args);
    if (todo)
        snprintf(fresh.todo, sizeof fresh.todo, "%s", todo);
    *err = fresh;
    return 0;
}

_Bool err_at(struct err *err, const char *file, size_t line, size_t column)
{
    if (!err)
        return 0;
    if (file)
        snprintf(err->file, sizeof err->file, "%s", file);
    err->line = line;
    err->column = column;
    return 0;
}

_Bool err_memory(struct err *err, const char *file, size_t bytes)
{
    err_set(err, ERR_MEMORY, "end other programs, or load only part of the file",
            "out of memory: the file needs at least %zu KiB", bytes / 1024 + 1);
    return err_at(err, file, 0, 0);
}

_Bool err_memory_write(struct err *err, const char *file)
{
    err_set(err, ERR_MEMORY, "end other programs, then save again",
            "out of memory: nothing was written");
    return err_at(err, file, 0, 0);
}

_Bool err_memory_for(struct err *err, const char *what, size_t bytes)
{
    bool large = bytes >= (size_t)10 << 20;
    return err_set(err, ERR_MEMORY, "end other programs",
                   "out of memory: %zu %s more are needed for %s",
                   bytes / (large ? 1 << 20 : 1 << 10) + 1, large ? "MiB" : "KiB", what);
}

const char *err_text(const struct err *err, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
#define APPEND(...)                                                                              \
    do {                                                                                         \
        if (used < size) {                                                                       \
            int added = snprintf(buffer + used, size - used, __VA_ARGS__);                       \
            used += added > 0 ? (size_t)added : 0;                                               \
        }                                                                                        \
    } while (0)
    if (err->file[0])
        APPEND("%s:", err->file);
    if (err->line && err->column)
        APPEND("%zu:%zu:", err->line, err->column);
    else if (err->line)
        APPEND("%zu:", err->line);
    else if (err->column)
        APPEND("column %zu:", err->column);
    APPEND("%s%s", used ? " " : "", err->what);
    if (err->todo[0])
        APPEND("; %s", err->todo);
#undef APPEND
    return buffer;
}
