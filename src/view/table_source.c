/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/table_source.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"

#define EMPTY_ROWS 2000    /* rows examined for empty columns */
/* rows of tables whose variable column is examined */
#define WIDTH_ROWS 20000

/* Returns whether @column is empty in the first rows; later ones may have content. */
static bool is_empty(const struct table_source *source, const void *context, size_t count,
                     int column)
{
    struct str text = {0};
    bool empty = count > 0 && count <= EMPTY_ROWS;

    for (size_t row = 0; empty && row < count; row++) {
        str_clear(&text);
        source->text(context, row, column, &text);
        const char *blank = str_text(&text) + strspn(str_text(&text), " -");
        empty = !*blank;
    }
    str_done(&text);
    return empty;
}

uint64_t room_empty(const struct table_source *source, const void *context)
{
    const size_t count = source->count(context);
    uint64_t empty = 0;

    for (int c = 1; c < source->column_count && c < ROOM_COLUMNS; c++)
        if (is_empty(source, context, count, c))
            empty |= UINT64_C(1) << c;
    return empty;
}

unsigned room_widest(const struct table_source *source, const void *context)
{
    const size_t count = source->count(context);
    struct str text = {0};
    int column = 0;

    if (count > WIDTH_ROWS)
        return UINT_MAX;
    while (column + 1 < source->column_count && source->columns[column].width)
        column++;
    size_t widest = strlen(source->columns[column].name) + 1;   /* including the sort mark */
    for (size_t row = 0; row < count; row++) {
        str_clear(&text);
        source->text(context, row, column, &text);
        widest = text.length > widest ? text.length : widest;
    }
    str_done(&text);
    return (unsigned)widest;
}
