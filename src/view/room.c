/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/room.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"

#define EMPTY_ROWS 2000    /* of tables whose columns are looked through for anything */
/* of tables whose column without a width is looked through for how much room it takes */
#define WIDTH_ROWS 20000

/* Whether no row has anything in @column; of many rows only the first are looked at, and a column
 * that is empty there may have something further on. */
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
    size_t widest = strlen(source->columns[column].name) + 1;   /* followed by the sort mark */
    for (size_t row = 0; row < count; row++) {
        str_clear(&text);
        source->text(context, row, column, &text);
        widest = text.length > widest ? text.length : widest;
    }
    str_done(&text);
    return (unsigned)widest;
}
