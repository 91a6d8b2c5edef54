/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "base/clock.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "base/csv.h"
#include "measure/learn.h"
#include "work/job.h"

#define STEPS_SHOWN 6   /* of those that the form changes or not, besides the form alone */

/* One form: what is learned of it, or why nothing. */
struct lesson {
    char *form;
    bool known;
    struct learned learned;
    struct err fault;
};

/* The job: learns on the worker; at its end the lessons are printed and put into the session's machine. */
struct wanted {
    struct session *session;
    struct job *job;
    VEC(struct lesson) lessons;
    char *id;                     /* of the session's machine */
    struct machine *machine;      /* a copy of it */
    struct mapping *simulated;    /* NULL: this CPU */
    struct forms *forms;
    size_t blockers;
};

static void want(struct wanted *w, const char *form)
{
    for (size_t i = 0; i < w->lessons.count; i++)
        if (strcmp(w->lessons.items[i].form, form) == 0)
            return;
    vec_push(&w->lessons, ((struct lesson){.form = mem_strdup(form)}));
}

static bool cancelled(void *state)
{
    return job_cancelled(((struct wanted *)state)->job);
}

/* The forms of the loaded kernel that @m does not know. */
static bool want_unknown(struct session *s, const struct machine *m, struct wanted *w, struct err *err)
{
    size_t count;

    if (!s->document.kernel)
        return err_set(err, ERR_USAGE, "kernel learn 'FORM', or kernel load FILE", "no form was named and no kernel is loaded");
    if (!session_fits(s, m, err))
        return false;
    const struct insn *insns = kernel_insns(s->document.kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (!fusion_resolve(m, &insns[i]))
            want(w, insns[i].form);
    return true;
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

static void print_lesson(struct session *s, struct machine *m, struct lesson *lesson)
{
    const struct learned *l = &lesson->learned;
    const struct mapping_entry *old = mapping_find(m->mapping, lesson->form);
    struct str usage = {0}, before = {0};

    usage_print(&l->usage, mapping_ports(m->mapping), &usage);
    if (old)
        usage_print(&old->usage, mapping_ports(m->mapping), &before);
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:s, s:s, s:o, s:i, s:f, s:I, s:I, s:o, s:o}", "machine", m->id, "form", lesson->form, "usage", str_text(&usage), "latency",
                                  isfinite(l->latency) ? json_real(l->latency) : json_null(), "micro_ops", (int)l->micro_ops, "tolerance", l->tolerance, "outliers",
                                  (json_int_t)l->outliers, "rivals", (json_int_t)l->rivals, "before", old ? json_string(str_text(&before)) : json_null(), "evidence", steps_json(l)));
    else if (s->settings.format == FORMAT_CSV)
        for (size_t i = 0; i < l->step_count; i++) {
            csv_add_field(&s->output, lesson->form, false);
            csv_add_field(&s->output, str_text(&usage), false);
            csv_add_field(&s->output, l->steps[i].experiment, false);
            str_addf(&s->output, "%.17g,%.17g,%.17g\n", l->steps[i].measured, l->steps[i].without, l->steps[i].predicted);
        }
    else
        print_learned(s, lesson->form, l, str_text(&usage), old ? str_text(&before) : NULL);
    str_done(&usage);
    str_done(&before);
}

static void print_failure(struct session *s, const struct machine *m, const char *form, const struct err *err)
{
    char text[1024];

    err_text(err, text, sizeof text);
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:s, s:s}", "machine", m->id, "form", form, "reason", text));
    else if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%s: %s\n", form, text);
}

/* What is learned of one form helps with the next. */
static void learn_one(struct wanted *w, struct learner *learner, struct source *cpu, struct lesson *lesson)
{
    struct err none = {0};

    lesson->known = learn_form(learner, lesson->form, &lesson->learned, &lesson->fault);
    if (!lesson->known)
        return;
    const struct form_row *row = cpu ? forms_find(w->forms, lesson->form) : NULL;
    if (row)
        lesson->learned.latency = learn_latency(cpu, row, &none);   /* many forms make no chain */
    adopt(w->machine, lesson->form, &lesson->learned);
}

static bool learn_run(struct job *job, void *state, struct err *err)
{
    struct wanted *w = state;
    size_t learned = 0;

    w->job = job;
    job_progress(job, 0, (double)w->lessons.count, "looks for blocking forms");
    struct source *source = w->simulated ? source_simulated(w->simulated, 0.001, 1) : source_cpu(w->forms, -1, 0, cancelled, w, err);
    double width = !w->simulated ? machine_number(w->machine, "issue_width") : mapping_issue_width(w->simulated) > 0 ? mapping_issue_width(w->simulated) : NAN;
    struct learner *learner = source ? learner_new(source, w->machine->mapping, width, cancelled, w, err) : NULL;
    for (size_t i = 0; learner && i < w->lessons.count && !job_cancelled(job); i++) {
        struct lesson *lesson = &w->lessons.items[i];
        job_progress(job, (double)i, (double)w->lessons.count, "%s", lesson->form);
        learn_one(w, learner, w->simulated ? NULL : source, lesson);
        learned += lesson->known;
        if (!lesson->known)
            *err = lesson->fault;
    }
    w->blockers = learner ? learner_blockers(learner) : 0;
    learner_free(learner);
    source_free(source);
    if (learner && job_cancelled(job))
        return err_set(err, ERR_INTERRUPTED, NULL, "learning was ended");
    return learner && learned > 0;
}

static void learn_finish(void *state, const struct job_info *info)
{
    struct wanted *w = state;
    struct session *s = w->session;
    struct err none = {0};
    struct machine *m = session_machine(s, w->id, &none);
    size_t learned = 0;

    if (info->state != JOB_DONE)
        return;
    if (!m || !ports_equal(mapping_ports(m->mapping), mapping_ports(w->machine->mapping))) {
        if (s->settings.format == FORMAT_TEXT)
            str_addf(&s->output, "%s has other ports by now: what was learned does not fit it and is not kept\n", w->id);
        return;
    }
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "form,usage,experiment,measured,without,predicted\n");
    for (size_t i = 0; i < w->lessons.count; i++) {
        struct lesson *lesson = &w->lessons.items[i];
        learned += lesson->known;
        if (lesson->known) {
            print_lesson(s, m, lesson);
            adopt(m, lesson->form, &lesson->learned);
        } else if (w->lessons.count > 1 && lesson->fault.code) {
            print_failure(s, m, lesson->form, &lesson->fault);
        }
    }
    if (learned && s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%zu of %zu forms learned beside %zu blocking forms; %s has them in this session (mapping save keeps them)\n", learned, w->lessons.count,
                 w->blockers, w->id);
}

static void wanted_free(void *state)
{
    struct wanted *w = state;
    for (size_t i = 0; i < w->lessons.count; i++) {
        if (w->lessons.items[i].known)
            learned_done(&w->lessons.items[i].learned);
        free(w->lessons.items[i].form);
    }
    vec_done(&w->lessons);
    machine_free(w->machine);
    mapping_free(w->simulated);
    forms_free(w->forms);
    free(w->id);
    free(w);
}

bool cmd_kernel_learn(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {learn_run, learn_finish, wanted_free};
    const char *simulate = NULL, *words[32];
    const struct legacy_option options[] = {{"--simulate", OPTION_TEXT, &simulate}, {NULL, OPTION_FLAG, NULL}};
    struct machine *m = session_current(s, err), *other = NULL;
    size_t count;

    if (!m || !options_parse(argc, argv, options, words, sizeof words / sizeof *words, &count, err))
        return false;
    struct forms *forms = session_forms(s, s->document.isa, err);
    if (!forms || (simulate && !(other = session_machine(s, simulate, err))))
        return false;
    struct wanted *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->id = mem_strdup(m->id);
    for (size_t i = 0; i < count; i++)
        want(w, words[i]);
    bool ok = count || want_unknown(s, m, w, err);
    if (!ok || !w->lessons.count) {
        if (ok && s->settings.format == FORMAT_TEXT)
            str_addf(&s->output, "%s knows every form of the kernel\n", m->id);
        wanted_free(w);
        return ok;
    }
    w->machine = machine_copy(m);
    w->simulated = other ? mapping_copy(other->mapping) : NULL;
    w->forms = forms_copy(forms);
    return session_job(s, "kernel learn", "learns", &ops, w, err);
}
