/* Reads CSV files row by row in constant memory (libcsv), for files that are too large for a
 * table. */
#ifndef PORTOLAN_BASE_CSV_READER_H
#define PORTOLAN_BASE_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct csv_reader;
/* Opens @path. Returns NULL with err if it cannot be read. One thread. */
struct csv_reader *csv_reader_open(const char *path, struct err *err);
void csv_reader_close(struct csv_reader *r);
/* Stores the next row of *@count fields in *@fields, valid until the next call. Returns false at
 * the end of the file, and after an error with err->code set. @err must be clear. */
bool csv_reader_next(struct csv_reader *r, char ***fields, size_t *count, struct err *err);
/* Returns the number of the last returned row, from 1. Rows are counted, not lines, because fields
 * may contain line ends. */
size_t csv_reader_row(const struct csv_reader *r);
/* Stores the number of bytes read so far in *@bytes, and the size of the file in *@total; 0:
 * unknown (a pipe). */
void csv_reader_progress(const struct csv_reader *r, double *bytes, double *total);

#endif
