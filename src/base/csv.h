/* Reads and writes CSV with libcsv: RFC 4180, UTF-8, with a header row. A byte order mark and empty
 * lines are skipped. An error has file:line:column. Line and column are the row's first line and
 * the field's number, or the position of an invalid byte. */
#ifndef PORTOLAN_BASE_CSV_H
#define PORTOLAN_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct csv_table {
    char **header;
    size_t columns;
    /* fields as rows[i][column]; an empty field is "", and a missing field is an error */
    char ***rows;
    size_t *lines;     /* number of the first line of each row, from 1 */
    size_t count;
};

/* Reads a file of at most 256 MiB and 16 million fields. Returns NULL with err. csv_table_free
 * frees the table. Any thread. */
struct csv_table *csv_table_read(const char *path, struct err *err);
/* Reads text in memory like csv_table_read. Errors name @name as the file. */
struct csv_table *csv_table_parse(const char *name, const char *bytes, size_t length,
                                  struct err *err);
void csv_table_free(struct csv_table *t);
/* Returns the index of the first column named @name; -1: none. */
int csv_table_column(const struct csv_table *t, const char *name);
/* Appends one field, quoted if necessary. @last: whether the field ends the row. */
void csv_add_field(struct str *out, const char *text, bool last);

#endif
