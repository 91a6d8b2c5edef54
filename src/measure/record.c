/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/record.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/lock.h"
#include "base/mem.h"

#define STRETCH 0.1      /* seconds per point at the start of a record */

struct record_row {
    char *text;
    uint64_t hash;
    struct record_samples samples;
};

struct stretch { double clock_sum; uint64_t accepted, contended, disturbed; };

struct record {
    pthread_mutex_t lock;
    /* RECORD_ROWS entries (one megabyte), allocated when the first value is added */
    struct record_row *rows;
    unsigned next_row;
    struct index by_text;
    struct stretch points[RECORD_POINTS];
    size_t point_count;
    double stretch;
    struct calibration calibration;
    char name[64];
    bool known, simulated;
    unsigned cpus;
};

struct record *record_new(void)
{
    struct record *r = mem_zero(1, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    r->stretch = STRETCH;
    return r;
}

void record_free(struct record *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < RECORD_ROWS && i < r->next_row; i++) {
        free(r->rows[i].text);
        free(r->rows[i].samples.code);
    }
    free(r->rows);
    index_done(&r->by_text);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static bool is_text(const void *rows, uint32_t row, const void *text)
{
    return strcmp(((const struct record_row *)rows)[row].text, text) == 0;
}

static struct record_row *find(struct record *r, const char *text, uint64_t hash)
{
    uint32_t row = index_find(&r->by_text, hash, is_text, r->rows, text);
    return row == INDEX_NONE ? NULL : &r->rows[row];
}

/* Returns a new row for @text. Replaces the oldest row if all are used. */
static struct record_row *row_new(struct record *r, const char *text, uint64_t hash)
{
    uint32_t at = r->next_row++ % RECORD_ROWS;
    struct record_row *row = &r->rows[at];

    if (row->text) {
        index_remove(&r->by_text, row->hash, at);
        free(row->text);
        free(row->samples.code);
    }
    *row = (struct record_row){.text = mem_strdup(text), .hash = hash};
    index_add(&r->by_text, hash, at);
    return row;
}

static void take_code(struct record_samples *s, const struct record_pass *pass)
{
    if (!pass->code || (s->code && pass->instructions < s->instructions))
        return;
    s->code = mem_resize(s->code, pass->length);
    memcpy(s->code, pass->code, pass->length);
    s->length = pass->length;
    s->executions = pass->executions;
    s->instructions = pass->instructions;
}

void record_add(struct record *r, const struct experiment *e, const struct record_pass *pass)
{
    struct str text = {0};

    experiment_print(e, &text);
    uint64_t hash = hash_text(str_text(&text));
    lock_take(&r->lock);
    /* If memory is exhausted, measurements continue without a record. */
    if (!r->rows && !(r->rows = mem_try_zero(RECORD_ROWS, sizeof *r->rows))) {
        lock_give(&r->lock);
        str_done(&text);
        return;
    }
    struct record_row *row = find(r, str_text(&text), hash);
    if (!row)
        row = row_new(r, str_text(&text), hash);
    struct record_samples *s = &row->samples;
    s->passes++;
    for (unsigned i = 0; i < pass->count; i++) {
        if (s->count == RECORD_VALUES)
            memmove(s->values, s->values + 1, --s->count * sizeof *s->values);
        s->values[s->count++] =
            (struct record_sample){pass->values[i] / (float)pass->executions, (uint16_t)s->passes,
                                   (uint16_t)pass->instructions};
    }
    s->clock_hz = pass->clock_hz;
    take_code(s, pass);
    lock_give(&r->lock);
    str_done(&text);
}

/* Merges pairs of neighbouring points and doubles their duration. */
static void series_halve(struct record *r)
{
    r->stretch *= 2;
    r->point_count = (r->point_count + 1) / 2;
    for (size_t i = 0; i < RECORD_POINTS; i++) {
        struct stretch sum = {0};
        for (size_t k = 2 * i; k < 2 * i + 2 && k < RECORD_POINTS; k++) {
            sum.clock_sum += r->points[k].clock_sum;
            sum.accepted += r->points[k].accepted;
            sum.contended += r->points[k].contended;
            sum.disturbed += r->points[k].disturbed;
        }
        r->points[i] = sum;
    }
}

void record_windows(struct record *r, double seconds, double clock_hz, unsigned accepted,
                    unsigned contended, unsigned disturbed)
{
    lock_take(&r->lock);
    while (seconds >= r->stretch * RECORD_POINTS)
        series_halve(r);
    size_t at = seconds > 0 ? (size_t)(seconds / r->stretch) : 0;
    if (at >= RECORD_POINTS)
        at = RECORD_POINTS - 1;
    struct stretch *p = &r->points[at];
    if (accepted && clock_hz > 0) {
        p->clock_sum += clock_hz * accepted;
        p->accepted += accepted;
    }
    p->contended += contended;
    p->disturbed += disturbed;
    if (at >= r->point_count)
        r->point_count = at + 1;
    lock_give(&r->lock);
}

void record_begin(struct record *r, const char *name, const struct calibration *c)
{
    lock_take(&r->lock);
    r->known = true;
    r->simulated = c == NULL;
    r->calibration = c ? *c : (struct calibration){0};
    snprintf(r->name, sizeof r->name, "%s", name);
    memset(r->points, 0, sizeof r->points);
    r->point_count = 0;
    r->stretch = STRETCH;
    r->cpus = 1;
    lock_give(&r->lock);
}

void record_cpus(struct record *r, unsigned cpus)
{
    lock_take(&r->lock);
    r->cpus = cpus;
    lock_give(&r->lock);
}

unsigned record_cpu_count(struct record *r)
{
    lock_take(&r->lock);
    unsigned cpus = r->cpus;
    lock_give(&r->lock);
    return cpus ? cpus : 1;
}

bool record_find(struct record *r, const char *text, struct record_samples *out)
{
    lock_take(&r->lock);
    const struct record_row *row = find(r, text, hash_text(text));
    if (row) {
        *out = row->samples;
        out->code = row->samples.code
                        ? memcpy(mem_alloc(out->length), row->samples.code, out->length)
                        : NULL;
    }
    lock_give(&r->lock);
    return row != NULL;
}

void record_samples_done(struct record_samples *s)
{
    free(s->code);
    *s = (struct record_samples){0};
}

bool record_calibration(struct record *r, struct calibration *out, char *name, size_t size,
                        bool *simulated)
{
    lock_take(&r->lock);
    bool known = r->known;
    *out = r->calibration;
    *simulated = r->simulated;
    snprintf(name, size, "%s", r->name);
    lock_give(&r->lock);
    return known;
}

size_t record_series(struct record *r, struct record_point *out)
{
    lock_take(&r->lock);
    size_t n = r->point_count;
    for (size_t i = 0; i < n; i++) {
        const struct stretch *p = &r->points[i];
        double all = (double)(p->accepted + p->contended + p->disturbed);
        out[i] = (struct record_point){
            ((double)i + 0.5) * r->stretch, p->accepted ? p->clock_sum / (double)p->accepted : NAN,
            all > 0 ? (double)p->contended / all : NAN, all > 0 ? (double)p->disturbed / all : NAN};
    }
    lock_give(&r->lock);
    return n;
}
