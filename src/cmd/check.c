/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "measure/cpu_source.h"
#include "toolchain/assemble.h"

#define LINKS 8            /* number of displayed instructions of a latency chain */

static uint64_t next_serial(void)
{
    static _Atomic uint64_t last;

    return atomic_fetch_add(&last, 1) + 1;
}

struct check *check_new(const struct machine *m, const char *cpu, const char *simulated)
{
    struct check *c = mem_zero(1, sizeof *c);
    time_t now = time(NULL);
    struct tm day;

    c->serial = next_serial();
    c->machine = mem_strdup(m->id);
    c->cpu = mem_strdup(cpu);
    c->simulated = mem_strdup(simulated);
    isa_parse(m->isa, &c->isa);
    strftime(c->date, sizeof c->date, "%Y-%m-%d", gmtime_r(&now, &day));
    return c;
}

struct check *check_copy(const struct check *c)
{
    struct check *copy = mem_alloc(sizeof *copy);

    *copy = *c;
    copy->serial = next_serial();
    copy->machine = mem_strdup(c->machine);
    copy->cpu = mem_strdup(c->cpu);
    copy->simulated = mem_strdup(c->simulated);
    copy->rows = mem_alloc((c->count + 1) * sizeof *copy->rows);
    for (size_t i = 0; i < c->count; i++) {
        copy->rows[i] = c->rows[i];
        copy->rows[i].form = mem_strdup(c->rows[i].form);
    }
    return copy;
}

void check_free(struct check *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++)
        free(c->rows[i].form);
    free(c->rows);
    free(c->machine);
    free(c->cpu);
    free(c->simulated);
    free(c);
}

struct check_row *check_add(struct check *c, const char *form, double uses)
{
    c->rows = mem_resize(c->rows, (c->count + 1) * sizeof *c->rows);
    c->rows[c->count] = (struct check_row){
        .form = mem_strdup(form), .measured = NAN, .spread = NAN, .predicted = NAN, .uses = uses};
    return &c->rows[c->count++];
}

bool check_disagrees(const struct check_row *row)
{
    double d = fabs(row->measured - row->predicted);
    return d > CHECK_CYCLES && d > CHECK_DISAGREES * fmin(row->measured, row->predicted);
}

double check_weight(const struct check_row *row)
{
    return check_disagrees(row) ? (row->uses + 1) * fabs(row->measured - row->predicted) : 0;
}

static int by_weight(const void *a, const void *b)
{
    double x = check_weight(a), y = check_weight(b);
    if (x != y)
        return x < y ? 1 : -1;
    const struct check_row *r = a, *s = b;
    if (r->uses != s->uses)
        return r->uses < s->uses ? 1 : -1;
    int order = strcmp(r->form, s->form);
    return order ? order : r->latency - s->latency;
}

void check_sort(struct check *c)
{
    if (c->count)
        qsort(c->rows, c->count, sizeof *c->rows, by_weight);
}

void check_quantity(const struct check_row *row, struct str *out)
{
    if (row->latency)
        str_addf(out, "latency %s -> %s", row->chain.from_name, row->chain.to_name);
    else
        str_add(out, "throughput");
}

void check_source(const struct check *c, struct str *out)
{
    str_addf(out, "measured on %s %s", c->cpu, c->date);
}

void check_code(const struct forms *forms, const struct check_row *row, struct str *out)
{
    struct body *body = mem_zero(1, sizeof *body);
    struct err err = {0};
    bool ok;

    if (row->latency) {
        const struct form_row *form = forms_find(forms, row->form);
        struct form_code *code = form ? encodings_code_any(form, &err) : NULL;
        ok = code && chain_make(code, &row->chain, LINKS, body, &err);
        form_code_free(code);
    } else {
        struct experiment e = {0};
        experiment_add(&e, row->form, 1);
        ok = source_code(forms, &e, &(struct body_shape){.instructions = SOURCE_SHORT}, body, &err);
        experiment_done(&e);
    }
    if (ok)
        code_print(forms_at(forms, 0)->isa, body->code, body->length, 0, out);
    else
        str_add(out, err.what);
    free(body);
}
