/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/venn_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chart/saturate.h"
#include "isa/operands.h"

static enum venn_kind kind_of(const char *form)
{
    return form_has_memory(form)    ? VENN_MEMORY
           : form_has_vectors(form) ? VENN_VECTOR
                                    : VENN_GENERAL;
}

/* Returns whether @form accesses memory and has another operation, or is a call, return or LEAVE.
 * Returns false for simple loads and stores, including AArch64's ([X]). */
static bool does_several(const char *form)
{
    static const char *const moves[] = {"MOV", "VMOV"}, *const stack[] = {"CALL", "RET", "LEAVE",
                                                                          "BL (", "BLR ("};

    for (size_t i = 0; i < sizeof stack / sizeof *stack; i++)
        if (strncmp(form, stack[i], strlen(stack[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (strncmp(form, moves[i], strlen(moves[i])) == 0)
            return false;
    return form_has_memory(form) && !strchr(form, '[');
}

static struct residual_limit row_lateness(const struct venn_rows *v, const struct venn_row *row)
{
    double own[VENN_TERMS_MOST];

    for (unsigned k = 0; k < row->n; k++)
        own[k] = row->terms[k].count * v->alone[row->terms[k].place];
    return residual_limit_of(own, row->n, v->scattered);
}

static void take_rows(struct venn_rows *v)
{
    uint32_t *place = mem_alloc((v->table->forms.count + 1) * sizeof *place);

    memset(place, 0xff, (v->table->forms.count + 1) * sizeof *place);
    for (uint32_t i = 0; i < v->n; i++)
        place[v->forms[i]] = i;
    for (size_t r = 0; r < v->table->rows.count; r++) {
        const struct experiment_row *from = &v->table->rows.items[r];
        const struct flat_term *terms = experiments_terms(v->table, r);
        struct venn_row row = {.n = (uint8_t)from->count, .cycles = from->cycles};
        bool own = from->count <= VENN_TERMS_MOST && experiments_measured(v->table, r);
        for (uint32_t k = 0; k < from->count && own; k++) {
            own = place[terms[k].form] != UINT32_MAX;
            row.terms[k].place = (uint8_t)place[terms[k].form];
            row.terms[k].count = terms[k].count;
        }
        if (!own)
            continue;
        if (from->count == 1 && terms[0].count == 1)
            v->alone[row.terms[0].place] = from->cycles;
        for (uint32_t k = 0; k < from->count; k++)
            vec_push(&v->rows[row.terms[k].place], row);
    }
    for (size_t i = 0; i < v->n; i++)
        for (size_t r = 0; r < v->rows[i].count; r++)
            v->rows[i].items[r].limits = row_lateness(v, &v->rows[i].items[r]);
    free(place);
}

/* Returns the slots that remain in @row for each execution of form @i if each other form takes one.
 * Sets *@own to the number of executions of form @i. */
static double slots_left(const struct venn_rows *v, size_t i, const struct venn_row *row,
                         double *own)
{
    double others = 0;

    *own = 0;
    for (unsigned k = 0; k < row->n; k++)
        *(row->terms[k].place == i ? own : &others) += row->terms[k].count;
    return rint(((row->cycles + sight_noise(SIGHT_NOISE, row->cycles)) * v->width - others) /
                *own);
}

/* Determines the slots of each form. The form has at most the slots that other forms in its rows
 * leave. The number is exact if executions of the fastest form, which take a slot and no port,
 * increase the form's time. */
static void count_slots(struct venn_rows *v)
{
    size_t quickest = 0;

    for (size_t i = 1; i < v->n; i++)
        quickest = v->alone[i] < v->alone[quickest] ? i : quickest;
    for (size_t i = 0; i < v->n; i++) {
        double most = fmax(floor(v->alone[i] * 1.02 * v->width), 1), own;
        for (size_t r = 0; r < v->rows[i].count; r++)
            most = fmax(fmin(most, slots_left(v, i, &v->rows[i].items[r], &own)), 1);
        for (size_t r = 0; r < v->rows[i].count && v->alone[quickest] * v->width <= 1.05; r++) {
            const struct venn_row *row = &v->rows[i].items[r];
            bool with_quickest =
                row->n == 2 && row->terms[row->terms[0].place == i].place == quickest;
            v->slots_known[i] |= with_quickest && slots_left(v, i, row, &own) <= most &&
                                 row->cycles > own * v->alone[i] * 1.02;
        }
        v->slots[i] = (uint8_t)fmin(most, 200);
    }
}

void venn_rows_make(struct venn_rows *v, const struct experiments *t, const uint32_t *forms,
                    size_t n, double width, bool scattered)
{
    *v = (struct venn_rows){.table = t,
                            .forms = forms,
                            .n = n < VENN_FORMS_MOST ? n : VENN_FORMS_MOST,
                            .width = width,
                            .scattered = scattered};
    take_rows(v);
    count_slots(v);
    for (size_t i = 0; i < v->n; i++) {
        v->kind[i] = kind_of(t->forms.items[forms[i]]);
        v->several[i] = does_several(t->forms.items[forms[i]]);
    }
}

void venn_rows_done(struct venn_rows *v)
{
    for (size_t i = 0; i < v->n; i++)
        vec_done(&v->rows[i]);
}
