/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/names.h"
#include "isa/cpu.h"
#include "measure/baseline.h"
#include "measure/seek.h"
#include "model/experiments.h"
#include "toolchain/assemble.h"

#define FORMS_MAX 64

struct cpu_source {
    struct source base;
    const struct forms *forms;
    struct sandbox *sandbox;
    struct calibration calibration;
    struct seek seek;
    bool wide;                             /* the core may be, SOURCE_WIDE */
    struct calibration forms_calibration;  /* without the probe that forms do not ask for */
    struct names names;                    /* forms met */
    VEC(struct form_code *) codes;         /* by name; NULL: not measurable */
    VEC(char *) reasons;                   /* by name; NULL: measurable */
    struct body body;
    uint32_t lengths[SANDBOX_ITEMS];       /* bytes of its body */
    double started;
};

static uint32_t form_index(struct cpu_source *s, const char *form)
{
    uint32_t index = names_add(&s->names, form);
    if (index < s->codes.count)
        return index;
    const struct form_row *row = forms_find(s->forms, form);
    struct err err = {0};
    struct form_code *code = row ? encodings_code(row, &err) : NULL;
    if (!row)
        err_set(&err, ERR_MISSING, NULL, "unknown form");
    vec_push(&s->codes, code);
    vec_push(&s->reasons, code ? NULL : mem_strdup(err.what));
    return index;
}

/* Has the encodings of the batch's new forms found out together. What fails here fails for each form, with its reason. */
static void forms_prepare(struct cpu_source *s, const struct experiment *e, size_t n)
{
    VEC(const struct form_row *) rows = {0};
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < e[i].count; k++) {
            const struct form_row *row = names_find(&s->names, e[i].terms[k].form) == UINT32_MAX ? forms_find(s->forms, e[i].terms[k].form) : NULL;
            if (row)
                vec_push(&rows, row);
        }
    if (rows.count)
        encodings_learn(rows.items, rows.count, NULL);
    vec_done(&rows);
}

static void state_set(struct measured *m, const char *format, const char *what)
{
    snprintf(m->state, sizeof m->state, format, what);
}

/* The experiment's forms; false with the reason in @out. */
static bool forms_of(struct cpu_source *s, const struct experiment *e, struct form_code **forms, uint32_t *counts, struct measured *out)
{
    if (e->count > FORMS_MAX) {
        state_set(out, "%s", "more than 64 different forms");
        return false;
    }
    for (unsigned i = 0; i < e->count; i++) {
        uint32_t index = form_index(s, e->terms[i].form);
        forms[i] = s->codes.items[index];
        counts[i] = e->terms[i].count;
        if (!forms[i]) {
            if (e->count == 1)
                state_set(out, "%.90s", s->reasons.items[index]);
            else
                snprintf(out->state, sizeof out->state, "%.40s: %.50s", e->terms[i].form, s->reasons.items[index]);
            return false;
        }
    }
    return true;
}

/* Instructions a cycle of a body whose padded one may be quicker. */
#define DENSE 5.0

/* Lines that the pointer to loads can move by without meeting what is stored. */
static unsigned load_places(const struct cpu_source *s)
{
    unsigned window = s->calibration.load_window ? s->calibration.load_window : BODY_WINDOW;
    return (BODY_WINDOW - window) / 64;
}

/* Code of experiment @e in one order into the sandbox, none where @padded makes no difference; false with the reason in @out, *full when only the code area is. */
static bool item_prepare(struct cpu_source *s, const struct experiment *e, enum body_order order, bool padded, unsigned rivals, size_t at, struct measured *out, bool *full)
{
    struct form_code *forms[FORMS_MAX];
    uint32_t counts[FORMS_MAX], offset;
    struct err err = {0};

    if (!forms_of(s, e, forms, counts, out))
        return false;
    const struct body_shape shape = {s->base.instructions, s->calibration.load_window, order, padded};
    const bool made = body_make(forms, counts, e->count, &shape, &s->body, &err);
    if (padded && !(made && s->body.padded)) {   /* too long for it, or as it was */
        s->body.padded = false;
        return true;
    }
    if (!made) {
        state_set(out, "%.90s", err.what);
        return false;
    }
    if (!sandbox_add(s->sandbox, s->body.code, s->body.length, 1, COUNTER_BODY, &offset)) {
        *full = true;
        return false;
    }
    sandbox_items(s->sandbox)[at] = (struct sandbox_item){.mode = SANDBOX_WINDOWS, .code = PULSE_ITEM, .offset = offset, .vectors = sandbox_setup(&s->body),
                                                          .load_places = load_places(s), .executions = s->body.executions, .rivals = rivals,
                                                          .worth = padded ? (s->body.instructions + s->body.breakers) / DENSE : 0};
    s->lengths[at] = (uint32_t)s->body.length;
    return true;
}

/* All orders of experiment @e as items from @at on; returns how many, 0 with the reason in @out, or *full when there is no room for all of them. */
static unsigned items_prepare(struct cpu_source *s, const struct experiment *e, unsigned at, struct measured *out, bool *full)
{
    const bool padded = s->base.orders > 1 && s->wide && s->base.baseline > SOURCE_WIDE;
    unsigned orders = e->count > 1 ? s->base.orders : 1;

    *out = (struct measured){.cycles = NAN, .spread = NAN, .contended_cycles = NAN, .clock_hz = NAN};
    *full = at + orders + padded > SANDBOX_ITEMS;
    for (unsigned i = 0; i < orders && !*full; i++)
        if (!item_prepare(s, e, i, false, i, at + i, out, full))
            return 0;
    if (!*full && padded && !item_prepare(s, e, e->count > 1 ? BODY_PAIRED : BODY_SPREAD, true, orders, at + orders, out, full))
        return 0;
    orders += padded && s->body.padded;
    return *full ? 0 : orders;
}

static void item_result(struct cpu_source *s, size_t at, struct measured *out)
{
    const struct sandbox_item *item = &sandbox_items(s->sandbox)[at];
    const struct window_result *r = &item->result;
    double each = item->executions;

    *out = (struct measured){.cycles = NAN, .spread = NAN, .contended_cycles = NAN, .repeats = r->accepted, .clock_hz = r->clock * s->calibration.tick_hz, .baseline = s->base.baseline,
                             .slowed = (double)(r->contended + r->disturbed) / fmax(1, r->contended + r->disturbed + r->accepted)};
    if (item->fault) {
        /* Killed from outside: no fault of the code's. */
        out->busy = item->fault == FAULT_KILLED;
        state_set(out, "%s", sandbox_fault_text(item->fault));
    } else if (r->state != WINDOW_SETTLED || !(r->cycles > 0)) {
        out->busy = true;
        out->contended_cycles = (r->accepted ? r->cycles : r->contended_cycles) / each;
        state_set(out, "%s", EXPERIMENT_CONTENDED);
    } else {
        out->counter = item->counter_cycles > 0;
        out->cycles = (out->counter ? item->counter_cycles : r->cycles) / each;
        out->spread = r->spread;
        state_set(out, "%s", EXPERIMENT_OK);
    }
}

/* Samples and code of the item that counts, for those who want to see them. */
static void item_record(struct cpu_source *s, const struct experiment *e, size_t at, const struct measured *m)
{
    const struct sandbox_item *item = &sandbox_items(s->sandbox)[at];
    const struct window_result *r = &item->result;
    const struct record_pass pass = {.values = r->values, .count = r->accepted, .executions = item->executions, .instructions = s->base.instructions,
                                     .clock_hz = m->clock_hz, .code = sandbox_code(s->sandbox, item->offset), .length = s->lengths[at]};
    if (!item->fault)
        record_add(s->base.record, e, &pass);
}

unsigned measured_least(const struct measured *orders, const bool *beaten, unsigned n, struct measured *out)
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
        state_set(out, "%s", EXPERIMENT_CONTENDED);
    }
    out->contended_cycles = out->busy ? contended : NAN;
    return best;
}

/* The least of the @n items from @at on, which are one experiment in several orders; @begun and @each: seconds of the first item's begin and of each. */
static void items_result(struct cpu_source *s, const struct experiment *e, unsigned at, unsigned n, double begun, double each, struct measured *out)
{
    struct measured orders[BODY_ORDERS + 1];
    bool beaten[BODY_ORDERS + 1];

    for (unsigned i = 0; i < n; i++) {
        const struct window_result *r = &sandbox_items(s->sandbox)[at + i].result;
        item_result(s, at + i, &orders[i]);
        beaten[i] = r->state == WINDOW_BEATEN;
        if (s->base.record)
            record_windows(s->base.record, begun + (i + 0.5) * each, orders[i].clock_hz, r->accepted, r->contended, r->disturbed);
    }
    unsigned best = measured_least(orders, beaten, n, out);
    if (s->base.record)
        item_record(s, e, at + best, out);
}

/* Independent forms fill no buffer, whose half they could miss: a neighbour that is only awake does them nothing, and some hosts' are never asleep. */
static void calibrate_forms(struct cpu_source *s)
{
    s->forms_calibration = s->calibration;
    s->forms_calibration.rules.room_cycles = 0;
}

static bool cpu_measure(struct source *base, const struct experiment *e, size_t n, struct measured *out, bool (*cancelled)(void *state), void *state, struct err *err)
{
    struct cpu_source *s = (struct cpu_source *)base;
    struct { size_t experiment; unsigned at, items; } parts[SANDBOX_ITEMS];
    const struct calibration *c = &s->forms_calibration;

    forms_prepare(s, e, n);
    for (size_t next = 0; next < n;) {
        double lost = 0;
        unsigned count = 0, made = 0;
        bool full = false;
        sandbox_clear(s->sandbox);
        for (; next < n; next++) {
            unsigned items = items_prepare(s, &e[next], count, &out[next], &full);
            if (full)
                break;
            if (!items)
                continue;
            parts[made].experiment = next;
            parts[made].at = count;
            parts[made++].items = items;
            count += items;
        }
        double begun = clock_seconds() - s->started;
        if (count && !sandbox_run(s->sandbox, count, &c->rules, cancelled, state, err))
            return false;
        double each = (clock_seconds() - s->started - begun) / (count ? count : 1);
        for (unsigned i = 0; i < made; i++)
            items_result(s, &e[parts[i].experiment], parts[i].at, parts[i].items, begun + parts[i].at * each, each, &out[parts[i].experiment]);
        for (unsigned i = 0; i < made; i++)
            lost += out[parts[i].experiment].slowed / made;
        if (made && (!seek_step(&s->seek, s->sandbox, c, lost, err) || !seek_learn(&s->seek, s->sandbox, &s->calibration, err)))
            return false;
        calibrate_forms(s);
        s->base.baseline = c->probe_rate;
        s->base.doubtful = c->doubtful;
    }
    return true;
}

static void cpu_free(struct source *base)
{
    struct cpu_source *s = (struct cpu_source *)base;
    sandbox_free(s->sandbox);
    for (size_t i = 0; i < s->codes.count; i++) {
        form_code_free(s->codes.items[i]);
        free(s->reasons.items[i]);
    }
    vec_done(&s->codes);
    vec_done(&s->reasons);
    names_done(&s->names);
    free(s);
}

struct source *source_cpu(const struct forms *forms, int cpu, unsigned instructions, bool (*cancelled)(void *state), void *state, struct err *err)
{
    struct cpu_source *s = mem_zero(1, sizeof *s);

    s->base = (struct source){.instructions = instructions ? instructions : SOURCE_BODY, .orders = BODY_ORDERS, .measure = cpu_measure, .free = cpu_free};
    s->forms = forms;
    s->wide = !(baseline_width() <= SOURCE_WIDE);
    s->started = clock_seconds();
    s->sandbox = sandbox_new(cpu, err);
    if (s->sandbox && calibrate(s->sandbox, cancelled, state, &s->calibration, err)) {
        calibrate_forms(s);
        s->base.baseline = s->calibration.probe_rate;
        s->base.doubtful = s->calibration.doubtful;
        seek_begin(&s->seek, s->sandbox);
        return &s->base;
    }
    cpu_free(&s->base);
    return NULL;
}

const struct calibration *source_cpu_calibration(const struct source *s)
{
    return &((const struct cpu_source *)s)->calibration;
}

void source_cpu_record(struct source *s, struct record *record)
{
    char name[64];

    record_begin(record, cpu_name(name, sizeof name), source_cpu_calibration(s));
    s->record = record;
}

struct sandbox *source_cpu_sandbox(struct source *s)
{
    return ((struct cpu_source *)s)->sandbox;
}

bool source_code(const struct forms *forms, const struct experiment *e, const struct body_shape *shape, struct body *out, struct err *err)
{
    struct form_code *codes[FORMS_MAX] = {0};
    uint32_t counts[FORMS_MAX];
    bool ok = e->count <= FORMS_MAX || err_set(err, ERR_LIMIT, NULL, "more than %d different forms", FORMS_MAX);

    for (unsigned i = 0; ok && i < e->count; i++) {
        const struct form_row *row = forms_find(forms, e->terms[i].form);
        counts[i] = e->terms[i].count;
        codes[i] = row ? encodings_code_any(row, err) : NULL;
        ok = codes[i] || (!row ? err_set(err, ERR_MISSING, "forms list lists them", "unknown form %s", e->terms[i].form) : false);
    }
    ok = ok && body_make(codes, counts, e->count, shape, out, err);
    for (unsigned i = 0; i < e->count && i < FORMS_MAX; i++)
        form_code_free(codes[i]);
    return ok;
}
