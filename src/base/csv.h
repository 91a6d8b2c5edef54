/* CSV by libcsv: RFC 4180, UTF-8 (a byte order mark is skipped), header row, empty lines skipped.
 * Faults are file:line:column: the row's first line and the number of the field, or the place of a
 * byte that is not UTF-8. */
#ifndef PORTOLAN_BASE_CSV_H
#define PORTOLAN_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct csv_table {
    char **header;
    size_t columns;
    /* rows[i][column]; a missing trailing field is an error, an empty one is "" */
    char ***rows;
    size_t *lines;     /* 1-based line of each row */
    size_t count;
};

/* NULL on failure. At most 256 MiB and 16 million fields. Free with csv_table_free. Any thread. */
struct csv_table *csv_table_read(const char *path, struct err *err);
/* The same from memory; faults name @name as the file. */
struct csv_table *csv_table_parse(const char *name, const char *bytes, size_t length,
                                  struct err *err);
void csv_table_free(struct csv_table *t);
/* Index of the first column of that name, or -1. */
int csv_table_column(const struct csv_table *t, const char *name);
/* Appends one field, quoted as needed to come back the same; @last ends the row. */
void csv_add_field(struct str *out, const char *text, bool last);

#endif
