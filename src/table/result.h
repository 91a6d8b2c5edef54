/* Results of commands, as data. Writers of text, CSV, JSON, Markdown and HTML (result_write) are
 * independent of commands. Any thread.
 *
 * A result is a sequence of fields (a name and one value), tables, lines, and blocks of text:
 * - Text has the lines, blocks and tables.
 * - CSV has the tables; if there is no table, it has the fields as a single row.
 * - JSON is one object: the version of the schema (data/schema.json), the command, and the fields
 *   and tables in the order in which they were added.
 * - Markdown and HTML have the lines and tables; if there is no table, they have the blocks; if
 *   there are none of these, they have the fields.
 * Missing values are "-" in text, empty in CSV and null in JSON. Strings that are not UTF-8 are
 * escaped (\xff) except in text. */
#ifndef PORTOLAN_TABLE_RESULT_H
#define PORTOLAN_TABLE_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* all formats: enumerator, name in the setting `format`, file extension */
#define FORMATS(FORMAT)                                                                            \
    FORMAT(FORMAT_TEXT, "text", "txt")                                                             \
    FORMAT(FORMAT_CSV, "csv", "csv") FORMAT(FORMAT_JSON, "json", "json")                           \
        FORMAT(FORMAT_MARKDOWN, "md", "md") FORMAT(FORMAT_HTML, "html", "html")
#define FORMAT_VALUE(value, name, extension) value,
#define FORMAT_CHOICE(value, name, extension) "|" name
#define FORMAT_EXTENSION(value, name, extension) " ." extension
enum format { FORMATS(FORMAT_VALUE) };
/* names of the formats, "text|csv|...", for parameters */
#define FORMAT_CHOICES (&(FORMATS(FORMAT_CHOICE))[1])
/* Returns whether output in the format is made printable. Only CSV keeps the original bytes, for
 * programs. */
bool format_is_document(enum format format);

/* bits for the formats that omit a column or table */
enum {
    NOT_TEXT = 1, NOT_CSV = 2, NOT_JSON = 4, NOT_DOCUMENT = 8,
    ONLY_TEXT = NOT_CSV | NOT_JSON | NOT_DOCUMENT
};

enum cell_kind { CELL_MISSING, CELL_TEXT, CELL_COUNT, CELL_NUMBER, CELL_SWITCH, CELL_NESTED };

#define SHORTEST (-1)   /* value for `decimals`: as few significant digits as needed, at most 6 */
/* value for `width`: cells are not padded, because the rows are lists of words */
#define RAGGED (-1)

struct result_column {
    const char *key;        /* name in CSV's header and in JSON */
    const char *title;      /* heading in text and documents; NULL: the key */
    /* unit, printed in headings, or after the number in a table without headings; NULL: none */
    const char *unit;
    enum cell_kind kind;    /* numeric kinds are aligned to the right */
    int decimals;           /* number of decimals in text and documents; CSV and JSON have full
                             * precision */
    int width;              /* minimum width in text, in characters; RAGGED: not padded */
    unsigned hide;          /* set of NOT_ values */
};

/* Form of a table in JSON */
enum table_shape {
    TABLE_ROWS,      /* array of objects */
    TABLE_VALUES,    /* array of the values in the first column */
    /* JSON object that maps the text in the first column to the value in the second */
    TABLE_MAP,
    /* TABLE_ROWS, but a single row becomes members of the enclosing object */
    TABLE_SPREAD,
};

struct result;

struct result_table {
    enum table_shape shape;
    bool headless;           /* whether the text has no headings */
    bool totals;             /* whether the last row has totals and is emphasised */
    unsigned hide;           /* set of NOT_ values */
    const char *indent;      /* text before each row; NULL: none */
    /* This and the following members are used only by result.c and the writers. */
    char *key;
    struct result_column *columns;
    size_t column_count;
    struct result_cell *cells;      /* cells row by row */
    size_t count, capacity;  /* number of cells, and capacity */
    bool cut;                /* whether memory was exhausted; no rows are then added */
    struct table_note *notes;
    size_t note_count;
};

/* Version of the JSON format. It is incremented when a member is removed or changes its meaning. */
#define RESULT_SCHEMA 1

struct result *result_new(void);
/* Sets the command that JSON names: a name in the command table, not copied. NULL: none. */
void result_set_command(struct result *r, const char *command);
const char *result_command(const struct result *r);
/* Releases a reference. The last release frees the result. Any thread. */
void result_free(struct result *r);
/* Adds a holder, which may read the result on any thread and must call result_free. The result must
 * not change afterwards. */
struct result *result_hold(struct result *r);
/* Appends the parts of @take_from to @to and frees @take_from. */
void result_append(struct result *to, struct result *take_from);
/* Returns whether the result has no parts. */
bool result_empty(const struct result *r);
/* Returns whether the result has fields or tables, not only text. */
bool result_has_data(const struct result *r);
/* Returns whether the result only confirms a command. `export` then writes nothing, and CSV has no
 * rows. */
bool result_is_confirmation(const struct result *r);

/* Adds lines of text, which may have colour sequences. A missing final line feed is added. */
void result_line(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds lines like result_line. Also marks the result as a confirmation. */
void result_confirm(struct result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Marks the result as a confirmation. Its text is the lines that other calls add. */
void result_set_confirmation(struct result *r);
/* Marks the result as a confirmation, with a text that only the workbench shows. */
void result_note(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the text of result_note; "": none. */
const char *result_noted(const struct result *r);
/* Adds preformatted text of several lines. Documents show it only if they have no
 * tables. */
void result_block(struct result *r, const char *text);

/* Add a field: a member in JSON, a column in CSV. */
void result_text(struct result *r, const char *key, const char *value);        /* a value NULL is a
                                                                                * missing value */
void result_count(struct result *r, const char *key, int64_t value);
/* A value that is not finite is a missing value. */
void result_number(struct result *r, const char *key, double value);
void result_switch(struct result *r, const char *key, bool value);
void result_missing(struct result *r, const char *key);
void result_nested(struct result *r, const char *key, json_t *take_value);     /* for JSON only */
/* Adds an object to the array @key, for JSON only. If the array has one element when the result is
 * written, the element's members become members of the result's object. */
void result_item(struct result *r, const char *key, json_t *take_object);

/* Adds a table without rows and returns it, borrowed from the result. @columns is copied. @key is
 * its name in JSON. */
struct result_table *result_table(struct result *r, const char *key,
                                  const struct result_column *columns, size_t count);
/* Adds a table like result_table. @columns is an array. */
#define RESULT_TABLE(r, key, columns)                                                              \
    result_table(r, key, columns, sizeof(columns) / sizeof *(columns))
/* Append a cell to the table. A row is complete when every column has a cell. */
void cell_text(struct result_table *t, const char *value);
void cell_count(struct result_table *t, int64_t value);
/* Appends a missing cell if @known is false. */
void cell_count_if(struct result_table *t, bool known, int64_t value);
/* A value that is not finite, or a text NULL, is a missing cell. */
void cell_number(struct result_table *t, double value);
void cell_switch(struct result_table *t, bool value);
void cell_missing(struct result_table *t);
void cell_nested(struct result_table *t, json_t *take_value);
/* Colours the last cell in text and HTML according to @share, 0 to 1. */
void cell_heat(struct result_table *t, double share);
/* Adds a line of text above the next row, for text and documents. */
void table_note(struct result_table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Hides columns without values in text and documents, unless the table has no rows. Call it after
 * the last row. */
void table_hide_empty(struct result_table *t);
size_t table_rows(const struct result_table *t);
/* Returns table @key of @r; NULL: none. */
const struct result_table *result_find_table(const struct result *r, const char *key);
/* Returns the text of field @key of @r; "" if there is none. */
const char *result_find_text(const struct result *r, const char *key);
/* Return a cell of an existing row by column key. result_cell_number returns NaN if the column is
 * unknown, or if the cell is missing or not numeric. result_cell_text returns "" if the column is
 * unknown, or if the cell is missing or not text. */
double result_cell_number(const struct result_table *t, size_t row, const char *column);
const char *result_cell_text(const struct result_table *t, size_t row, const char *column);

/* Return JSON values for nested data: a string that may not be UTF-8 (NULL becomes null), and a
 * number that may be missing. */
json_t *json_text(const char *text);
json_t *json_number(double value);

struct result_style {
    const char *title;   /* title of documents; NULL: none */
    bool color;          /* whether text keeps colour sequences */
    /* level of the title (2 to 6) if the result is a part of a document; 0: a complete document */
    unsigned part;
};
/* Formats the result and stores the text; for worker threads. A later result_write with the same
 * options only copies it. */
void result_prepare(struct result *r, enum format format, const struct result_style *style);
/* Moves the prepared text to @out. Returns false if @out is not empty or if no text is prepared for
 * these options. */
bool result_take_prepared(struct result *r, enum format format, const struct result_style *style,
                          struct str *out);
/* Appends the formatted result to @out. */
void result_write(const struct result *r, enum format format, const struct result_style *style,
                  struct str *out);

#endif
