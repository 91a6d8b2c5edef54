/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/form_codes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/vec.h"

struct form_codes {
    const struct forms *forms;
    struct names names;
    VEC(struct form_code *) codes;   /* by name; NULL: not measurable */
    VEC(char *) reasons;             /* by name; NULL: measurable */
};

struct form_codes *form_codes_new(const struct forms *forms)
{
    struct form_codes *f = mem_zero(1, sizeof *f);
    f->forms = forms;
    return f;
}

void form_codes_free(struct form_codes *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->codes.count; i++) {
        form_code_free(f->codes.items[i]);
        free(f->reasons.items[i]);
    }
    vec_done(&f->codes);
    vec_done(&f->reasons);
    names_done(&f->names);
    free(f);
}

static void learn_one(struct form_codes *f, const char *form)
{
    if (names_add(&f->names, form) < f->codes.count)
        return;
    const struct form_row *row = forms_find(f->forms, form);
    struct err err = {0};
    struct form_code *code = row ? encodings_code(row, &err) : NULL;
    if (!row)
        err_set(&err, ERR_MISSING, NULL, "unknown form");
    vec_push(&f->codes, code);
    vec_push(&f->reasons, code ? NULL : mem_strdup(err.what));
}

void form_codes_learn(struct form_codes *f, const struct experiment *e, size_t n)
{
    VEC(const struct form_row *) rows = {0};
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < e[i].count; k++) {
            const struct form_row *row = names_find(&f->names, e[i].terms[k].form) == UINT32_MAX ? forms_find(f->forms, e[i].terms[k].form) : NULL;
            if (row)
                vec_push(&rows, row);
        }
    if (rows.count)
        encodings_learn(rows.items, rows.count, NULL);
    vec_done(&rows);
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < e[i].count && k < FORM_CODES_MAX; k++)
            learn_one(f, e[i].terms[k].form);
}

bool form_codes_of(const struct form_codes *f, const struct experiment *e, struct form_code **codes, uint32_t *counts, char *why, size_t room)
{
    if (e->count > FORM_CODES_MAX) {
        snprintf(why, room, "more than %d different forms", FORM_CODES_MAX);
        return false;
    }
    for (unsigned i = 0; i < e->count; i++) {
        uint32_t index = names_find(&f->names, e->terms[i].form);
        codes[i] = f->codes.items[index];
        counts[i] = e->terms[i].count;
        if (codes[i])
            continue;
        if (e->count == 1)
            snprintf(why, room, "%.90s", f->reasons.items[index]);
        else
            snprintf(why, room, "%.40s: %.50s", e->terms[i].form, f->reasons.items[index]);
        return false;
    }
    return true;
}
