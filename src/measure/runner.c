/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* Number of rows per block. A pass visits all rows of a block before the next pass. Two passes of a
 * row are therefore apart in time. */
#define BLOCK 2048
#define CHUNK SANDBOX_ITEMS  /* maximum number of rows per batch that sources accept */
/* Maximum number of rows per batch and CPU of the source. Batches are short, so little is lost if
 * the program is killed. */
#define CHUNK_EACH 128
#define CONFIRM 0.01
#define VALUES 8
#define PATIENCE 20.0
/* Seconds by which each useful pass extends the patience. Measuring therefore continues while there
 * are results. */
#define EARNED 0.05
#define SHORTS 4
/* largest relative difference at which the cycles with the two body lengths agree, in addition to
 * spread and loop overhead */
#define LENGTHS_DIFFER 0.02
/* smallest ratio of a value's baseline to the current baseline at which the value is valid */
#define AS_FAST 0.985
#define DOUBTFUL "doubtful"  /* state of a value that was measured with a doubtful baseline */
#define ESTIMATE_FROM 2.0    /* seconds until the first estimate is shown */
/* fraction of the elapsed or remaining time within which an estimate adapts */
#define ESTIMATE_SHARE 0.3
#define LOOP_CYCLES 1.0      /* cycles of the loop's decrement and branch, if these cost time */

struct runner_trial {
    size_t row;
    struct experiment experiment;
    char code[FORM_CODES_SUM];   /* sum of the experiment's code; empty if there is no code */
    double values[VALUES];
    unsigned count;
    double spread;           /* largest relative spread of the passes so far */
    uint32_t repeats;
    double slowed;           /* largest share of lost windows in the passes so far */
    double shorts[SHORTS];
    unsigned short_count;
    /* whether @held needs only the comparison with a short body to be final */
    bool confirmed;
    struct measured held;
    bool known;              /* whether the value is already in the journal, or must not be stored
                              * there */
    bool settled;
    double expected;         /* expected cycles; NaN: none */
    double contended;        /* fewest cycles measured on a busy core; NaN: none */
    bool tried;              /* whether at least one pass found the core busy */
};

struct runner_state {
    struct source *source;
    const struct experiments *table;
    struct journal *journal;
    const struct runner_options *options;
    const struct runner_hooks *hooks;
    struct runner_summary *summary;
    /* In seconds. @started: time of the start. @paused: total of the pauses, which count towards no
     * limit. */
    double started, paused;
    /* @waited: seconds without a result. @patience: limit of @waited. */
    double waited, patience;
    size_t total;
    struct runner_estimate estimate;
    struct err *err;
};

static double spent(const struct runner_state *r)
{
    return clock_seconds() - r->started - r->paused;
}

double runner_confirmed(double *values, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k && values[k] < values[k - 1]; k--) {
            double swap = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
    for (unsigned i = 0; i + 1 < n; i++)
        if (values[i + 1] <= values[i] * (1 + CONFIRM))
            return values[i];
    return NAN;
}

void runner_lengths(double shorter, double longer, double tolerance, uint64_t size, char *out,
                    size_t room)
{
    double executions[2] = {ceil((double)SOURCE_SHORT / (double)size),
                            ceil((double)SOURCE_BODY / (double)size)};
    double loop = LOOP_CYCLES * (1 / executions[0] - 1 / executions[1]);

    if (!(shorter > 0 && longer > 0))
        *out = '\0';
    else if (longer > shorter * (1 + tolerance))
        snprintf(out, room, "+%.1f %% at %d", 100 * (longer / shorter - 1), SOURCE_BODY);
    else if (shorter > longer * (1 + tolerance) + loop)
        snprintf(out, room, "+%.1f %% at %d", 100 * (shorter / longer - 1), SOURCE_SHORT);
    else
        snprintf(out, room, "same");
}

static void settle(struct runner_state *r, struct runner_trial *t, const struct measured *m)
{
    t->settled = true;
    if (r->journal && !t->known && !experiment_state_open(m->state))
        journal_add(r->journal, &t->experiment, t->code, m, m->state);
    r->hooks->result(r->hooks->state, t->row, m);
    r->summary->done += m->cycles > 0;
    r->summary->failed += !(m->cycles > 0);
}

/* Compares the cycles with long and short bodies. Settles a confirmed value if they agree, or if
 * another short body confirms the short value. Also settles it if no other short body may run, or
 * if @last is true. */
static void compare_lengths(struct runner_state *r, struct runner_trial *t, bool last)
{
    double copy[SHORTS], spread = t->held.spread > 0 ? t->held.spread : 0;
    struct measured *m = &t->held;

    memcpy(copy, t->shorts, sizeof copy);
    m->short_cycles = runner_confirmed(copy, t->short_count);
    bool sure = m->short_cycles > 0 || t->short_count == SHORTS;
    if (t->short_count && isnan(m->short_cycles))
        m->short_cycles = copy[0];
    runner_lengths(m->short_cycles, m->cycles, LENGTHS_DIFFER + spread,
                   experiment_size(&t->experiment), m->lengths, sizeof m->lengths);
    if (sure || last || r->options->one_length || strcmp(m->lengths, "same") == 0)
        settle(r, t, m);
}

/* Returns the least of the sorted values if it needs no confirmation, otherwise NaN. A value needs
 * no confirmation if it was expected, or if the source always returns the same value. */
static double sufficient(const struct runner_state *r, const struct runner_trial *t)
{
    const bool is =
        t->count && !r->source->doubtful &&
        (r->source->one_pass || fabs(t->values[0] - t->expected) <= CONFIRM * t->expected);
    return is ? t->values[0] : NAN;
}

/* Determines the result of @t if it has enough values. */
static void judge(struct runner_state *r, struct runner_trial *t)
{
    struct measured m = {.cycles = runner_confirmed(t->values, t->count),
                         .spread = t->spread,
                         .repeats = t->repeats,
                         .clock_hz = NAN,
                         .short_cycles = NAN,
                         .baseline = r->source->baseline,
                         .slowed = t->slowed};
    const bool alone = isnan(m.cycles);

    if (alone)
        m.cycles = sufficient(r, t);
    if (m.cycles > 0) {
        /* A value is not final in the journal if the baseline is doubtful, or if no second pass
         * confirmed it. */
        snprintf(m.state, sizeof m.state, "%s", r->source->doubtful ? DOUBTFUL : EXPERIMENT_OK);
        t->known |= r->source->doubtful || alone;
        t->held = m;
        t->confirmed = true;
        compare_lengths(r, t, false);
        return;
    } else if (t->count == VALUES) {
        snprintf(m.state, sizeof m.state, "unstable: passes differ by %.1f %%",
                 100 * (t->values[t->count - 1] - t->values[0]) / t->values[0]);
        m.spread = NAN;
    } else {
        return;
    }
    settle(r, t, &m);
}

static void take_short(struct runner_state *r, struct runner_trial *t, const struct measured *m)
{
    r->summary->passes++;
    r->summary->useful += m->cycles > 0 || !m->busy;
    if (m->cycles > 0) {
        if (r->journal)
            journal_add(r->journal, &t->experiment, t->code, m, JOURNAL_SHORT);
        t->shorts[t->short_count++] = m->cycles;
        if (t->confirmed)
            compare_lengths(r, t, false);
    } else if (!m->busy) {
        settle(r, t, t->confirmed ? &t->held : m);
    }
}

/* Returns the interim result of @t: the least value of its passes, or without a value the time on a
 * busy core. @m is the result of the last pass. */
static struct measured unconfirmed(const struct runner_trial *t, const struct measured *m)
{
    struct measured now = *m;

    now.cycles = t->count ? t->values[0] : t->contended;
    for (unsigned i = 1; i < t->count; i++)
        now.cycles = fmin(now.cycles, t->values[i]);
    now.spread = t->count ? t->spread : NAN;
    now.repeats = t->count ? t->repeats : 0;
    snprintf(now.state, sizeof now.state, "%s", t->count ? EXPERIMENT_ONCE : EXPERIMENT_CONTENDED);
    return now;
}

static void show(struct runner_state *r, const struct runner_trial *t, const struct measured *m)
{
    const struct measured now = unconfirmed(t, m);

    if (!t->settled && r->hooks->seen)
        r->hooks->seen(r->hooks->state, t->row, &now);
}

static void take(struct runner_state *r, struct runner_trial *t, const struct measured *m)
{
    r->summary->passes++;
    r->summary->useful += m->cycles > 0 || !m->busy;
    t->slowed = fmax(t->slowed, m->slowed);
    if (m->cycles > 0) {
        if (r->journal)
            journal_add(r->journal, &t->experiment, t->code, m, JOURNAL_ONCE);
        t->values[t->count++] = m->cycles;
        t->spread = m->spread > t->spread ? m->spread : t->spread;
        t->repeats += m->repeats;
        judge(r, t);
        r->summary->confirmed += t->confirmed && t->count == 1;
        show(r, t, m);
    } else if (m->busy) {
        t->tried = true;
        if (!t->count && m->contended_cycles > 0 && !(t->contended <= m->contended_cycles)) {
            t->contended = m->contended_cycles;
            show(r, t, m);
        }
    } else {
        settle(r, t, m);
    }
}

double runner_estimate(struct runner_estimate *e, double seconds, double guess)
{
    double gone = seconds - e->at, expected = fmax(e->left - gone, 0);

    if (isnan(guess) || (!e->known && seconds < ESTIMATE_FROM))
        return e->known ? expected : NAN;
    double slowness = fmax(1, ESTIMATE_SHARE * fmin(seconds, e->left)),
           weight = e->known ? 1 - exp(-gone / slowness) : 1;
    *e = (struct runner_estimate){
        .at = seconds, .left = expected + weight * (guess - expected), .known = true};
    return e->left;
}

static void report(struct runner_state *r)
{
    struct runner_summary *s = r->summary;
    s->seconds = spent(r);
    s->rate = s->seconds > 0 ? (double)s->passes / s->seconds : 0;
    s->left = r->total - s->done - s->failed;
    /* An experiment needs at least two long passes and a short one. Passes on a busy core are not
     * counted. */
    const double each = r->options->one_length ? 2 : 3;
    double needed = fmax((double)s->left, each * (double)(r->total - s->reused) -
                                              (double)(s->useful + s->taken_over + s->confirmed));
    double guess = s->useful ? needed * s->seconds / (double)s->useful : NAN,
           drain = r->waited - EARNED * (double)s->useful;
    /* The patience may end first, at the current rate of waiting. */
    if (drain > 0)
        guess = fmin(guess, fmax(r->patience - drain, 0) * s->seconds / drain);
    /* Keeps the share from falling when experiments need more passes. */
    s->share = s->left ? fmax(s->share, 1 - needed / (each * (double)r->total)) : 1;
    s->seconds_left = s->left ? runner_estimate(&r->estimate, s->seconds, guess) : 0;
    r->hooks->progress(r->hooks->state, s, r->total);
}

static bool out_of_budget(const struct runner_state *r)
{
    return r->options->budget > 0 && spent(r) >= r->options->budget;
}

static bool out_of_patience(const struct runner_state *r)
{
    return r->waited - EARNED * (double)r->summary->useful >= r->patience;
}

static bool asks(const struct runner_state *r, const struct runner_trial *t, bool shorter)
{
    if (t->settled)
        return false;
    return shorter ? !r->options->one_length && (t->confirmed || !t->short_count) : !t->confirmed;
}

/* Returns the maximum number of rows per batch. */
static size_t chunk_of(const struct source *s)
{
    const size_t each = CHUNK_EACH * (size_t)(s->cpus ? s->cpus : 1);
    return each < CHUNK ? each : CHUNK;
}

/* Runs one pass, with long or short bodies, over all rows that need a pass. Returns false with
 * r->err on failure or when cancelled. */
static bool block_pass(struct runner_state *r, struct runner_trial *trials, size_t n, bool shorter)
{
    struct experiment batch[CHUNK];
    struct measured got[CHUNK];
    size_t who[CHUNK];

    for (size_t next = 0; next < n && !out_of_budget(r);) {
        size_t count = 0;
        for (const size_t most = chunk_of(r->source); next < n && count < most; next++)
            if (asks(r, &trials[next], shorter)) {
                who[count] = next;
                batch[count++] = trials[next].experiment;
            }
        if (!count)
            return true;
        r->paused += r->hooks->wait_paused ? r->hooks->wait_paused(r->hooks->state) : 0;
        if (r->hooks->cancelled && r->hooks->cancelled(r->hooks->state))
            return err_set(r->err, ERR_INTERRUPTED, NULL, "measuring was cancelled");
        unsigned instructions = r->source->instructions, orders = r->source->orders;
        r->source->instructions = shorter ? SOURCE_SHORT : instructions;
        r->source->orders = r->options->one_order ? 1 : orders;
        double begun = spent(r);
        size_t useful = r->summary->useful;
        bool ok = r->source->measure(r->source, batch, count, got, r->hooks->cancelled,
                                     r->hooks->state, r->err);
        r->source->instructions = instructions;
        r->source->orders = orders;
        if (!ok)
            return false;
        r->summary->cpus = r->source->cpus > r->summary->cpus ? r->source->cpus : r->summary->cpus;
        for (size_t i = 0; i < count; i++)
            (shorter ? take_short : take)(r, &trials[who[i]], &got[i]);
        r->waited +=
            (spent(r) - begun) * (1 - (double)(r->summary->useful - useful) / (double)count);
        /* Limits the waited time, so that a later value extends the patience even after it was used
         * up. */
        r->waited = fmin(r->waited, r->patience + EARNED * (double)r->summary->useful);
        if (r->journal && !journal_flush(r->journal, r->err))
            return false;
        report(r);
    }
    return true;
}

/* Returns whether values measured with @baseline nops per cycle are valid. A later baseline with a
 * higher rate makes them invalid. */
static bool holds(const struct runner_state *r, double baseline)
{
    return !(r->source->baseline > 0) || baseline >= AS_FAST * r->source->baseline;
}

/* Extends the range of dates of reused values to include @day. */
static void day_note(struct runner_summary *s, const char *day)
{
    if (!*day)
        return;
    if (!*s->since || strcmp(day, s->since) < 0)
        snprintf(s->since, sizeof s->since, "%s", day);
    if (strcmp(day, s->until) > 0)
        snprintf(s->until, sizeof s->until, "%s", day);
}

/* Adds the passes of earlier, unfinished runs to those of this run. Does nothing if they were
 * measured with a lower baseline. */
static void recall_passes(struct runner_state *r, struct runner_trial *t,
                          const struct journal_entry *known)
{
    if (!holds(r, known->baseline))
        return;
    /* Takes only some of the values if they do not agree, because new values need space. */
    t->count = known->value_count < VALUES / 2 ? known->value_count : VALUES / 2;
    memcpy(t->values, known->values, t->count * sizeof *t->values);
    judge(r, t);
    if (t->settled) {
        r->summary->reused++;
        day_note(r->summary, known->day);
    } else {
        r->summary->taken_over += t->count + t->short_count;
        if (t->count)
            show(r, t,
                 &(struct measured){.spread = NAN,
                                    .clock_hz = NAN,
                                    .short_cycles = NAN,
                                    .baseline = known->baseline});
    }
}

/* Returns whether a value of @known is impossibly small. Its code may have corrupted its own loop.
 * The experiment's entry is then ignored. */
static bool impossible(const struct journal_entry *known, uint64_t instructions)
{
    const double least = source_least_cycles(known->baseline, instructions);
    bool is = known->cycles < least;

    for (unsigned i = 0; i < known->value_count; i++)
        is |= known->values[i] < least;
    for (unsigned i = 0; i < known->short_count; i++)
        is |= known->shorts[i] < least;
    return is;
}

/* Adds the values that the journal has for @t. Does nothing with the option fresh, or if they are
 * impossible. With the option retry, omits failures. */
static void recall(struct runner_state *r, struct runner_trial *t)
{
    const struct journal_entry *known =
        r->journal && !r->options->fresh ? journal_find(r->journal, &t->experiment, t->code) : NULL;
    struct measured m = {.clock_hz = NAN, .short_cycles = NAN};

    if (!known || impossible(known, experiment_size(&t->experiment)))
        return;
    t->short_count = known->short_count < SHORTS ? known->short_count : SHORTS;
    memcpy(t->shorts, known->shorts, t->short_count * sizeof *t->shorts);
    if (strcmp(known->state, JOURNAL_ONCE) == 0) {
        recall_passes(r, t, known);
        return;
    }
    if (strcmp(known->state, EXPERIMENT_OK) != 0 && r->options->retry)
        return;
    m.cycles = known->cycles;
    m.spread = known->spread;
    m.repeats = known->repeats;
    snprintf(m.state, sizeof m.state, "%s", known->state);
    /* A value that was measured with a lower baseline is treated as one pass, which later passes
     * confirm or lower. */
    if (m.cycles > 0 && !holds(r, known->baseline)) {
        t->values[t->count++] = m.cycles;
        r->summary->taken_over++;
        return;
    }
    t->known = true;
    r->summary->reused++;
    day_note(r->summary, known->day);
    if (!(m.cycles > 0)) {
        settle(r, t, &m);
        return;
    }
    t->held = m;
    t->confirmed = true;
    compare_lengths(r, t, false);
}

static size_t unsettled(const struct runner_trial *trials, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += !trials[i].settled;
    return left;
}

/* Passes the interim result of an unfinished experiment to the hook. Does nothing without a
 * pass. */
static void leave(struct runner_state *r, const struct runner_trial *t)
{
    if (!t->count && !t->tried)
        return;
    const struct measured now = unconfirmed(t, &(struct measured){.spread = NAN,
                                                                  .clock_hz = NAN,
                                                                  .short_cycles = NAN,
                                                                  .baseline = r->source->baseline,
                                                                  .slowed = t->slowed,
                                                                  .busy = true});
    r->summary->once += t->count > 0;
    r->summary->contended += t->count == 0;
    r->hooks->result(r->hooks->state, t->row, &now);
}

/* Computes the code sums of the experiments. Only a journal needs them. */
static void sums_find(const struct runner_state *r, struct runner_trial *trials, size_t n)
{
    if (!r->journal || !r->source->sums)
        return;
    struct experiment *all = mem_alloc(n * sizeof *all);
    char (*sums)[FORM_CODES_SUM] = mem_alloc(n * sizeof *sums);
    for (size_t i = 0; i < n; i++)
        all[i] = trials[i].experiment;
    r->source->sums(r->source, all, n, sums);
    for (size_t i = 0; i < n; i++)
        memcpy(trials[i].code, sums[i], sizeof sums[i]);
    free(all);
    free(sums);
}

static bool block_run(struct runner_state *r, struct runner_trial *trials, size_t n)
{
    bool ok = true;

    sums_find(r, trials, n);
    for (size_t i = 0; i < n; i++)
        recall(r, &trials[i]);
    report(r);
    /* Short bodies run first, so a second long pass can settle a value. Even after the patience is
     * used up, each experiment gets a long pass. */
    for (bool again = true; ok && again && unsettled(trials, n) && !out_of_budget(r);) {
        ok = (out_of_patience(r) || block_pass(r, trials, n, true)) &&
             block_pass(r, trials, n, false);
        again = !out_of_patience(r);
    }
    for (size_t i = 0; i < n; i++) {
        if (trials[i].settled)
            continue;
        if (trials[i].confirmed)
            compare_lengths(r, &trials[i], true);
        else
            leave(r, &trials[i]);
    }
    return ok;
}

static bool is_selected(const struct experiments *table, size_t i,
                        const struct runner_options *options)
{
    const struct experiment_row *row = &table->rows.items[i];
    return !experiments_measured(table, i) && (options->retry || experiment_state_open(row->state));
}

bool runner_run(struct source *source, const struct experiments *table, struct journal *journal,
                const struct runner_options *options, const struct runner_hooks *hooks,
                struct runner_summary *out, struct err *err)
{
    struct runner_state r = {.source = source,
                             .table = table,
                             .journal = journal,
                             .options = options,
                             .hooks = hooks,
                             .summary = out,
                             .started = clock_seconds(),
                             .patience = options->patience > 0 ? options->patience : PATIENCE,
                             .err = err};
    struct runner_trial *trials = mem_zero(BLOCK, sizeof *trials);
    bool ok = true;

    *out = (struct runner_summary){0};
    for (size_t i = 0; i < table->rows.count; i++)
        r.total += is_selected(table, i, options);
    for (size_t next = 0; ok && next < table->rows.count && !out_of_budget(&r);) {
        size_t n = 0;
        memset(trials, 0, BLOCK * sizeof *trials);
        for (; next < table->rows.count && n < BLOCK; next++)
            if (is_selected(table, next, options)) {
                trials[n].row = next;
                trials[n].contended = NAN;
                trials[n].expected = hooks->expected ? hooks->expected(hooks->state, next) : NAN;
                experiments_get(table, next, &trials[n++].experiment);
            }
        ok = block_run(&r, trials, n);
        for (size_t i = 0; i < n; i++)
            experiment_done(&trials[i].experiment);
    }
    if (journal)
        ok = journal_flush(journal, ok ? err : NULL) && ok;
    report(&r);
    free(trials);
    return ok;
}
