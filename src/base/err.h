/* An error: its place, cause and remedy */
#ifndef PORTOLAN_BASE_ERR_H
#define PORTOLAN_BASE_ERR_H

#include <stddef.h>

enum err_code {
    ERR_NONE,
    ERR_USAGE,       /* invalid command, option or argument */
    ERR_DATA,        /* input does not match its format */
    ERR_IO,          /* a system call failed */
    ERR_LIMIT,       /* a limit on time, memory or size was exceeded */
    ERR_MISSING,     /* a file, tool or CPU feature is missing */
    ERR_INTERRUPTED, /* cancelled by the user */
    ERR_MEMORY,      /* memory is exhausted; nothing of the input was stored, or the file was not
                      * written */
};

struct err {
    enum err_code code;
    char file[512];   /* name of the file; empty: the error is not about a file */
    _Bool profile;    /* whether @file was read as a perf profile */
    size_t line;      /* line from 1; 0: none */
    size_t column;    /* column from 1; 0: none */
    char what[1024];
    char todo[512];   /* remedy; may be empty */
};

/* Fills @err (may be NULL). Returns false, so that callers can `return err_set(...)`. @todo may be
 * NULL. */
_Bool err_set(struct err *err, enum err_code code, const char *todo, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds the place of an error. Returns false. @err and @file may be NULL. */
_Bool err_at(struct err *err, const char *file, size_t line, size_t column);
/* Reports that there is no memory to read @file, at least @bytes bytes (ERR_MEMORY). Returns
 * false. */
_Bool err_memory(struct err *err, const char *file, size_t bytes);
/* Reports that @file, a file or a directory, was not written for lack of memory (ERR_MEMORY).
 * Returns false. */
_Bool err_memory_write(struct err *err, const char *file);
/* Reports that a request for @bytes bytes by work named @what failed (ERR_MEMORY). Returns
 * false. */
_Bool err_memory_for(struct err *err, const char *what, size_t bytes);
/* Writes "file:line:column: cause; remedy" to @buffer, without unknown parts. Returns @buffer. */
const char *err_text(const struct err *err, char *buffer, size_t size);
void err_clear(struct err *err);

#endif
