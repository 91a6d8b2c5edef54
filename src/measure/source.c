/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "model/experiments.h"

struct cpu_source {
    struct source base;
    const struct forms *forms;
    struct sandbox *sandbox;
    struct calibration calibration;
    unsigned instructions;
    struct names names;                    /* forms met */
    VEC(struct form_code *) codes;         /* by name; NULL: not measurable */
    VEC(char *) reasons;                   /* by name; NULL: measurable */
    struct body body;
    unsigned executions[SANDBOX_ITEMS];    /* of each item's loop */
};

static uint32_t form_index(struct cpu_source *s, const char *form)
{
    uint32_t index = names_add(&s->names, form);
    if (index < s->codes.count)
        return index;
    const struct form_row *row = forms_find(s->forms, form);
    struct err err = {0};
    struct form_code *code = row ? form_code_new(row, &err) : NULL;
    if (!row)
        err_set(&err, ERR_MISSING, NULL, "there is no such form");
    vec_push(&s->codes, code);
    vec_push(&s->reasons, code ? NULL : mem_strdup(err.what));
    return index;
}

static void state_set(struct measured *m, const char *format, const char *what)
{
    snprintf(m->state, sizeof m->state, format, what);
}

/* Code of experiment @e into the sandbox; false with the reason in @out, *full when only the code area is. */
static bool item_prepare(struct cpu_source *s, const struct experiment *e, size_t at, struct measured *out, bool *full)
{
    struct form_code *forms[64];
    uint32_t counts[64], offset;
    struct err err = {0};

    *full = false;
    *out = (struct measured){.cycles = NAN, .spread = NAN, .clock_hz = NAN};
    if (e->count > 64) {
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
    const struct body_shape shape = {s->instructions, s->calibration.load_window};
    if (!body_make(forms, counts, e->count, &shape, &s->body, &err)) {
        state_set(out, "%.90s", err.what);
        return false;
    }
    if (!sandbox_add(s->sandbox, s->body.code, s->body.length, 1, false, &offset)) {
        *full = true;
        return false;
    }
    sandbox_items(s->sandbox)[at] = (struct sandbox_item){.mode = SANDBOX_WINDOWS, .code = PULSE_ITEM, .offset = offset, .vectors = sandbox_setup(&s->body)};
    s->executions[at] = s->body.executions;
    return true;
}

static void item_result(struct cpu_source *s, size_t at, struct measured *out)
{
    const struct sandbox_item *item = &sandbox_items(s->sandbox)[at];
    const struct window_result *r = &item->result;
    double each = s->executions[at];

    out->repeats = r->accepted;
    out->clock_hz = r->clock * s->calibration.tick_hz;
    if (item->fault) {
        /* Killed from outside: no fault of the code's. */
        out->busy = item->fault == FAULT_KILLED;
        state_set(out, "%s", sandbox_fault_text(item->fault));
    } else if (r->state != WINDOW_SETTLED || !(r->cycles > 0)) {
        out->busy = true;
        state_set(out, "%s", r->contended > r->disturbed ? "the core is shared with somebody busy" : "the clock does not hold still");
    } else {
        out->counter = item->counter_cycles > 0;
        out->cycles = (out->counter ? item->counter_cycles : r->cycles) / each;
        out->spread = r->spread;
        state_set(out, "%s", EXPERIMENT_OK);
    }
}

static bool cpu_measure(struct source *base, const struct experiment *e, size_t n, struct measured *out, bool (*cancelled)(void *state), void *state, struct err *err)
{
    struct cpu_source *s = (struct cpu_source *)base;
    size_t where[SANDBOX_ITEMS];

    for (size_t next = 0; next < n;) {
        unsigned count = 0;
        bool full = false;
        sandbox_clear(s->sandbox);
        for (; next < n && count < SANDBOX_ITEMS && !full; next += !full)
            if (item_prepare(s, &e[next], count, &out[next], &full))
                where[count++] = next;
        if (count && !sandbox_run(s->sandbox, count, &s->calibration.rules, cancelled, state, err))
            return false;
        for (unsigned i = 0; i < count; i++)
            item_result(s, i, &out[where[i]]);
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

    s->base = (struct source){cpu_measure, cpu_free};
    s->forms = forms;
    s->instructions = instructions ? instructions : SOURCE_BODY;
    s->sandbox = sandbox_new(cpu, err);
    if (s->sandbox && calibrate(s->sandbox, cancelled, state, &s->calibration, err))
        return &s->base;
    cpu_free(&s->base);
    return NULL;
}

const struct calibration *source_cpu_calibration(const struct source *s)
{
    return &((const struct cpu_source *)s)->calibration;
}

struct sandbox *source_cpu_sandbox(struct source *s)
{
    return ((struct cpu_source *)s)->sandbox;
}
