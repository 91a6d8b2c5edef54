/* Runs the installed perf to read its files. */
#ifndef PORTOLAN_TOOLCHAIN_PERF_TOOL_H
#define PORTOLAN_TOOLCHAIN_PERF_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Runs perf with @argv (NULL at its end) for at most two minutes; @out gets what it printed, at
 * most @most bytes. False with err: ERR_MISSING when it is not installed, ERR_LIMIT when it printed
 * or took more. Any thread. */
bool perf_tool_ask(const char *const *argv, size_t most, struct str *out, struct err *err);

/* Where samples of a program lie in its file. */
struct perf_samples {
    VEC(uint64_t) places;         /* bytes of the file, ascending; one for each sample */
};

/* Of what `perf script --show-mmap-events -F pid,ip,dso` printed, the samples in the code of a file
 * called @program, without its directory; lines that say something else are left out. Asks
 * watch_steps. perf_samples_done frees @out. Any thread. */
void perf_samples_parse(const char *text, const char *program, struct perf_samples *out);
/* Adds to an error already set that it is about @profile, given as one. @err may be NULL. */
void perf_tool_failed(struct err *err, const char *profile);
/* The same from the perf file @profile. False with err when perf fails, or there are none.
 * perf_samples_done frees @out in both cases. Any thread. */
bool perf_samples_read(const char *profile, const char *program, struct perf_samples *out,
                       struct err *err);
void perf_samples_done(struct perf_samples *s);
/* How many lie in the @size bytes from @first on. Any thread. */
size_t perf_samples_within(const struct perf_samples *s, uint64_t first, uint64_t size);

#endif
