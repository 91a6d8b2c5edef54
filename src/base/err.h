/* A failure: where, what, and what to do about it. */
#ifndef PORTOLAN_BASE_ERR_H
#define PORTOLAN_BASE_ERR_H

#include <stddef.h>

enum err_code {
    ERR_NONE,
    ERR_USAGE,       /* the command's words are off */
    ERR_DATA,        /* input breaks its format's rules */
    ERR_IO,          /* the system refused */
    ERR_LIMIT,       /* a limit on time, memory or size was met */
    ERR_MISSING,     /* a file, tool or CPU feature is not there */
    ERR_INTERRUPTED, /* the user cancelled */
    ERR_MEMORY,      /* the input needs more memory than there is; nothing of it was kept */
};

struct err {
    enum err_code code;
    char file[512];   /* empty: no file */
    _Bool profile;    /* that file was given as a profile of perf */
    size_t line;      /* 1-based; 0: none */
    size_t column;    /* 1-based; 0: none */
    char what[1024];
    char todo[512];   /* what to do; may be empty */
};

/* Fills @err (NULL is allowed) and returns false, so that `return err_set(...)` reads well. @todo
 * may be NULL. */
_Bool err_set(struct err *err, enum err_code code, const char *todo, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds the place to an error already set; returns false. @file may be NULL. */
_Bool err_at(struct err *err, const char *file, size_t line, size_t column);
/* ERR_MEMORY: no memory for @bytes of @file; returns false. */
_Bool err_memory(struct err *err, const char *file, size_t bytes);
/* ERR_MEMORY of work called @what, which asked for @bytes. */
_Bool err_memory_for(struct err *err, const char *what, size_t bytes);
/* "file:line:column: what; what to do" into @buffer; returns @buffer. */
const char *err_text(const struct err *err, char *buffer, size_t size);
void err_clear(struct err *err);

#endif
