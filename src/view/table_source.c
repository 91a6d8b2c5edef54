/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/table_source.h"

#include <string.h>

#include "base/steps.h"
#include "base/str.h"

#define EMPTY_ROWS 1000 /* maximum number of rows of a table whose columns are examined */
#define WIDTH_ROWS 4000 /* approximate number of evenly spread rows whose width is examined */

/* Returns whether all cells of @column are empty or consist of blanks and '-'. Returns false if
 * there are no rows, or more than EMPTY_ROWS, because reading them takes too long. */
static bool is_empty(const struct table_source *source, const void *context, size_t count,
                     int column)
{
    struct str text = {0};
    bool empty = count > 0 && count <= EMPTY_ROWS;

    for (size_t row = 0; empty && row < count; row++) {
        str_clear(&text);
        steps_add(1);
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

/* Returns the column of variable width: the first column of width 0, otherwise the last column. */
static int column_of_room(const struct table_source *source)
{
    int column = 0;

    while (column + 1 < source->column_count && source->columns[column].width)
        column++;
    return column;
}

unsigned room_of_row(const struct table_source *source, const void *context, size_t row)
{
    struct str text = {0};

    steps_add(1);
    source->text(context, row, column_of_room(source), &text);
    const size_t length = text.length;
    str_done(&text);
    return (unsigned)length;
}

unsigned room_widest(const struct table_source *source, const void *context)
{
    const size_t count = source->count(context), step = count / WIDTH_ROWS + 1;
    /* The sort mark follows the name. */
    unsigned widest = (unsigned)strlen(source->columns[column_of_room(source)].name) + 1;

    for (size_t row = 0; row < count; row += step) {
        const unsigned of_row = room_of_row(source, context, row);
        widest = of_row > widest ? of_row : widest;
    }
    return widest;
}
