/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "base/clock.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "io/csv.h"
#include "measure/learn.h"

#define STEPS_SHOWN 6   /* of those that the form changes or not, besides the form alone */

struct wanted {
    VEC(const char *) forms;
};

static void want(struct wanted *w, const char *form)
{
    for (size_t i = 0; i < w->forms.count; i++)
        if (strcmp(w->forms.items[i], form) == 0)
            return;
    vec_push(&w->forms, form);
}

/* The forms of the loaded kernel that @m does not know. */
static bool want_unknown(struct session *s, const struct machine *m, struct wanted *w, struct err *err)
{
    size_t count;

    if (!s->kernel)
        return err_set(err, ERR_USAGE, "kernel learn 'FORM', or kernel load FILE", "no form was named and no kernel is loaded");
    if (!session_fits(s, m, err))
        return false;
    const struct insn *insns = kernel_insns(s->kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (!fusion_resolve(m, &insns[i]))
            want(w, insns[i].form);
    return true;
}

static struct source *source_open(const struct mapping *simulated, const struct forms *forms, struct err *err)
{
    return simulated ? source_simulated(simulated, 0.001, 1) : source_cpu(forms, -1, 0, NULL, NULL, err);
}

static json_t *steps_json(const struct learned *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->step_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f}", "experiment", l->steps[i].experiment, "measured", l->steps[i].measured, "without",
                                              l->steps[i].without, "predicted", l->steps[i].predicted));
    return list;
}

static void print_step(struct session *s, const struct learn_step *step)
{
    str_addf(&s->output, "  %9.3f %9.3f %9.3f  %s\n", step->measured, step->without, step->predicted, step->experiment);
}

static void print_learned(struct session *s, const char *form, const struct learned *l, const char *usage, const char *before)
{
    size_t shown = 0, quiet = 0;

    str_addf(&s->output, "%s: %s", form, *usage ? usage : "no port");
    if (isfinite(l->latency))
        str_addf(&s->output, ", latency %.2f", l->latency);
    if (l->micro_ops)
        str_addf(&s->output, ", %u %s at rename", l->micro_ops, l->micro_ops == 1 ? "slot" : "slots");
    str_addf(&s->output, "; %zu of %zu measurements agree within %.0f %%", l->step_count - l->outliers, l->step_count, 100 * l->tolerance);
    if (l->rivals)
        str_addf(&s->output, ", as they do with %zu other usages of the same price", l->rivals);
    str_addf(&s->output, "\n%s%s%s   measured   without predicted  experiment\n", before ? "  before: " : "", before ? before : "", before ? "\n" : "");
    print_step(s, &l->steps[0]);
    /* First what the form slows down, then what it leaves alone. */
    for (size_t i = 1; i < l->step_count; i++)
        if (l->steps[i].predicted > 1.005 * l->steps[i].without && shown < STEPS_SHOWN) {
            print_step(s, &l->steps[i]);
            shown++;
        }
    for (size_t i = 1; i < l->step_count; i++)
        if (l->steps[i].predicted <= 1.005 * l->steps[i].without && quiet < STEPS_SHOWN) {
            print_step(s, &l->steps[i]);
            quiet++;
        }
    if (shown + quiet + 1 < l->step_count)
        str_addf(&s->output, "  and %zu more\n", l->step_count - shown - quiet - 1);
}

static void adopt(struct machine *m, const char *form, const struct learned *l)
{
    const struct mapping_entry *old = mapping_find(m->mapping, form);
    struct mapping_entry entry = {.form = (char *)form, .usage = l->usage, .latency = l->latency, .micro_ops = l->micro_ops, .source = "learned by measurement in the session"};

    if (old && isnan(entry.latency))
        entry.latency = old->latency;
    if (old && !entry.micro_ops)
        entry.micro_ops = old->micro_ops;
    mapping_set(m->mapping, &entry);
}

/* One form: learns, prints, puts into the machine. */
static bool learn_one(struct session *s, struct machine *m, struct learner *learner, struct source *cpu, const char *form, struct err *err)
{
    const struct mapping_entry *old = mapping_find(m->mapping, form);
    struct forms *forms = session_forms(s, s->isa, err);
    struct str usage = {0}, before = {0};
    struct learned l;

    if (!forms || !learn_form(learner, form, &l, err))
        return false;
    const struct form_row *row = cpu ? forms_find(forms, form) : NULL;
    struct err none = {0};
    if (row)
        l.latency = learn_latency(cpu, row, &none);   /* many forms make no chain */
    usage_print(&l.usage, mapping_ports(m->mapping), &usage);
    if (old)
        usage_print(&old->usage, mapping_ports(m->mapping), &before);
    if (s->format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:s, s:s, s:o, s:i, s:f, s:I, s:I, s:o, s:o}", "machine", m->id, "form", form, "usage", str_text(&usage), "latency",
                                  isfinite(l.latency) ? json_real(l.latency) : json_null(), "micro_ops", (int)l.micro_ops, "tolerance", l.tolerance, "outliers",
                                  (json_int_t)l.outliers, "rivals", (json_int_t)l.rivals, "before", old ? json_string(str_text(&before)) : json_null(), "evidence", steps_json(&l)));
    else if (s->format == FORMAT_CSV)
        for (size_t i = 0; i < l.step_count; i++) {
            csv_add_field(&s->output, form, false);
            csv_add_field(&s->output, str_text(&usage), false);
            csv_add_field(&s->output, l.steps[i].experiment, false);
            str_addf(&s->output, "%.17g,%.17g,%.17g\n", l.steps[i].measured, l.steps[i].without, l.steps[i].predicted);
        }
    else
        print_learned(s, form, &l, str_text(&usage), old ? str_text(&before) : NULL);
    adopt(m, form, &l);
    learned_done(&l);
    str_done(&usage);
    str_done(&before);
    return true;
}

static void print_failure(struct session *s, const struct machine *m, const char *form, const struct err *err)
{
    char text[1024];

    err_text(err, text, sizeof text);
    if (s->format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:s, s:s}", "machine", m->id, "form", form, "reason", text));
    else if (s->format == FORMAT_TEXT)
        str_addf(&s->output, "%s: %s\n", form, text);
}

static bool learn_all(struct session *s, struct machine *m, const struct wanted *w, struct mapping *simulated, struct err *err)
{
    struct forms *forms = session_forms(s, s->isa, err);
    struct source *source = forms ? source_open(simulated, forms, err) : NULL;
    double width = !simulated ? machine_number(m, "issue_width") : mapping_issue_width(simulated) > 0 ? mapping_issue_width(simulated) : NAN;
    struct learner *learner = source ? learner_new(source, m->mapping, width, NULL, NULL, err) : NULL;
    size_t learned = 0;

    for (size_t i = 0; learner && i < w->forms.count; i++) {
        err_clear(err);
        if (learn_one(s, m, learner, simulated ? NULL : source, w->forms.items[i], err))
            learned++;
        else if (w->forms.count > 1)
            print_failure(s, m, w->forms.items[i], err);
    }
    bool ok = learner && learned > 0;
    if (ok)
        err_clear(err);
    if (ok && s->format == FORMAT_TEXT)
        str_addf(&s->output, "%zu of %zu forms learned beside %zu blocking forms; %s has them in this session (mapping save keeps them)\n", learned, w->forms.count,
                 learner_blockers(learner), m->id);
    learner_free(learner);
    source_free(source);
    return ok;
}

bool cmd_kernel_learn(struct session *s, int argc, char **argv, struct err *err)
{
    const char *simulate = NULL, *words[32];
    const struct option options[] = {{"--simulate", OPTION_TEXT, &simulate}, {NULL, OPTION_FLAG, NULL}};
    struct machine *m = session_current(s, err), *other = NULL;
    struct wanted w = {0};
    size_t count;

    if (!m || !options_parse(argc, argv, options, words, sizeof words / sizeof *words, &count, err))
        return false;
    if (simulate && !(other = session_machine(s, simulate, err)))
        return false;
    for (size_t i = 0; i < count; i++)
        want(&w, words[i]);
    bool ok = count || want_unknown(s, m, &w, err);
    if (ok && !w.forms.count) {
        if (s->format == FORMAT_TEXT)
            str_addf(&s->output, "%s knows every form of the kernel\n", m->id);
    } else if (ok) {
        struct mapping *simulated = other ? mapping_copy(other->mapping) : NULL;
        if (s->format == FORMAT_CSV)
            str_add(&s->output, "form,usage,experiment,measured,without,predicted\n");
        ok = learn_all(s, m, &w, simulated, err);
        mapping_free(simulated);
    }
    vec_done(&w.forms);
    return ok;
}
