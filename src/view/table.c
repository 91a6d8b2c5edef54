/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "view/arrange.h"

#define CELL_STEPS 8     /* number of work steps to make and examine a cell's text */

void table_init(struct table *t)
{
    *t = (struct table){.sort = -1, .stale = true};
}

void table_done(struct table *t)
{
    free(t->order);
    arrange_free(t->arranging);
    filter_done(&t->filter);
    tags_done(&t->tags);
}

static bool row_holds(const struct table_source *source, const void *context, size_t row,
                      const char *match)
{
    struct str text = {0};
    bool found = false;
    for (int c = 0; c < source->column_count && !found; c++) {
        str_clear(&text);
        source->text(context, row, c, &text);
        found = strcasestr(str_text(&text), match) != NULL;
    }
    str_done(&text);
    return found;
}

void table_row_name(const struct table_source *source, const void *context, size_t row,
                    struct str *out)
{
    struct str text = {0};

    str_clear(out);
    source->text(context, row, 0, out);
    for (int c = 1; source->named_by >> c; c++)
        if (source->named_by >> c & 1) {
            str_clear(&text);
            source->text(context, row, c, &text);
            str_addf(out, "\t%s", str_text(&text));
        }
    str_done(&text);
}

bool table_is_tagged(const struct table *t, const struct table_source *source, const void *context,
                     size_t row)
{
    struct str name = {0};

    if (!t->tags.list.count)
        return false;
    table_row_name(source, context, row, &name);
    bool tagged = tags_have(&t->tags, str_text(&name));
    str_done(&name);
    return tagged;
}

/* Moves the cursor to the end that was requested before sorting. Returns whether there was a
 * request. */
static bool go_to_end(struct table *t)
{
    bool goes = t->goes != 0;

    if (goes)
        t->cursor = t->goes < 0 || !t->shown ? 0 : t->shown - 1;
    t->goes = 0;
    return goes;
}

size_t table_row(const struct table *t, size_t at)
{
    return t->order ? t->order[at] : at;
}

/* Arranges the rows in source order, without reading them. */
static void arrange_plain(struct table *t)
{
    free(t->order);
    t->order = NULL;
    t->shown = t->total;
    if (!go_to_end(t) && t->selected < t->shown)
        t->cursor = t->selected;
}

static void adopt(struct table *t)
{
    free(t->order);
    t->order = arrange_take(t->arranging, &t->shown);
    t->cut = arrange_cut(t->arranging);
    arrange_free(t->arranging);
    t->arranging = NULL;
    bool went = go_to_end(t);
    for (size_t i = 0; !went && i < t->shown; i++)
        if (table_row(t, i) == t->selected) {
            t->cursor = i;
            break;
        }
}

static void drop_rows(struct table *t, size_t total)
{
    size_t kept = 0;

    if (!t->order)
        t->shown = t->shown < total ? t->shown : total;
    if (!t->order || total >= t->total)
        return;
    for (size_t i = 0; i < t->shown; i++)
        if (t->order[i] < total)
            t->order[kept++] = t->order[i];
    t->shown = kept;
}

/* Starts a new sort. The previous order without removed rows is displayed in the meantime. */
static void arrange(struct table *t, const struct table_source *source, const void *context)
{
    size_t total = source->count(context);

    arrange_free(t->arranging);
    t->arranging = NULL;
    t->stale = t->cut = false;
    drop_rows(t, total);
    t->total = total;
    if (!t->filter.count && t->sort < 0) {
        arrange_plain(t);
        return;
    }
    t->arranging = arrange_begin(source, context, t->sort, t->descending, t->then, t->then_count);
}

static void place(struct table *t)
{
    size_t height = t->height ? t->height : 1;
    if (t->follow && t->shown)
        t->cursor = t->shown - 1;
    if (t->cursor >= t->shown)
        t->cursor = t->shown ? t->shown - 1 : 0;
    if (t->cursor < t->top)
        t->top = t->cursor;
    if (t->cursor >= t->top + height)
        t->top = t->cursor - height + 1;
    if (t->top + height > t->shown)   /* Scrolls back if rows after the last one would be empty, as
                                       * after filtering. */
        t->top = t->shown > height ? t->shown - height : 0;
    if (t->shown)
        t->selected = table_row(t, t->cursor);
}

static bool hidden_as_empty(const struct table *t, int column)
{
    return column != t->sort && column < ROOM_COLUMNS && t->empty >> column & 1;
}

static bool column_shown(const struct table *t, const struct table_source *source, int column,
                         unsigned width)
{
    return width >= source->columns[column].from &&
           (column == 0 || (column > t->skipped && !hidden_as_empty(t, column)));
}

static unsigned column_width(const struct table *t, const struct table_source *source, int column,
                             unsigned width)
{
    unsigned fixed = 0;
    if (source->columns[column].width)
        return source->columns[column].width;
    for (int c = 0; c < source->column_count; c++)
        fixed += column_shown(t, source, c, width) ? source->columns[c].width + 1 : 0;
    /* Minimum width of the column of variable width; columns on the right are truncated first. */
    const unsigned least = width >= 80  ? 28
                           : width > 48 ? width / 3
                                        : 12,
                   preferred = width >= 80 || t->widest < 12 ? least : t->widest,
                   room = width > fixed + least ? width - fixed : least,
                   most = t->widest > preferred ? t->widest : preferred;
    return room < most ? room : most;
}

static bool is_cut(const struct table *t, const struct table_source *source)
{
    unsigned used = 0;

    for (int c = 0; c < source->column_count; c++)
        used += column_shown(t, source, c, t->width) ? column_width(t, source, c, t->width) + 1 : 0;
    return used > t->width + 1;
}

/* Scrolls left by one column, or right to the next nonempty column if the last columns are
 * truncated. */
static void scroll(struct table *t, const struct table_source *source, bool right)
{
    if (!right)
        t->skipped -= t->skipped > 0;
    else if (is_cut(t, source) && t->skipped + 2 < source->column_count)
        do
            t->skipped++;
        while (hidden_as_empty(t, t->skipped) && t->skipped + 2 < source->column_count);
}

static void draw_cell(const struct table_source *source, const char *text, int column,
                      struct grid *g, int x, int y, unsigned width, enum role role, unsigned attr)
{
    unsigned length = (unsigned)strlen(text);
    unsigned pad = source->columns[column].number && length < width ? width - length : 0;
    unsigned used = grid_put(g, x + (int)pad, y, width - pad, role, attr, text);
    /* Marks truncated text with ">". */
    if (length > width && used == width - pad && width > 4)
        grid_put(g, x + (int)width - 1, y, 1, role, attr, ">");
}

static bool parse_filter(const struct table_source *source, const char *expression,
                         struct filter *out, struct err *err)
{
    return filter_parse(expression, source->columns,
                        source->filter_count ? source->filter_count : source->column_count, out,
                        err);
}

/* Finds the columns of sort and filter in a changed source, whose columns may differ, because
 * machines have different ports. Removes a sort or filter whose column does not exist. */
static void meet_columns(struct table *t, const struct table_source *source)
{
    struct err none = {0};

    if (t->sort >= source->column_count)
        t->sort = -1;
    if (t->skipped + 1 >= source->column_count)
        t->skipped = 0;
    filter_done(&t->filter);
    if (!parse_filter(source, t->filter_text, &t->filter, &none))
        t->filter_text[0] = '\0';
}

static void move_to(struct table *t, long to)
{
    t->follow = false;
    t->goes = 0;
    t->cursor = to < 0 ? 0 : (size_t)to < t->shown ? (size_t)to : t->shown ? t->shown - 1 : 0;
    if (t->shown)
        t->selected = table_row(t, t->cursor);
}

bool table_go(struct table *t, size_t row)
{
    const bool later = t->stale || t->arranging;

    for (size_t i = 0; i < t->shown; i++)
        if (table_row(t, i) == row) {
            move_to(t, (long)i);
            return true;
        }
    if (later) {   /* After sorting, the cursor moves to the selected row. */
        t->follow = false;
        t->goes = 0;
        t->selected = row;
    }
    return later;
}

static void find_on(struct table *t, const struct table_source *source, const void *context)
{
    uint64_t each = (uint64_t)source->column_count * CELL_STEPS;

    for (uint64_t taken = 0; t->finding && taken < TABLE_STEPS; taken += each) {
        size_t at = t->finding > 0 ? (t->find_from + t->find_step) % t->shown
                                   : (t->find_from + t->shown - t->find_step) % t->shown;
        steps_add(each);
        if (row_holds(source, context, table_row(t, at), t->match)) {
            t->finding = 0;
            move_to(t, (long)at);
        } else if (t->find_step++ == t->shown) {
            t->finding = 0;
            t->missed = true;
        }
    }
}

void table_update(struct table *t, const struct table_source *source, const void *context,
                  unsigned long revision)
{
    if (t->revision != revision) {
        meet_columns(t, source);
        t->empty = room_empty(source, context);
        t->widest = room_widest(source, context);
    }
    if (t->stale || t->revision != revision) {
        t->revision = revision;
        t->finding = 0;
        arrange(t, source, context);
        place(t);
    }
    if (t->arranging && arrange_go_on(t->arranging, source, context, &t->filter, TABLE_STEPS)) {
        adopt(t);
        place(t);
    } else if (!t->arranging && t->finding) {
        find_on(t, source, context);
    }
}

bool table_busy(const struct table *t)
{
    return t->arranging || t->finding;
}

void table_finish(struct table *t, const struct table_source *source, const void *context)
{
    while (table_busy(t))
        table_update(t, source, context, t->revision);
}

/* Widens the column of variable width for the visible rows, because room_widest examines only a
 * sample. */
static void widen(struct table *t, const struct table_source *source, const void *context)
{
    for (size_t at = t->top; at < t->shown && at < t->top + t->height; at++) {
        const unsigned of_row = room_of_row(source, context, table_row(t, at));
        t->widest = of_row > t->widest ? of_row : t->widest;
    }
}

void table_draw(struct table *t, const struct table_source *source, const void *context,
                unsigned long revision, struct grid *g, int y, unsigned height)
{
    struct str text = {0};

    table_update(t, source, context, revision);
    t->width = g->width;
    t->height = height > 1 ? height - 1 : 0;
    place(t);
    widen(t, source, context);
    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    for (unsigned r = 0; r < t->height + 1; r++) {
        bool header = r == 0, cursor = !header && t->top + r - 1 == t->cursor;
        int x = 0;
        if (!header && t->top + r - 1 >= t->shown)
            break;
        size_t row = header ? 0 : table_row(t, t->top + r - 1);
        enum role whole = cursor                                                     ? ROLE_CURSOR
                          : header                                                   ? ROLE_HEADER
                          : t->match[0] && row_holds(source, context, row, t->match) ? ROLE_MATCH
                                                                                     : ROLE_TEXT;
        unsigned tagged =
            !header && table_is_tagged(t, source, context, row) ? ATTR_BOLD | ATTR_UNDERLINE : 0;
        if (cursor)
            grid_fill(g, 0, y + (int)r, g->width, 1, ROLE_CURSOR, 0, ' ');
        for (int c = 0; c < source->column_count; c++) {
            if (!column_shown(t, source, c, g->width))
                continue;
            unsigned width = column_width(t, source, c, g->width);
            enum role role = whole;
            str_clear(&text);
            if (header)
                str_addf(&text, "%s%s", source->columns[c].name,
                         c != t->sort    ? ""
                         : t->descending ? "-"
                                         : "+");
            else
                source->text(context, row, c, &text);
            if (!header && !cursor && whole == ROLE_TEXT && source->role)
                role = source->role(context, row, c);
            draw_cell(source, str_text(&text), c, g, x, y + (int)r, width, role,
                      header && c == t->sort ? ATTR_BOLD : tagged);
            x += (int)width + 1;
        }
    }
    if (!t->shown && t->arranging && t->height)
        grid_printf(g, 2, y + 1, 0, ROLE_DIM, 0, "Sorting, %.0f %%; Esc ends the sort",
                    100 * arrange_done(t->arranging));
    else if (!t->shown && t->total && t->height)
        grid_put(g, 2, y + 1, 0, ROLE_DIM, 0,
                 t->filter.count ? "No row matches the filter."
                                 : "Not enough memory for the rows.");
    str_done(&text);
}

/* Cancels a search or a sort. After a cancelled sort, rows are shown in source order without
 * filter. Returns whether there was a search or a sort. */
static bool give_up(struct table *t)
{
    bool busy = table_busy(t);

    t->match[0] = '\0';
    t->finding = 0;
    t->missed = false;
    if (t->arranging) {
        arrange_free(t->arranging);
        t->arranging = NULL;
        filter_done(&t->filter);
        t->filter_text[0] = '\0';
        t->sort = -1;
        t->stale = true;
    }
    return busy;
}

/* Moves to the first (@way -1) or last row. If the rows are being sorted, the move is repeated
 * afterwards. */
static void move_to_end(struct table *t, int way)
{
    move_to(t, way < 0 ? 0 : (long)t->shown);
    t->goes = t->stale || t->arranging ? way : 0;
}

bool table_act(struct table *t, const struct table_source *source, enum action action)
{
    long at = (long)t->cursor, page = t->height > 1 ? (long)t->height - 1 : 1;
    switch (action) {
    case ACTION_DOWN: move_to(t, at + 1); return true;
    case ACTION_UP: move_to(t, at - 1); return true;
    case ACTION_SCROLL_DOWN: move_to(t, at + 3); return true;
    case ACTION_SCROLL_UP: move_to(t, at - 3); return true;
    case ACTION_PAGE_DOWN: move_to(t, at + page); return true;
    case ACTION_PAGE_UP: move_to(t, at - page); return true;
    case ACTION_FIRST: move_to_end(t, -1); return true;
    case ACTION_LAST: move_to_end(t, 1); return true;
    case ACTION_RIGHT: scroll(t, source, true); return true;
    case ACTION_LEFT: scroll(t, source, false); return true;
    case ACTION_FOLLOW: t->follow = !t->follow; return true;
    case ACTION_UNTAG: tags_done(&t->tags); return true;
    case ACTION_SORT_PREVIOUS:
    case ACTION_SORT_NEXT:
        t->sort += action == ACTION_SORT_NEXT ? 1 : -1;
        t->then_count = 0;
        t->sort = t->sort < -1                      ? source->column_count - 1
                  : t->sort >= source->column_count ? -1
                                                    : t->sort;
        t->stale = true;
        return true;
    case ACTION_REVERSE:
        t->descending = !t->descending;
        t->stale = true;
        return true;
    case ACTION_CANCEL: return give_up(t);
    default: return false;
    }
}

void table_tag(struct table *t, const struct table_source *source, const void *context)
{
    struct str name = {0};
    size_t row;

    if (!table_selected(t, &row))
        return;
    table_row_name(source, context, row, &name);
    tags_turn(&t->tags, str_text(&name), row);
    str_done(&name);
    move_to(t, (long)t->cursor + 1);
}

void table_click(struct table *t, const struct table_source *source, int x, int y)
{
    if (y > 0) {
        move_to(t, (long)t->top + y - 1);
        return;
    }
    for (int c = 0, at = 0; c < source->column_count; c++) {
        if (!column_shown(t, source, c, t->width))
            continue;
        int end = at + (int)column_width(t, source, c, t->width) + 1;
        if (x >= at && x < end) {
            t->descending = t->sort == c ? !t->descending : false;
            t->then_count = 0;
            t->sort = c;
            t->stale = true;
        }
        at = end;
    }
}

bool table_find(struct table *t, const struct table_source *source, const void *context,
                const char *text, int direction)
{
    snprintf(t->match, sizeof t->match, "%s", text);
    t->missed = false;
    t->finding = *text && t->shown ? direction : 0;
    t->find_from = t->cursor;
    t->find_step = 1;
    if (!t->finding)
        return false;
    find_on(t, source, context);
    return !t->missed;
}

/* Parses a column's name or its beginning, in any case. A preceding '-' means descending order.
 * Returns false with err for an unknown column. */
static bool parse_key(const struct table_source *source, const char *word, size_t length,
                      struct table_key *out, struct err *err)
{
    struct str names = {0};

    out->descending = length && *word == '-';
    word += out->descending;
    length -= out->descending;
    for (int c = 0; length && c < source->column_count; c++)
        if (strncasecmp(source->columns[c].name, word, length) == 0) {
            out->column = c;
            return true;
        }
    for (int c = 0; c < source->column_count; c++)
        str_addf(&names, "%s%s", c ? ", " : "columns: ", source->columns[c].name);
    err_set(err, ERR_USAGE, str_text(&names), "unknown column \"%.*s\"", (int)length, word);
    str_done(&names);
    return false;
}

bool table_sort(struct table *t, const struct table_source *source, const char *column,
                struct err *err)
{
    struct table_key keys[1 + TABLE_THEN] = {{-1, false}};
    struct err none = {0};
    unsigned count = 0;

    /* Tries the whole text first, because column names may have blanks. */
    if (*column && parse_key(source, column, strlen(column), &keys[0], &none))
        count = 1;
    const bool whole = count;
    for (const char *at = column + strspn(column, " ,"); !whole && *at;
         at += strspn(at, " ,"), count++) {
        const size_t length = strcspn(at, " ,");
        if (count == 1 + TABLE_THEN)
            return err_set(err, ERR_USAGE, "give fewer columns",
                           "rows can be sorted by at most %d columns", 1 + TABLE_THEN);
        if (!parse_key(source, at, length, &keys[count], err))
            return false;
        at += length;
    }
    t->stale = true;
    t->sort = count ? keys[0].column : -1;
    t->descending = count && keys[0].descending;
    t->then_count = count ? count - 1 : 0;
    memcpy(t->then, keys + 1, sizeof t->then);
    t->goes = -1;   /* Scrolls to the top after sorting. */
    return true;
}

bool table_filter(struct table *t, const struct table_source *source, const char *expression,
                  struct err *err)
{
    struct filter fresh;

    if (strlen(expression) >= sizeof t->filter_text)
        return err_set(err, ERR_USAGE, "shorten the filter",
                       "the filter has more than %zu characters", sizeof t->filter_text - 1);
    if (!parse_filter(source, expression, &fresh, err))
        return false;
    filter_done(&t->filter);
    t->filter = fresh;
    snprintf(t->filter_text, sizeof t->filter_text, "%s", expression);
    t->stale = true;
    return true;
}

void table_status(const struct table *t, const struct table_source *source, struct str *out)
{
    str_addf(out, "%zu/%zu", t->shown ? t->cursor + 1 : 0, t->shown);
    if (t->shown != t->total)
        str_addf(out, " of %zu", t->total);
    if (t->sort >= 0)
        str_addf(out, "  sort %s%s", t->descending ? "-" : "", source->columns[t->sort].name);
    for (unsigned i = 0;
         t->sort >= 0 && i < t->then_count && t->then[i].column < source->column_count; i++)
        str_addf(out, " %s%s", t->then[i].descending ? "-" : "",
                 source->columns[t->then[i].column].name);
    if (t->tags.list.count)
        str_addf(out, "  %zu tagged", t->tags.list.count);
    if (t->filter_text[0])
        str_addf(out, "  filter %s", t->filter_text);
    if (t->skipped)
        str_addf(out, "  < %d column%s", t->skipped, plural(t->skipped));
    if (t->follow)
        str_add(out, "  following");
    if (t->arranging)
        str_addf(out, "  sorting %.0f %%", 100 * arrange_done(t->arranging));
    if (t->cut)
        str_add(out, "  not enough memory for all rows");
    if (t->finding)
        str_addf(out, "  searching %.0f %%", 100.0 * (double)t->find_step / (double)t->shown);
    if (t->missed)
        str_addf(out, "  \"%s\" not found", t->match);
}

bool table_selected(const struct table *t, size_t *row)
{
    if (!t->shown)
        return false;
    *row = table_row(t, t->cursor < t->shown ? t->cursor : t->shown - 1);
    return true;
}
