/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hunt/uses.h"

#include <stdlib.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/vec.h"
#include "isa/body.h"

struct form_uses *form_uses_load(enum isa isa, size_t *count, struct err *err)
{
    struct str relative = {0};
    str_addf(&relative, "frequency/%s.csv", isa_name(isa));
    char *path = file_data_path(str_text(&relative));
    struct csv_table *t = path ? csv_table_read(path, err) : NULL;
    int form = t ? csv_table_column(t, "form") : -1, uses = t ? csv_table_column(t, "count") : -1;
    VEC(struct form_uses) list = {0};

    if (!path)
        err_set(err, ERR_MISSING, "install Portolan, or set PORTOLAN_DATA to its data directory",
                "%s not found", str_text(&relative));
    if (t && !t->count)
        err_set(err, ERR_DATA, "install Portolan again", "%s has no forms", path);
    if (t && (form < 0 || uses < 0)) {
        err_set(err, ERR_DATA, "the first line must be form,count", "the column %s is missing",
                form < 0 ? "form" : "count");
        err_at(err, path, 1, 1);
    }
    for (size_t i = 0; form >= 0 && uses >= 0 && i < t->count; i++)
        vec_push(&list, ((struct form_uses){mem_strdup(t->rows[i][form]),
                                            strtod(t->rows[i][uses], NULL)}));
    csv_table_free(t);
    free(path);
    str_done(&relative);
    *count = list.count;
    return list.items;
}

struct form_uses *form_uses_measurable(const struct forms *forms, bool simulated, size_t most,
                                       size_t *count, struct err *err)
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
    err_set(err, ERR_USAGE,
            "forms list shows the measurable forms, and why other forms cannot be measured",
            "none of the most frequent forms is measurable on this CPU");
    return NULL;
}

void form_uses_free(struct form_uses *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].form);
    free(list);
}

bool block_forms_choose(const struct forms *forms, size_t most,
                        bool (*accepts)(const void *state, const struct form_row *row),
                        const void *state, struct block_forms *out, struct err *err)
{
    size_t count;
    struct form_uses *uses = form_uses_load(forms_isa(forms), &count, err);

    if (!uses)
        return false;
    for (size_t i = 0; i < count && out->count < most; i++) {
        const struct form_row *row = forms_find(forms, uses[i].form);
        if (row && uses[i].uses > 0 && accepts(state, row))
            vec_push(out, ((struct block_form){row, uses[i].uses}));
    }
    form_uses_free(uses, count);
    return true;
}
