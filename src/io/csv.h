/* CSV by libcsv: RFC 4180, UTF-8, header row; faults are file:line:column. */
#ifndef PORTOLAN_IO_CSV_H
#define PORTOLAN_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct csv_table {
    char **header;
    size_t columns;
    char ***rows;      /* rows[i][column]; a missing trailing field is an error, an empty one is "" */
    size_t *lines;     /* 1-based line of each row */
    size_t count;
};

struct csv_table *csv_table_read(const char *path, struct err *err);
struct csv_table *csv_table_parse(const char *name, const char *bytes, size_t length, struct err *err);
void csv_table_free(struct csv_table *t);
/* Column index or -1. */
int csv_table_column(const struct csv_table *t, const char *name);
/* Appends one field, quoted as needed; @last ends the row. */
void csv_add_field(struct str *out, const char *text, bool last);

#endif
