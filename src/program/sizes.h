/* Programs whose sizes are compile-time constants, as in PolyBench and STREAM. They are rebuilt for
 * each size. */
#ifndef PORTOLAN_PROGRAM_SIZES_H
#define PORTOLAN_PROGRAM_SIZES_H

#include "program/program.h"
#include "program/words.h"

/* Enables builds of @p for other sizes. @p was built from @count @words under the name @name. */
void program_sizes_add(struct program *p, const char *const *words, size_t count, const char *name);
/* Builds @p with @inputs, if @how has macros for some of them, as the base of comparisons and runs.
 * The caller frees the result, which is @p itself (with another holder) without macros. NULL with
 * err. */
const struct program *program_rebuilt(const struct program *p, const struct invocation *how,
                                      char *const *names, const double *inputs, size_t count,
                                      struct err *err);
/* Returns @p for @inputs: @p itself, or a cached build with these macro values. Borrowed; valid as
 * long as @p. NULL with err if the build fails, or its blocks or references differ from those of
 * @p. */
const struct program *program_sized(const struct program *p, const struct invocation *how,
                                    char *const *names, const double *inputs, size_t count,
                                    struct err *err);

#endif
