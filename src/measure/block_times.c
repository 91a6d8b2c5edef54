/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/block_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

/* Number of rows per group. A row's second visit follows the first visits to all rows of its
 * group. */
#define GROUP 64
#define GROUP_VISITS 4           /* maximum number of visits per row before the next group starts */
/* Seconds after which a group accepts no further row. Rows take longer on a busy core. */
#define GROUP_SECONDS 3.0
#define VISIT_SECONDS 0.25       /* seconds that a visit waits for an idle core */
/* seconds without an idle window at which the core is assumed busy */
#define DRY_SECONDS 2.0
/* Factor of the patience of visits on a core that is assumed to be busy. Each row is still visited
 * once. */
#define DRY_PATIENCE 0.05
/* seconds without a newly settled row after which open rows are no longer measured */
#define PATIENCE_SECONDS 20.0
/* largest share of a block's patience for the initial check of the core */
#define LOOK_SHARE 0.5
/* factor of the patience for a block without any value */
#define FIRST_VALUE 10
#define CONTENDED "contended"

/* Creates a calibrated sandbox. Limits the initial check of the core to @look seconds where
 * possible. Returns NULL with err. */
static struct sandbox *open_sandbox(double look, bool (*cancelled)(void *state), void *state,
                                    struct calibration *c, struct seek *seek, struct err *err)
{
    struct sandbox *s = sandbox_new(-1, err);

    if (s && !calibrate_within(s, look, cancelled, state, c, err)) {
        sandbox_free(s);
        return NULL;
    }
    if (s) {
        sandbox_cancel_by(s, cancelled, state);
        seek_begin(seek, s);
    }
    return s;
}

static bool never(void *state)
{
    (void)state;
    return false;
}

bool block_time(const struct insn *insns, size_t count, double patience,
                bool (*cancelled)(void *state), void *state, struct block_time *out,
                struct err *err)
{
    const double begun = clock_seconds();
    struct calibration c;
    struct seek seek;

    *out = (struct block_time){.measured = {.cycles = NAN}};
    cancelled = cancelled ? cancelled : never;
    struct sandbox *s = open_sandbox(LOOK_SHARE * patience, cancelled, state, &c, &seek, err);
    if (!s)
        return false;
    bool ok = false;
    double left = fmax(patience - (clock_seconds() - begun), VISIT_SECONDS);
    do {
        ok = kernel_measure(s, &c, &seek, insns, count, left, &out->measured, err);
        left = patience;
    } while (!ok && err->code == ERR_LIMIT && !(out->measured.cycles > 0) && !cancelled(state) &&
             clock_seconds() - begun < FIRST_VALUE * patience);
    sandbox_free(s);
    if (ok)
        return true;
    if (cancelled(state))
        return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    const struct err reason = *err;
    if (reason.code == ERR_DATA)
        return err_set(err, ERR_DATA, reason.todo, "not measured: %s", reason.what);
    if (reason.code == ERR_LIMIT && out->measured.cycles > 0) {
        snprintf(out->unconfirmed, sizeof out->unconfirmed, "%.159s", reason.what);
        return true;
    }
    /* The reason is exhausted patience only if the whole patience has passed. */
    bool over = reason.code == ERR_LIMIT && clock_seconds() - begun >= patience;
    return over ? err_set(err, ERR_LIMIT, BLOCK_WAIT_LONGER, "%s", reason.what) : false;
}

struct visits {
    const struct block_hooks *hooks;
    struct block_rows *rows;
    struct sandbox *sandbox;
    struct calibration calibration;
    struct seek seek;
    /* clock_seconds() of the last settled row, and of the last visit with an accepted window */
    double last_settled, last_quiet;
};

static void settle(struct visits *v, struct block_row *row, double cycles, double spread,
                   const char *fault)
{
    free(row->fault);
    row->fault = fault ? mem_strdup(fault) : NULL;
    row->cycles = cycles;
    row->spread = spread;
    row->settled = true;
    v->rows->settled++;
    v->rows->measured += !fault;
    v->last_settled = clock_seconds();
}

/* Stores the reason why @row has no value yet. */
static void leave(struct block_row *row, const char *reason)
{
    free(row->fault);
    row->fault = mem_strdup(reason);
}

/* Returns whether no window was idle for DRY_SECONDS. If so, rows without a result are left for the
 * end. */
static bool dry(const struct visits *v)
{
    return clock_seconds() - v->last_quiet > DRY_SECONDS;
}

/* Visits a block. Stores the value if visits agree, or the reason if the block cannot have a
 * value. Otherwise the row remains open, without a result. Returns false with err when
 * measurement fails. */
static bool visit(struct visits *v, size_t at, struct err *err)
{
    const struct block_hooks *h = v->hooks;
    struct block_row *row = &v->rows->items[at];
    struct err fault = {0};
    struct kernel_measured m = {.contended = NAN};
    struct calibration c = v->calibration;
    double cycles = NAN, spread = NAN;
    size_t count = 0;
    const struct insn *insns = h->open(h->state, at, &count, &fault);

    c.rules.patience *= dry(v) ? DRY_PATIENCE : 1;
    bool visited = insns && kernel_visit(v->sandbox, &c, insns, count, VISIT_SECONDS,
                                         &row->passes.plan, &m, &fault);
    row->passes.least = insns ? kernel_least_cycles(&v->calibration, count) : 0;
    if (insns)
        h->close(h->state);
    if (h->cancelled(h->state))
        return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    v->last_quiet = m.windows ? clock_seconds() : v->last_quiet;
    kernel_passes_add(&row->passes, &m);
    if (kernel_passes_settled(&row->passes, &cycles, &spread))
        settle(v, row, cycles, spread, NULL);
    else if (!visited && fault.code != ERR_LIMIT)
        settle(v, row, NAN, NAN, fault.what);
    else if (kernel_passes_enough(&row->passes))
        settle(v, row, NAN, NAN, "no stable time");
    else
        leave(row, m.vain ? fault.what : CONTENDED);
    if (!row->settled)
        kernel_passes_replan(&row->passes);
    if (m.windows || !isnan(m.contended))
        h->visited(h->state, &m);
    h->progress(h->state, v->rows);
    return seek_step(&v->seek, v->sandbox, &v->calibration, m.contended, err) &&
           seek_learn(&v->seek, v->sandbox, &v->calibration, err);
}

static bool show(struct visits *v, size_t until, struct err *err)
{
    struct block_rows *rows = v->rows;
    const size_t from = rows->shown;

    rows->shown = until;
    return from == until || v->hooks->shown(v->hooks->state, rows, from, until, err);
}

/* Visits the rows of the group that begins at @from, then its open rows repeatedly. Ends when all
 * have settled or reached the limit of visits, or when the core is assumed busy. Sets *@to to the
 * row after the group. Returns false with err on failure or when cancelled. */
static bool measure_group(struct visits *v, size_t from, size_t *to, struct err *err)
{
    struct block_rows *rows = v->rows;
    double start = clock_seconds();
    bool ok = true;

    *to = from;
    while (ok && *to < rows->count && *to < from + GROUP &&
           (*to == from || clock_seconds() - start < GROUP_SECONDS))
        ok = visit(v, (*to)++, err);
    for (unsigned again = 1; ok && again < GROUP_VISITS && !dry(v); again++)
        for (size_t i = from; ok && i < *to; i++)
            if (!rows->items[i].settled)
                ok = visit(v, i, err);
    size_t done = from;
    while (done < *to && (rows->items[done].settled || rows->items[done].fault))
        done++;
    return show(v, done, ok ? err : NULL) && ok;
}

/* Visits the open rows in turn until none settles for PATIENCE_SECONDS. */
static bool measure_open(struct visits *v, struct err *err)
{
    struct block_rows *rows = v->rows;
    bool ok = true;

    v->last_settled = clock_seconds();
    while (ok && rows->settled < rows->count &&
           clock_seconds() - v->last_settled < PATIENCE_SECONDS)
        for (size_t i = 0;
             ok && i < rows->count && clock_seconds() - v->last_settled < PATIENCE_SECONDS; i++)
            if (!rows->items[i].settled) {
                ok = visit(v, i, err);
                rows->improved |= rows->items[i].settled;
            }
    return ok;
}

bool block_rows_measure(size_t count, const struct block_hooks *hooks, struct block_rows *out,
                        struct err *err)
{
    struct visits v = {.hooks = hooks, .rows = out};

    *out =
        (struct block_rows){.items = mem_try_zero(count + 1, sizeof *out->items), .count = count};
    if (!out->items) {
        out->count = 0;
        return err_memory_for(err, "the blocks", (count + 1) * sizeof *out->items);
    }
    for (size_t i = 0; i < count; i++)
        out->items[i].cycles = out->items[i].spread = NAN;
    v.sandbox =
        open_sandbox(INFINITY, hooks->cancelled, hooks->state, &v.calibration, &v.seek, err);
    bool ok = v.sandbox != NULL;
    if (ok)
        hooks->calibrated(hooks->state, &v.calibration);
    out->begun = v.last_quiet = clock_seconds();
    for (size_t i = 0; ok && i < count;)
        ok = measure_group(&v, i, &i, err);
    ok = ok && measure_open(&v, err);
    sandbox_free(v.sandbox);
    return ok;
}

void block_rows_done(struct block_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->items[i].fault);
    free(rows->items);
    *rows = (struct block_rows){0};
}
