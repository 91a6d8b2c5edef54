/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/saturate.h"
#include "isa/operands.h"
#include "throughput/predict.h"

/* Relative tolerances of equal times alone, tried in order until some form has an equal time. */
static const double as_long[] = {0.025, 0.1, 0.3};
#define LEVELS (sizeof as_long / sizeof *as_long)

static bool explained(const struct chart_form *f)
{
    return f->state == CHART_IN_CORE || f->state == CHART_PLACED;
}

/* Returns the cycles that the machine predicts for each form alone. The caller frees. */
static double *times_alone(const struct chart *c)
{
    struct experiments *t = experiments_new();
    double *cycles = mem_alloc((c->form_count + 1) * sizeof *cycles);

    for (size_t i = 0; i < c->form_count; i++) {
        names_add(&t->forms, c->forms[i].row->form);
        experiments_add(t, (struct flat_term[]){{(uint32_t)i, 1}}, 1);
    }
    throughput_predict(c->machine->mapping, t, cycles);
    experiments_free(t);
    return cycles;
}

/* Properties of a similar form. */
enum likeness { LIKE_OPERANDS, LIKE_KIND, LIKE_NOTHING };

/* Returns whether forms @a and @b both access memory or neither does, and both are vector
 * instructions or neither is. */
static bool same_kind(const char *a, const char *b)
{
    return form_has_memory(a) == form_has_memory(b) && form_has_vectors(a) == form_has_vectors(b);
}

static bool alike(const struct chart *c, size_t a, size_t b, double within, enum likeness likeness)
{
    const struct chart_form *x = &c->forms[a], *y = &c->forms[b];

    if (!explained(y) || fabs(x->alone - y->alone) > within * x->alone)
        return false;
    return likeness == LIKE_OPERANDS
               ? strcmp(form_list(x->row->form), form_list(y->row->form)) == 0
               : likeness == LIKE_NOTHING || same_kind(x->row->form, y->row->form);
}

/* A usage and the number of forms that have it. */
struct kind_of_usage {
    const struct mapping_entry *entry;
    size_t forms;
};

/* Returns the entry with the most frequent usage among the explained forms that take about as long
 * alone as form @at; NULL: none. */
static const struct mapping_entry *commonest(const struct chart *c, size_t at, double within,
                                             enum likeness likeness)
{
    VEC(struct kind_of_usage) kinds = {0};
    struct kind_of_usage best = {0};

    for (size_t i = 0; i < c->form_count; i++) {
        const struct mapping_entry *entry =
            alike(c, at, i, within, likeness)
                ? mapping_find(c->machine->mapping, c->forms[i].row->form)
                : NULL;
        size_t k = 0;
        if (!entry)
            continue;
        while (k < kinds.count && !(kinds.items[k].entry->micro_ops == entry->micro_ops &&
                                    usage_equal(&kinds.items[k].entry->usage, &entry->usage)))
            k++;
        if (k == kinds.count)
            vec_push(&kinds, ((struct kind_of_usage){entry, 0}));
        kinds.items[k].forms++;
    }
    for (size_t k = 0; k < kinds.count; k++)
        if (kinds.items[k].forms > best.forms)
            best = kinds.items[k];
    vec_done(&kinds);
    return best.entry;
}

/* Returns the entry with the most frequent usage among the forms most similar to form @at; NULL:
 * none. */
static const struct mapping_entry *like(const struct chart *c, size_t at)
{
    const struct mapping_entry *as = NULL;

    for (size_t level = 0; level < LEVELS && !as; level++)
        for (enum likeness likeness = LIKE_OPERANDS; likeness <= LIKE_KIND && !as; likeness++)
            as = commonest(c, at, as_long[level], likeness);
    for (size_t level = 0; level < LEVELS && !as; level++)
        as = commonest(c, at, as_long[level], LIKE_NOTHING);
    return as;
}

size_t unexplained_mend(struct chart *c, double off)
{
    double *says = times_alone(c);
    size_t changed = 0;

    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        if (f->state != CHART_UNEXPLAINED || !(fabs(says[i] - f->alone) > off * f->alone))
            continue;
        const struct mapping_entry *as = like(c, i);
        if (!as)
            continue;
        struct mapping_entry entry = *mapping_find(c->machine->mapping, f->row->form);
        entry.usage = as->usage;
        entry.micro_ops = as->micro_ops;
        entry.source =
            (char *)"charted: unexplained; usage of a form with equal reciprocal throughput";
        mapping_set(c->machine->mapping, &entry);
        changed++;
    }
    free(says);
    return changed;
}
