/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/forms.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/similar.h"
#include "base/file.h"
#include "base/csv.h"
#include "base/mem.h"
#include "base/watch.h"
#include "isa/insn.h"

struct forms {
    enum isa isa;
    struct form_row *rows;      /* rows, sorted by the name of the form */
    size_t count;
    /* owner of the strings of the rows; NULL: @base owns them */
    struct csv_table *table;
    struct forms *base;         /* table that this one extends (counted reference); NULL: none */
    /* The user's rows, those of @base first. This table owns the strings of the new rows. */
    struct form_row *added;
    size_t added_count, inherited;
    _Atomic unsigned holders;   /* number of references in addition to the creator's */
};

static struct forms *load(const char *path, enum isa isa, struct err *err)
{
    struct csv_table *table = csv_table_read(path, err);
    struct forms *f = NULL;

    if (!table)
        return NULL;
    int form = csv_table_column(table, "form"), template = csv_table_column(table, "template"),
        extension = csv_table_column(table, "extension");
    if (form < 0 || template < 0 || extension < 0) {
        err_set(err, ERR_DATA, "the first line must be form,template,extension",
                "the column %s is missing",
                form < 0 ? "form" : template <0 ? "template" : "extension");
        err_at(err, path, 1, 1);
        csv_table_free(table);
        return NULL;
    }
    f = mem_zero(1, sizeof *f);
    f->table = table;
    f->isa = isa;
    f->rows = mem_alloc(table->count * sizeof *f->rows);
    for (size_t i = 0; i < table->count; i++)
        f->rows[f->count++] = (struct form_row){table->rows[i][form], table->rows[i][template],
                                                table->rows[i][extension], isa, false};
    if (f->count)
        qsort(f->rows, f->count, sizeof *f->rows, compare_texts);
    return f;
}

struct forms *forms_load(enum isa isa, const char *path, struct err *err)
{
    struct str relative = {0};
    struct forms *f = NULL;

    if (path)
        return load(path, isa, err);
    str_addf(&relative, "isa/%s.csv", isa_name(isa));
    char *shipped = file_data_path(str_text(&relative));
    if (shipped)
        f = load(shipped, isa, err);
    else
        err_set(err, ERR_MISSING, "install Portolan, or set PORTOLAN_DATA to its data directory",
                "%s not found", str_text(&relative));
    free(shipped);
    str_done(&relative);
    return f;
}

struct forms *forms_hold(const struct forms *f)
{
    struct forms *held = (struct forms *)f;
    atomic_fetch_add(&held->holders, 1);
    return held;
}

void forms_free(struct forms *f)
{
    if (!f || atomic_fetch_sub(&f->holders, 1) > 0)
        return;
    for (size_t i = f->inherited; i < f->added_count; i++) {
        free(f->added[i].form);
        free(f->added[i].template);
        free(f->added[i].extension);
    }
    free(f->added);
    free(f->rows);
    csv_table_free(f->table);
    forms_free(f->base);
    free(f);
}

const struct form_row *forms_added(const struct forms *f, size_t *count)
{
    *count = f->added_count;
    return f->added;
}

size_t forms_count(const struct forms *f)
{
    return f->count;
}

const struct form_row *forms_at(const struct forms *f, size_t index)
{
    return &f->rows[index];
}

const struct form_row *forms_find(const struct forms *f, const char *form)
{
    struct form_row key = {.form = (char *)form};
    return bsearch(&key, f->rows, f->count, sizeof *f->rows, compare_texts);
}

const char *forms_meant(const struct forms *f, const char *form)
{
    struct similar similar = {.word = form};

    for (size_t i = 0; i < forms_count(f); i++)
        similar_try(&similar, forms_at(f, i)->form);
    return similar.best;
}

void form_instance(const struct form_row *row, struct str *out)
{
    struct form_registers in = {0};

    for (const char *at = row->template; *at;) {
        if (at[0] == '{' && at[1] == '{') {
            str_add_char(out, '{');
            at += 2;
        } else if (at[0] == '}' && at[1] == '}') {
            str_add_char(out, '}');
            at += 2;
        } else if (*at == '{') {
            char type[32];
            size_t length = strcspn(at, "}");
            const char *colon = memchr(at, ':', length), *start = colon ? colon + 1 : at + 1;
            size_t size = (size_t)(at + length - start);
            size = size < sizeof type - 1 ? size : sizeof type - 1;
            memcpy(type, start, size);
            type[size] = '\0';
            isa_ops(row->isa)->placeholder(&in, type, out);
            at += length + (at[length] == '}');
        } else {
            str_add_char(out, *at++);
        }
    }
}

enum isa forms_isa(const struct forms *f)
{
    return f->isa;
}

/* Compares by name, then by position: of several rows with one name, the last row is used. */
static int compare_added(const void *a, const void *b)
{
    const struct form_row *const *x = a, *const *y = b;
    int order = strcmp((*x)->form, (*y)->form);
    return order ? order : (*x > *y) - (*x < *y);
}

/* Merges the rows of f->base with the new rows @sorted. Returns false if cancelled. */
static bool merge(struct forms *f, const struct form_row *const *sorted, size_t count)
{
    const struct forms *base = f->base;

    for (size_t at = 0, i = 0; at < base->count || i < count;) {
        if (watch_steps(1))
            return false;
        if (i + 1 < count && strcmp(sorted[i]->form, sorted[i + 1]->form) == 0) {
            i++;
            continue;
        }
        int order = i == count          ? -1
                    : at == base->count ? 1
                                        : strcmp(base->rows[at].form, sorted[i]->form);
        f->rows[f->count++] = order < 0 ? base->rows[at] : *sorted[i];
        at += order <= 0;
        i += order >= 0;
    }
    return true;
}

struct forms *forms_with(const struct forms *base, const struct form_row *rows, size_t count,
                         struct err *err)
{
    struct forms *f = mem_zero(1, sizeof *f);
    const struct form_row **sorted = mem_try_alloc((count + 1) * sizeof *sorted);

    *f = (struct forms){.isa = base->isa, .base = forms_hold(base), .inherited = base->added_count};
    f->rows = mem_try_alloc((base->count + count + 1) * sizeof *f->rows);
    f->added = mem_try_alloc((base->added_count + count + 1) * sizeof *f->added);
    bool ok = sorted && f->rows && f->added;
    if (!ok)
        err_memory_for(err, "the forms", (base->count + count) * sizeof *f->rows);
    if (ok && base->added_count)
        memcpy(f->added, base->added, base->added_count * sizeof *f->added);
    f->added_count = ok ? base->added_count : f->inherited;
    for (size_t i = 0; ok && i < count; i++) {
        ok = !watch_steps(1) || watch_goes_on(err);
        f->added[f->added_count] =
            (struct form_row){mem_strdup(rows[i].form), mem_strdup(rows[i].template),
                              mem_strdup(rows[i].extension), base->isa, true};
        sorted[i] = &f->added[f->added_count++];
    }
    if (ok && count)
        qsort(sorted, count, sizeof *sorted, compare_added);
    ok = ok && (merge(f, sorted, count) || watch_goes_on(err));
    free(sorted);
    if (ok)
        return f;
    forms_free(f);
    return NULL;
}
