/* Compilers by source language, their commands for an instruction set, and those installed. */
#ifndef PORTOLAN_TOOLCHAIN_COMPILERS_H
#define PORTOLAN_TOOLCHAIN_COMPILERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

/* the last: preprocessed first */
enum source_language {
    SOURCE_IN_NONE,
    SOURCE_IN_C,
    SOURCE_IN_CPLUSPLUS,
    SOURCE_IN_FORTRAN,
    SOURCE_IN_ASSEMBLER
};

/* By the file's extension. */
enum source_language compiler_language(const char *path);
/* Returns whether @name is a known compiler, perhaps with a version (gcc-12); false with err. */
bool compiler_allowed(const char *name, struct err *err);
/* Appends the command of the allowed compiler @name for @isa: "aarch64-linux-gnu-gcc" for gcc when
 * cross-compiling. */
void compiler_program(const char *name, enum isa isa, struct str *out);
/* Appends its option for instruction set or word size, if any. */
void compiler_set_option(const char *name, enum isa isa, struct str *out);
/* Lists installed compilers of @language that support @isa, at most @most, in @out; a program with
 * two names once. Returns their number. */
size_t compilers_installed(enum source_language language, enum isa isa, const char **out,
                           size_t most);
/* The first installed compiler, else the first of the list. */
const char *compiler_default(enum source_language language, enum isa isa);

#endif
