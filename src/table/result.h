/* Results of commands, as data. Writers of text, CSV, JSON, Markdown and HTML (result_write) are
 * independent of commands. Any thread.
 *
 * A result is a sequence of fields (a name and one value), tables, and lines of text:
 * - text shows lines and tables;
 * - CSV holds the tables, or where there is none the fields as a single row;
 * - JSON is one object: the number of the schema (data/schema.json), the command, and fields and
 *   tables in their order;
 * - Markdown and HTML show lines and tables, fields where there is no table, and blocks of text
 *   where there is neither.
 * Missing values are "-" in text, empty in CSV and null in JSON. Strings that are not UTF-8 are
 * escaped (\xff) except in text. */
#ifndef PORTOLAN_TABLE_RESULT_H
#define PORTOLAN_TABLE_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The formats: value, name as the setting format has it, extension of files. */
#define FORMATS(FORMAT)                                                                            \
    FORMAT(FORMAT_TEXT, "text", "txt")                                                             \
    FORMAT(FORMAT_CSV, "csv", "csv") FORMAT(FORMAT_JSON, "json", "json")                           \
        FORMAT(FORMAT_MARKDOWN, "md", "md") FORMAT(FORMAT_HTML, "html", "html")
#define FORMAT_VALUE(value, name, extension) value,
#define FORMAT_CHOICE(value, name, extension) "|" name
#define FORMAT_EXTENSION(value, name, extension) " ." extension
enum format { FORMATS(FORMAT_VALUE) };
/* "text|csv|...": of parameters. */
#define FORMAT_CHOICES (&(FORMATS(FORMAT_CHOICE))[1])
/* Read by people and terminals, so that its text is made printable; CSV is for programs, which need
 * the original. */
bool format_is_document(enum format format);

/* Where a column or table is omitted. */
enum {
    NOT_TEXT = 1, NOT_CSV = 2, NOT_JSON = 4, NOT_DOCUMENT = 8, ONLY_JSON = NOT_TEXT | NOT_CSV |
    NOT_DOCUMENT, ONLY_TEXT = NOT_CSV | NOT_JSON | NOT_DOCUMENT
};

enum cell_kind { CELL_MISSING, CELL_TEXT, CELL_COUNT, CELL_NUMBER, CELL_SWITCH, CELL_NESTED };

#define SHORTEST (-1)   /* decimals: as few digits as needed, at most 6 */
/* width: each row as long as its text, for words rather than columns */
#define RAGGED (-1)

struct result_column {
    const char *key;        /* in CSV's header and JSON */
    const char *title;      /* in text and documents; NULL: the key */
    /* in headers, and after the number in a table without one; NULL: none */
    const char *unit;
    enum cell_kind kind;    /* numbers are aligned to the right */
    int decimals;           /* of numbers in text and documents; CSV and JSON have full precision */
    int width;              /* in text: at least this many columns; RAGGED: not aligned */
    unsigned hide;          /* NOT_... */
};

/* Form of a table in JSON. */
enum table_shape {
    TABLE_ROWS,      /* an array of objects */
    TABLE_VALUES,    /* an array of the first column's values */
    TABLE_MAP,       /* an object: first column's text to the second column's value */
    /* of one row alone the members stand in the object itself; otherwise as TABLE_ROWS */
    TABLE_SPREAD,
};

struct result;

struct result_table {
    enum table_shape shape;
    bool headless;           /* text: no line of titles */
    bool totals;             /* the last row sums up the others and is set off from them */
    unsigned hide;           /* NOT_... */
    const char *indent;      /* text: before each row; NULL: nothing */
    /* The rest is result.c's and the writers'. */
    char *key;
    struct result_column *columns;
    size_t column_count;
    struct result_cell *cells;      /* row by row */
    size_t count, capacity;  /* of cells */
    bool cut;                /* memory ran out: no more rows */
    struct table_note *notes;
    size_t note_count;
};

/* changes when a member that programs may read goes or means something else */
#define RESULT_SCHEMA 1

struct result *result_new(void);
/* Sets the command of the result, by its name in the table of commands, which lasts; JSON has it.
 * NULL: none. */
void result_set_command(struct result *r, const char *command);
const char *result_command(const struct result *r);
/* The last holder's call frees it. Any thread. */
void result_free(struct result *r);
/* Adds a holder, which may read it on any thread, and calls result_free; nobody changes it from now
 * on. */
struct result *result_hold(struct result *r);
/* Appends @take_from to @to; @take_from is freed. */
void result_append(struct result *to, struct result *take_from);
/* Nothing was added. */
bool result_empty(const struct result *r);
/* It has fields or tables, not text alone. */
bool result_has_data(const struct result *r);
/* A short answer to a command that does something: never the result that `export` writes, and no
 * rows in CSV. */
bool result_is_confirmation(const struct result *r);

/* Lines of text, each ended by the caller's own \n or by none: then one is added. Sequences for
 * colours may stand in them. */
void result_line(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, and the result is a confirmation. */
void result_confirm(struct result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Marks a result with lines of its own as a confirmation. */
void result_set_confirmation(struct result *r);
/* Marks the result as a confirmation, which the workbench shows in these words; scripts stay
 * silent. */
void result_note(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Those words, "": there were none. */
const char *result_noted(const struct result *r);
/* Literal text, many lines: documents show it only if no table has the same. */
void result_block(struct result *r, const char *text);

/* Members of the object, in CSV columns. */
void result_text(struct result *r, const char *key, const char *value);        /* NULL: missing */
void result_count(struct result *r, const char *key, int64_t value);
/* not finite: missing */
void result_number(struct result *r, const char *key, double value);
void result_switch(struct result *r, const char *key, bool value);
void result_missing(struct result *r, const char *key);
void result_nested(struct result *r, const char *key, json_t *take_value);     /* JSON only */
/* One object of the array @key, in JSON only; if it is the only one, its members are in the
 * result's object itself. */
void result_item(struct result *r, const char *key, json_t *take_object);

/* A table with no rows yet, borrowed until the result goes; the columns are copied. @key names it
 * in JSON. */
struct result_table *result_table(struct result *r, const char *key,
                                  const struct result_column *columns, size_t count);
/* Fills the next cell of the table; a row is full when every column has one. */
void cell_text(struct result_table *t, const char *value);
void cell_count(struct result_table *t, int64_t value);
void cell_number(struct result_table *t, double value);
void cell_switch(struct result_table *t, bool value);
void cell_missing(struct result_table *t);
void cell_nested(struct result_table *t, json_t *take_value);
/* Colours the cell filled last, in text and HTML, by @share, 0 to 1. */
void cell_heat(struct result_table *t, double share);
/* Text of its own above the next row, in text and documents. */
void table_note(struct result_table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Columns that no row fills are not shown in text and documents; a table without rows stays as it
 * is. After the last row. */
void table_hide_empty(struct result_table *t);
size_t table_rows(const struct result_table *t);
/* The table @key of @r; NULL: it has none. */
const struct result_table *result_find_table(const struct result *r, const char *key);
/* The text of field @key of @r; "": it has none. */
const char *result_find_text(const struct result *r, const char *key);
/* A cell of an existing row by the key of its column: its number (NaN: missing, no number, or there
 * is no such column), its text ("" likewise). */
double result_cell_number(const struct result_table *t, size_t row, const char *column);
const char *result_cell_text(const struct result_table *t, size_t row, const char *column);

/* JSON values for nested data: a string that may not be UTF-8 (NULL: null), and a number that may
 * be missing. */
json_t *json_text(const char *text);
json_t *json_number(double value);

struct result_style {
    const char *title;   /* of documents; NULL: none */
    bool color;          /* text keeps its sequences for colours */
    /* level of the title (2 to 6) in a document that others write around it; 0: a document of its
     * own */
    unsigned part;
};
/* Writes it now, on a thread that may take its time, and keeps that: result_write of the same
 * result in the same way only copies it. */
void result_prepare(struct result *r, enum format format, const struct result_style *style);
/* Moves the prepared rows to @out, which was empty; false when there are none, or @out is not
 * empty. */
bool result_take_prepared(struct result *r, enum format format, const struct result_style *style,
                          struct str *out);
/* Appends the result to @out. */
void result_write(const struct result *r, enum format format, const struct result_style *style,
                  struct str *out);

#endif
