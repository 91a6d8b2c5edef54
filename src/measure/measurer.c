/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/measurer.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "model/experiments.h"

/* Largest ratio of an experiment's instructions per cycle to the core's nops per cycle. It exceeds
 * 1, because nops that are too dense for the µop cache are slower. */
#define NOPS_HIDE 1.25
/* Instructions per cycle of the widest cores. Rates up to this one are always accepted, because a
 * busy neighbour may have lowered the measured baseline. */
#define SLOTS_MOST 10.0

/* instructions per cycle above which a padded body may be faster */
#define DENSE 5.0

static void state_set(struct measured *m, const char *text)
{
    snprintf(m->state, sizeof m->state, "%.90s", text);
}

/* Returns the number of cache lines by which the load pointer can move before loads overlap
 * stores. */
static unsigned load_places(const struct measurer_task *t)
{
    unsigned window = t->calibration->load_window ? t->calibration->load_window : BODY_WINDOW;
    return (BODY_WINDOW - window) / 64;
}

/* Generates the code of experiment @e in one order and adds it as item @at. With @padded, adds
 * nothing if the padded body is too long or equal to the unpadded one. Returns false with the
 * reason in out->state. Sets *@full if the reason is a full code area. */
static bool item_prepare(struct measurer *l, const struct measurer_task *t,
                         const struct experiment *e, enum body_order order, bool padded,
                         unsigned rivals, size_t at, struct measured *out, bool *full)
{
    struct form_code *codes[FORM_CODES_MAX];
    uint32_t counts[FORM_CODES_MAX], offset;
    struct err err = {0};

    if (!form_codes_of(t->codes, e, codes, counts, out->state, sizeof out->state))
        return false;
    const struct body_shape shape = {t->source->instructions, t->calibration->load_window, order,
                                     padded};
    const bool made = body_make(codes, counts, e->count, &shape, &l->body, &err);
    /* Rejects a padded body that is too long, or equal to the unpadded one. */
    if (padded && !(made && l->body.padded)) {
        l->body.padded = false;
        return true;
    }
    if (!made) {
        state_set(out, err.what);
        return false;
    }
    if (!sandbox_add(l->sandbox, l->body.code, l->body.length, 1, COUNTER_BODY, &offset)) {
        *full = true;
        return false;
    }
    bool added = false;
    for (unsigned i = 0; i < e->count; i++)
        added |= codes[i]->row->added;
    sandbox_items(l->sandbox)[at] = (struct sandbox_item){
        .mode = SANDBOX_WINDOWS,
        .code = PULSE_ITEM,
        .offset = offset,
        .foreign = added,
        .vectors = sandbox_setup(&l->body),
        .load_places = load_places(t),
        .executions = l->body.executions,
        .rivals = rivals,
        .worth = padded ? (l->body.instructions + l->body.breakers) / DENSE : 0};
    l->lengths[at] = (uint32_t)l->body.length;
    return true;
}

/* Generates experiment @e in all orders as items from index @at. Returns their number, or 0 with
 * the reason in out->state. Sets *@full if the code area or the list of items is full. */
static unsigned items_prepare(struct measurer *l, const struct measurer_task *t,
                              const struct experiment *e, unsigned at, struct measured *out,
                              bool *full)
{
    const struct source *s = t->source;
    const bool padded = s->orders > 1 && t->wide && s->baseline > SOURCE_WIDE;
    unsigned orders = e->count > 1 ? s->orders : 1;

    *out =
        (struct measured){.cycles = NAN, .spread = NAN, .contended_cycles = NAN, .clock_hz = NAN};
    *full = at + orders + padded > SANDBOX_ITEMS;
    for (unsigned i = 0; i < orders && !*full; i++)
        if (!item_prepare(l, t, e, i, false, i, at + i, out, full))
            return 0;
    if (!*full && padded &&
        !item_prepare(l, t, e, e->count > 1 ? BODY_PAIRED : BODY_SPREAD, true, orders, at + orders,
                      out, full))
        return 0;
    orders += padded && l->body.padded;
    return *full ? 0 : orders;
}

/* Stores the result of item @at in @out. @instructions is the experiment's instruction count. */
static void item_result(struct measurer *l, const struct measurer_task *t, uint64_t instructions,
                        size_t at, struct measured *out)
{
    const struct sandbox_item *item = &sandbox_items(l->sandbox)[at];
    const struct window_result *r = &item->result;
    double each = item->executions;

    *out = (struct measured){.cycles = NAN,
                             .spread = NAN,
                             .contended_cycles = NAN,
                             .repeats = r->accepted,
                             .clock_hz = r->clock * t->calibration->tick_hz,
                             .baseline = t->source->baseline,
                             .slowed = (double)(r->contended + r->disturbed) /
                                       fmax(1, r->contended + r->disturbed + r->accepted)};
    if (item->fault) {
        /* The kernel or a user killed the process. The code may be valid, so the result is not
         * final. */
        out->busy = item->fault == FAULT_KILLED;
        state_set(out, sandbox_fault_text(item->fault));
    } else if (r->state != WINDOW_SETTLED || !(r->cycles > 0)) {
        out->busy = true;
        out->contended_cycles = (r->accepted ? r->cycles : r->contended_cycles) / each;
        state_set(out, EXPERIMENT_CONTENDED);
    } else {
        out->counter = item->counter_cycles > 0;
        out->cycles = (out->counter ? item->counter_cycles : r->cycles) / each;
        out->spread = r->spread;
        state_set(out, EXPERIMENT_OK);
        if (out->cycles < source_least_cycles(t->source->baseline, instructions)) {
            snprintf(out->state, sizeof out->state,
                     "invalid measurement: %llu instruction%s in %.2g cycles",
                     (unsigned long long)instructions, plural(instructions), out->cycles);
            out->cycles = out->spread = NAN;
        }
    }
}

/* Adds the samples and the code of item @at, the fastest of its experiment, to the record. */
static void item_record(struct measurer *l, const struct measurer_task *t,
                        const struct experiment *e, size_t at, const struct measured *m)
{
    const struct sandbox_item *item = &sandbox_items(l->sandbox)[at];
    const struct window_result *r = &item->result;
    const struct record_pass pass = {.values = r->values,
                                     .count = r->accepted,
                                     .executions = item->executions,
                                     .instructions = t->source->instructions,
                                     .clock_hz = m->clock_hz,
                                     .code = sandbox_code(l->sandbox, item->offset),
                                     .length = l->lengths[at]};
    if (!item->fault)
        record_add(t->source->record, e, &pass);
}

double source_least_cycles(double baseline, uint64_t instructions)
{
    return (double)instructions /
           (NOPS_HIDE * baseline > SLOTS_MOST ? NOPS_HIDE * baseline : SLOTS_MOST);
}

unsigned measured_least(const struct measured *orders, const bool *beaten, unsigned n,
                        struct measured *out)
{
    unsigned best = 0;
    bool missing = false;
    double contended = NAN;

    for (unsigned i = 0; i < n; i++) {
        missing |= orders[i].busy && !beaten[i];
        contended = fmin(contended, orders[i].busy ? orders[i].contended_cycles : orders[i].cycles);
        if (!beaten[i] && orders[i].cycles > 0 && !(orders[best].cycles <= orders[i].cycles))
            best = i;
    }
    *out = orders[best];
    if (missing && out->cycles > 0) {
        out->busy = true;
        out->cycles = out->spread = NAN;
        state_set(out, EXPERIMENT_CONTENDED);
    }
    out->contended_cycles = out->busy ? contended : NAN;
    return best;
}

/* Stores the least time of items @at to @at + @n - 1, the orders of one experiment, in @out.
 * @begun: start time of the first item. @each: seconds per item. */
static void items_result(struct measurer *l, const struct measurer_task *t,
                         const struct experiment *e, unsigned at, unsigned n, double begun,
                         double each, struct measured *out)
{
    struct measured orders[BODY_ORDERS + 1];
    bool beaten[BODY_ORDERS + 1];
    struct record *record = t->source->record;

    for (unsigned i = 0; i < n; i++) {
        const struct window_result *r = &sandbox_items(l->sandbox)[at + i].result;
        item_result(l, t, experiment_size(e), at + i, &orders[i]);
        beaten[i] = r->state == WINDOW_BEATEN;
        if (record)
            record_windows(record, begun + (i + 0.5) * each, orders[i].clock_hz, r->accepted,
                           r->contended, r->disturbed);
    }
    unsigned best = measured_least(orders, beaten, n, out);
    if (record)
        item_record(l, t, e, at + best, out);
}

bool measurer_measure(struct measurer *l, const struct measurer_task *t, size_t from, size_t to,
                      struct err *err)
{
    struct { size_t experiment; unsigned at, items; } parts[SANDBOX_ITEMS];
    const struct calibration *c = t->calibration;

    for (size_t next = from; next < to;) {
        double lost = 0;
        unsigned count = 0, made = 0;
        bool full = false;
        sandbox_clear(l->sandbox);
        for (; next < to; next++) {
            unsigned items = items_prepare(l, t, &t->e[next], count, &t->out[next], &full);
            if (full)
                break;
            if (!items)
                continue;
            parts[made].experiment = next;
            parts[made].at = count;
            parts[made++].items = items;
            count += items;
        }
        double begun = clock_seconds() - t->started;
        if (count && !sandbox_run(l->sandbox, count, &c->rules, t->cancelled, t->state, err))
            return false;
        double each = (clock_seconds() - t->started - begun) / (count ? count : 1);
        for (unsigned i = 0; i < made; i++)
            items_result(l, t, &t->e[parts[i].experiment], parts[i].at, parts[i].items,
                         begun + parts[i].at * each, each, &t->out[parts[i].experiment]);
        for (unsigned i = 0; i < made; i++)
            lost += t->out[parts[i].experiment].slowed / made;
        if (made && !seek_step(&l->seek, l->sandbox, c, lost, err))
            return false;
    }
    return true;
}
