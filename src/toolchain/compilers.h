/* Which compilers take which source, how each is started for an instruction set, and which are
 * installed. Any thread. */
#ifndef PORTOLAN_TOOLCHAIN_COMPILERS_H
#define PORTOLAN_TOOLCHAIN_COMPILERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

/* the last: for the preprocessor first */
enum source_language {
    SOURCE_IN_NONE,
    SOURCE_IN_C,
    SOURCE_IN_CPLUSPLUS,
    SOURCE_IN_FORTRAN,
    SOURCE_IN_ASSEMBLER
};

/* By the end of the file's name. */
enum source_language compiler_language(const char *path);
/* Whether @name is one of the known compilers, perhaps with a version (gcc-12); false with err. */
bool compiler_allowed(const char *name, struct err *err);
/* Appends the command of @name, one of the allowed, for code of @isa: "aarch64-linux-gnu-gcc" for
 * gcc if that is not this computer's set. */
void compiler_program(const char *name, enum isa isa, struct str *out);
/* Appends the option for its set or word size; nothing when it needs none. */
void compiler_set_option(const char *name, enum isa isa, struct str *out);
/* Those of @language that are installed and make code for @isa, at most @most into @out; a program
 * that has two names is there once. Returns how many. */
size_t compilers_installed(enum source_language language, enum isa isa, const char **out,
                           size_t most);
/* The default compiler: the first installed one, else the first of the list. */
const char *compiler_default(enum source_language language, enum isa isa);

#endif
