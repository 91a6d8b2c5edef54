/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "measure/source.h"
#include "toolchain/assemble.h"

#define LINKS 8            /* of a chain that is shown */

struct check *check_new(const struct machine *m, const char *cpu, const char *simulated)
{
    struct check *c = mem_zero(1, sizeof *c);
    time_t now = time(NULL);
    struct tm day;

    c->machine = mem_strdup(m->id);
    c->cpu = mem_strdup(cpu);
    c->simulated = simulated ? mem_strdup(simulated) : NULL;
    isa_parse(m->isa, &c->isa);
    strftime(c->date, sizeof c->date, "%Y-%m-%d", gmtime_r(&now, &day));
    return c;
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
    c->rows[c->count] = (struct check_row){.form = mem_strdup(form), .measured = NAN, .spread = NAN, .predicted = NAN, .uses = uses};
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

void check_code(const struct forms *forms, const struct check_row *row, size_t lines, struct str *out)
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
        code_print(forms_at(forms, 0)->isa, body->code, body->length, lines, out);
    else
        str_add(out, err.what);
    free(body);
}

struct form_uses *form_uses_load(enum isa isa, size_t *count, struct err *err)
{
    struct str relative = {0};
    str_addf(&relative, "frequency/%s.csv", isa_name(isa));
    char *path = file_data_path(str_text(&relative));
    struct csv_table *t = path ? csv_table_read(path, err) : NULL;
    int form = t ? csv_table_column(t, "form") : -1, uses = t ? csv_table_column(t, "count") : -1;
    VEC(struct form_uses) list = {0};

    if (!path)
        err_set(err, ERR_MISSING, "install Portolan, or set PORTOLAN_DATA to its data", "%s not found", str_text(&relative));
    if (t && (form < 0 || uses < 0)) {
        err_set(err, ERR_DATA, "begin with form,count", "the column %s is missing", form < 0 ? "form" : "count");
        err_at(err, path, 1, 1);
    }
    for (size_t i = 0; form >= 0 && uses >= 0 && i < t->count; i++)
        vec_push(&list, ((struct form_uses){mem_strdup(t->rows[i][form]), strtod(t->rows[i][uses], NULL)}));
    csv_table_free(t);
    free(path);
    str_done(&relative);
    *count = list.count;
    return list.items;
}

struct form_uses *form_uses_measurable(const struct forms *forms, bool simulated, size_t most, size_t *count, struct err *err)
{
    size_t all, kept = 0;
    char why[96];
    struct form_uses *uses = form_uses_load(forms_isa(forms), &all, err);

    if (!uses)
        return NULL;
    for (size_t i = 0; i < all; i++) {
        const struct form_row *row = kept < most ? forms_find(forms, uses[i].form) : NULL;
        if (row && (simulated ? form_has_code(row) : !form_measurable(row, why, sizeof why)))
            uses[kept++] = uses[i];
        else
            free(uses[i].form);
    }
    *count = kept;
    if (kept)
        return uses;
    form_uses_free(uses, 0);
    err_set(err, ERR_USAGE, "forms list shows which can be measured, and why others cannot", "none of the forms that programs use most can be measured here");
    return NULL;
}

void form_uses_free(struct form_uses *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].form);
    free(list);
}

bool block_forms_choose(const struct forms *forms, size_t most, bool (*wanted)(const void *state, const struct form_row *row), const void *state, struct block_forms *out,
                        struct err *err)
{
    size_t count;
    struct form_uses *uses = form_uses_load(forms_isa(forms), &count, err);

    if (!uses)
        return false;
    for (size_t i = 0; i < count && out->count < most; i++) {
        const struct form_row *row = forms_find(forms, uses[i].form);
        if (row && uses[i].uses > 0 && wanted(state, row))
            vec_push(out, ((struct block_form){row, uses[i].uses}));
    }
    form_uses_free(uses, count);
    return true;
}
