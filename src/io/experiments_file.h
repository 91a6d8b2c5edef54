/* experiments.csv: experiment,cycles,spread,repeats,state. An empty number is missing; unknown
 * columns are kept. */
#ifndef PORTOLAN_IO_EXPERIMENTS_FILE_H
#define PORTOLAN_IO_EXPERIMENTS_FILE_H

#include "model/experiments.h"

/* NULL with file:line:column on failure; only the column experiment is required. The caller
 * frees. */
struct experiments *experiments_load(const char *path, struct err *err);
/* As experiments_load from memory; errors name @name as the file. */
struct experiments *experiments_parse(const char *name, const char *bytes, size_t length,
                                      struct err *err);
/* Saves atomically; numbers read back exactly. */
bool experiments_save(const struct experiments *t, const char *path, struct err *err);
/* The text of experiments_save; incomplete when cancelled. */
void experiments_csv(const struct experiments *t, struct str *out);

#endif
