/* Programs whose sizes are constants of their source, as PolyBench and STREAM have them: built anew
 * for each size. */
#ifndef PORTOLAN_PROGRAM_SIZES_H
#define PORTOLAN_PROGRAM_SIZES_H

#include "program/program.h"
#include "program/words.h"

/* @p, which was built of @count @words and is called @name, has builds of other sizes from now on.
 * */
void program_sizes_add(struct program *p, const char *const *words, size_t count, const char *name);
/* @p built with @inputs where @how has macros for some of them: what other sizes are compared with,
 * and what runs are of. The caller frees; @p itself, held, without such macros. NULL with err. */
const struct program *program_rebuilt(const struct program *p, const struct invocation *how,
                                      char *const *names, const double *inputs, size_t count,
                                      struct err *err);
/* @p as it is at @inputs: itself, or where @how has macros for some of them its build with these
 * values, which is kept. Borrowed for as long as @p lives. NULL with err when it cannot be built,
 * or has other blocks or references than @p. Any thread. */
const struct program *program_sized(const struct program *p, const struct invocation *how,
                                    char *const *names, const double *inputs, size_t count,
                                    struct err *err);

#endif
