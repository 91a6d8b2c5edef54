/* CSV by libcsv (RFC 4180, UTF-8, header row; a byte order mark and empty lines are skipped).
 * Errors name file:line:column: the row's first line and the field's number, or the position of an
 * invalid byte. */
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
/* As csv_table_read, from memory; errors name @name as the file. */
struct csv_table *csv_table_parse(const char *name, const char *bytes, size_t length,
                                  struct err *err);
void csv_table_free(struct csv_table *t);
/* Index of the first column of that name, or -1. */
int csv_table_column(const struct csv_table *t, const char *name);
/* Appends one field, quoted where needed; @last ends the row. */
void csv_add_field(struct str *out, const char *text, bool last);

#endif
