/* Compilers of each source language: their commands for an instruction set, and the list of
 * installed ones. */
#ifndef PORTOLAN_TOOLCHAIN_COMPILERS_H
#define PORTOLAN_TOOLCHAIN_COMPILERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

/* SOURCE_IN_ASSEMBLER is assembler text that the compiler preprocesses first. */
enum source_language {
    SOURCE_IN_NONE,
    SOURCE_IN_C,
    SOURCE_IN_CPLUSPLUS,
    SOURCE_IN_FORTRAN,
    SOURCE_IN_ASSEMBLER
};

/* Returns the language of the file according to its name's extension. */
enum source_language compiler_language(const char *path);
/* Returns whether @name is a known compiler, with or without a version (gcc-12). Returns false with
 * err if not. */
bool compiler_allowed(const char *name, struct err *err);
/* Appends the command that runs compiler @name for @isa, such as "aarch64-linux-gnu-gcc" for gcc
 * when cross-compiling. @name must be allowed. */
void compiler_program(const char *name, enum isa isa, struct str *out);
/* Appends the compiler's option for the instruction set or word size, if it needs one. */
void compiler_set_option(const char *name, enum isa isa, struct str *out);
/* Lists at most @most installed compilers for @language that support @isa in @out. A program with
 * two names is listed once. Returns the number listed. */
size_t compilers_installed(enum source_language language, enum isa isa, const char **out,
                           size_t most);
/* Returns the first installed compiler, or the preferred one if none is installed. */
const char *compiler_default(enum source_language language, enum isa isa);

#endif
