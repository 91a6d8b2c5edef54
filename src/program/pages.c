/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "program/fit.h"
#include "program/growth.h"
#include "program/heap.h"

#define LINES_PER_PAGE 64
/* Maximum number of formulas of sizes. If there would be more, further sizes are scaled with the
 * mean of their block. */
#define SIZES_MOST 64
#define DEGREE_MOST 3 /* largest degree of the formula for the remaining faults */
#define GRAIN 8       /* insignificant difference of the remaining faults */
#define SCATTER 0.05
#define BY_MEAN UINT32_MAX

/* Formulas of allocation sizes. If a block has the same number of allocations in all runs, each
 * allocation has its own formula. Otherwise the formula of the block's mean size is used. */
struct pages_model {
    size_t template; /* index of the run with the most allocations */
    VEC(struct formula) sizes;
    VEC(double) fitted;     /* fitted values of each formula: one value per run */
    uint32_t *size_of;      /* per allocation of the template: index of its formula, or BY_MEAN */
    struct formula *means;  /* per block: formula of the mean size, if an allocation needs it */
    double *template_means; /* per block: mean size in the template */
    /* formula of the faults that first uses and allocations do not explain */
    struct formula rest;
    /* smallest value of @rest in a run: the faults of starting the program */
    double rest_least;
    bool measured;          /* whether the page faults of all runs were measured */
};

/* Returns the number of pages that @run uses. Sets *@read (may be NULL) to the number of pages that
 * are read before they are written. */
static double pages_used(const struct program *p, const struct program_run *run, double *read)
{
    double used = 0, first_read = 0;

    for (size_t i = 0; i < p->reference_count; i++) {
        const struct run_reference *r = &run->references[i];
        for (size_t k = 0; k < r->bin_count; k++)
            if (isinf(r->bins[k].distance)) {
                used += r->bins[k].count / LINES_PER_PAGE;
                first_read += p->references[i].write ? 0 : r->bins[k].count / LINES_PER_PAGE;
            }
    }
    if (read)
        *read = first_read;
    return used;
}

void pages_of(const struct program *p, const struct program_run *run, struct run_pages *out)
{
    *out = (struct run_pages){run->faults_beyond, pages_used(p, run, NULL)};
}

/* Sets @count to the number of recorded allocations of @run per block, and @bytes (may be NULL) to
 * their bytes. */
static void count_allocations(const struct program *p, const struct program_run *run, double *count,
                              double *bytes)
{
    memset(count, 0, p->block_count * sizeof *count);
    for (size_t b = 0; bytes && b < p->block_count; b++)
        bytes[b] = 0;
    for (size_t i = 0; i < run->allocation_count; i++) {
        const struct heap_event *e = &run->allocations[i];
        if (e->block == HEAP_NONE || !(e->size > 0))
            continue;
        count[e->block]++;
        if (bytes)
            bytes[e->block] += e->size;
    }
}

/* Returns the index of the formula of the sizes in @data; BY_MEAN: too many formulas. Fits equal
 * sizes only once. */
static uint32_t size_formula(struct pages_model *m, const struct fit_data *data)
{
    const size_t n = data->run_count;

    /* Searches from the newest formula, because consecutive allocations often have equal sizes. */
    for (size_t k = m->sizes.count; k-- > 0;)
        if (memcmp(m->fitted.items + k * n, data->values, n * sizeof *data->values) == 0)
            return (uint32_t)k;
    if (m->sizes.count == SIZES_MOST)
        return BY_MEAN;
    struct formula f;
    fit_counts(data, &f);
    vec_push(&m->sizes, f);
    for (size_t r = 0; r < n; r++)
        vec_push(&m->fitted, data->values[r]);
    return (uint32_t)m->sizes.count - 1;
}

/* Returns the index of the first allocation of @block in @run from index @from; the number of
 * allocations if there is none. */
static size_t next_of(const struct program_run *run, uint32_t block, size_t from)
{
    while (from < run->allocation_count &&
           (run->allocations[from].block != block || !(run->allocations[from].size > 0)))
        from++;
    return from;
}

/* Fits formulas of the sizes of one block's allocations, one per position in the sequence. */
static void fit_positions(struct pages_model *m, const struct program_runs *runs,
                          const double *inputs, uint32_t block)
{
    const size_t n = runs->runs.count;
    size_t *at = mem_zero(n, sizeof *at);
    double *values = mem_alloc(n * sizeof *values);

    for (bool more = true; more;) {
        for (size_t r = 0; r < n && more; r++) {
            at[r] = next_of(&runs->runs.items[r], block, at[r]);
            more = at[r] < runs->runs.items[r].allocation_count;
            values[r] = more ? runs->runs.items[r].allocations[at[r]++].size : 0;
        }
        if (more)
            m->size_of[at[m->template] - 1] =
                size_formula(m, &(struct fit_data){inputs, runs->name_count, n, values});
    }
    free(at);
    free(values);
}

static void fit_mean(struct pages_model *m, const struct program_runs *runs, const double *inputs,
                     const double *means, size_t block)
{
    const struct growth_limits limits = {DEGREE_MOST, 1, SCATTER, 0, INFINITY, 2, true};
    const size_t n = runs->runs.count, blocks = runs->program->block_count;
    double *used = mem_alloc(n * (runs->name_count + 1) * sizeof *used),
           *values = used + n * runs->name_count;
    size_t count = 0;

    for (size_t r = 0; r < n; r++)
        if (means[r * blocks + block] > 0) {
            memcpy(used + count * runs->name_count, inputs + r * runs->name_count,
                   runs->name_count * sizeof *used);
            values[count++] = means[r * blocks + block];
        }
    if (count)
        fit_growth(&(struct fit_data){used, runs->name_count, count, values}, &limits,
                   &m->means[block]);
    free(used);
}

static void fit_sizes(struct pages_model *m, const struct program_runs *runs, const double *inputs)
{
    const struct program *p = runs->program;
    const size_t n = runs->runs.count, blocks = p->block_count;
    double *counts = mem_zero(2 * n * blocks + 1, sizeof *counts), *means = counts + n * blocks;

    for (size_t r = 0; r < n; r++) {
        double *count = counts + r * blocks, *mean = means + r * blocks;
        count_allocations(p, &runs->runs.items[r], count, mean);
        for (size_t b = 0; b < blocks; b++)
            mean[b] = count[b] > 0 ? mean[b] / count[b] : 0;
    }
    for (size_t b = 0; b < blocks; b++) {
        bool same = true;
        m->template_means[b] = means[m->template * blocks + b];
        if (!(counts[m->template * blocks + b] > 0))
            continue;
        for (size_t r = 0; r < n; r++)
            same &= counts[r * blocks + b] == counts[m->template * blocks + b];
        if (same)
            fit_positions(m, runs, inputs, (uint32_t)b);
        fit_mean(m, runs, inputs, means, b);
    }
    free(counts);
}

/* Returns the allocations at @inputs: those of the run @seen, or if @seen is NULL, those of the
 * template with the formulas' sizes. The caller frees them. */
static struct heap_event *events_at(const struct pages_model *m, const struct program_runs *runs,
                                    const struct program_run *seen, const double *inputs)
{
    const struct program_run *from = seen ? seen : &runs->runs.items[m->template];
    struct heap_event *events = mem_alloc((from->allocation_count + 1) * sizeof *events);

    if (from->allocation_count)
        memcpy(events, from->allocations, from->allocation_count * sizeof *events);
    for (size_t i = 0; !seen && i < from->allocation_count; i++) {
        const uint32_t block = events[i].block;
        if (block == HEAP_NONE || !(events[i].size > 0))
            continue;
        if (m->size_of[i] != BY_MEAN)
            events[i].size =
                formula_value(&m->sizes.items[m->size_of[i]], inputs, runs->name_count);
        else if (m->template_means[block] > 0)
            events[i].size *= formula_value(&m->means[block], inputs, runs->name_count) /
                              m->template_means[block];
        events[i].size = fmax(1, events[i].size);
    }
    return events;
}

/* Computes, per block, the number of faults of allocated pages that malloc had returned to the
 * system. If a block allocates more often than in the recording, extrapolates from the recording's
 * second half. */
static void find_again(const struct pages_model *m, const struct program_runs *runs,
                       struct program_run *run)
{
    const size_t blocks = runs->program->block_count;
    const struct program_run *seen = program_run_with(runs, run->inputs),
                             *from = seen ? seen : &runs->runs.items[m->template];
    const size_t n = from->allocation_count;
    struct heap_event *events = events_at(m, runs, seen, run->inputs);
    double *faults = mem_alloc((2 * n + 1) * sizeof *faults),
           *sums = mem_zero(4 * blocks + 1, sizeof *sums), *count = sums + blocks,
           *second_half = count + blocks, *second_count = second_half + blocks;

    heap_faults(events, n, true, faults);
    heap_faults(events, n, false, faults + n);
    count_allocations(runs->program, from, count, NULL);
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = events[i].block;
        if (b == HEAP_NONE || !(events[i].size > 0))
            continue;
        const double again = faults[i] - faults[n + i];
        sums[b] += again;
        if (2 * ++second_count[b] > count[b])
            second_half[b] += again;
    }
    for (size_t b = 0; b < blocks; b++) {
        const double executed = from->counts[b], more = run->counts[b] - executed,
                     each = executed > 0 ? fmax(1, count[b] / executed) : 1,
                     halves = count[b] - floor(count[b] / 2);
        run->again[b] = fmax(0, sums[b]);
        /* Adds the faults of those allocations that are not in the recording. */
        if (count[b] > 1 && executed > 0)
            run->again[b] =
                fmax(0, run->again[b] + second_half[b] / halves *
                                            (more * each + fmax(0, executed * each - count[b])));
    }
    free(events);
    free(faults);
    free(sums);
}

/* Returns the faults that first uses and allocations of @run cause. Fills run->again. */
static double explain(const struct pages_model *m, const struct program_runs *runs,
                      struct program_run *run)
{
    double read, faults = pages_used(runs->program, run, &read);

    /* A page that is first read faults twice. The first fault maps it to a page of zeros. The first
     * write faults again. */
    faults += read;

    free(run->again);
    run->again = mem_zero(runs->program->block_count + 1, sizeof *run->again);
    if (m->size_of)
        find_again(m, runs, run);
    for (size_t b = 0; b < runs->program->block_count; b++)
        faults += run->again[b];
    return faults;
}

/* Fits the faults of the runs that explain() does not explain. */
static void fit_rest(struct pages_model *m, const struct program_runs *runs, const double *inputs)
{
    const struct growth_limits limits = {DEGREE_MOST, GRAIN, SCATTER, 0, INFINITY, 2, false};
    const size_t n = runs->runs.count;
    double *values = mem_alloc(n * sizeof *values);

    m->rest_least = INFINITY;
    for (size_t r = 0; r < n; r++) {
        /* @run is a shallow copy that owns only @again. */
        struct program_run run = runs->runs.items[r];
        run.again = NULL;
        values[r] = fmax(0, run.faults - explain(m, runs, &run));
        m->rest_least = fmin(m->rest_least, values[r]);
        free(run.again);
    }
    fit_growth(&(struct fit_data){inputs, runs->name_count, n, values}, &limits, &m->rest);
    free(values);
}

struct pages_model *pages_model_new(const struct program_runs *runs, const double *inputs)
{
    struct pages_model *m = mem_zero(1, sizeof *m);
    const size_t n = runs->runs.count;

    m->measured = true;
    for (size_t r = 0; r < n; r++) {
        if (runs->runs.items[r].allocation_count > runs->runs.items[m->template].allocation_count)
            m->template = r;
        m->measured &= !isnan(runs->runs.items[r].faults);
    }
    const size_t count = runs->runs.items[m->template].allocation_count;
    if (!m->measured && !count) {
        free(m);
        return NULL;
    }
    if (count) {
        m->size_of = mem_alloc(count * sizeof *m->size_of);
        for (size_t i = 0; i < count; i++)
            m->size_of[i] = BY_MEAN;
        m->means = mem_zero(runs->program->block_count + 1, sizeof *m->means);
        m->template_means = mem_zero(runs->program->block_count + 1, sizeof *m->template_means);
        fit_sizes(m, runs, inputs);
    }
    if (m->measured)
        fit_rest(m, runs, inputs);
    return m;
}

void pages_model_free(struct pages_model *m)
{
    if (!m)
        return;
    vec_done(&m->sizes);
    vec_done(&m->fitted);
    free(m->size_of);
    free(m->means);
    free(m->template_means);
    free(m);
}

void pages_model_at(const struct pages_model *m, const struct program_runs *runs,
                    struct program_run *run)
{
    double rest = 0;
    const struct program_run *seen = program_run_with(runs, run->inputs);

    run->faults = seen ? seen->faults : NAN;
    if (seen && seen->faults_beyond > 0) {   /* Another process predicted the run (run_pack). */
        run->faults_beyond = seen->faults_beyond;
        return;
    }
    run->faults_beyond = m ? explain(m, runs, run) : pages_used(runs->program, run, NULL);
    if (!m || !m->measured)
        return;
    rest = seen ? fmax(0, seen->faults - run->faults_beyond)
                : formula_value(&m->rest, run->inputs, runs->name_count);
    run->faults_beyond += fmax(0, rest - m->rest_least);
    if (!seen)
        run->faults = run->faults_beyond + m->rest_least;
}
