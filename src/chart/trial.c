/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "chart/saturate.h"
#include "throughput/predict.h"

#define TRIALS 4             /* experiments per form */
#define CONCURRENT 2             /* core forms in each experiment */
/* Smallest and largest number of copies of a core form in an experiment. The largest number also
 * depends on the form's cycles. Ports that are busy in one experiment are idle in another. */
#define COUNT_FEW 2
#define COUNT_MANY 8
/* smallest share of mispredicted experiments of a form whose usage is considered wrong */
#define GUILTY 0.5

struct form_trials {
    unsigned trials, wrong;
};

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

/* Requests one random experiment of form @f with core forms. Returns its row. */
static size_t ask_one(struct lab *lab, const struct chart *c, uint32_t f, const uint32_t *core,
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
    return lab_ask(lab, terms, count);
}

bool trial_of_usages(struct lab *lab, struct chart *c, struct err *err)
{
    struct rng rng;

    rng_seed(&rng, lab->options->seed + 2);
    uint32_t *core = mem_alloc((c->form_count + 1) * sizeof *core),
             *of = mem_alloc((c->form_count * TRIALS + 1) * sizeof *of);
    size_t *rows = mem_alloc((c->form_count * TRIALS + 1) * sizeof *rows), asked = 0;
    for (uint32_t i = 0; i < c->form_count; i++) {
        size_t n =
            takes_part(&c->forms[i]) ? partners(c, vectors_of(c->forms[i].row->form), core) : 0;
        for (unsigned k = 0; k < TRIALS && n; k++, asked++) {
            rows[asked] = ask_one(lab, c, i, core, n, &rng);
            of[asked] = i;
        }
    }
    free(core);
    double *says = mem_alloc((c->table->rows.count + 1) * sizeof *says);
    throughput_predict(c->machine->mapping, c->table, says);
    for (size_t i = 0; i < asked; i++)
        lab_expect(lab, rows[i], says[rows[i]]);
    if (!lab_measure(lab, "usages tried in random experiments", err)) {
        free(rows);
        free(of);
        free(says);
        return false;
    }
    struct form_trials *tried = mem_zero(c->form_count + 1, sizeof *tried);
    for (size_t i = 0; i < asked; i++) {
        double cycles = lab_cycles(lab, rows[i]);
        tried[of[i]].trials += !isnan(cycles);
        tried[of[i]].wrong += fabs(says[rows[i]] - cycles) > lab_off(lab) * cycles;
    }
    free(rows);
    free(of);
    for (size_t i = 0; i < c->form_count; i++) {
        struct chart_form *f = &c->forms[i];
        double share = tried[i].trials ? (double)tried[i].wrong / tried[i].trials : 0;
        f->trials = tried[i].trials;
        f->failed = tried[i].wrong;
        if (share > 0 && takes_part(f))
            f->confidence = fmin(f->confidence, share >= GUILTY ? CHART_DOUBTFUL : 1 - share);
    }
    free(tried);
    free(says);
    return true;
}
