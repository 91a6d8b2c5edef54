/* experiments.csv: experiment,cycles,spread,repeats,state. An empty number is missing. Unknown
 * columns are preserved. */
#ifndef PORTOLAN_IO_EXPERIMENTS_FILE_H
#define PORTOLAN_IO_EXPERIMENTS_FILE_H

#include "model/experiments.h"

/* Loads a file, of which only the column experiment is required. NULL with file:line:column on
 * failure. The caller frees. */
struct experiments *experiments_load(const char *path, struct err *err);
/* Like experiments_load, from memory. Errors name @name as the file. */
struct experiments *experiments_parse(const char *name, const char *bytes, size_t length,
                                      struct err *err);
/* Saves atomically, with enough digits to restore each number exactly. */
bool experiments_save(const struct experiments *t, const char *path, struct err *err);
/* Writes the text of experiments_save. Incomplete if cancelled. */
void experiments_csv(const struct experiments *t, struct str *out);

#endif
