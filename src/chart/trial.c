/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "chart/saturate.h"
#include "throughput/predict.h"

#define TRIALS 4             /* number of experiments per form */
#define CONCURRENT 2             /* maximum number of core forms in an experiment */
/* Limits of the largest number of copies of a core form. Within these limits, the largest number is
 * three times the cycles of the placed form. Each experiment has a random number of copies up to
 * the largest. Different experiments therefore keep different ports busy. */
#define COUNT_FEW 2
#define COUNT_MANY 8

static bool takes_part(const struct chart_form *f)
{
    return (f->state == CHART_IN_CORE || f->state == CHART_PLACED) && f->alone > 0;
}

/* Lists the core forms that may run with vectors of @kind in @out. Returns their number. */
static size_t partners(const struct chart *c, enum vectors kind, uint32_t *out)
{
    size_t n = 0;

    for (uint32_t i = 0; i < c->form_count; i++) {
        enum vectors own = vectors_of(c->forms[i].row->form);
        if (c->forms[i].state == CHART_IN_CORE && (!own || !kind || own == kind))
            out[n++] = i;
    }
    return n;
}

static void ask_one(struct lab *lab, const struct chart *c, uint32_t f, const uint32_t *core,
                    size_t n, struct rng *rng)
{
    uint32_t most = (uint32_t)fmax(COUNT_FEW, fmin(COUNT_MANY, 3 * c->forms[f].alone));
    enum vectors kind = vectors_of(c->forms[f].row->form);
    struct flat_term terms[1 + CONCURRENT] = {{f, 1 + (uint32_t)rng_below(rng, 2)}};
    size_t count = 1;

    for (unsigned k = 0; k < CONCURRENT; k++) {
        uint32_t other = core[rng_below(rng, n)];
        enum vectors own = vectors_of(c->forms[other].row->form);
        bool fresh = other != f && (!own || !kind || own == kind);
        for (size_t i = 1; i < count; i++)
            fresh &= terms[i].form != other;
        if (fresh) {
            terms[count++] = (struct flat_term){other, 1 + (uint32_t)rng_below(rng, most)};
            kind = own ? own : kind;
        }
    }
    lab_ask(lab, terms, count);
}

bool measure_random(struct lab *lab, const struct chart *c, struct err *err)
{
    struct rng rng;

    rng_seed(&rng, lab->options->seed + 2);
    uint32_t *core = mem_alloc((c->form_count + 1) * sizeof *core);
    const size_t first = c->table->rows.count;
    for (uint32_t i = 0; i < c->form_count; i++) {
        size_t n =
            takes_part(&c->forms[i]) ? partners(c, vectors_of(c->forms[i].row->form), core) : 0;
        for (unsigned k = 0; k < TRIALS && n; k++)
            ask_one(lab, c, i, core, n, &rng);
    }
    free(core);
    double *says = mem_alloc((c->table->rows.count + 1) * sizeof *says);
    throughput_predict(c->machine->mapping, c->table, says);
    for (size_t i = first; i < c->table->rows.count; i++)
        lab_expect(lab, i, says[i]);
    free(says);
    return lab_measure(lab, "random experiments of each form", err);
}
