/* CSV row by row in constant memory (libcsv): for files too long for a table. */
#ifndef PORTOLAN_BASE_CSV_READER_H
#define PORTOLAN_BASE_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct csv_reader;
/* NULL when the file cannot be read. One thread. */
struct csv_reader *csv_reader_open(const char *path, struct err *err);
void csv_reader_close(struct csv_reader *r);
/* The next row's fields, valid until the next call; false at the end, or with err->code set on a
 * fault. @err must be clear. */
bool csv_reader_next(struct csv_reader *r, char ***fields, size_t *count, struct err *err);
/* 1-based number of the row given last (rows, not lines, where fields hold line ends). */
size_t csv_reader_row(const struct csv_reader *r);
/* Bytes read so far, and of the whole file; 0 if unknown (a pipe). */
void csv_reader_progress(const struct csv_reader *r, double *bytes, double *total);

#endif
