/* Measurements of this CPU, stored between runs as rows of CSV files in the state directory. The
 * CPU's name, signature and microcode identify them. Rows of other CPUs are preserved. */
#ifndef PORTOLAN_MEASURE_KEPT_H
#define PORTOLAN_MEASURE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/str.h"
#include "base/vec.h"

#define KEPT_DAY 11   /* size in bytes of a date such as 2026-11-22, including the NUL */
#define KEPT_COLUMNS 8

struct kept_file {
    const char *name;                    /* file name in the state directory */
    const char *columns[KEPT_COLUMNS];   /* further columns, NULL-terminated */
};

/* memory.csv: facts about the memory of a computer, and cost of a cache line by array size, with
 * bytes, spread and clock */
extern const struct kept_file memory_kept;
enum memory_kept_column {
    MEMORY_KEPT_DAY, MEMORY_KEPT_FACT, MEMORY_KEPT_VALUE, MEMORY_KEPT_UNIT, MEMORY_KEPT_BYTES,
    MEMORY_KEPT_SPREAD, MEMORY_KEPT_CLOCK
};

/* Rows of this CPU, in file order */
struct kept_rows {
    struct csv_table *table;
    VEC(char **) rows;
    int at[KEPT_COLUMNS];
};

/* Reads the rows of this CPU. There are none if the file is missing or unreadable. kept_done frees
 * @out. */
void kept_read(const struct kept_file *file, struct kept_rows *out);
void kept_done(struct kept_rows *k);
/* Returns a field, or "" if the column is missing. */
static inline const char *kept_field(const struct kept_rows *k, size_t row, unsigned column)
{
    return k->at[column] >= 0 ? k->rows.items[row][k->at[column]] : "";
}

struct kept_writer {
    const struct kept_file *file;
    struct str text, identity[3];
};

/* Begins a new version of @file. Omits the rows of this CPU for which @replaced returns true
 * (NULL: all rows of this CPU). kept_write frees @w. */
void kept_replace(struct kept_writer *w, const struct kept_file *file,
                  bool (*replaced)(const char *const fields[KEPT_COLUMNS]));
/* Appends a row of this CPU. */
void kept_add(struct kept_writer *w, const char *const fields[KEPT_COLUMNS]);
/* Writes the file. Logs a failure as "cannot save @what: ...". */
void kept_write(struct kept_writer *w, const char *what);
/* Writes the name ("Intel(R) Xeon(R) Processor"), signature and microcode of the CPU, which
 * identify its rows. */
void kept_identity(struct str *name, struct str *signature, struct str *microcode);
/* Writes today's date to @day, in the format of these files. */
void kept_today(char day[KEPT_DAY]);

#endif
