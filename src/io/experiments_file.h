/* experiments.csv has the columns experiment,cycles,spread,repeats,state. An empty field is a
 * missing number. Unknown columns are preserved. */
#ifndef PORTOLAN_IO_EXPERIMENTS_FILE_H
#define PORTOLAN_IO_EXPERIMENTS_FILE_H

#include "model/experiments.h"

/* Loads a file. Only the column experiment is required. Returns NULL with file:line:column on
 * failure. The caller frees the table. */
struct experiments *experiments_load(const char *path, struct err *err);
/* Loads like experiments_load, but from memory. Errors name @name as the file. */
struct experiments *experiments_parse(const char *name, const char *bytes, size_t length,
                                      struct err *err);
/* Saves atomically, with enough digits to restore each number exactly. Returns false with err. */
bool experiments_save(const struct experiments *t, const char *path, struct err *err);
/* Writes the text that experiments_save would save. If cancelled, the text is incomplete. */
void experiments_csv(const struct experiments *t, struct str *out);

#endif
