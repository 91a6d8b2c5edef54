/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/unexplained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "throughput/predict.h"

/* Relative differences of times alone up to which they are alike: the first at which there is any form. */
static const double as_long[] = {0.025, 0.1, 0.3};
#define LEVELS (sizeof as_long / sizeof *as_long)

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

static bool alike(const struct chart *c, size_t a, size_t b, double within, bool same_operands)
{
    const struct chart_form *x = &c->forms[a], *y = &c->forms[b];
    return explained(y) && fabs(x->alone - y->alone) <= within * x->alone && (!same_operands || strcmp(operands(x), operands(y)) == 0);
}

/* The entry of the commonest usage among forms that take as long alone as form @at; NULL: there are none. */
static const struct mapping_entry *commonest(const struct chart *c, size_t at, double within, bool same_operands)
{
    const struct mapping *m = c->machine->mapping;
    const struct mapping_entry *best = NULL;
    size_t most = 0;

    for (size_t i = 0; i < c->form_count; i++) {
        const struct mapping_entry *entry = alike(c, at, i, within, same_operands) ? mapping_find(m, c->forms[i].row->form) : NULL;
        size_t same = 0;
        for (size_t k = 0; entry && k < c->form_count; k++) {
            const struct mapping_entry *other = alike(c, at, k, within, same_operands) ? mapping_find(m, c->forms[k].row->form) : NULL;
            same += other && other->micro_ops == entry->micro_ops && usage_equal(&other->usage, &entry->usage);
        }
        if (same > most) {
            most = same;
            best = entry;
        }
    }
    return best;
}

size_t unexplained_mend(struct chart *c, double off)
{
    double *says = times_alone(c);
    size_t changed = 0;

    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        if (f->state != CHART_UNEXPLAINED || !(fabs(says[i] - f->alone) > off * f->alone))
            continue;
        const struct mapping_entry *as = NULL;
        for (size_t level = 0; level < LEVELS && !as; level++) {
            as = commonest(c, i, as_long[level], true);
            as = as ? as : commonest(c, i, as_long[level], false);
        }
        if (!as)
            continue;
        struct mapping_entry entry = *mapping_find(c->machine->mapping, f->row->form);
        entry.usage = as->usage;
        entry.micro_ops = as->micro_ops;
        entry.source = (char *)"charted: unexplained, as what takes as long alone";
        mapping_set(c->machine->mapping, &entry);
        changed++;
    }
    free(says);
    return changed;
}
