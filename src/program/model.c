/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/model.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "program/fit.h"
#include "program/modes.h"

#define SHARES 16      /* equal parts of the distances where clusters differ from run to run */

/* Values of all runs, and the formula that was fitted to them. */
struct fitted { double *values; };

struct fitting {
    struct program_model *model;
    const struct program_runs *runs;
    double *inputs;                  /* of all runs */
    VEC(struct fitted) done;         /* beside formulas */
    VEC(struct formula) formulas;
    struct index index;
};

struct wanted_values { const double *values; size_t count; };

static bool same_values(const void *items, uint32_t item, const void *key)
{
    const struct wanted_values *w = key;
    return memcmp(((const struct fitted *)items)[item].values, w->values, w->count * sizeof *w->values) == 0;
}

/* The formula of the counts @values, one of each run; fitted once. */
static uint32_t formula_of(struct fitting *f, const double *values)
{
    size_t n = f->runs->runs.count;
    struct wanted_values key = {values, n};
    uint64_t hash = hash_bytes(HASH_START, values, n * sizeof *values);
    uint32_t at = index_find(&f->index, hash, same_values, f->done.items, &key);

    if (at != INDEX_NONE)
        return at;
    struct fitted copy = {mem_alloc(n * sizeof *values)};
    struct formula formula;
    memcpy(copy.values, values, n * sizeof *values);
    fit_counts(&(struct fit_data){f->inputs, f->runs->name_count, n, values}, &formula);
    vec_push(&f->done, copy);
    vec_push(&f->formulas, formula);
    if (!index_try_reserve(&f->index))
        die("out of memory");
    index_add(&f->index, hash, (uint32_t)f->formulas.count - 1);
    return (uint32_t)f->formulas.count - 1;
}

/* Distances in the runs of which @use says so; the others' distances say nothing. */
static void fit_distance(const struct fitting *f, const double *distances, const bool *use, struct formula *out)
{
    size_t n = 0, width = f->runs->name_count;
    double *inputs = mem_alloc(f->runs->runs.count * width * sizeof *inputs), *values = mem_alloc(f->runs->runs.count * sizeof *values);

    for (size_t r = 0; r < f->runs->runs.count; r++)
        if (use[r]) {
            memcpy(inputs + n * width, f->inputs + r * width, width * sizeof *inputs);
            values[n++] = distances[r];
        }
    fit_quantity(&(struct fit_data){inputs, width, n, values}, out);
    free(inputs);
    free(values);
}

/* Runs that have as many clusters as the largest one; the rest are too small to tell them apart. Returns how many. */
static size_t alike(const struct fitting *f, struct mode (*modes)[MODES_MOST], const size_t *counts, size_t largest, bool *use)
{
    size_t n = 0;
    for (size_t r = 0; r < f->runs->runs.count; r++) {
        use[r] = counts[r] == counts[largest] && isinf(modes[r][counts[r] - 1].distance) == isinf(modes[largest][counts[largest] - 1].distance);
        n += use[r];
    }
    return n;
}

static void fit_clusters(struct fitting *f, struct mode (*modes)[MODES_MOST], size_t count, size_t largest, const bool *use, struct model_reference *out)
{
    size_t n = f->runs->runs.count;
    double *values = mem_zero(n, sizeof *values);

    out->modes = mem_zero(count, sizeof *out->modes);
    for (size_t k = 0; k < count; k++) {
        struct model_mode *m = &out->modes[out->mode_count++];
        const struct mode *typical = &modes[largest][k];
        bool all = true;
        for (size_t r = 0; r < n; r++) {
            values[r] = use[r] ? modes[r][k].count : 0;
            all &= use[r];
        }
        m->regular = typical->regular / typical->count;
        m->cold = isinf(typical->distance);
        if (all) {
            m->count = formula_of(f, values);
        } else {
            struct formula formula;
            fit_distance(f, values, use, &formula);
            vec_push(&f->done, ((struct fitted){mem_zero(n, sizeof *values)}));   /* found by nobody else */
            vec_push(&f->formulas, formula);
            m->count = (uint32_t)f->formulas.count - 1;
        }
        for (size_t r = 0; r < n; r++)
            values[r] = use[r] ? modes[r][k].distance : 0;
        if (!m->cold)
            fit_distance(f, values, use, &m->distance);
    }
    free(values);
}

/* Equal shares of the references by distance, each share's distance fitted by itself; first uses keep the largest run's share. */
static void fit_shares(struct fitting *f, size_t reference, size_t largest, struct model_reference *out)
{
    size_t n = f->runs->runs.count;
    const struct run_reference *typical = &f->runs->runs.items[largest].references[reference];
    double *values = mem_zero(n, sizeof *values), cold = 0, regular = 0;
    bool *use = mem_zero(n, sizeof *use);

    for (size_t i = 0; i < typical->bin_count; i++) {
        cold += isinf(typical->bins[i].distance) ? typical->bins[i].count / typical->references : 0;
        regular += typical->bins[i].regular / typical->references;
    }
    out->modes = mem_zero(SHARES + 1, sizeof *out->modes);
    for (size_t k = 0; k < SHARES && cold < 1; k++) {
        struct model_mode *m = &out->modes[out->mode_count++];
        m->share = (1 - cold) / SHARES;
        m->regular = regular;
        for (size_t r = 0; r < n; r++) {
            const struct run_reference *one = &f->runs->runs.items[r].references[reference];
            use[r] = one->bin_count > 0;
            values[r] = modes_quantile(one, ((double)k + 0.5) / SHARES);
        }
        fit_distance(f, values, use, &m->distance);
    }
    if (cold > 0)
        out->modes[out->mode_count++] = (struct model_mode){.share = cold, .cold = true, .regular = regular};
    free(values);
    free(use);
}

static void fit_reference(struct fitting *f, size_t reference, struct model_reference *out)
{
    size_t n = f->runs->runs.count, largest = 0, *counts = mem_zero(n, sizeof *counts);
    struct mode(*modes)[MODES_MOST] = mem_zero(n, sizeof *modes);
    double *totals = mem_zero(n, sizeof *totals);
    bool *use = mem_zero(n, sizeof *use);

    for (size_t r = 0; r < n; r++) {
        totals[r] = f->runs->runs.items[r].references[reference].references;
        counts[r] = modes_find(&f->runs->runs.items[r].references[reference], modes[r]);
        largest = totals[r] > totals[largest] ? r : largest;
    }
    out->total = formula_of(f, totals);
    if (counts[largest]) {
        size_t same = alike(f, modes, counts, largest, use);
        if (same >= 3 || same == n)
            fit_clusters(f, modes, counts[largest], largest, use, out);
        else
            fit_shares(f, reference, largest, out);
    }
    free(totals);
    free(counts);
    free(modes);
    free(use);
}

static void fit_blocks(struct fitting *f)
{
    size_t n = f->runs->runs.count;
    double *values = mem_zero(n, sizeof *values);

    for (size_t b = 0; b < f->runs->program->block_count; b++) {
        for (size_t r = 0; r < n; r++)
            values[r] = f->runs->runs.items[r].counts[b];
        f->model->counts[b] = formula_of(f, values);
        for (size_t r = 0; r < n; r++)
            values[r] = f->runs->runs.items[r].taken[b];
        f->model->taken[b] = formula_of(f, values);
    }
    free(values);
}

struct program_model *program_model_new(const struct program_runs *runs, model_progress progress, void *state, struct err *err)
{
    const struct program *p = runs->program;
    struct program_model *m = mem_zero(1, sizeof *m);
    struct fitting f = {.model = m, .runs = runs, .inputs = mem_zero(runs->runs.count * runs->name_count + 1, sizeof(double))};
    bool ok = true;

    m->runs = program_runs_hold(runs);
    m->counts = mem_zero(p->block_count + 1, sizeof *m->counts);
    m->taken = mem_zero(p->block_count + 1, sizeof *m->taken);
    m->references = mem_zero(p->reference_count + 1, sizeof *m->references);
    m->traced = true;
    for (size_t r = 0; r < runs->runs.count; r++) {
        memcpy(f.inputs + r * runs->name_count, runs->runs.items[r].inputs, runs->name_count * sizeof(double));
        m->traced &= runs->runs.items[r].mode != TRACE_COUNTS;
    }
    fit_blocks(&f);
    for (size_t i = 0; ok && m->traced && i < p->reference_count; i++) {
        fit_reference(&f, i, &m->references[i]);
        if (progress && i % 16 == 0)
            ok = progress(state, (double)i / (double)p->reference_count) || err_set(err, ERR_INTERRUPTED, NULL, "fitting was cancelled");
    }
    m->formulas = f.formulas.items;
    m->formula_count = f.formulas.count;
    for (size_t i = 0; i < f.done.count; i++)
        free(f.done.items[i].values);
    vec_done(&f.done);
    index_done(&f.index);
    free(f.inputs);
    if (ok)
        return m;
    program_model_free(m);
    return NULL;
}

void program_model_free(const struct program_model *held)
{
    struct program_model *m = (struct program_model *)(uintptr_t)held;

    if (!m || atomic_fetch_sub(&m->holders, 1) > 0)
        return;
    for (size_t i = 0; i < m->runs->program->reference_count; i++)
        free(m->references[i].modes);
    free(m->references);
    free(m->formulas);
    free(m->counts);
    free(m->taken);
    program_runs_free(m->runs);
    free(m);
}

const struct program_model *program_model_hold(const struct program_model *m)
{
    atomic_fetch_add(&((struct program_model *)(uintptr_t)m)->holders, 1);
    return m;
}

const struct formula *program_model_count(const struct program_model *m, size_t block)
{
    return &m->formulas[m->counts[block]];
}

static int by_distance(const void *a, const void *b)
{
    double x = ((const struct run_bin *)a)->distance, y = ((const struct run_bin *)b)->distance;
    return (x > y) - (x < y);
}

/* The clusters at @inputs, scaled so that they sum up to all references. */
static void reference_at(const struct program_model *m, const struct model_reference *model, const double *inputs, struct run_reference *out)
{
    size_t width = m->runs->name_count;
    double total = 0;

    out->references = formula_value(&m->formulas[model->total], inputs, width);
    out->bins = mem_zero(model->mode_count + 1, sizeof *out->bins);
    for (size_t k = 0; k < model->mode_count; k++) {
        const struct model_mode *mode = &model->modes[k];
        double count = mode->share > 0 ? mode->share * out->references : formula_value(&m->formulas[mode->count], inputs, width);
        double distance = mode->cold ? INFINITY : formula_value(&mode->distance, inputs, width);
        if (count > 0)
            out->bins[out->bin_count++] = (struct run_bin){distance, count, count * mode->regular};
        total += count;
    }
    for (size_t i = 0; i < out->bin_count; i++) {
        out->bins[i].count *= out->references / total;
        out->bins[i].regular *= out->references / total;
    }
    qsort(out->bins, out->bin_count, sizeof *out->bins, by_distance);
}

static const struct program_run *run_with(const struct program_runs *runs, const double *inputs)
{
    for (size_t r = 0; r < runs->runs.count; r++)
        if (memcmp(runs->runs.items[r].inputs, inputs, runs->name_count * sizeof *inputs) == 0)
            return &runs->runs.items[r];
    return NULL;
}

void program_model_at(const struct program_model *m, const double *inputs, struct program_run *out)
{
    const struct program *p = m->runs->program;
    const struct program_run *seen = run_with(m->runs, inputs);
    size_t width = m->runs->name_count;

    *out = (struct program_run){.mode = m->traced ? TRACE_EXACT : TRACE_COUNTS, .seconds = NAN};
    memcpy(out->inputs, inputs, width * sizeof *inputs);
    out->counts = mem_zero(p->block_count + 1, sizeof *out->counts);
    out->taken = mem_zero(p->block_count + 1, sizeof *out->taken);
    out->references = mem_zero(p->reference_count + 1, sizeof *out->references);
    for (size_t b = 0; b < p->block_count; b++) {
        out->counts[b] = seen ? seen->counts[b] : formula_value(&m->formulas[m->counts[b]], inputs, width);
        out->taken[b] = seen ? seen->taken[b] : fmin(out->counts[b], formula_value(&m->formulas[m->taken[b]], inputs, width));
    }
    for (size_t i = 0; m->traced && i < p->reference_count; i++) {
        if (!seen) {
            reference_at(m, &m->references[i], inputs, &out->references[i]);
            continue;
        }
        const struct run_reference *from = &seen->references[i];
        out->references[i] = *from;
        out->references[i].bins = mem_zero(from->bin_count + 1, sizeof *from->bins);
        if (from->bin_count)
            memcpy(out->references[i].bins, from->bins, from->bin_count * sizeof *from->bins);
    }
}
