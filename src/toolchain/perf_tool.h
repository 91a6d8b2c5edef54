/* Runs the installed perf to read its files. */
#ifndef PORTOLAN_TOOLCHAIN_PERF_TOOL_H
#define PORTOLAN_TOOLCHAIN_PERF_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Runs perf with @argv (NULL-terminated) for at most two minutes; @out gets at most @most bytes of
 * its output. False with err: ERR_MISSING when not installed, ERR_LIMIT when a limit was
 * exceeded. */
bool perf_tool_ask(const char *const *argv, size_t most, struct str *out, struct err *err);

/* Samples of a program by position in its file. */
struct perf_samples {
    VEC(uint64_t) places;         /* file offsets, ascending; one per sample */
};

/* Parses `perf script --show-mmap-events -F pid,ip,dso`: samples in the code of a file named
 * @program, without directory; ignores other lines. Polls watch_steps. perf_samples_done frees
 * @out. */
void perf_samples_parse(const char *text, const char *program, struct perf_samples *out);
/* Marks an error as concerning the profile @profile. @err may be NULL. */
void perf_tool_failed(struct err *err, const char *profile);
/* Reads them from the perf file @profile. False with err when perf fails, or there are none.
 * perf_samples_done frees @out in both cases. */
bool perf_samples_read(const char *profile, const char *program, struct perf_samples *out,
                       struct err *err);
void perf_samples_done(struct perf_samples *s);
/* Number of samples in @size bytes from @first on. */
size_t perf_samples_within(const struct perf_samples *s, uint64_t first, uint64_t size);

#endif
