/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"

#define ROUND 64             /* number of blocks measured in one batch */
/* relative error above which a block is bad */
#define POINTS_MOST 0.15
#define NAMED_LEAST 3        /* minimum number of bad blocks of a form that is named as a suspect */
#define NAMED_SHARE 0.5      /* smallest share of bad blocks in the blocks of a form that is named
                              * as a suspect */

/* Number of blocks, and of bad blocks, that contain a form */
struct reviewed_form {
    const char *form;        /* name of the form, borrowed */
    unsigned blocks, bad;
};

struct reviewing {
    struct lab *lab;
    struct chart *chart;
    struct block_maker *maker;
    struct model *model;
    VEC(struct reviewed_form) forms;
    double sum;              /* sum of the relative errors of the covered blocks */
};

static struct reviewed_form *reviewed(struct reviewing *r, const char *form)
{
    for (size_t i = 0; i < r->forms.count; i++)
        if (strcmp(r->forms.items[i].form, form) == 0)
            return &r->forms.items[i];
    vec_push(&r->forms, ((struct reviewed_form){form, 0, 0}));
    return &r->forms.items[r->forms.count - 1];
}

/* Adds the prediction and the time of one block to the review. Ignores a block without a time. */
static void judge_block(struct reviewing *r, const struct random_block *b, double cycles)
{
    struct chart_review *out = &r->chart->review;

    if (!(cycles > 0))
        return;
    out->blocks++;
    double says = model_cycles(r->model, b), error = fabs(says / cycles - 1);
    if (isnan(says))
        return;
    out->covered++;
    r->sum += error;
    for (size_t i = 0; i < b->count; i++) {
        struct reviewed_form *f = reviewed(r, block_maker_insn(r->maker, b->forms[i])->form);
        f->blocks++;
        f->bad += error > POINTS_MOST;
    }
    if (error > out->worst || !out->worst_block) {
        struct str text = {0};
        block_print(b, "; ", &text);
        free(out->worst_block);
        out->worst_block = str_take(&text);
        out->worst = error;
        out->worst_cycles = cycles;
        out->worst_says = says;
    }
}

static int by_bad(const void *a, const void *b)
{
    const struct reviewed_form *x = a, *y = b;
    return (x->bad < y->bad) - (x->bad > y->bad);
}

/* Names at most 8 suspects: forms with NAMED_LEAST or more bad blocks, if these are at least
 * NAMED_SHARE of the form's blocks. */
static void name_suspects(struct reviewing *r)
{
    struct str text = {0};

    qsort(r->forms.items, r->forms.count, sizeof *r->forms.items, by_bad);
    for (size_t i = 0, named = 0; i < r->forms.count && named < 8; i++) {
        const struct reviewed_form *f = &r->forms.items[i];
        if (f->bad < NAMED_LEAST || f->bad < NAMED_SHARE * f->blocks)
            continue;
        str_addf(&text, "%s%s (%u of %u blocks)", text.length ? ", " : "", f->form, f->bad,
                 f->blocks);
        named++;
    }
    r->chart->review.suspects = text.length ? str_take(&text) : NULL;
    str_done(&text);
}

static bool review_round(struct reviewing *r, struct rng *rng, struct err *err)
{
    struct random_block *drawn = mem_zero(ROUND, sizeof *drawn);
    struct chart_block blocks[ROUND];
    double cycles[ROUND];

    for (size_t i = 0; i < ROUND; i++) {
        block_random(r->maker, 1 + rng_below(rng, BLOCK_INSNS), rng, &drawn[i]);
        blocks[i] = (struct chart_block){.insns = drawn[i].insns, .count = drawn[i].count};
    }
    bool ok = r->lab->cpu->times(r->lab->cpu->state, blocks, ROUND, cycles, err);
    for (size_t i = 0; i < ROUND && ok; i++)
        judge_block(r, &drawn[i], cycles[i]);
    free(drawn);
    return ok && lab_goes_on(r->lab, err);
}

bool review_blocks(struct lab *lab, struct chart *c, struct err *err)
{
    const struct chart_options *o = lab->options;
    struct reviewing r = {.lab = lab, .chart = c};
    struct rng rng;

    if (!o->uses_count || !o->review_blocks)
        return true;
    r.maker = block_maker_new(o->uses[0].row->isa, o->uses, o->uses_count, NULL, NULL, err);
    if (!r.maker)
        return false;
    r.model = model_new(c->machine, false);
    rng_seed(&rng, o->seed + 1);
    bool ok = true;
    for (size_t tried = 0; ok && tried < o->review_blocks; tried += ROUND) {
        lab->hooks->progress(lab->hooks->state, CHART_REVIEW, (double)tried,
                             (double)o->review_blocks, "held-out blocks");
        ok = review_round(&r, &rng, err);
    }
    if (ok) {
        c->review.error = c->review.covered ? r.sum / (double)c->review.covered : NAN;
        name_suspects(&r);
    }
    vec_done(&r.forms);
    model_free(r.model);
    block_maker_free(r.maker);
    return ok;
}
