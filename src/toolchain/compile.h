/* C, C++ and Fortran to assembler text by the installed compiler: without a shell, under limits,
 * with options from a list of harmless ones. */
#ifndef PORTOLAN_TOOLCHAIN_COMPILE_H
#define PORTOLAN_TOOLCHAIN_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

/* Request for a source file; all borrowed. */
struct compile_wish {
    const char *compiler;            /* NULL: the first installed for the file's language */
    enum isa isa;
    /* processor, and the alternative for compilers that lack it; NULL: by the options */
    const char *target, *generic;
    const char *const *options;      /* each allowed, followed by its value */
    size_t count;
};

struct compiled {
    struct str assembly;     /* AT&T text with .loc directives */
    struct str source;       /* the source file as the compiler read it */
    /* messages of the compiler, verbatim; also when it refused the source */
    struct str printed;
    /* of the request, the processor that it was compiled for; NULL: by the options */
    const char *target;
};

/* True when the file's name ends like C, C++ or Fortran source. */
bool compile_is_source(const char *path);
/* True when @option may be given to the compiler: optimisation, target, dialect, macros, include
 * directories and warnings; no option that writes files, loads code, reads option files or changes
 * the tools. False with err otherwise. *@takes_next: its value is the next word (-D NAME). Any
 * thread. */
bool compile_option_allowed(const char *option, bool *takes_next, struct err *err);
/* Compiles @path. The compiler's first complaint is the fault's text, with file, line and column.
 * compiled_done frees @out in both cases. Any thread. */
bool compile_source(const char *path, const struct compile_wish *wish, struct compiled *out,
                    struct err *err);
void compiled_done(struct compiled *c);
/* Fills @err by the first "file:line:column: error: what" that a compiler printed, else by its
 * first line; @path is the source. Returns false. */
bool compile_blame(const char *path, const char *printed, struct err *err);

/* The source line of each line of assembler text, from .loc directives that name the file's own
 * lines: lines[i] for text line i + 1, 0 where there is none. @path is the source file. The caller
 * frees; *@count gets the number of lines. */
uint32_t *compile_lines(const char *assembly, size_t length, const char *path, size_t *count);

#endif
