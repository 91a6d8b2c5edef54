/* Runs the installed perf to read its files. */
#ifndef PORTOLAN_TOOLCHAIN_PERF_TOOL_H
#define PORTOLAN_TOOLCHAIN_PERF_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Runs perf with @argv (NULL-terminated) for at most two minutes. Stores at most @most bytes of its
 * output in @out. Returns false with err: ERR_MISSING if perf is not installed, ERR_LIMIT if a
 * limit was exceeded. */
bool perf_tool_ask(const char *const *argv, size_t most, struct str *out, struct err *err);

/* Samples of a program by position in its file */
struct perf_samples {
    VEC(uint64_t) places;         /* file offset of each sample, ascending */
};

/* Parses `perf script --show-mmap-events -F pid,ip,dso`. Collects samples in the code of a file
 * named @program, a name without directory. Ignores other lines. Polls watch_steps. The caller
 * frees @out with perf_samples_done. */
void perf_samples_parse(const char *text, const char *program, struct perf_samples *out);
/* Changes @err (may be NULL) to an error about the profile @profile. */
void perf_tool_failed(struct err *err, const char *profile);
/* Reads the samples of @program from the perf file @profile. Returns false with err if perf fails,
 * if there are no samples, or when cancelled. The caller frees @out with perf_samples_done in both
 * cases. */
bool perf_samples_read(const char *profile, const char *program, struct perf_samples *out,
                       struct err *err);
void perf_samples_done(struct perf_samples *s);
/* Returns the number of samples in the @size bytes from file offset @first. */
size_t perf_samples_within(const struct perf_samples *s, uint64_t first, uint64_t size);

#endif
