/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/watch.h"
#include "chart/verdict.h"
#include "hunt/hunt.h"
#include "model/change.h"
#include "throughput/predict.h"

#define TOLERANCE 0.10       /* smallest relative error of a block that is examined */
#define SAMPLED 1024         /* maximum number of blocks examined */
#define ROUND 64             /* number of blocks measured together */
/* Smallest increase of the mean error of a form's experiments at which the experiments contradict a
 * usage. */
#define CONTRADICTS 0.001
#define SURE 0.8             /* confidence above which a usage is certain */
#define DRAWS 10             /* number of blocks that test a pattern */
#define BY_BLOCKS "charted: determined by random blocks"

struct second {
    struct lab *lab;
    double until;
};

static bool over(void *state)
{
    const struct second *s = state;
    return clock_seconds() >= s->until || s->lab->hooks->cancelled(s->lab->hooks->state);
}

static bool times(void *state, const struct random_block *blocks, size_t n, double *cycles,
                  struct err *err)
{
    const struct second *s = state;
    struct chart_block *bare = mem_alloc((n + 1) * sizeof *bare);

    for (size_t i = 0; i < n; i++)
        bare[i] = (struct chart_block){.insns = blocks[i].insns, .count = blocks[i].count};
    bool ok = s->lab->cpu->times(s->lab->cpu->state, bare, n, cycles, err);
    free(bare);
    return ok;
}

/* Returns the mean relative error of @m on the blocks that it covers; NaN if it covers none. */
static double mean_error(const struct machine *m, const struct judged *seen, size_t count)
{
    struct model *model = model_new(m, false);
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        double says = model_cycles(model, &seen[i].block);
        if (isnan(says))
            continue;
        sum += fabs(says / seen[i].truth - 1);
        n++;
    }
    model_free(model);
    return n ? sum / (double)n : NAN;
}

/* Copies the chart's experiments that contain @form, with their times. The caller frees the
 * copy. */
static struct experiments *experiments_of(const struct chart *c, const char *form)
{
    struct experiments *out = experiments_new();
    uint32_t at = names_find(&c->table->forms, form);

    for (size_t i = 0; i < c->table->rows.count; i++) {
        bool its = false;
        for (uint32_t k = 0; k < c->table->rows.items[i].count; k++)
            its |= experiments_terms(c->table, i)[k].form == at;
        if (!its || !experiments_measured(c->table, i))
            continue;
        struct experiment e;
        experiments_get(c->table, i, &e);
        experiments_set(out, experiments_add_named(out, &e), c->table->rows.items[i].cycles, 0, 0,
                        EXPERIMENT_OK);
        experiment_done(&e);
    }
    return out;
}

/* Returns the sum of the relative errors of @m on experiments @t. */
static double error_on(const struct machine *m, const struct experiments *t)
{
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles), sum = 0;

    throughput_predict(m->mapping, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (!isnan(cycles[i]))
            sum += fabs(cycles[i] / t->rows.items[i].cycles - 1);
    free(cycles);
    return sum;
}

/* Returns the index of @form in the chart; the number of forms if it was not charted. */
static size_t number_of(const struct chart *c, const char *form)
{
    size_t at = 0;

    while (at < c->form_count && strcmp(c->forms[at].row->form, form) != 0)
        at++;
    return at;
}

/* Returns whether experiments determined the usage of @form with certainty. Blocks may not change
 * such a usage. */
static bool sure(const struct chart *c, const char *form)
{
    size_t at = number_of(c, form);

    return at < c->form_count &&
           (c->forms[at].state == CHART_IN_CORE ||
            (c->forms[at].state == CHART_PLACED && c->forms[at].confidence > SURE));
}

/* Returns whether the usage of @form is certain, or its usage in @tried contradicts the form's
 * experiments: it raises their mean error by more than CONTRADICTS. */
static bool contradicts(const struct chart *c, const struct machine *tried, const char *form)
{
    if (sure(c, form))
        return true;
    struct experiments *t = c->table ? experiments_of(c, form) : NULL;
    bool worse =
        t && error_on(tried, t) > error_on(c->machine, t) + CONTRADICTS * (double)t->rows.count;

    experiments_free(t);
    return worse;
}

struct saved_state {
    struct chart *chart;
    const struct judged *seen;
    size_t count;
    double error;
    struct str text;
};

/* Replaces the chart's machine with @tried and records @text, if @tried has a smaller error.
 * Otherwise frees @tried. Returns whether the machine was replaced. */
static bool keep_if_better(struct saved_state *k, struct machine *tried, const char *text)
{
    double now = mean_error(tried, k->seen, k->count);

    if (!(now < k->error)) {
        machine_free(tried);
        return false;
    }
    machine_free(k->chart->machine);
    k->chart->machine = tried;
    k->error = now;
    str_addf(&k->text, "%s%s", k->text.length ? ", " : "", text);
    k->chart->review.changed++;
    return true;
}

/* Returns the part of a change's text that concerns form @i. */
static const char *form_changed(const struct remedy *change, size_t i)
{
    return strchr(change->form_count ? change->forms[i].name : change->name, ':') + 1;
}

static size_t forms_changed(const struct remedy *change)
{
    return change->form_count ? change->form_count : 1;
}

/* Records in the sources that blocks decided @change. The usages in @before become alternatives of
 * their forms. A change of a latency does not change the source of the usage. */
static void note_change(struct chart *c, const struct remedy *change, const struct machine *before)
{
    bool usage = str_has_prefix(change->name, CHANGE_USAGE);

    /* A change of a latency between two operands concerns a single rule. A change of a form's
     * latency is handled below. */
    if (change->from != LATENCY_ANY || change->to != LATENCY_ANY) {
        machine_drop_latency(c->machine);
        machine_put_latency(c->machine, form_changed(change, 0), change->from, change->to,
                            strtod(change->value, NULL), BY_BLOCKS);
        return;
    }
    for (size_t i = 0; i < forms_changed(change); i++) {
        const char *form = form_changed(change, i);
        const struct mapping_entry *had = mapping_find(before->mapping, form);
        size_t at = usage ? number_of(c, form) : c->form_count;
        struct mapping_entry entry = *mapping_find(c->machine->mapping, form);
        if (at < c->form_count) {
            struct chart_usage kept = {.slots = had->micro_ops};
            usage_copy(&kept.usage, &had->usage);
            verdict_new(c, at, &kept);
            continue;
        }
        entry.source = usage ? (char *)BY_BLOCKS : had->source;
        mapping_set(c->machine->mapping, &entry);
    }
}

static bool keep_change(struct saved_state *k, const struct remedy *change)
{
    struct machine *tried = machine_copy(k->chart->machine), *before;
    struct str text = {0};

    change_make(tried, change);
    bool worse = false, usage = str_has_prefix(change->name, CHANGE_USAGE);
    for (size_t i = 0; usage && i < forms_changed(change) && !worse; i++)
        worse = contradicts(k->chart, tried, form_changed(change, i));
    if (worse) {
        machine_free(tried);
        return false;
    }
    before = machine_copy(k->chart->machine);
    change_print(change, &text);
    bool kept = keep_if_better(k, tried, str_text(&text));
    if (kept)
        note_change(k->chart, change, before);
    machine_free(before);
    str_done(&text);
    return kept;
}

static void keep_other(struct saved_state *k, size_t at, unsigned number)
{
    struct chart_form *f = &k->chart->forms[at];
    const struct chart_usage *other = &f->others[number];
    struct mapping_entry entry = *mapping_find(k->chart->machine->mapping, f->row->form);
    struct chart_usage before = {.slots = entry.micro_ops};
    struct machine *tried = machine_copy(k->chart->machine);
    struct str text = {0};

    usage_copy(&before.usage, &entry.usage);
    entry.usage = other->usage;
    entry.micro_ops = other->slots;
    mapping_set(tried->mapping, &entry);
    if (contradicts(k->chart, tried, f->row->form)) {
        machine_free(tried);
        usage_done(&before.usage);
        return;
    }
    str_addf(&text, "usage of %s: ", f->row->form);
    usage_print(&other->usage, mapping_ports(tried->mapping), &text);
    if (keep_if_better(k, tried, str_text(&text)))
        verdict_other(k->chart, at, number, &before);
    else
        usage_done(&before.usage);
    str_done(&text);
}

/* Tries alternative usages of the forms in @b. Keeps those that lower the error. */
static void keep_others(struct saved_state *k, const struct random_block *b)
{
    const struct chart *c = k->chart;

    for (size_t i = 0; i < b->count; i++) {
        size_t at = number_of(c, b->insns[i].form);
        for (unsigned other = 0; at < c->form_count && other < c->forms[at].other_count; other++)
            keep_other(k, at, other);
    }
}

/* Applies the hunt's changes one by one. Keeps those that lower the error. In place of other
 * changes, tries alternative usages of the forms in their blocks. */
static void keep_what_helps(struct chart *c, const struct hunt *hunt, const struct judged *seen,
                            size_t count)
{
    struct saved_state k = {
        .chart = c, .seen = seen, .count = count, .error = mean_error(c->machine, seen, count)};

    for (size_t i = 0; i < hunt->count; i++) {
        const struct remedy *change = &hunt->findings[i].change;
        bool of_form = change->name && strchr(change->name, ':');
        if (!of_form || !keep_change(&k, change))
            keep_others(&k, &hunt->findings[i].pattern.block);
    }
    c->review.changes = k.text.length ? str_take(&k.text) : NULL;
    str_done(&k.text);
}

static void progress(void *state, const struct hunt *so_far)
{
    const struct second *s = state;
    const struct chart_hooks *hooks = s->lab->hooks;
    double seconds = s->lab->options->seconds;

    (void)so_far;
    hooks->progress(hooks->state, CHART_REVIEW,
                    fmin(seconds, seconds - (s->until - clock_seconds())), seconds,
                    "second round, for the largest errors");
}

bool second_round(struct lab *lab, struct chart *c, const struct block_maker *maker,
                  const struct judged *seen, size_t count, struct err *err)
{
    struct second s = {.lab = lab, .until = clock_seconds() + lab->options->seconds};
    const struct hunt_truth truth = {times, &s, TOLERANCE};
    const struct hunt_options options = {.blocks = SAMPLED,
                                         .round = ROUND,
                                         .draws = DRAWS,
                                         .seed = lab->options->seed + 2,
                                         .progress = progress,
                                         .state = &s};
    struct watch before = watch_begin(over, &s);
    struct hunt *hunt = hunt_run(c->machine, maker, &truth, &options, err);

    watch_restore(before);
    if (!hunt)
        return false;
    keep_what_helps(c, hunt, seen, count);
    hunt_free(hunt);
    return lab_goes_on(lab, err);
}
