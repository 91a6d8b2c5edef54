/* Internal structure of results, for the writers. */
#ifndef PORTOLAN_TABLE_RESULT_PARTS_H
#define PORTOLAN_TABLE_RESULT_PARTS_H

#include "base/str.h"
#include "table/result.h"

struct result_cell {
    enum cell_kind kind;
    float heat;                  /* heat: fraction of the maximum, 0 to 1; 0: no colour */
    union {
        char *text;
        int64_t count;
        double number;
        bool on;
        json_t *nested;
    };
};

/* Text above row @row of a table */
struct table_note {
    size_t row;
    char *text;
};

enum result_part_kind { PART_LINE, PART_BLOCK, PART_FIELD, PART_TABLE, PART_ITEM };

struct result_part {
    enum result_part_kind kind;
    char *key;                   /* key of a field or item */
    struct str text;             /* text of a line or block */
    struct result_cell cell;            /* value of a field or item */
    struct result_table *table;
};

struct result {
    const char *command;         /* name of the command, borrowed; NULL: none */
    struct result_part *parts;
    size_t count, capacity;
    bool confirmation;
    struct str note;             /* text of a confirmation, for the workbench */
    _Atomic unsigned holders;    /* number of holders in addition to the creator */
    struct str prepared;         /* formatted text of the first @prepared_parts parts */
    size_t prepared_parts;
    enum format prepared_format;
    bool prepared_color;
    char *prepared_title;
};

/* Returns whether the result has a table that the format shows. @hide: the format's bit, such as
 * NOT_CSV. */
bool result_has_table(const struct result *r, unsigned hide);
/* Prints the cell for CSV: full precision, missing values empty, valid UTF-8. */
void cell_print(const struct result_cell *c, struct str *out);
/* Prints the cell for readers: @column's decimals, "-" for a missing value. */
void cell_show(const struct result_cell *c, const struct result_column *column, struct str *out);
/* Appends @text; bytes that are not UTF-8 become \xNN. */
void text_escape(const char *text, struct str *out);
/* Appends @text; line feeds become \x0a, to prevent a name from adding a row. */
void text_one_line(const char *text, struct str *out);
/* Appends @text without colour sequences. */
void text_plain(const char *text, struct str *out);

void result_write_text(const struct result *r, const struct result_style *style, struct str *out);
void result_write_csv(const struct result *r, struct str *out);
void result_write_json(const struct result *r, struct str *out);
void result_write_document(const struct result *r, bool html, const struct result_style *style,
                           struct str *out);


/* Appends ` style="..."` with the colour for @share: white through yellow to red; text on dark
 * colours is white. */
void heat_html(double share, struct str *out);

#endif
