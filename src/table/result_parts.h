/* Parts of results, for the writers. */
#ifndef PORTOLAN_TABLE_RESULT_PARTS_H
#define PORTOLAN_TABLE_RESULT_PARTS_H

#include "base/str.h"
#include "table/result.h"

struct result_cell {
    enum cell_kind kind;
    float heat;                  /* share of the full value; 0: no colour */
    union {
        char *text;
        int64_t count;
        double number;
        bool on;
        json_t *nested;
    };
};

/* Text above row @row. */
struct table_note {
    size_t row;
    char *text;
};

enum result_part_kind { PART_LINE, PART_BLOCK, PART_FIELD, PART_TABLE, PART_ITEM };

struct result_part {
    enum result_part_kind kind;
    char *key;                   /* of a field or item */
    struct str text;             /* of a line or block */
    struct result_cell cell;            /* of a field or item */
    struct result_table *table;
};

struct result {
    const char *command;         /* borrowed; NULL: none */
    struct result_part *parts;
    size_t count, capacity;
    bool confirmation;
    struct str note;             /* of a confirmation, for the workbench */
    _Atomic unsigned holders;    /* besides the creator */
    struct str prepared;         /* as written while there were @prepared_parts, in this way */
    size_t prepared_parts;
    enum format prepared_format;
    bool prepared_color;
    char *prepared_title;
};

/* Whether a table is shown with @hide (NOT_CSV: in CSV). */
bool result_has_table(const struct result *r, unsigned hide);
/* As in CSV: full precision, missing values empty; strings are UTF-8. */
void cell_print(const struct result_cell *c, struct str *out);
/* For people: @column's decimals, "-" for a missing value. */
void cell_show(const struct result_cell *c, const struct result_column *column, struct str *out);
/* Appends @text with bytes that are not UTF-8 as \xNN. */
void text_escape(const char *text, struct str *out);
/* Appends @text with line feeds as \x0a: a name that holds one makes no further row. */
void text_one_line(const char *text, struct str *out);
/* Appends @text without sequences for colours. */
void text_plain(const char *text, struct str *out);

void result_write_text(const struct result *r, const struct result_style *style, struct str *out);
void result_write_csv(const struct result *r, struct str *out);
void result_write_json(const struct result *r, struct str *out);
void result_write_document(const struct result *r, bool html, const struct result_style *style,
                           struct str *out);

/* Colours of heat maps, cold to hot. */

/* Appends ` style="..."` for @share: white through yellow to red; text is white on dark ground. */
void heat_html(double share, struct str *out);

#endif
