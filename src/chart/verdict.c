/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "throughput/predict.h"

#define BY_BLOCKS "determined by random blocks"
/* Smallest weight of an alternative that blocks may choose. All other weights are divided by the
 * weight of the chosen alternative, and files store weights up to 1e6. */
#define LEAST_WEIGHT 1.1e-6

/* Returns the largest relative error of the machine on the experiments with form @form; NaN if
 * there are none. */
static double worst_error(const struct chart *c, size_t form)
{
    const struct experiments *t = c->table;
    double *cycles = mem_alloc(((t ? t->rows.count : 0) + 1) * sizeof *cycles), worst = NAN;
    uint32_t at = t ? names_find(&t->forms, c->forms[form].row->form) : 0;

    if (t)
        throughput_predict(c->machine->mapping, t, cycles);
    for (size_t i = 0; t && i < t->rows.count; i++)
        for (uint32_t k = 0; k < t->rows.items[i].count && experiments_measured(t, i); k++)
            if (experiments_terms(t, i)[k].form == at && !isnan(cycles[i]))
                worst = fmax(worst, fabs(cycles[i] / t->rows.items[i].cycles - 1));
    free(cycles);
    return worst;
}

/* Writes source, confidence and untested ports to the machine's entry of form @form. @worst:
 * largest relative error of the form's experiments; NaN if there are none. */
static void write_source(struct chart *c, size_t form, double worst, const char *why)
{
    struct chart_form *f = &c->forms[form];
    struct mapping_entry entry = *mapping_find(c->machine->mapping, f->row->form);
    portset untested = 0;
    struct str text = {0};

    f->error = worst;
    for (unsigned i = 0; i < entry.usage.count; i++)
        untested |= entry.usage.uops[i].ports & f->untested;
    if (f->state == CHART_UNEXPLAINED && !isnan(f->error))
        str_addf(&text, "charted: error of %.0f %% in its experiments, %s", 100 * f->error, why);
    else
        str_addf(&text, "charted: confidence %.2f, %s", f->confidence, why);
    untested_print(untested, mapping_ports(c->machine->mapping), &text);
    entry.source = (char *)str_text(&text);
    mapping_set(c->machine->mapping, &entry);
    str_done(&text);
}

/* Records @usage as the most likely alternative of @f. @tells: the experiment that distinguishes it
 * from the form's usage; NULL: unknown. */
static void name_rival(const struct chart *c, struct chart_form *f, const struct usage *usage,
                       const struct experiment *tells)
{
    struct str text = {0};

    free(f->rival);
    free(f->settle);
    usage_print(usage, mapping_ports(c->machine->mapping), &text);
    f->rival = str_take(&text);
    if (tells)
        experiment_print(tells, &text);
    f->settle = tells ? str_take(&text) : NULL;
}

/* Returns whether @usage is the alternative that @f->rival names. */
static bool is_rival(const struct chart *c, const struct chart_form *f, const struct usage *usage)
{
    struct str text = {0};

    usage_print(usage, mapping_ports(c->machine->mapping), &text);
    bool is = f->rival && strcmp(f->rival, str_text(&text)) == 0;
    str_done(&text);
    return is;
}

/* Returns the experiment that distinguishes alternative @other from the usage of form @form; NULL:
 * none. */
static const struct experiment *telling(const struct chart *c, size_t form, unsigned other)
{
    for (size_t i = 0; i < c->ambiguities.count; i++)
        if (c->ambiguities.items[i].form == form && c->ambiguities.items[i].other == other)
            return &c->ambiguities.items[i].experiment;
    return NULL;
}

static void replace(struct chart_usage *other, struct chart_usage *take_before)
{
    usage_done(&other->usage);
    *other = *take_before;
}

void verdict_other(struct chart *c, size_t form, unsigned other, struct chart_usage *take_before)
{
    struct chart_form *f = &c->forms[form];
    /* The experiment distinguishes the two usages, regardless of which one the machine has. */
    const struct experiment *tells = telling(c, form, other);
    double weight = fmax(f->others[other].weight, LEAST_WEIGHT);

    if (tells || is_rival(c, f, &f->others[other].usage))
        name_rival(c, f, &take_before->usage, tells);
    take_before->weight = 1;
    replace(&f->others[other], take_before);
    /* Weights are relative to that of the machine's usage, which is 1. */
    for (unsigned i = 0; i < f->other_count; i++)
        f->others[i].weight /= weight;
    f->confidence *= weight;
    write_source(c, form, worst_error(c, form), BY_BLOCKS);
}

/* Returns the index of the least likely alternative with an ambiguity; f->other_count: none. */
static unsigned least_likely(const struct chart *c, size_t form)
{
    const struct chart_form *f = &c->forms[form];
    unsigned least = f->other_count;

    for (unsigned i = 0; i < f->other_count; i++)
        if (telling(c, form, i) &&
            (least == f->other_count || f->others[i].weight < f->others[least].weight))
            least = i;
    return least;
}

/* Replaces alternative @at (f->other_count: none) with the form's former usage. Limits the form's
 * confidence. */
static void keep_before(struct chart *c, size_t form, unsigned at, struct chart_usage *take_before)
{
    struct chart_form *f = &c->forms[form];

    take_before->weight = 1;
    if (at < f->other_count)
        replace(&f->others[at], take_before);
    else
        usage_done(&take_before->usage);
    f->confidence = fmin(f->confidence, CHART_DOUBTFUL);
}

void verdict_new(struct chart *c, size_t form, struct chart_usage *take_before)
{
    keep_before(c, form, least_likely(c, form), take_before);
    write_source(c, form, worst_error(c, form), BY_BLOCKS);
}

void verdict_likeliest(struct chart *c, size_t form, double worst)
{
    write_source(c, form, worst, "most probable according to all experiments of the form");
}
