/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/unexplained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/saturate.h"
#include "throughput/predict.h"

/* Relative differences of times alone up to which they are alike: the first at which there is any form. */
static const double as_long[] = {0.025, 0.1, 0.3};
#define LEVELS (sizeof as_long / sizeof *as_long)
#define TERMS_MOST 16        /* of an experiment */
#define TRIED_MOST 32        /* usages of others, the commonest */

static bool explained(const struct chart_form *f)
{
    return f->state == CHART_IN_CORE || f->state == CHART_PLACED;
}

/* What the machine says of each form alone; the caller frees. */
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

/* Operands alone: what is behind the mnemonic. */
static const char *operands(const struct chart_form *f)
{
    const char *at = strchr(f->row->form, '(');
    return at ? at : "";
}

/* What forms have to have in common beside their time. */
enum likeness { LIKE_OPERANDS, LIKE_KIND, LIKE_NOTHING };

/* Whether both touch memory, or neither, and both are vector instructions, or neither. */
static bool same_kind(const char *a, const char *b)
{
    return form_has_memory(a) == form_has_memory(b) && form_has_vectors(a) == form_has_vectors(b);
}

static bool alike(const struct chart *c, size_t a, size_t b, double within, enum likeness likeness)
{
    const struct chart_form *x = &c->forms[a], *y = &c->forms[b];

    if (!explained(y) || fabs(x->alone - y->alone) > within * x->alone)
        return false;
    return likeness == LIKE_OPERANDS ? strcmp(operands(x), operands(y)) == 0 : likeness == LIKE_NOTHING || same_kind(x->row->form, y->row->form);
}

/* A usage and how many forms have it. */
struct kind_of_usage {
    const struct mapping_entry *entry;
    size_t forms;
};
typedef VEC(struct kind_of_usage) kinds_of_usage;

static int by_forms(const void *a, const void *b)
{
    const struct kind_of_usage *x = a, *y = b;

    if (x->forms != y->forms)
        return (x->forms < y->forms) - (x->forms > y->forms);
    return strcmp(x->entry->form, y->entry->form);
}

/* The usages of forms that take as long alone as form @at, the commonest first. */
static void usages_of(const struct chart *c, size_t at, double within, enum likeness likeness, kinds_of_usage *kinds)
{
    for (size_t i = 0; i < c->form_count; i++) {
        const struct mapping_entry *entry = alike(c, at, i, within, likeness) ? mapping_find(c->machine->mapping, c->forms[i].row->form) : NULL;
        size_t k = 0;
        if (!entry)
            continue;
        while (k < kinds->count && !(kinds->items[k].entry->micro_ops == entry->micro_ops && usage_equal(&kinds->items[k].entry->usage, &entry->usage)))
            k++;
        if (k == kinds->count)
            vec_push(kinds, ((struct kind_of_usage){entry, 0}));
        kinds->items[k].forms++;
    }
    if (kinds->count)
        qsort(kinds->items, kinds->count, sizeof *kinds->items, by_forms);
}

/* The usages of those that are most like it: of the same kind at least, where there are any. */
static void usages_like(const struct chart *c, size_t at, kinds_of_usage *kinds)
{
    for (size_t level = 0; level < LEVELS && !kinds->count; level++)
        for (enum likeness likeness = LIKE_OPERANDS; likeness <= LIKE_KIND && !kinds->count; likeness++)
            usages_of(c, at, as_long[level], likeness, kinds);
    for (size_t level = 0; level < LEVELS && !kinds->count; level++)
        usages_of(c, at, as_long[level], LIKE_NOTHING, kinds);
}

typedef VEC(uint32_t) row_list;

/* Rows of c->table with each unexplained form, other than alone; the caller frees each and the whole. */
static row_list *rows_of_unexplained(const struct chart *c)
{
    row_list *rows = mem_zero(c->form_count + 1, sizeof *rows);

    for (size_t i = 0; c->table && i < c->table->rows.count; i++)
        for (uint32_t k = 0; k < c->table->rows.items[i].count && experiments_measured(c->table, i); k++) {
            uint32_t f = experiments_terms(c->table, i)[k].form;
            if (c->table->rows.items[i].count > 1 && c->table->rows.items[i].count <= TERMS_MOST && f < c->form_count && c->forms[f].state == CHART_UNEXPLAINED)
                vec_push(&rows[f], (uint32_t)i);
        }
    return rows;
}

/* Those rows in a table of their own; the caller frees. */
static struct experiments *table_of(const struct experiments *from, const row_list *rows)
{
    struct experiments *t = experiments_new();

    for (size_t i = 0; i < rows->count; i++) {
        const struct experiment_row *row = &from->rows.items[rows->items[i]];
        const struct flat_term *terms = experiments_terms(from, rows->items[i]);
        struct flat_term own[TERMS_MOST];
        for (uint32_t k = 0; k < row->count; k++)
            own[k] = (struct flat_term){names_add(&t->forms, from->forms.items[terms[k].form]), terms[k].count};
        experiments_add(t, own, row->count);
        experiments_set(t, t->rows.count - 1, row->cycles, 0, 1, EXPERIMENT_OK);
    }
    return t;
}

/* Mean relative error of @m on @t with that entry; NaN where it knows none. */
static double error_with(struct mapping *m, const struct experiments *t, const struct mapping_entry *entry)
{
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles), sum = 0;
    size_t n = 0;

    mapping_set(m, entry);
    throughput_predict(m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (!isnan(cycles[i])) {
            sum += fabs(cycles[i] / t->rows.items[i].cycles - 1);
            n++;
        }
    free(cycles);
    return n ? sum / (double)n : NAN;
}

/* Of form @at's own usage, where that says about what it takes alone, and those of forms of its kind that take about as long, what errs least in @rows; @m: to try them in. NULL where there are none. */
static const struct mapping_entry *least_off(const struct chart *c, size_t at, double says, const row_list *rows, struct mapping *m)
{
    const struct chart_form *f = &c->forms[at];
    const struct mapping_entry *own = mapping_find(c->machine->mapping, f->row->form), *best = NULL;
    struct experiments *t = table_of(c->table, rows);
    const double within = as_long[LEVELS - 1];
    kinds_of_usage kinds = {0};
    double least = INFINITY;

    usages_of(c, at, within, LIKE_KIND, &kinds);
    if (fabs(says - f->alone) <= within * f->alone)
        vec_push(&kinds, ((struct kind_of_usage){own, 1}));
    for (size_t k = 0; k < kinds.count; k++) {
        struct mapping_entry entry = *own;
        entry.usage = kinds.items[k].entry->usage;
        entry.micro_ops = kinds.items[k].entry->micro_ops;
        double error = k < TRIED_MOST || k + 1 == kinds.count ? error_with(m, t, &entry) : INFINITY;
        if (error < least) {
            least = error;
            best = kinds.items[k].entry;
        }
    }
    mapping_set(m, own);
    vec_done(&kinds);
    experiments_free(t);
    return best;
}

/* The commonest usage of what is most like form @at, NULL where there is none. */
static const struct mapping_entry *commonest(const struct chart *c, size_t at)
{
    kinds_of_usage kinds = {0};

    usages_like(c, at, &kinds);
    const struct mapping_entry *entry = kinds.count ? kinds.items[0].entry : NULL;
    vec_done(&kinds);
    return entry;
}

size_t unexplained_mend(struct chart *c, double off)
{
    double *says = times_alone(c);
    row_list *rows = rows_of_unexplained(c);
    struct mapping *tried = mapping_copy(c->machine->mapping);
    size_t changed = 0;

    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        if (f->state != CHART_UNEXPLAINED || !(fabs(says[i] - f->alone) > off * f->alone))
            continue;
        const struct mapping_entry *as = rows[i].count ? least_off(c, i, says[i], &rows[i], tried) : NULL;
        as = as ? as : commonest(c, i);
        if (!as || as == mapping_find(c->machine->mapping, f->row->form))
            continue;
        struct mapping_entry entry = *mapping_find(c->machine->mapping, f->row->form);
        entry.usage = as->usage;
        entry.micro_ops = as->micro_ops;
        entry.source = (char *)"charted: unexplained, as what takes as long alone";
        mapping_set(c->machine->mapping, &entry);
        changed++;
    }
    for (size_t i = 0; i < c->form_count; i++)
        vec_done(&rows[i]);
    free(rows);
    mapping_free(tried);
    free(says);
    return changed;
}
