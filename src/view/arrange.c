/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/arrange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"

#define TEXT_STEPS 8     /* number of work steps to make a cell's text */
/* value for a key whose text is missing for lack of memory; only the prefix of such a key is
 * compared */
#define NO_TEXT SIZE_MAX
#define RUN 64           /* number of rows per run, which one step sorts */
#define MERGED_TEXT_STEPS 3   /* number of work steps to merge a row by its text */
#define GIVEN_A_STEP 4   /* number of rows copied per work step */

/* A row with its sort key */
struct keyed {
    size_t row;
    double number;
    size_t text;        /* offset of the key in `texts` */
    uint64_t prefix;    /* first bytes of the key, as a big-endian number */
};

struct source_row {
    const struct table_source *source;
    const void *context;
    size_t row;
};

/* State of a merge sort. Rows are read and filtered, sorted in runs, and the runs merged in pairs
 * from `rows` into `merged`. */
struct arrangement {
    int sort;
    bool by_text, descending;
    struct table_key then[TABLE_THEN];
    unsigned then_count;
    const struct table_source *source;   /* table of the current call */
    const void *context;
    size_t total, read;             /* number of rows, and number of rows read so far */
    struct keyed *rows, *merged;
    size_t count, capacity;         /* number of matching rows, and allocated number of rows */
    struct str texts, one, shown;   /* all keys; key of the row being read; text of its cell */
    size_t sorted;                  /* number of rows in sorted runs */
    size_t width;                   /* rows per run of the current merge pass; 0: no pass yet */
    /* @begin: first row of the current pair of runs. @left, @right: next row of each run. @out:
     * next row of the result. */
    size_t begin, left, right, out;
    unsigned passes, pass;          /* number of merge passes, in total and so far */
    /* @order: the result; NULL: out of memory. @given: number of rows already copied into it. */
    size_t *order, given;
    bool giving;
    bool cut;                       /* whether memory ran out, so rows are missing or unsorted */
};

/* Appends a sort key for the natural order of @text: each number without leading zeros, preceded by
 * its number of digits (at most 9). */
static void add_natural(const char *text, struct str *out)
{
    while (*text) {
        const size_t other = strcspn(text, "0123456789");
        str_add_bytes(out, text, other);
        text += other;
        if (!*text)
            break;
        const size_t zeros = strspn(text, "0"), digits = strspn(text + zeros, "0123456789");
        const char count = (char)('0' + (digits < 9 ? digits : 9));
        str_add_bytes(out, &count, 1);
        str_add_bytes(out, text + zeros, digits);
        text += zeros + digits;
    }
}

static double row_number(const void *row, int column)
{
    const struct source_row *b = row;
    return column < b->source->column_count && b->source->columns[column].number
               ? b->source->number(b->context, b->row, column)
               : NAN;
}

static void row_text(const void *row, int column, struct str *out)
{
    const struct source_row *b = row;
    b->source->text(b->context, b->row, column, out);
}

static int by_value(double x, double y, bool descending)
{
    if (isnan(x) || isnan(y))
        return isnan(x) == isnan(y) ? 0 : isnan(x) ? 1 : -1;
    const int order = (x > y) - (x < y);
    return descending ? -order : order;
}

/* Compares rows that are equal in the first column by the other columns. Rows that are equal in all
 * columns keep their order. */
static int compare_then(size_t x, size_t y, const struct arrangement *a)
{
    int order = 0;

    for (unsigned k = 0; k < a->then_count && !order; k++) {
        const struct table_key *key = &a->then[k];
        if (a->source->columns[key->column].number) {
            order = by_value(a->source->number(a->context, x, key->column),
                             a->source->number(a->context, y, key->column), key->descending);
            continue;
        }
        struct str texts[2] = {{0}, {0}}, keys[2] = {{0}, {0}};
        a->source->text(a->context, x, key->column, &texts[0]);
        a->source->text(a->context, y, key->column, &texts[1]);
        for (int i = 0; i < 2; i++)
            add_natural(str_text(&texts[i]), &keys[i]);
        order = strcmp(str_text(&keys[0]), str_text(&keys[1]));
        order = key->descending ? -order : order;
        for (int i = 0; i < 2; i++) {
            str_done(&texts[i]);
            str_done(&keys[i]);
        }
    }
    /* Equal rows are compared by index last, so the sort is stable. */
    return order ? order : (x > y) - (x < y);
}

static int compare(const struct keyed *x, const struct keyed *y, const struct arrangement *a)
{
    int order;
    if (a->by_text) {
        bool whole = x->text != NO_TEXT && y->text != NO_TEXT;
        order = x->prefix != y->prefix ? (x->prefix > y->prefix) - (x->prefix < y->prefix)
                : whole                ? strcmp(a->texts.data + x->text, a->texts.data + y->text)
                                       : 0;
        order = a->descending ? -order : order;
    } else {
        order = by_value(x->number, y->number, a->descending);
    }
    return order ? order : compare_then(x->row, y->row, a);
}

static int compare_rows(const void *x, const void *y, void *arrangement)
{
    return compare(x, y, arrangement);
}

static uint64_t prefix_of(const char *text)
{
    uint64_t prefix = 0;
    for (unsigned i = 0; i < 8; i++) {
        prefix = prefix << 8 | (unsigned char)*text;
        text += *text != '\0';
    }
    return prefix;
}

struct arrangement *arrange_begin(const struct table_source *source, const void *context, int sort,
                                  bool descending, const struct table_key *then,
                                  unsigned then_count)
{
    struct arrangement *a = mem_zero(1, sizeof *a);

    a->sort = sort;
    a->by_text = sort >= 0 && !source->columns[sort].number;
    a->descending = descending;
    for (unsigned i = 0; i < then_count && i < TABLE_THEN; i++)
        if (then[i].column < source->column_count)
            a->then[a->then_count++] = then[i];
    a->total = source->count(context);
    return a;
}

void arrange_free(struct arrangement *a)
{
    if (!a)
        return;
    free(a->rows);
    free(a->merged);
    free(a->order);
    str_done(&a->texts);
    str_done(&a->one);
    str_done(&a->shown);
    free(a);
}

static bool room_for_row(struct arrangement *a)
{
    if (a->count < a->capacity)
        return true;
    size_t capacity = a->capacity ? 2 * a->capacity : 256;
    struct keyed *rows = mem_try_resize(a->rows, capacity * sizeof *rows);
    if (!rows)
        return false;
    a->rows = rows;
    a->capacity = capacity;
    return true;
}

/* Stores the current key with its NUL. Returns its offset, or NO_TEXT if memory is exhausted. */
static size_t keep_text(struct arrangement *a)
{
    size_t at = a->texts.length;

    if (!str_try_reserve(&a->texts, a->one.length + 1)) {
        a->cut = true;
        return NO_TEXT;
    }
    str_add_bytes(&a->texts, str_text(&a->one), a->one.length + 1);
    return at;
}

/* Reads the next row, and adds it if it matches the filter. Returns the number of work steps
 * used. */
static uint64_t read_row(struct arrangement *a, const struct table_source *source,
                         const void *context, const struct filter *filter)
{
    struct source_row bound = {source, context, a->read++};
    struct filter_row row = {row_number, row_text, &bound, source->column_count};
    uint64_t steps = 1 + TEXT_STEPS * (filter->count + a->by_text);

    if (!filter_matches(filter, &row))
        return steps;
    if (!room_for_row(a)) {   /* Reading ends here, because memory ran out. */
        a->cut = true;
        return steps;
    }
    struct keyed *keyed = &a->rows[a->count++];
    *keyed = (struct keyed){bound.row, NAN, NO_TEXT, 0};
    if (a->by_text) {
        str_clear(&a->one);
        str_clear(&a->shown);
        source->text(context, bound.row, a->sort, &a->shown);
        add_natural(str_text(&a->shown), &a->one);
        keyed->prefix = prefix_of(str_text(&a->one));
        keyed->text = keep_text(a);
    } else if (a->sort >= 0) {
        keyed->number = source->number(context, bound.row, a->sort);
    }
    return steps;
}

static uint64_t sort_run(struct arrangement *a)
{
    size_t n = a->count - a->sorted < RUN ? a->count - a->sorted : RUN;

    qsort_r(a->rows + a->sorted, n, sizeof *a->rows, compare_rows, a);
    a->sorted += n;
    return 6 * n;
}

/* Returns the number of work steps to merge a row. A row with text needs more steps, because texts
 * are scattered in memory. */
static uint64_t merging_steps(const struct arrangement *a)
{
    return a->by_text ? MERGED_TEXT_STEPS : 1;
}

static size_t end_of(const struct arrangement *a, size_t begin, size_t runs)
{
    return begin + runs * a->width < a->count ? begin + runs * a->width : a->count;
}

static void pair_begin(struct arrangement *a, size_t begin)
{
    a->begin = a->left = a->out = begin;
    a->right = end_of(a, begin, 1);
}

static void merging_begin(struct arrangement *a)
{
    if (!a->merged)
        a->merged = mem_try_alloc((a->count + 1) * sizeof *a->merged);
    a->cut |= !a->merged;
    a->width = a->width ? 2 * a->width : RUN;
    for (size_t width = a->width; a->pass == 0 && (!a->passes || width < a->count); width *= 2)
        a->passes++;
    pair_begin(a, 0);
}

/* Merges the next row of the pair of runs. At the end of a pair, starts the next pair. After the
 * last pair, starts the next pass, whose runs are twice as long. */
static void merge_row(struct arrangement *a)
{
    size_t middle = end_of(a, a->begin, 1), end = end_of(a, a->begin, 2);

    if (a->out == a->count) {
        struct keyed *rows = a->rows;
        a->rows = a->merged;
        a->merged = rows;
        a->pass++;
        merging_begin(a);
    } else if (a->out == end) {
        pair_begin(a, end);
    } else {
        bool left = a->right == end ||
                    (a->left < middle && compare(&a->rows[a->left], &a->rows[a->right], a) < 0);
        a->merged[a->out++] = a->rows[left ? a->left++ : a->right++];
    }
}

static bool is_sorted(const struct arrangement *a)
{
    return a->read == a->total &&
           (a->sort < 0 || (a->sorted == a->count && (a->width >= a->count || !a->merged)));
}

/* Copies row indices to the result, within @steps. Returns true when all are copied, or if memory
 * is exhausted. Adds the steps to *@taken. */
static bool give_rows(struct arrangement *a, uint64_t *taken, uint64_t steps)
{
    if (!a->giving)
        a->order = mem_try_alloc((a->count + 1) * sizeof *a->order);
    a->giving = true;
    a->cut |= !a->order;
    for (; a->order && a->given < a->count && *taken < steps;
         *taken += a->given++ % GIVEN_A_STEP == 0)
        a->order[a->given] = a->rows[a->given].row;
    return !a->order || a->given == a->count;
}

bool arrange_go_on(struct arrangement *a, const struct table_source *source, const void *context,
                   const struct filter *filter, uint64_t steps)
{
    uint64_t taken = 0;

    a->source = source;
    a->context = context;
    while (a->read < a->total && taken < steps)
        taken += read_row(a, source, context, filter);
    while (a->sort >= 0 && a->read == a->total && a->sorted < a->count && taken < steps)
        taken += sort_run(a);
    if (a->sort >= 0 && a->read == a->total && a->sorted == a->count && !a->width)
        merging_begin(a);
    for (; a->width && a->merged && a->width < a->count && taken < steps; taken += merging_steps(a))
        merge_row(a);
    bool given = is_sorted(a) && give_rows(a, &taken, steps);
    steps_add(taken);
    return given;
}

bool arrange_cut(const struct arrangement *a)
{
    return a->cut;
}

size_t *arrange_take(struct arrangement *a, size_t *count)
{
    size_t *order = a->order;

    *count = order ? a->count : 0;
    a->order = NULL;
    return order;
}

double arrange_done(const struct arrangement *a)
{
    double reading = a->total ? (double)a->read / (double)a->total : 1;
    if (a->sort < 0)
        return reading;
    double merging =
        a->passes ? (a->pass + (double)a->out / (double)(a->count + 1)) / a->passes : 0;
    return 0.5 * reading + 0.5 * merging;
}
