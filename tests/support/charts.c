/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "charts.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "chart/saturate.h"
#include "throughput/predict.h"
#include "support.h"

bool chart_mappings_alike(const struct mapping *a, const struct mapping *b)
{
    bool alike = mapping_equal(a, b);

    for (size_t i = 0; alike && i < mapping_count(a); i++)
        alike = mapping_at(a, i)->micro_ops == mapping_at(b, i)->micro_ops;
    return alike;
}

static bool watch_cancelled(void *state)
{
    return ((const struct chart_watch *)state)->cancel;
}

static void watch_progress(void *state, enum chart_stage stage, double done, double total,
                           const char *what)
{
    const struct chart_watch *w = state;

    assert_true(stage < CHART_STAGES);
    assert_true(!w->stages || w->stages >> stage & 1);
    assert_true(done >= 0);
    assert_non_null(what);
}

struct chart_hooks chart_watched(struct chart_watch *w)
{
    return (struct chart_hooks){
        .cancelled = watch_cancelled, .progress = watch_progress, .state = w};
}

struct helper {
    pthread_t thread;
    void (*work)(void *state, unsigned worker);
    void *state;
    unsigned number;
};

static void *help(void *argument)
{
    struct helper *h = argument;

    h->work(h->state, h->number);
    return NULL;
}

void chart_together(void (*work)(void *state, unsigned worker), void *state)
{
    struct helper helpers[CHART_THREADS];

    for (unsigned i = 1; i < CHART_THREADS; i++) {
        helpers[i] = (struct helper){.work = work, .state = state, .number = i};
        assert_int_equal(pthread_create(&helpers[i].thread, NULL, help, &helpers[i]), 0);
    }
    work(state, 0);
    for (unsigned i = 1; i < CHART_THREADS; i++)
        pthread_join(helpers[i].thread, NULL);
}

void chart_bed_init(struct chart_bed *b, struct machine *take_truth, const char *pattern,
                    double noise)
{
    struct err err = {0};

    *b = (struct chart_bed){.truth = take_truth,
                            .forms = forms_load(ISA_X86_64, NULL, &err),
                            .imitation = imitation_new(take_truth, noise, 1)};
    assert_non_null(b->forms);
    for (size_t i = 0; i < forms_count(b->forms); i++) {
        const char *form = forms_at(b->forms, i)->form;
        if (mapping_find(b->truth->mapping, form) && str_match(pattern, form))
            vec_push(&b->rows, forms_at(b->forms, i));
    }
    b->cpu = *imitation_cpu(b->imitation);
    b->hooks = chart_watched(&b->watch);
}

void chart_bed_done(struct chart_bed *b)
{
    free(b->altered);
    vec_done(&b->rows);
    imitation_free(b->imitation);
    forms_free(b->forms);
    machine_free(b->truth);
}

struct altered {
    struct source source;
    struct source *inner;
    void (*alter)(const void *state, const struct experiment *e, struct measured *m);
    const void *state;
};

static bool measure_altered(struct source *s, const struct experiment *e, size_t n,
                            struct measured *out, bool (*stop)(void *state), void *state,
                            struct err *err)
{
    struct altered *a = (struct altered *)s;

    a->inner->instructions = s->instructions;
    a->inner->orders = s->orders;
    if (!a->inner->measure(a->inner, e, n, out, stop, state, err))
        return false;
    for (size_t i = 0; i < n; i++)
        a->alter(a->state, &e[i], &out[i]);
    return true;
}

void chart_bed_alter(struct chart_bed *b,
                     void (*alter)(const void *state, const struct experiment *e,
                                   struct measured *m),
                     const void *state)
{
    struct altered *a = mem_alloc(sizeof *a);

    assert_null(b->altered);
    *a = (struct altered){*b->cpu.source, b->cpu.source, alter, state};
    a->source.measure = measure_altered;
    b->cpu.source = b->altered = &a->source;
}

void chart_bed_lab(struct chart_bed *b, const struct chart_options *options, struct lab *out,
                   double *alone)
{
    const struct mapping *m = imitation_truth(b->imitation);
    size_t n = mapping_count(m);
    struct err err = {0};

    *out = (struct lab){.cpu = &b->cpu,
                        .options = options,
                        .hooks = &b->hooks,
                        .table = experiments_new(),
                        .noise = SIGHT_NOISE};
    for (uint32_t i = 0; i < n; i++)
        lab_ask(out,
                (struct flat_term[]){{names_add(&out->table->forms, mapping_at(m, i)->form), 1}},
                1);
    if (!lab_measure(out, "each form alone", &err))
        fail_msg("%s", err.what);
    for (size_t i = 0; i < n; i++)
        alone[i] = lab_cycles(out, i);
}

struct experiments *chart_bed_table(const struct chart_bed *b)
{
    struct experiments *t = experiments_new();

    for (size_t i = 0; i < b->rows.count; i++)
        names_add(&t->forms, b->rows.items[i]->form);
    return t;
}

size_t chart_bed_wrong(const struct chart_bed *b, const struct chart *c, struct experiments *take_t)
{
    size_t n = take_t->rows.count, wrong = 0;
    double *is = mem_alloc((2 * n + 1) * sizeof *is), *should = is + n;

    throughput_predict(c->machine->mapping, take_t, is);
    throughput_predict(imitation_truth(b->imitation), take_t, should);
    for (size_t i = 0; i < n; i++)
        wrong += !(fabs(is[i] / should[i] - 1) <= CHART_NEAR);
    free(is);
    experiments_free(take_t);
    return wrong;
}
