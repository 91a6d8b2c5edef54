/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "chart/core.h"
#include "chart/place.h"
#include "chart/ports.h"
#include "chart/saturate.h"
#include "chart/settle.h"
#include "chart/stages.h"
#include "isa/insn.h"
#include "isa/operands.h"
#include "toolchain/assemble.h"

/* Maximum cycles per execution of a form to place. Slower forms are microcode, whose ports no
 * practical experiment reveals. */
#define ALONE_MOST 400.0
#define CORE_TURNS 3
/* maximum number of times that all usages are chosen; ambiguities are measured after each choice
 * except the last */
#define CHOICES_MOST 2
/* largest difference of the logarithms of cycles in isolation within a group of forms */
#define GROUP_STEP 0.02

struct charting {
    struct lab lab;
    struct chart *chart;
    double *alone;            /* cycles per execution of each form in isolation */
    struct core_ports core;
    struct probe_table *probes;   /* tables of probes; NULL if the CPU cannot time loops */
};

static bool measure_alone(struct charting *w, struct err *err)
{
    struct chart *c = w->chart;

    for (size_t i = 0; i < c->form_count; i++) {
        names_add(&c->table->forms, c->forms[i].row->form);
        lab_ask(&w->lab, (struct flat_term[]){{(uint32_t)i, 1}}, 1);
    }
    if (!lab_measure(&w->lab, "each form alone", err))
        return false;
    for (size_t i = 0; i < c->form_count; i++) {
        c->forms[i].alone = w->alone[i] = lab_cycles(&w->lab, i);
        if (isnan(w->alone[i]))
            c->forms[i].reason = mem_strdup(
                *c->table->rows.items[i].state ? c->table->rows.items[i].state : "not measured");
    }
    return true;
}

static bool make_body(const struct form_row *row, struct body *out)
{
    struct form_code *code = encodings_code_any(row, NULL);
    const struct body_shape shape = {.instructions = 1};
    const bool ok = code && body_make(&code, (const uint32_t[]){1}, 1, &shape, out, NULL);

    form_code_free(code);
    return ok;
}

/* Returns whether the body needs another instruction before each execution of @row, to make
 * executions independent (isa/body.h). The additional instructions take issue slots. */
static bool needs_breakers(const struct form_row *row)
{
    struct body *body = mem_alloc(sizeof *body);
    const bool needs = make_body(row, body) && body->breakers;

    free(body);
    return needs;
}

/* Returns whether more than ports and issue slots determines the times of @row with other forms. A
 * form that reads flags waits for forms that set these. The number of vector operations at rename
 * limits moves between vector registers, which a CPU may eliminate. */
static bool needs_more_than_ports(const struct form_row *row)
{
    struct body *body = mem_alloc(sizeof *body);
    struct insn insn = {0};
    bool known = make_body(row, body);

    /* The form is the last instruction, after those that break chains. */
    for (size_t at = 0; known && at < body->length; at += insn.length)
        known = insn_decode(row->isa, body->code + at, body->length - at, at, false, &insn, NULL);
    free(body);
    return known && (insn.flags_read || (insn.traits & INSN_MOVE && insn.traits & INSN_VECTOR));
}

/* Selects the core, unless the options fix it, among the forms that have a time in isolation.
 * Excludes fast forms whose body needs additional instructions. Returns false with err on
 * failure. */
static bool find_core(struct charting *w, struct chart_core *core, struct err *err)
{
    const size_t n = w->chart->form_count;
    const struct chart_options *o = w->lab.options;

    if (o->core_fixed && !core_take(&w->lab, w->alone, o->core, core, err))
        return false;
    if (core->classes.count)
        return true;
    double *alone = mem_alloc((n + 1) * sizeof *alone);
    for (size_t i = 0; i < n; i++)
        alone[i] =
            w->alone[i] > 0 && w->alone[i] <= CORE_QUICK && needs_breakers(w->chart->forms[i].row)
                ? NAN
                : w->alone[i];
    const bool ok = core_find(&w->lab, alone, n, core, err);
    free(alone);
    return ok;
}

/* Fills @out with the forms of the core from which ports are inferred: those whose times depend
 * only on ports and slots. If there are none, or if the options fix the core, uses all forms.
 * Returns their number. */
static size_t forms_for_ports(const struct charting *w, const struct chart_core *core,
                              uint32_t *out)
{
    size_t n = 0;

    for (unsigned all = w->lab.options->core_fixed; all < 2 && !n; all++)
        for (size_t i = 0; i < core->classes.count; i++) {
            const uint32_t form = core->classes.items[i].form;
            if (all || !needs_more_than_ports(w->chart->forms[form].row))
                out[n++] = form;
        }
    return n;
}

/* Returns, for each row of the table, whether it contains only the @n @forms. The caller frees the
 * array. */
static bool *rows_of(const struct experiments *t, const uint32_t *forms, size_t n)
{
    bool *in_core = mem_zero(t->forms.count + 1, sizeof *in_core),
         *keep = mem_zero(t->rows.count + 1, sizeof *keep);

    for (size_t i = 0; i < n; i++)
        in_core[forms[i]] = true;
    for (size_t i = 0; i < t->rows.count; i++) {
        keep[i] = true;
        for (uint32_t k = 0; k < t->rows.items[i].count; k++)
            keep[i] &= in_core[experiments_terms(t, i)[k].form];
    }
    free(in_core);
    return keep;
}

static bool infer_core(struct charting *w, const struct chart_core *core, struct err *err)
{
    uint32_t *forms = mem_alloc((core->classes.count + 1) * sizeof *forms);
    const size_t n = forms_for_ports(w, core, forms);
    bool *keep = rows_of(w->chart->table, forms, n);
    bool ok = core_ports_find(&w->lab, keep, forms, n, &w->core, err);

    free(forms);
    if (ok) {
        w->chart->core_error = w->core.error;
        w->chart->core_forms = w->core.forms;
        w->chart->core_experiments = w->core.experiments;
        w->chart->width = mapping_issue_width(w->core.mapping);
        w->chart->noise = w->lab.noise = fmax(SIGHT_NOISE, w->core.noise);
        w->chart->above_ports = w->lab.above_ports = w->core.above_ports;
    }
    free(keep);
    return ok;
}

struct grouped {
    struct place_form place;
    char kinds[24];   /* operand kinds; forms with equal kinds probably have similar usages */
    long step;
};

static int by_group(const void *a, const void *b)
{
    const struct grouped *x = a, *y = b;
    int order = strcmp(x->kinds, y->kinds);
    if (order)
        return order;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
                              : (x->place.form > y->place.form) - (x->place.form < y->place.form);
}

/* Lists the measured forms in the core if @core is true, otherwise those outside the core. Excludes
 * joined forms, and forms slower than ALONE_MOST. Groups forms with equal operand kinds and similar
 * times. Returns their number. */
static size_t forms_to_place(const struct charting *w, bool core, struct place_form *out)
{
    struct chart *c = w->chart;
    struct grouped *list = mem_zero(c->form_count + 1, sizeof *list);
    size_t n = 0;

    for (uint32_t i = 0; i < c->form_count; i++) {
        if (!(w->alone[i] > 0 && w->alone[i] <= ALONE_MOST) ||
            (mapping_find(w->core.mapping, c->forms[i].row->form) != NULL) != core ||
            core_is_joined(&w->lab, w->alone, c->form_count, i))
            continue;
        struct grouped *g = &list[n++];
        g->place = (struct place_form){.form = i, .alone = w->alone[i]};
        form_letters(c->forms[i].row->form, g->kinds, sizeof g->kinds);
        g->step = lrint(log(w->alone[i]) / GROUP_STEP);
    }
    qsort(list, n, sizeof *list, by_group);
    for (size_t i = 0, group = 0; i < n; i++) {
        group += i && (strcmp(list[i].kinds, list[i - 1].kinds) != 0 ||
                       list[i].step != list[i - 1].step);
        out[i] = list[i].place;
        out[i].group = (uint32_t)group;
    }
    free(list);
    return n;
}

/* Sets the usage of joined forms: one slot, no port. Several executions of such a form share a slot
 * at rename. */
static void write_joined(const struct charting *w, struct mapping *m)
{
    struct chart *c = w->chart;

    for (size_t i = 0; i < c->form_count; i++) {
        if (!core_is_joined(&w->lab, w->alone, c->form_count, i))
            continue;
        c->forms[i].state = CHART_PLACED;
        c->forms[i].joined = true;
        c->forms[i].confidence = 0;
        mapping_set(
            m, &(struct mapping_entry){.form = (char *)c->forms[i].row->form,
                                       .micro_ops = 1,
                                       .latency = NAN,
                                       .source = "charted: fuses with neighbouring instructions, "
                                                 "so several share an issue slot"});
    }
}

static void write_mapping(struct charting *w, const struct ports *ports,
                          const struct place_form *forms, struct placement *places, size_t n)
{
    struct chart *c = w->chart;
    struct machine *m = machine_new(w->lab.options->name, ports);
    char width[32];

    machine_set_fact(m, "isa", isa_name((enum isa)c->forms[0].row->isa), "", "");
    for (size_t i = 0; i < mapping_count(w->core.mapping); i++) {
        struct chart_form *f =
            &c->forms[names_find(&c->table->forms, mapping_at(w->core.mapping, i)->form)];
        struct mapping_entry entry = *mapping_at(w->core.mapping, i);
        char source[80];
        f->state = CHART_IN_CORE;
        f->confidence = w->core.confidence[i];
        snprintf(source, sizeof source, "charted: core, confidence %.2f", f->confidence);
        entry.source = source;
        mapping_set(m->mapping, &entry);
    }
    for (size_t i = 0; i < n; i++) {
        struct chart_form *f = &c->forms[forms[i].form];
        struct placement *p = &places[i];
        char source[120];
        f->state = p->explained ? CHART_PLACED : CHART_UNEXPLAINED;
        f->confidence = p->explained ? p->confidence : fmin(p->confidence, CHART_DOUBTFUL);
        f->experiments = p->experiments;
        f->error = p->error;
        f->hidden = p->hidden;
        f->untested = p->untested;
        f->rival = p->rival;
        f->others = p->others;
        f->other_count = p->other_count;
        p->rival = NULL;
        p->others = NULL;
        p->other_count = 0;
        snprintf(source, sizeof source,
                 p->hidden      ? "charted: not observable with the core"
                 : p->explained ? "charted: confidence %.2f"
                                : "charted: error of %.0f %% in its experiments",
                 p->explained ? p->confidence : 100 * p->error);
        mapping_set(m->mapping, &(struct mapping_entry){.form = (char *)f->row->form,
                                                        .usage = p->usage,
                                                        .micro_ops = p->slots,
                                                        .latency = NAN,
                                                        .source = source});
    }
    if (places)
        write_joined(w, m->mapping);
    if (c->width > 0) {
        snprintf(width, sizeof width, "%g", c->width);
        mapping_set_issue_width(m->mapping, c->width);
        machine_set_fact(m, "issue_width", width, "µops/cycle",
                         "charted: highest measured number of forms per cycle");
        machine_set_fact(m, "issue_slots", "inferred", "", "charted");
    }
    machine_free(c->machine);
    c->machine = m;
}

/* Returns the mean error of the core's mapping over all experiments with core forms only. If
 * lab.late is true, times above the port bound have less weight. µops that fit these times would
 * mispredict other experiments. */
static double core_error(const struct charting *w)
{
    return core_ports_error(w->chart->table, NULL, w->core.mapping, w->lab.above_ports);
}

/* Replaces usages of core forms with those found during placement if that reduces the error of the
 * core's experiments. Skips usages with pipes, and usages that do not explain their experiments.
 * Sets the confidence of all forms. Returns the number of replaced usages. */
static size_t revise_core(struct charting *w, const struct place_form *forms,
                          const struct placement *places, size_t n)
{
    size_t changed = 0;
    double error = core_error(w);

    for (size_t i = 0; i < n; i++) {
        const char *form = w->chart->forms[forms[i].form].row->form;
        struct mapping_entry entry = *mapping_find(w->core.mapping, form);
        bool pipe = false;
        w->core.confidence[mapping_index(w->core.mapping, form)] = places[i].confidence;
        for (unsigned k = 0; k < places[i].usage.count; k++)
            pipe |= places[i].usage.uops[k].ports >> mapping_ports(w->core.mapping)->count != 0;
        if (!places[i].explained || pipe ||
            (usage_equal(&entry.usage, &places[i].usage) && entry.micro_ops == places[i].slots))
            continue;
        struct mapping *before = mapping_copy(w->core.mapping);
        entry.usage = places[i].usage;
        entry.micro_ops = places[i].slots;
        mapping_set(w->core.mapping, &entry);
        double now = core_error(w);
        if (now < error) {
            error = now;
            changed++;
            mapping_free(before);
        } else {
            mapping_free(w->core.mapping);
            w->core.mapping = before;
        }
    }
    return changed;
}

/* Places the forms of the core again. If a core form had too few µops, all usages placed with it
 * would be wrong. */
static bool check_core(struct charting *w, struct err *err)
{
    struct place_form *forms = mem_alloc((w->chart->form_count + 1) * sizeof *forms);
    size_t n = forms_to_place(w, true, forms), changed = 1;
    bool ok = true;

    for (unsigned turn = 0; ok && changed && turn < CORE_TURNS; turn++) {
        struct placement *places = mem_zero(n + 1, sizeof *places);
        struct ports ports;
        ok = place_forms(&w->lab, w->core.mapping, forms, n, &ports, places, err);
        changed = ok ? revise_core(w, forms, places, n) : 0;
        for (size_t i = 0; i < n; i++)
            placement_done(&places[i]);
        free(places);
    }
    free(forms);
    return ok;
}

static bool place_rest(struct charting *w, const struct chart_core *core, struct err *err)
{
    struct chart *c = w->chart;
    struct place_form *forms = mem_alloc((c->form_count + 1) * sizeof *forms);
    struct placement *places = mem_zero(c->form_count + 1, sizeof *places);
    size_t n = forms_to_place(w, false, forms);
    struct mapping *with_twins = mapping_copy(w->core.mapping);
    struct ports ports;

    twins_add(&w->lab, core, w->alone, c->form_count, with_twins);
    bool ok = place_forms(&w->lab, with_twins, forms, n, &ports, places, err);
    mapping_free(with_twins);
    if (ok) {
        write_mapping(w, &ports, forms, places, n);
    }
    for (size_t i = 0; i < n; i++)
        placement_done(&places[i]);
    free(places);
    free(forms);
    return ok;
}

/* Writes the confidence of each placed form's usage to the machine, because trials and ambiguities
 * have changed the confidence. */
static void write_confidence(struct chart *c)
{
    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        const struct mapping_entry *entry = f->state == CHART_PLACED && !f->joined
                                                ? mapping_find(c->machine->mapping, f->row->form)
                                                : NULL;
        struct str source = {0};
        if (!entry)
            continue;
        struct mapping_entry now = *entry;
        str_addf(&source, "charted: confidence %.2f", f->confidence);
        ambiguities_note(c, f, &source);
        now.source = (char *)str_text(&source);
        mapping_set(c->machine->mapping, &now);
        str_done(&source);
    }
}

/* Chooses the most probable usages, measures experiments that distinguish them from other likely
 * usages, and chooses again. Returns false with err on failure or when cancelled. */
static bool choose_usages(struct charting *w, struct err *err)
{
    struct chart *c = w->chart;

    for (unsigned turn = 0; turn < CHOICES_MOST; turn++) {
        refine_usages(&w->lab, c);
        ambiguities_find(c);
        const size_t open = c->ambiguities.count;
        if (!lab_goes_on(&w->lab, err))
            return false;
        if (w->lab.options->leave_ambiguities || !open || turn + 1 == CHOICES_MOST)
            break;
        if (!settle_chart(&w->lab, c, err))
            return false;
    }
    write_confidence(c);
    return true;
}

static bool stage_ends(struct charting *w, double begun, struct err *err)
{
    const struct chart_hooks *hooks = w->lab.hooks;

    /* Keeps unused ports until stage 4 ends, because forms that use them may not be placed yet. */
    if (w->lab.stage >= CHART_PLACES)
        unused_ports_drop(w->chart);
    w->chart->seconds[w->lab.stage] = clock_seconds() - begun;
    w->chart->resumed = w->lab.resumed;
    return !hooks->stage_done || hooks->stage_done(hooks->state, w->lab.stage, w->chart, err);
}

static bool run_stage(struct charting *w, struct chart_core *core, enum chart_stage stage,
                      struct err *err)
{
    switch (stage) {
    case CHART_ALONE:
        return measure_alone(w, err);
    case CHART_CORE:
        return find_core(w, core, err);
    case CHART_PORTS:
        if (!infer_core(w, core, err) || !check_core(w, err))
            return false;
        write_mapping(w, mapping_ports(w->core.mapping), NULL, NULL, 0);
        return true;
    case CHART_PLACES:
        return place_rest(w, core, err) && measure_random(&w->lab, w->chart, err) &&
               choose_usages(w, err);
    case CHART_LATENCIES:
        return !w->lab.cpu->latencies || latencies_find(&w->lab, w->chart, err);
    case CHART_FACTS:
        return !w->lab.cpu->times ||
               (facts_find(&w->lab, w->chart, w->probes, err) &&
                latencies_again(&w->lab, w->chart, err) &&
                substitutes_find(&w->lab, w->chart, err));
    case CHART_REVIEW:
        return !w->lab.cpu->times || review_blocks(&w->lab, w->chart, err);
    case CHART_STAGES:
        break;
    }
    return true;
}

struct chart *chart_run(const struct chart_cpu *cpu, const struct form_row *const *rows,
                        size_t count, const struct chart_options *o,
                        const struct chart_hooks *hooks, struct err *err)
{
    struct chart *c = mem_zero(1, sizeof *c);
    struct charting w = {.chart = c};
    struct chart_core core = {0};
    bool ok = true;

    c->table = experiments_new();
    c->forms = mem_zero(count + 1, sizeof *c->forms);
    c->form_count = count;
    c->core_error = c->width = c->noise = NAN;
    for (size_t i = 0; i < count; i++)
        c->forms[i] = (struct chart_form){.row = rows[i], .alone = NAN, .confidence = NAN};
    w.lab = (struct lab){
        .cpu = cpu, .options = o, .hooks = hooks, .table = c->table, .noise = SIGHT_NOISE};
    w.alone = mem_alloc((count + 1) * sizeof *w.alone);
    /* Loads the table first, because an invalid table must end the chart before anything is
     * measured. */
    if (cpu->times && count) {
        w.probes = probe_table_load(rows[0]->isa, err);
        ok = w.probes != NULL;
    }
    for (int stage = 0; stage < CHART_STAGES && ok; stage++) {
        double begun = clock_seconds();
        w.lab.stage = (enum chart_stage)stage;
        ok = run_stage(&w, &core, w.lab.stage, err) && stage_ends(&w, begun, err);
    }
    probe_table_free(w.probes);
    core_done(&core);
    lab_done(&w.lab);
    free(w.alone);
    core_ports_done(&w.core);
    if (ok)
        return c;
    chart_free(c);
    return NULL;
}
