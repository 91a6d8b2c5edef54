/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/form_codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/vec.h"

/* Number of instructions in a hashed body. This number is enough to use every register. */
#define SUM_BODY 16
#define SUM_BASIS 0xcbf29ce484222325

struct form_codes {
    const struct forms *forms;
    struct names names;
    VEC(struct form_code *) codes;   /* per form name: its code; NULL: it cannot be measured */
    /* per form name: reason why the form cannot be measured; NULL: it can be measured */
    VEC(char *) reasons;
    VEC(uint64_t) sums;              /* per form name: hash of the code; 0: none */
    struct body *body;               /* storage for generated bodies */
};

struct form_codes *form_codes_new(const struct forms *forms)
{
    struct form_codes *f = mem_zero(1, sizeof *f);
    f->forms = forms;
    f->body = mem_alloc(sizeof *f->body);
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
    vec_done(&f->sums);
    free(f->body);
    names_done(&f->names);
    free(f);
}

/* Returns the FNV-1a hash (Fowler, Noll, Vo) @sum extended by @bytes. The hash is equal on all
 * platforms. */
static uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
    return sum;
}

/* Returns the hash of a short body of @row, or 0 if the row has no code. The hash does not depend
 * on this processor. */
static uint64_t sum_of(struct form_codes *f, const struct form_row *row, struct form_code *code)
{
    const struct body_shape shape = {.instructions = SUM_BODY};
    const uint32_t one = 1;
    struct form_code *any = code ? code : encodings_code_any(row, NULL);
    uint64_t sum = 0;

    if (any && body_make(&any, &one, 1, &shape, f->body, NULL)) {
        const uint8_t setup[] = {(uint8_t)f->body->vectors, f->body->wide,
                                 (uint8_t)f->body->breakers};
        sum = sum_bytes(sum_bytes(SUM_BASIS, f->body->code, f->body->length), setup, sizeof setup);
    }
    if (any != code)
        form_code_free(any);
    return sum;
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
    vec_push(&f->sums, row ? sum_of(f, row, code) : 0);
    vec_push(&f->codes, code);
    vec_push(&f->reasons, code ? NULL : mem_strdup(err.what));
}

void form_codes_learn(struct form_codes *f, const struct experiment *e, size_t n)
{
    VEC(const struct form_row *) rows = {0};
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < e[i].count; k++) {
            const struct form_row *row = names_find(&f->names, e[i].terms[k].form) == UINT32_MAX
                                             ? forms_find(f->forms, e[i].terms[k].form)
                                             : NULL;
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

bool form_codes_of(const struct form_codes *f, const struct experiment *e, struct form_code **codes,
                   uint32_t *counts, char *why, size_t room)
{
    if (e->count > FORM_CODES_MAX) {
        snprintf(why, room, "more than %d different forms in one experiment", FORM_CODES_MAX);
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

static void experiment_sum(const struct form_codes *f, const struct experiment *e,
                           char out[FORM_CODES_SUM])
{
    uint64_t sum = 0;
    bool added = false, known = e->count <= FORM_CODES_MAX;

    /* The combined hash does not depend on the order of the terms. */
    for (unsigned i = 0; known && i < e->count; i++) {
        const uint32_t index = names_find(&f->names, e->terms[i].form);
        const struct form_row *row = forms_find(f->forms, e->terms[i].form);
        known = f->sums.items[index] != 0;
        sum += sum_bytes(f->sums.items[index], e->terms[i].form, strlen(e->terms[i].form));
        added |= row && row->added;
    }
    *out = '\0';
    if (known)
        snprintf(out, FORM_CODES_SUM, "%s%016llx", added ? "u" : "", (unsigned long long)sum);
}

void form_codes_sums(struct form_codes *f, const struct experiment *e, size_t n,
                     char (*out)[FORM_CODES_SUM])
{
    form_codes_learn(f, e, n);
    for (size_t i = 0; i < n; i++)
        experiment_sum(f, &e[i], out[i]);
}
