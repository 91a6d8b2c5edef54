/* Programs built from source by portolan-cc. */
#ifndef PORTOLAN_PROGRAM_BUILD_H
#define PORTOLAN_PROGRAM_BUILD_H

#include "program/program.h"

/* Compiles and links the @count words, sources and compiler options, and opens the result; @name is
 * for messages. On failure NULL with the compiler's first error in err. */
struct program *program_build(const char *const *words, size_t count, const char *name,
                              struct err *err);

#endif
