/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies rows of a table as text, or collects them for a result. Uses only tagged rows if there are
 * any. */
#include "view/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8_text.h"
#include "base/watch.h"

/* maximum number of updates (table_update) for which a copy waits for sorting */
#define COPY_UPDATES 40

/* Appends row @row as a line; SIZE_MAX: the column names. @part COPIED_NAMES: only the first
 * column. */
static void add_line(const struct table_source *source, const void *context, size_t row,
                     enum copied part, struct str *out)
{
    struct str text = {0};

    for (int c = 0; c < (part == COPIED_NAMES ? 1 : source->column_count); c++) {
        str_clear(&text);
        if (row == SIZE_MAX)
            str_add(&text, source->columns[c].name);
        else
            source->text(context, row, c, &text);
        str_add(out, c ? "\t" : "");
        /* Escapes text, because a terminal may execute pasted text. */
        utf8_escape(str_text(&text), text.length, out);
    }
    str_add_char(out, '\n');
    str_done(&text);
}

static int compare_rows(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Returns the tagged rows in source order. The caller frees them. Reads only these rows if none has
 * moved. Sets *@count to the number of rows. */
static size_t *tagged_rows(struct table *t, const struct table_source *source, const void *context,
                           size_t *count)
{
    size_t *rows = mem_zero(t->tags.list.count, sizeof *rows), moved = 0;
    struct str name = {0};

    *count = 0;
    for (size_t i = 0; i < t->tags.list.count; i++) {
        struct tag *tag = &t->tags.list.items[i];
        if (tag->row < t->total)
            table_row_name(source, context, tag->row, &name);
        if (tag->row < t->total && strcmp(str_text(&name), tag->name) == 0) {
            rows[(*count)++] = tag->row;
            continue;
        }
        tag->row = SIZE_MAX;
        moved++;
    }
    for (size_t row = 0; moved && row < t->total; row++) {
        table_row_name(source, context, row, &name);
        struct tag *tag = tags_find(&t->tags, str_text(&name));
        if (!tag || tag->row != SIZE_MAX)
            continue;
        tag->row = row;
        rows[(*count)++] = row;
        moved--;
    }
    str_done(&name);
    qsort(rows, *count, sizeof *rows, compare_rows);
    return rows;
}

/* Reports that no row is visible for @verb. Returns false. */
static bool none_in_sight(const char *verb, struct err *err)
{
    return err_set(err, ERR_USAGE, "U removes tags; type :filter to remove the filter",
                   "no visible row to %s", verb);
}

bool table_copies_nothing(struct err *err)
{
    return none_in_sight("copy", err);
}

/* Completes a sort that the same command line started before `copy`. Returns false with err if the
 * sort takes too long. */
static bool in_order(struct table *t, const struct table_source *source, const void *context,
                     struct err *err)
{
    table_update(t, source, context, t->revision);
    for (unsigned i = 0; t->arranging && i < COPY_UPDATES; i++)
        table_update(t, source, context, t->revision);
    return !t->arranging || err_set(err, ERR_USAGE,
                                    "copy again when the status line no longer shows \"sorting\"; "
                                    "export waits for the end of the sort",
                                    "the rows are not sorted yet");
}

bool table_copy(struct table *t, const struct table_source *source, const void *context,
                enum copied part, struct str *out, struct err *err)
{
    const bool one = !t->tags.list.count && part != COPIED_TABLE;
    size_t selected, count = 0, *tagged = NULL, lines = 0;

    if (!in_order(t, source, context, err))
        return false;
    if (!table_selected(t, &selected))
        return table_copies_nothing(err);
    if (part == COPIED_TABLE)
        add_line(source, context, SIZE_MAX, part, out);
    if (t->tags.list.count)
        tagged = tagged_rows(t, source, context, &count);
    for (size_t i = 0; i < t->shown; i++) {
        const size_t row = table_row(t, i);
        if (one ? row != selected
                : t->tags.list.count &&
                      !(count && bsearch(&row, tagged, count, sizeof row, compare_rows)))
            continue;
        add_line(source, context, row, part, out);
        lines++;
    }
    free(tagged);
    return lines || table_copies_nothing(err);
}

/* Adds all columns of the rows of @t as table @key of @out. Uses only tagged rows if there are any.
 * Polls the thread's watch. Returns false if no tagged row is visible. */
static bool add_rows(const struct table *t, const struct table_source *source, const void *context,
                     const char *key, struct result *out)
{
    struct result_column *columns = mem_zero((size_t)source->column_count, sizeof *columns);
    struct str text = {0};
    size_t added = 0;

    for (int c = 0; c < source->column_count; c++)
        columns[c] =
            (struct result_column){.key = source->columns[c].name,
                                   .kind = source->columns[c].number ? CELL_NUMBER : CELL_TEXT,
                                   .decimals = SHORTEST};
    struct result_table *rows = result_table(out, key, columns, (size_t)source->column_count);
    for (size_t i = 0; i < t->shown && !watch_steps((uint64_t)source->column_count); i++) {
        if (t->tags.list.count && !table_is_tagged(t, source, context, table_row(t, i)))
            continue;
        added++;
        for (int c = 0; c < source->column_count; c++) {
            if (source->columns[c].number) {
                cell_number(rows, source->number(context, table_row(t, i), c));
                continue;
            }
            str_clear(&text);
            source->text(context, table_row(t, i), c, &text);
            cell_text(rows, str_text(&text));
        }
    }
    str_done(&text);
    free(columns);
    return added || !t->tags.list.count;
}

/* State of an export: rows to collect from a held context, or a few rows that were collected at
 * once */
struct collecting {
    struct table_source source;
    void *held;
    struct table as;         /* copy of the displayed table, with its sorting and filter */
    const char *key;
    struct result *ready;    /* collected rows; NULL: collected later from @held */
    /* whether tags could not be copied for lack of memory; the export then fails */
    bool untagged;
    bool unseen;             /* whether no tagged row is visible */
};

static void collecting_free(void *state)
{
    struct collecting *c = state;

    if (c->held)
        c->source.release(c->held);
    table_done(&c->as);
    result_free(c->ready);
    free(c);
}

static bool collect(void *state, struct result *out, struct err *err)
{
    struct collecting *c = state;

    if (c->unseen)
        return none_in_sight("export", err);
    if (c->ready) {
        result_append(out, c->ready);
        c->ready = NULL;
        return true;
    }
    if (c->untagged)
        return err_memory_for(err, "the tags",
                              c->as.tags.list.count * sizeof *c->as.tags.list.items);
    do
        table_update(&c->as, &c->source, c->held, 1);
    while (table_busy(&c->as) && !watch_over());
    if (!watch_goes_on(err))
        return false;
    if (c->as.cut)
        return err_memory_for(err, "the rows", c->as.total * sizeof *c->as.order);
    bool seen = add_rows(&c->as, &c->source, c->held, c->key, out);
    return watch_goes_on(err) && (seen || none_in_sight("export", err));
}

void table_collect(struct table *t, const struct table_source *source, const void *context,
                   unsigned long revision, const char *key, struct rows_shown *out)
{
    struct collecting *c = mem_zero(1, sizeof *c);

    c->source = *source;
    c->key = key;
    table_init(&c->as);
    if (source->hold) {
        c->held = source->hold(context, &c->source);
        c->as.sort = t->sort;
        memcpy(c->as.then, t->then, sizeof t->then);
        c->as.then_count = t->then_count;
        c->untagged = !tags_copy(&c->as.tags, &t->tags);
        c->as.descending = t->descending;
        snprintf(c->as.filter_text, sizeof c->as.filter_text, "%s", t->filter_text);
    } else {
        c->ready = result_new();
        table_update(t, source, context, revision);
        table_finish(t, source, context);
        c->unseen = !add_rows(t, source, context, key, c->ready);
    }
    *out = (struct rows_shown){c, collect, collecting_free};
}
