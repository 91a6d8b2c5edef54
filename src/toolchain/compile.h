/* Compiles C, C++ and Fortran to assembler text with an installed compiler: without a shell, under
 * limits, with options from an allow list. */
#ifndef PORTOLAN_TOOLCHAIN_COMPILE_H
#define PORTOLAN_TOOLCHAIN_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

/* Request to compile a source file; all pointers are borrowed */
struct compile_wish {
    /* name of the compiler; NULL: the first installed one for the file's language */
    const char *compiler;
    enum isa isa;
    /* target processor, and an alternative for compilers that do not support it; NULL: the options
     * set it */
    const char *target, *generic;
    /* allowed options; the value of an option may be the next element */
    const char *const *options;
    size_t count;
};

struct compiled {
    struct str assembly;     /* compiler output: AT&T text with .loc directives */
    struct str source;       /* source file as read by the compiler */
    /* messages of the compiler, unchanged; also set on failure */
    struct str printed;
    /* requested target processor that was used; NULL: the options set it */
    const char *target;
};

/* Returns whether the file's name has a C, C++ or Fortran extension. */
bool compile_is_source(const char *path);
/* Returns whether @option is allowed: optimisation, target, dialect, macros, include directories
 * and warnings. Options that write files, load code, read option files or change tools are not
 * allowed. Returns false with err if not. Sets *@takes_next if the value is the next word (-D
 * NAME). */
bool compile_option_allowed(const char *option, bool *takes_next, struct err *err);
/* Compiles @path. Returns false with err on failure. The error is the compiler's first error with
 * file, line and column. The caller always frees @out with compiled_done. */
bool compile_source(const char *path, const struct compile_wish *wish, struct compiled *out,
                    struct err *err);
void compiled_done(struct compiled *c);
/* Fills @err from the first "file:line:column: error: what" of a compiler's output. If there is
 * none, uses the first line. @path is the source file. Always returns false. */
bool compile_blame(const char *path, const char *printed, struct err *err);

/* Returns for each line of assembler text the source line in the file @path, from .loc directives,
 * or from line markers of preprocessed assembler text. Element i is for text line i + 1; 0: no
 * source line. Stores the number of lines in *@count. The caller frees the array. */
uint32_t *compile_lines(const char *assembly, size_t length, const char *path, size_t *count);

#endif
