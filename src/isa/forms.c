/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/forms.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/similar.h"
#include "base/file.h"
#include "base/vec.h"
#include "base/csv.h"
#include "isa/insn.h"

struct forms {
    enum isa isa;
    struct form_row *rows;      /* sorted by form */
    size_t count;
    struct csv_table *table;    /* owns the texts of the rows that it was loaded with */
    VEC(struct form_row) added; /* owns those of the user's rows */
};

static int compare_rows(const void *a, const void *b)
{
    return strcmp(((const struct form_row *)a)->form, ((const struct form_row *)b)->form);
}

static struct forms *load(const char *path, enum isa isa, struct err *err)
{
    struct csv_table *table = csv_table_read(path, err);
    struct forms *f = NULL;

    if (!table)
        return NULL;
    int form = csv_table_column(table, "form"), template = csv_table_column(table, "template"), extension = csv_table_column(table, "extension");
    if (form < 0 || template < 0 || extension < 0) {
        err_set(err, ERR_DATA, "begin with form,template,extension", "the column %s is missing", form < 0 ? "form" : template < 0 ? "template" : "extension");
        err_at(err, path, 1, 1);
        csv_table_free(table);
        return NULL;
    }
    f = mem_zero(1, sizeof *f);
    f->table = table;
    f->isa = isa;
    f->rows = mem_alloc(table->count * sizeof *f->rows);
    for (size_t i = 0; i < table->count; i++)
        f->rows[f->count++] = (struct form_row){table->rows[i][form], table->rows[i][template], table->rows[i][extension], isa};
    if (f->count)
        qsort(f->rows, f->count, sizeof *f->rows, compare_rows);
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
        err_set(err, ERR_MISSING, "install the data or set PORTOLAN_DATA", "%s not found", str_text(&relative));
    free(shipped);
    str_done(&relative);
    return f;
}

struct forms *forms_copy(const struct forms *f)
{
    struct forms *copy = mem_zero(1, sizeof *copy);

    copy->isa = f->isa;
    copy->rows = mem_alloc((f->count + 1) * sizeof *copy->rows);
    for (size_t i = 0; i < f->count; i++) {
        const struct form_row *row = &f->rows[i];
        vec_push(&copy->added, ((struct form_row){mem_strdup(row->form), mem_strdup(row->template), mem_strdup(row->extension), row->isa}));
        copy->rows[copy->count++] = copy->added.items[i];
    }
    return copy;
}

void forms_free(struct forms *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->added.count; i++) {
        free(f->added.items[i].form);
        free(f->added.items[i].template);
        free(f->added.items[i].extension);
    }
    vec_done(&f->added);
    free(f->rows);
    csv_table_free(f->table);
    free(f);
}

const struct form_row *forms_added(const struct forms *f, size_t *count)
{
    *count = f->added.count;
    return f->added.items;
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
    return bsearch(&key, f->rows, f->count, sizeof *f->rows, compare_rows);
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

void forms_take(struct forms *f, const char *form, const char *template, const char *extension)
{
    struct form_row fresh = {mem_strdup(form), mem_strdup(template), mem_strdup(extension), f->isa};
    struct form_row *old = (struct form_row *)forms_find(f, form);

    vec_push(&f->added, fresh);
    if (old) {
        *old = fresh;
        return;
    }
    f->rows = mem_resize(f->rows, (f->count + 1) * sizeof *f->rows);
    size_t at = f->count++;
    for (; at > 0 && strcmp(f->rows[at - 1].form, form) > 0; at--)
        f->rows[at] = f->rows[at - 1];
    f->rows[at] = fresh;
}
