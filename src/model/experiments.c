/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiments.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/compare.h"
#include "base/free.h"
#include "base/shortage.h"
#include "base/watch.h"

struct experiments *experiments_new(void)
{
    static _Atomic uint64_t last;
    struct experiments *t = mem_zero(1, sizeof *t);

    t->serial = atomic_fetch_add(&last, 1) + 1;
    return t;
}

/* States of nearly all rows. Each is stored once, to copy tables with a million rows quickly. */
static char *const shared_states[] = {(char[]){EXPERIMENT_PENDING}, (char[]){EXPERIMENT_OK},
                                      (char[]){EXPERIMENT_ONCE}, (char[]){EXPERIMENT_CONTENDED}};
#define SHARED_STATES (sizeof shared_states / sizeof *shared_states)

#define COPIED_A_STEP 4   /* number of rows copied per step (base/watch.h) */

/* Returns a copy of @text, or the shared state with this text. */
static char *state_new(const char *text)
{
    for (size_t i = 0; i < SHARED_STATES; i++)
        if (text == shared_states[i] || strcmp(text, shared_states[i]) == 0)
            return shared_states[i];
    return mem_strdup(text);
}

static bool state_shared(const char *state)
{
    bool shared = false;
    for (size_t i = 0; i < SHARED_STATES; i++)
        shared |= state == shared_states[i];
    return shared;
}

static void row_done(struct experiment_row *row)
{
    free(row->extra);
    if (!state_shared(row->state))
        free(row->state);
}

struct experiments *experiments_hold(struct experiments *t)
{
    atomic_fetch_add(&t->holders, 1);
    return t;
}

bool experiments_held(const struct experiments *t)
{
    return atomic_load(&t->holders) > 0;
}

static void release(void *table)
{
    struct experiments *t = table;

    for (size_t i = 0; i < t->rows.count; i++)
        row_done(&t->rows.items[i]);
    vec_done(&t->rows);
    vec_done(&t->terms);
    names_done(&t->forms);
    names_done(&t->extra);
    names_done(&t->texts);
    free(t);
}

void experiments_free(struct experiments *t)
{
    if (!t || atomic_fetch_sub(&t->holders, 1) > 0)
        return;
    if (t->rows.count >= DISCARD_LEAST)
        discard(release, t);
    else
        release(t);
}

size_t experiments_try_add(struct experiments *t, const struct flat_term *terms, size_t n)
{
    size_t start = t->terms.count;
    bool ok = true;

    for (size_t i = 0; i < n; i++) {
        if (terms[i].form >= t->forms.count || terms[i].count == 0)
            BUG("experiment term %u * form %u of %zu", terms[i].count, terms[i].form,
                t->forms.count);
        vec_try_push(&t->terms, terms[i], ok);
    }
    if (!ok) {
        t->terms.count = start;
        return SIZE_MAX;
    }
    struct flat_term *own = t->terms.items + start;
    if (n > 1)
        qsort(own, n, sizeof *own, compare_uint32);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && own[kept - 1].form == own[i].form)
            own[kept - 1].count += own[i].count;
        else
            own[kept++] = own[i];
    }
    t->terms.count = start + kept;
    struct experiment_row row = {.start = (uint32_t)start,
                                 .count = (uint32_t)kept,
                                 .cycles = NAN,
                                 .spread = NAN,
                                 .state = state_new(EXPERIMENT_PENDING)};
    vec_try_push(&t->rows, row, ok);
    if (!ok) {
        t->terms.count = start;
        return SIZE_MAX;
    }
    t->revision++;
    return t->rows.count - 1;
}

size_t experiments_add(struct experiments *t, const struct flat_term *terms, size_t n)
{
    size_t index;
    for (unsigned tries = 0; (index = experiments_try_add(t, terms, n)) == SIZE_MAX; tries++)
        mem_again(t->rows.count * sizeof *t->rows.items, tries);
    return index;
}

size_t experiments_try_add_named(struct experiments *t, const struct experiment *e)
{
    struct flat_term *terms = mem_alloc((e->count + 1) * sizeof *terms);
    bool ok = true;
    for (unsigned i = 0; i < e->count && ok; i++) {
        terms[i] =
            (struct flat_term){names_try_add(&t->forms, e->terms[i].form), e->terms[i].count};
        ok = terms[i].form != UINT32_MAX;
    }
    size_t index = ok ? experiments_try_add(t, terms, e->count) : SIZE_MAX;
    free(terms);
    return index;
}

size_t experiments_add_named(struct experiments *t, const struct experiment *e)
{
    size_t index;
    for (unsigned tries = 0; (index = experiments_try_add_named(t, e)) == SIZE_MAX; tries++)
        mem_again(t->rows.count * sizeof *t->rows.items, tries);
    return index;
}

/* Adds row @index to the table's counters if @by is 1, or subtracts it if @by is -1. */
static void count_row(struct experiments *t, size_t index, int by)
{
    if (experiments_measured(t, index))
        t->measured += (size_t)by;
    else if (!experiment_state_open(t->rows.items[index].state))
        t->failed += (size_t)by;
}

void experiments_set(struct experiments *t, size_t index, double cycles, double spread,
                     uint32_t repeats, const char *state)
{
    struct experiment_row *row = &t->rows.items[index];
    char *text = state_new(state ? state : isnan(cycles) ? EXPERIMENT_PENDING : EXPERIMENT_OK);

    count_row(t, index, -1);
    row->cycles = cycles;
    row->spread = spread;
    row->repeats = repeats;
    if (!state_shared(row->state))
        free(row->state);
    row->state = text;
    count_row(t, index, 1);
    t->revision++;
}

static void extend_extra(struct experiments *t, struct experiment_row *row, size_t count)
{
    uint32_t empty = names_add(&t->texts, "");

    row->extra = mem_resize(row->extra, count * sizeof *row->extra);
    while (row->extras < count)
        row->extra[row->extras++] = empty;
}

void experiments_set_extra(struct experiments *t, size_t index, const char *column,
                           const char *text)
{
    uint32_t known = names_add(&t->extra, column), said;
    struct experiment_row *row = &t->rows.items[index];

    for (unsigned tries = 0; (said = names_try_add(&t->texts, text)) == UINT32_MAX; tries++) {
        if (shortage_lose(strlen(text)))
            return;
        mem_again(t->texts.count * sizeof *t->texts.items, tries);
    }
    if (known >= row->extras)
        extend_extra(t, row, t->extra.count);
    row->extra[known] = said;
    t->revision++;
}

const char *experiments_extra(const struct experiments *t, size_t index, size_t column)
{
    const struct experiment_row *row = &t->rows.items[index];
    return column < row->extras ? t->texts.items[row->extra[column]] : "";
}

static void copy_result(struct experiments *t, size_t index, const struct experiments *from,
                        size_t i)
{
    const struct experiment_row *row = &from->rows.items[i];
    experiments_set(t, index, row->cycles, row->spread, row->repeats, row->state);
    for (size_t k = 0; k < row->extras; k++)
        experiments_set_extra(t, index, from->extra.items[k], experiments_extra(from, i, k));
}

/* Allocates space for @rows more rows and @terms more terms. Returns false if out of memory. The
 * thread's command then fails. */
static bool make_room(struct experiments *t, size_t rows, size_t terms)
{
    size_t bytes = (t->rows.count + rows) * sizeof *t->rows.items +
                   (t->terms.count + terms) * sizeof *t->terms.items;

    if (bytes > SHORTAGE_KEPT && !mem_room(bytes, "experiments", NULL) && shortage_lose(bytes))
        return false;
    vec_reserve(&t->rows, t->rows.count + rows);
    vec_reserve(&t->terms, t->terms.count + terms);
    return true;
}

/* Copies all rows of @from to the empty @to. Shared states are not duplicated. */
static void copy_all(struct experiments *to, const struct experiments *from)
{
    for (size_t i = 0; i < from->texts.count; i++)
        names_add(&to->texts, from->texts.items[i]);
    if (from->terms.count)
        memcpy(to->terms.items, from->terms.items, from->terms.count * sizeof *from->terms.items);
    to->terms.count = from->terms.count;
    for (size_t i = 0; i < from->rows.count && !(i % COPIED_A_STEP == 0 && watch_steps(1)); i++) {
        struct experiment_row row = from->rows.items[i];
        row.state = state_new(row.state);
        if (row.extra)
            row.extra = memcpy(mem_alloc(row.extras * sizeof *row.extra), row.extra,
                               row.extras * sizeof *row.extra);
        to->rows.items[to->rows.count++] = row;
        count_row(to, i, 1);
    }
}

struct experiments *experiments_copy(const struct experiments *t, const bool *keep)
{
    struct experiments *copy = experiments_new();
    size_t rows = 0;

    for (size_t i = 0; i < t->rows.count; i++)
        rows += !keep || keep[i];
    for (size_t i = 0; i < t->forms.count; i++)
        names_add(&copy->forms, t->forms.items[i]);
    for (size_t i = 0; i < t->extra.count; i++)
        names_add(&copy->extra, t->extra.items[i]);
    if (!make_room(copy, rows, keep ? 0 : t->terms.count))
        return copy;
    if (!keep)
        copy_all(copy, t);
    for (size_t i = 0; keep && i < t->rows.count && !watch_steps(1 + t->extra.count / 8); i++)
        if (keep[i])
            copy_result(
                copy, experiments_add(copy, experiments_terms(t, i), t->rows.items[i].count), t, i);
    return copy;
}

void experiments_append(struct experiments *t, const struct experiments *from)
{
    VEC(struct flat_term) terms = {0};

    for (size_t i = 0; i < from->extra.count; i++)
        names_add(&t->extra, from->extra.items[i]);
    if (!make_room(t, from->rows.count, from->terms.count))
        return;
    for (size_t i = 0; i < from->rows.count && !watch_steps(1 + t->extra.count / 8); i++) {
        const struct flat_term *theirs = experiments_terms(from, i);
        terms.count = 0;
        for (uint32_t k = 0; k < from->rows.items[i].count; k++)
            vec_push(&terms,
                     ((struct flat_term){names_add(&t->forms, from->forms.items[theirs[k].form]),
                                         theirs[k].count}));
        copy_result(t, experiments_add(t, terms.items, terms.count), from, i);
    }
    vec_done(&terms);
}

void experiments_get(const struct experiments *t, size_t index, struct experiment *out)
{
    const struct flat_term *terms = experiments_terms(t, index);
    *out = (struct experiment){0};
    for (uint32_t k = 0; k < t->rows.items[index].count; k++)
        experiment_add(out, t->forms.items[terms[k].form], terms[k].count);
}

void experiments_print(const struct experiments *t, size_t index, struct str *out)
{
    const struct flat_term *terms = experiments_terms(t, index);

    steps_add(t->rows.items[index].count);
    for (uint32_t k = 0; k < t->rows.items[index].count; k++) {
        if (k)
            str_add(out, " + ");
        experiment_term_print(t->forms.items[terms[k].form], terms[k].count, out);
    }
}

bool experiments_translate(const struct experiments *t, size_t index, const struct experiments *to,
                           struct flat_term *out)
{
    const struct flat_term *terms = experiments_terms(t, index);
    uint32_t n = t->rows.items[index].count;

    for (uint32_t i = 0; i < n; i++) {
        out[i] = (struct flat_term){names_find(&to->forms, t->forms.items[terms[i].form]),
                                    terms[i].count};
        if (out[i].form == UINT32_MAX)
            return false;
    }
    qsort(out, n, sizeof *out, compare_uint32);
    return true;
}

uint64_t experiments_size(const struct experiments *t, size_t index)
{
    const struct flat_term *terms = experiments_terms(t, index);
    uint64_t size = 0;
    for (uint32_t k = 0; k < t->rows.items[index].count; k++)
        size += terms[k].count;
    return size;
}

bool experiment_state_open(const char *state)
{
    /* "clock unstable" and "not confirmed in time" occur only in files of earlier versions. */
    static const char *const open[] = {EXPERIMENT_PENDING,   EXPERIMENT_ONCE,
                                       EXPERIMENT_CONTENDED, "core is contended",
                                       "clock unstable",     "not confirmed in time",
                                       "process killed"};

    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (strcmp(state, open[i]) == 0)
            return true;
    return false;
}
