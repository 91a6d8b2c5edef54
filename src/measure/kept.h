/* Measurements of this CPU that are kept between runs: rows of a CSV file in the state directory,
 * each with the CPU's name, signature and microcode. Rows of other CPUs stay. */
#ifndef PORTOLAN_MEASURE_KEPT_H
#define PORTOLAN_MEASURE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/str.h"
#include "base/vec.h"

#define KEPT_DAY 11   /* room for 2026-11-22 */
#define KEPT_COLUMNS 8

struct kept_file {
    const char *name;                    /* in the state directory */
    const char *columns[KEPT_COLUMNS];   /* behind those of the CPU; NULL ends them */
};

/* memory.csv: facts of a machine's memory, and what lines cost by size (with bytes, spread and the
 * clock meanwhile). */
extern const struct kept_file memory_kept;
enum memory_kept_column {
    MEMORY_KEPT_DAY, MEMORY_KEPT_FACT, MEMORY_KEPT_VALUE, MEMORY_KEPT_UNIT, MEMORY_KEPT_BYTES,
    MEMORY_KEPT_SPREAD, MEMORY_KEPT_CLOCK
};

/* The rows of this CPU, in the order of the file. */
struct kept_rows {
    struct csv_table *table;
    VEC(char **) rows;
    int at[KEPT_COLUMNS];
};

/* No rows where there is no file, or none that can be read. kept_done frees it. Any thread. */
void kept_read(const struct kept_file *file, struct kept_rows *out);
void kept_done(struct kept_rows *k);
/* A field; "" where the file has no such column. */
static inline const char *kept_field(const struct kept_rows *k, size_t row, unsigned column)
{
    return k->at[column] >= 0 ? k->rows.items[row][k->at[column]] : "";
}

struct kept_writer {
    const struct kept_file *file;
    struct str text, identity[3];
};

/* Begins a new version of @file without those rows of this CPU that @replaced names by their
 * fields; NULL: without all. kept_write frees it. Any thread. */
void kept_replace(struct kept_writer *w, const struct kept_file *file,
                  bool (*replaced)(const char *const fields[KEPT_COLUMNS]));
/* Adds a row of this CPU. */
void kept_add(struct kept_writer *w, const char *const fields[KEPT_COLUMNS]);
/* A failed write is logged: "cannot save @what: ...". */
void kept_write(struct kept_writer *w, const char *what);
/* "Intel(R) Xeon(R) Processor", its signature and microcode: what is kept is about. */
void kept_identity(struct str *name, struct str *signature, struct str *microcode);
/* Today, as in these files. */
void kept_today(char day[KEPT_DAY]);

#endif
