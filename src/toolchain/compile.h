/* Compiles C, C++ and Fortran to assembler text by an installed compiler: without a shell, under
 * limits, with options from an allow list. */
#ifndef PORTOLAN_TOOLCHAIN_COMPILE_H
#define PORTOLAN_TOOLCHAIN_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

/* Request for a source file; everything is borrowed. */
struct compile_wish {
    const char *compiler;            /* NULL: the first installed for the file's language */
    enum isa isa;
    /* processor, and an alternative for compilers that lack it; NULL: from the options */
    const char *target, *generic;
    const char *const *options;      /* each allowed, with its value following */
    size_t count;
};

struct compiled {
    struct str assembly;     /* AT&T text with .loc directives */
    struct str source;       /* source file as read by the compiler */
    /* messages of the compiler, verbatim; also on failure */
    struct str printed;
    /* processor of the request that was used; NULL: from the options */
    const char *target;
};

/* Returns whether the file's name has a C, C++ or Fortran extension. */
bool compile_is_source(const char *path);
/* Returns whether @option is allowed: optimisation, target, dialect, macros, include directories
 * and warnings, but no option that writes files, loads code, reads option files or changes tools.
 * False with err if not. *@takes_next: its value is the next word (-D NAME). */
bool compile_option_allowed(const char *option, bool *takes_next, struct err *err);
/* Compiles @path. On failure err has the compiler's first error, with file, line and column.
 * compiled_done frees @out in both cases. */
bool compile_source(const char *path, const struct compile_wish *wish, struct compiled *out,
                    struct err *err);
void compiled_done(struct compiled *c);
/* Fills @err from the first "file:line:column: error: what" of a compiler's output, else its first
 * line; @path is the source. Returns false. */
bool compile_blame(const char *path, const char *printed, struct err *err);

/* Source line of each line of assembler text, from .loc directives of the file @path: lines[i] for
 * text line i + 1, 0 if none. The caller frees; *@count gets the number of lines. */
uint32_t *compile_lines(const char *assembly, size_t length, const char *path, size_t *count);

#endif
