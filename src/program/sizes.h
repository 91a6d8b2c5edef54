/* Programs whose sizes are compile-time constants, such as PolyBench and STREAM. They are rebuilt
 * for each size. */
#ifndef PORTOLAN_PROGRAM_SIZES_H
#define PORTOLAN_PROGRAM_SIZES_H

#include "program/program.h"
#include "program/words.h"

#define SIZES_FIRST 128   /* value of macros before the first run */
/* Two builds usually have the same blocks if their macros differ by a multiple of this number.
 * Vectorized and unrolled loops then have the same remainder. */
#define SIZES_STEP 32
/* remedy if the compiler generates different blocks */
#define SIZES_REMEDY "use sizes near the largest or above it, with the same remainder modulo 32"

/* Builds the program from the @count arguments @words with all macros of @how set to SIZES_FIRST,
 * and enables builds for other sizes. Returns NULL with err on failure. The caller frees the
 * result. */
struct program *program_build_sized(const char *const *words, size_t count, const char *name,
                                    const struct invocation *how, struct err *err);
/* Returns @p built with the values of @inputs that are macros in @how, for comparisons and runs. If
 * no input is a macro, returns @p itself with another reference. The caller frees the result.
 * Returns NULL with err on failure. */
const struct program *program_rebuilt(const struct program *p, const struct invocation *how,
                                      char *const *names, const double *inputs, size_t count,
                                      struct err *err);
/* Builds @p for @inputs unless this build exists, and sets @same to whether the build has the
 * blocks and references of @p. Returns false with err if the build fails. */
bool program_has_shape(const struct program *p, const struct invocation *how, char *const *names,
                       const double *inputs, size_t count, bool *same, struct err *err);
/* Returns @p built for @inputs: a cached build, or @p itself if no input is a macro. Borrowed while
 * @p exists. Returns NULL with err if the build fails, or if its blocks or references differ from
 * those of @p. */
const struct program *program_sized(const struct program *p, const struct invocation *how,
                                    char *const *names, const double *inputs, size_t count,
                                    struct err *err);

#endif
