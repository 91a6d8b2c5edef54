/* Programs whose sizes are compile-time constants, such as PolyBench and STREAM. They are rebuilt
 * for each size. */
#ifndef PORTOLAN_PROGRAM_SIZES_H
#define PORTOLAN_PROGRAM_SIZES_H

#include "program/program.h"
#include "program/words.h"

/* Enables builds of @p for other sizes. @words: the @count arguments with which @p was built.
 * @name: its name. */
void program_sizes_add(struct program *p, const char *const *words, size_t count, const char *name);
/* Returns @p built with the values of @inputs that are macros in @how, for comparisons and runs. If
 * no input is a macro, returns @p itself with another reference. The caller frees the result.
 * Returns NULL with err on failure. */
const struct program *program_rebuilt(const struct program *p, const struct invocation *how,
                                      char *const *names, const double *inputs, size_t count,
                                      struct err *err);
/* Returns @p built for @inputs: a cached build, or @p itself if no input is a macro. Borrowed while
 * @p exists. Returns NULL with err if the build fails, or if its blocks or references differ from
 * those of @p. */
const struct program *program_sized(const struct program *p, const struct invocation *how,
                                    char *const *names, const double *inputs, size_t count,
                                    struct err *err);

#endif
