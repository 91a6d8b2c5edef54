/* Reads CSV row by row in constant memory (libcsv), for files too large for a table. */
#ifndef PORTOLAN_BASE_CSV_READER_H
#define PORTOLAN_BASE_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct csv_reader;
/* Opens @path; NULL with err when it cannot be read. One thread. */
struct csv_reader *csv_reader_open(const char *path, struct err *err);
void csv_reader_close(struct csv_reader *r);
/* Returns the next row's fields, valid until the next call. False at the end of the file, or with
 * err->code set on an error. @err must be clear. */
bool csv_reader_next(struct csv_reader *r, char ***fields, size_t *count, struct err *err);
/* 1-based number of the row returned last; rows, not lines, since fields may contain line ends. */
size_t csv_reader_row(const struct csv_reader *r);
/* Bytes read so far and size of the file; the size is 0 if unknown (a pipe). */
void csv_reader_progress(const struct csv_reader *r, double *bytes, double *total);

#endif
