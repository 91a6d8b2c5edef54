/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/editor.h"

#include <string.h>

#include "cmd/key.h"

#define MARGIN 5         /* number of columns of the line number */

void editor_done(struct editor *e)
{
    str_done(&e->text);
}

static size_t line_start(const struct editor *e, size_t at)
{
    while (at > 0 && e->text.data[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct editor *e, size_t at)
{
    const char *newline =
        at < e->text.length ? memchr(e->text.data + at, '\n', e->text.length - at) : NULL;
    return newline ? (size_t)(newline - e->text.data) : e->text.length;
}

/* Returns whether byte @at is a UTF-8 continuation byte. */
static bool is_inner(const struct editor *e, size_t at)
{
    return at < e->text.length && ((unsigned char)e->text.data[at] & 0xc0) == 0x80;
}

void editor_set(struct editor *e, const char *text, size_t length, size_t marked)
{
    str_clear(&e->text);
    str_add_bytes(&e->text, text, length);
    e->cursor = marked ? 0 : length;
    e->top = 0;
    e->marked = marked;
    for (size_t line = 1; line < marked && line_end(e, e->cursor) < e->text.length; line++)
        e->cursor = line_end(e, e->cursor) + 1;
}

static void insert(struct editor *e, char c)
{
    str_add_char(&e->text, c);
    memmove(e->text.data + e->cursor + 1, e->text.data + e->cursor, e->text.length - 1 - e->cursor);
    e->text.data[e->cursor++] = c;
}

/* Deletes the character before the cursor, or at the cursor if @ahead. */
static void take_out(struct editor *e, bool ahead)
{
    size_t from = e->cursor, to = e->cursor;

    if (ahead && to < e->text.length) {
        for (to++; is_inner(e, to); to++)
            ;
    } else if (!ahead && from > 0) {
        for (from--; from > 0 && is_inner(e, from); from--)
            ;
    }
    memmove(e->text.data + from, e->text.data + to, e->text.length - to);
    e->text.length -= to - from;
    if (e->text.data)
        e->text.data[e->text.length] = '\0';
    e->cursor = from;
}

/* Moves the cursor to the line above or below, in the same column if possible. */
static void move_line(struct editor *e, bool down)
{
    size_t start = line_start(e, e->cursor), column = e->cursor - start,
           to = down    ? line_end(e, e->cursor) + 1
                : start ? line_start(e, start - 1)
                        : start;

    if (to > e->text.length || (!down && !start))
        return;
    size_t end = line_end(e, to);
    for (e->cursor = to + column < end ? to + column : end;
         e->cursor > to && is_inner(e, e->cursor); e->cursor--)
        ;
}

bool editor_key(struct editor *e, int key)
{
    size_t page = e->rows > 1 ? e->rows - 1 : 1;

    switch (key) {
    case KEYCODE_BACKSPACE: case 127: case 8:
        take_out(e, false);
        break;
    case KEYCODE_DELETE:
        take_out(e, true);
        break;
    case KEYCODE_ENTER: case '\n':
        insert(e, '\n');
        break;
    case KEYCODE_LEFT:
        for (e->cursor -= e->cursor > 0; e->cursor > 0 && is_inner(e, e->cursor); e->cursor--)
            ;
        break;
    case KEYCODE_RIGHT:
        for (e->cursor += e->cursor < e->text.length; is_inner(e, e->cursor); e->cursor++)
            ;
        break;
    case KEYCODE_UP: case KEYCODE_WHEEL_UP:
        move_line(e, false);
        break;
    case KEYCODE_DOWN: case KEYCODE_WHEEL_DOWN:
        move_line(e, true);
        break;
    case KEYCODE_PAGE_UP: case KEYCODE_PAGE_DOWN:
        while (page--)
            move_line(e, key == KEYCODE_PAGE_DOWN);
        break;
    case KEYCODE_HOME:
        e->cursor = line_start(e, e->cursor);
        break;
    case KEYCODE_END:
        e->cursor = line_end(e, e->cursor);
        break;
    default:
        if (key != '\t' && (key < 32 || key >= 256))
            return false;
        insert(e, (char)key);
    }
    return true;
}

/* Draws a line from its column @shift, with tabs as blanks. @column: the cursor's column; SIZE_MAX:
 * none. */
static void draw_line(const char *line, size_t length, size_t shift, size_t column, enum role role,
                      struct grid *g, int y)
{
    struct str shown = {0};

    for (size_t i = shift; i < length; i++)
        str_add_char(&shown, line[i] == '\t' ? ' ' : line[i]);
    grid_put(g, MARGIN, y, 0, role, 0, str_text(&shown));
    if (column != SIZE_MAX) {
        size_t at = column - shift;
        char under[8] = " ";
        if (at < shown.length) {
            size_t wide = 1;
            while (at + wide < shown.length && wide + 1 < sizeof under &&
                   ((unsigned char)shown.data[at + wide] & 0xc0) == 0x80)
                wide++;
            memcpy(under, shown.data + at, wide);
            under[wide] = '\0';
            shown.data[at] = '\0';
        }
        grid_put(g, MARGIN + (int)grid_columns(g, str_text(&shown)), y, 0, ROLE_CURSOR,
                 ATTR_REVERSE, under);
    }
    str_done(&shown);
}

void editor_draw(struct editor *e, struct grid *g, int y)
{
    size_t here = 0, line = 0, width = g->width > MARGIN + 1 ? g->width - MARGIN - 1 : 1;

    e->rows = g->height > (unsigned)y ? g->height - (unsigned)y : 0;
    for (size_t i = 0; i < e->cursor; i++)
        here += e->text.data[i] == '\n';
    if (here < e->top)
        e->top = here;
    if (e->rows && here >= e->top + e->rows)
        e->top = here - e->rows + 1;
    for (size_t start = 0; line < e->top + e->rows; line++) {
        size_t end = line_end(e, start), column = line == here ? e->cursor - start : SIZE_MAX;
        size_t shift = column != SIZE_MAX && column >= width ? column - width + 1 : 0;
        if (line >= e->top) {
            int row = y + (int)(line - e->top);
            bool wrong = line + 1 == e->marked;
            grid_printf(g, 0, row, MARGIN, wrong ? ROLE_ERROR : ROLE_DIM, 0, "%4zu", line + 1);
            draw_line(e->text.data ? e->text.data + start : "", end - start, shift, column,
                      wrong ? ROLE_ERROR : ROLE_TEXT, g, row);
        }
        if (end >= e->text.length)
            break;
        start = end + 1;
    }
}
