/* experiments.csv: experiment,cycles,spread,repeats,state. An empty number is missing; other
 * columns are kept. */
#ifndef PORTOLAN_IO_EXPERIMENTS_FILE_H
#define PORTOLAN_IO_EXPERIMENTS_FILE_H

#include "model/experiments.h"

/* NULL with file:line:column on failure; only the column experiment is required. The caller
 * frees. */
struct experiments *experiments_load(const char *path, struct err *err);
/* The same from memory; faults name @name as the file. */
struct experiments *experiments_parse(const char *name, const char *bytes, size_t length,
                                      struct err *err);
/* Whole or untouched; numbers read back exactly. */
bool experiments_save(const struct experiments *t, const char *path, struct err *err);
/* Output of experiments_save; a part of it when the thread's watch ends. */
void experiments_csv(const struct experiments *t, struct str *out);

#endif
