/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/cpu_source.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "isa/cpu.h"
#include "measure/baseline.h"
#include "measure/measurers.h"
#include "toolchain/assemble.h"

struct cpu_source {
    struct source base;
    struct form_codes *codes;
    struct measurers *measurers;
    struct calibration calibration;
    bool wide;                             /* whether the core may be wide (SOURCE_WIDE) */
    /* calibration for experiments with forms, without the room probe */
    struct calibration forms_calibration;
    double started;
};

/* Disables the room probe. Independent forms do not fill the buffer that the probe tests, so a
 * neighbour that uses the buffer does not slow them. On some hosts, a neighbour is always busy. */
static void calibrate_forms(struct cpu_source *s)
{
    s->forms_calibration = s->calibration;
    s->forms_calibration.rules.room_cycles = 0;
}

static bool cpu_measure(struct source *base, const struct experiment *e, size_t n,
                        struct measured *out, bool (*cancelled)(void *state), void *state,
                        struct err *err)
{
    struct cpu_source *s = (struct cpu_source *)base;
    const struct measurer_task task = {.source = base,
                                       .codes = s->codes,
                                       .calibration = &s->forms_calibration,
                                       .wide = s->wide,
                                       .started = s->started,
                                       .e = e,
                                       .out = out,
                                       .cancelled = cancelled,
                                       .state = state};

    form_codes_learn(s->codes, e, n);
    if (!measurers_measure(s->measurers, &task, n, err) ||
        !measurers_learn(s->measurers, &s->calibration, err))
        return false;
    calibrate_forms(s);
    base->cpus = measurers_used(s->measurers);
    if (base->record)
        record_cpus(base->record, base->cpus);
    base->baseline = s->forms_calibration.probe_rate;
    base->doubtful = s->forms_calibration.doubtful;
    return true;
}

static void cpu_sums(struct source *base, const struct experiment *e, size_t n,
                     char (*out)[FORM_CODES_SUM])
{
    form_codes_sums(((struct cpu_source *)base)->codes, e, n, out);
}

static void cpu_free(struct source *base)
{
    struct cpu_source *s = (struct cpu_source *)base;
    measurers_free(s->measurers);
    form_codes_free(s->codes);
    free(s);
}

struct source *source_cpu(const struct forms *forms, int cpu, unsigned instructions,
                          const struct source_threads *threads, bool (*cancelled)(void *state),
                          void *state, struct err *err)
{
    struct cpu_source *s = mem_zero(1, sizeof *s);

    s->base = (struct source){.instructions = instructions ? instructions : SOURCE_BODY,
                              .orders = BODY_ORDERS,
                              .measure = cpu_measure,
                              .sums = cpu_sums,
                              .free = cpu_free};
    s->codes = form_codes_new(forms);
    s->wide = !(baseline_width() <= SOURCE_WIDE);
    s->started = clock_seconds();
    s->measurers = measurers_new(cpu, threads, err);
    if (s->measurers &&
        calibrate(measurers_sandbox(s->measurers), cancelled, state, &s->calibration, err)) {
        calibrate_forms(s);
        s->base.baseline = s->calibration.probe_rate;
        s->base.doubtful = s->calibration.doubtful;
        measurers_begin(s->measurers);
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
    return measurers_sandbox(((struct cpu_source *)s)->measurers);
}

unsigned source_cpu_children(const struct source *s)
{
    return measurers_children(((const struct cpu_source *)s)->measurers);
}

bool source_code(const struct forms *forms, const struct experiment *e,
                 const struct body_shape *shape, struct body *out, struct err *err)
{
    struct form_code *codes[FORM_CODES_MAX] = {0};
    uint32_t counts[FORM_CODES_MAX];
    bool ok = e->count <= FORM_CODES_MAX ||
              err_set(err, ERR_LIMIT, "use fewer forms per experiment",
                      "more than %d different forms in one experiment", FORM_CODES_MAX);

    for (unsigned i = 0; ok && i < e->count; i++) {
        const struct form_row *row = forms_find(forms, e->terms[i].form);
        counts[i] = e->terms[i].count;
        codes[i] = row ? encodings_code_any(row, err) : NULL;
        ok = codes[i] || (!row ? err_set(err, ERR_MISSING, "forms list shows the known forms",
                                         "unknown form %s", e->terms[i].form)
                               : false);
    }
    ok = ok && body_make(codes, counts, e->count, shape, out, err);
    for (unsigned i = 0; i < e->count && i < FORM_CODES_MAX; i++)
        form_code_free(codes[i]);
    return ok;
}
