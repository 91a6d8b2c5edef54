/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "analysis/port_names.h"
#include "base/vec.h"
#include "base/similar.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "measure/cpu_source.h"
#include "measure/learn.h"
#include "work/crew.h"
#include "work/job.h"

/* number of experiments shown of each kind: experiments that the form slows down, and experiments
 * that it does not slow down */
#define STEPS_SHOWN 6

/* Result for one form: its learned usage, or the reason why there is none */
struct lesson {
    char *form;
    bool known;
    struct learned learned;
    struct err fault;
};

/* State of the job of kernel learn. The worker learns the forms; the UI thread prints the lessons
 * and applies them to the session's machine. */
struct kernel_learning {
    VEC(struct lesson) lessons;
    char *id;
    struct machine *machine;      /* the job's copy of the session's machine */
    struct mapping *simulated;    /* simulated mapping; NULL: this CPU */
    struct forms *forms;
    size_t blockers;
};

static void want(struct kernel_learning *w, const char *form)
{
    for (size_t i = 0; i < w->lessons.count; i++)
        if (strcmp(w->lessons.items[i].form, form) == 0)
            return;
    vec_push(&w->lessons, ((struct lesson){.form = mem_strdup(form)}));
}

/* Selects the forms of the selected loop that @m lacks. Returns false with err without a kernel
 * that fits @m. */
static bool want_unknown(struct session *s, const struct machine *m, struct kernel_learning *w,
                         struct err *err)
{
    size_t count;

    if (!s->document.kernel)
        return err_set(err, ERR_USAGE, "use kernel learn 'FORM', or kernel load FILE first",
                       "no form given and no kernel loaded");
    if (!session_fits(s, m, err))
        return false;
    const struct insn *insns = kernel_insns(s->document.kernel, s->document.loop, &count);
    for (size_t i = 0; i < count; i++)
        if (!fusion_resolve(m, &insns[i]))
            want(w, insns[i].form);
    return true;
}

static json_t *steps_json(const struct learned *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->step_count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "experiment",
                                              json_text(l->steps[i].experiment), "measured",
                                              json_number(l->steps[i].measured), "without",
                                              json_number(l->steps[i].without), "predicted",
                                              json_number(l->steps[i].predicted)));
    return list;
}

static void add_step(struct result_table *t, const struct learn_step *step)
{
    cell_number(t, step->measured);
    cell_number(t, step->without);
    cell_number(t, step->predicted);
    cell_text(t, step->experiment);
}

/* Adds at most STEPS_SHOWN experiments that the form slows down (@slowed) or does not slow down.
 * Omits the first experiment, which is the form in isolation. Returns the number of added
 * experiments. */
static size_t add_steps(struct result_table *t, const struct learned *l, bool slowed)
{
    size_t shown = 0;

    for (size_t i = 1; i < l->step_count && shown < STEPS_SHOWN; i++)
        if ((l->steps[i].predicted > 1.005 * l->steps[i].without) == slowed) {
            add_step(t, &l->steps[i]);
            shown++;
        }
    return shown;
}

static void add_learned(struct result *result, const char *form, const struct learned *l,
                        const char *usage, const char *before)
{
    static const struct result_column columns[] = {
        {.key = "measured", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "without", .kind = CELL_NUMBER, .decimals = 3, .width = 8},
        {.key = "predicted", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "experiment", .kind = CELL_TEXT},
    };
    struct str text = {0};

    str_addf(&text, "%s: %s", form, *usage ? usage : "no port");
    if (isfinite(l->latency))
        str_addf(&text, ", latency %.2f", l->latency);
    if (l->micro_ops)
        str_addf(&text, ", %u %s at rename", l->micro_ops, l->micro_ops == 1 ? "slot" : "slots");
    str_addf(&text, "; agreement within %.0f %%: %zu of %zu measurements", 100 * l->tolerance,
             l->step_count - l->outliers, l->step_count);
    if (l->rivals)
        str_addf(&text, "; also possible: %zu other usage%s of equal cost", l->rivals,
                 plural(l->rivals));
    result_line(result, "%s", str_text(&text));
    str_done(&text);
    if (before)
        result_line(result, "  before: %s", before);
    struct result_table *t = RESULT_TABLE(result, "steps", columns);
    t->hide = NOT_CSV | NOT_JSON;
    t->indent = "   ";
    add_step(t, &l->steps[0]);
    size_t shown = 1 + add_steps(t, l, true);
    shown += add_steps(t, l, false);
    if (shown < l->step_count)
        result_line(result, "  and %zu more", l->step_count - shown);
}

static void adopt(struct machine *m, const char *form, const struct learned *l)
{
    const struct mapping_entry *old = mapping_find(m->mapping, form);
    struct mapping_entry entry = {.form = (char *)form,
                                  .usage = l->usage,
                                  .latency = l->latency,
                                  .micro_ops = l->micro_ops,
                                  .source = "measured by kernel learn"};

    if (old && isnan(entry.latency))
        entry.latency = old->latency;
    if (old && !entry.micro_ops)
        entry.micro_ops = old->micro_ops;
    mapping_set(m->mapping, &entry);
}

/* Adds the result for one form. Only CSV has the rows of @evidence. */
static void add_lesson(struct result *result, struct result_table *evidence, struct machine *m,
                       struct lesson *lesson)
{
    const struct learned *l = &lesson->learned;
    const struct mapping_entry *old = mapping_find(m->mapping, lesson->form);
    struct str usage = {0}, before = {0};
    struct ports shown;

    ports_shown(m, &shown);
    usage_print(&l->usage, &shown, &usage);
    if (old)
        usage_print(&old->usage, &shown, &before);
    add_learned(result, lesson->form, l, str_text(&usage), old ? str_text(&before) : NULL);
    for (size_t i = 0; i < l->step_count; i++) {
        cell_text(evidence, lesson->form);
        cell_text(evidence, str_text(&usage));
        cell_text(evidence, l->steps[i].experiment);
        cell_number(evidence, l->steps[i].measured);
        cell_number(evidence, l->steps[i].without);
        cell_number(evidence, l->steps[i].predicted);
    }
    result_item(result, "lessons",
                json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:I, s:I, s:o, s:o}", "machine",
                          json_text(m->id), "form", json_text(lesson->form), "usage",
                          json_text(str_text(&usage)), "latency", json_number(l->latency),
                          "micro_ops", (int)l->micro_ops, "tolerance", json_number(l->tolerance),
                          "outliers", (json_int_t)l->outliers, "rivals", (json_int_t)l->rivals,
                          "before", json_text(old ? str_text(&before) : NULL), "evidence",
                          steps_json(l)));
    str_done(&usage);
    str_done(&before);
}

static void add_failure(struct result *result, const struct machine *m, const char *form,
                        const struct err *err)
{
    char text[1024];

    err_text(err, text, sizeof text);
    result_line(result, "%s: %s", form, text);
    result_item(result, "lessons",
                json_pack("{s:o, s:o, s:o}", "machine", json_text(m->id), "form", json_text(form),
                          "reason", json_text(text)));
}

/* Learns one form, with its latency if @cpu can measure it (NULL: no latency). The known forms
 * include the forms learned before. If learning fails, sets lesson->fault. */
static void learn_one(struct kernel_learning *w, struct learner *learner, struct source *cpu,
                      struct lesson *lesson)
{
    struct err none = {0};

    lesson->known = learn_form(learner, lesson->form, &lesson->learned, &lesson->fault);
    if (!lesson->known)
        return;
    const struct form_row *row = cpu ? forms_find(w->forms, lesson->form) : NULL;
    if (row)
        /* An error is ignored, because many forms have no chain. */
        lesson->learned.latency = learn_latency(cpu, row, &none);
    adopt(w->machine, lesson->form, &lesson->learned);
}

static bool learn_run(void *state, struct result *result, struct err *err)
{
    struct kernel_learning *w = state;
    size_t learned = 0;

    job_progress(0, (double)w->lessons.count, "searching for blocking forms");
    struct source *source =
        w->simulated ? source_simulated(w->simulated, 0.001, 1)
                     : source_cpu(w->forms, -1, 0, &crew_threads, job_cancelled, NULL, err);
    double width = !w->simulated ? machine_number(w->machine, "issue_width")
                   : mapping_issue_width(w->simulated) > 0 ? mapping_issue_width(w->simulated)
                                                           : NAN;
    struct learner *learner =
        source ? learner_new(source, w->machine->mapping, width, job_cancelled, NULL, err) : NULL;
    for (size_t i = 0; learner && i < w->lessons.count && !job_cancelled(NULL); i++) {
        struct lesson *lesson = &w->lessons.items[i];
        job_progress((double)i, (double)w->lessons.count, "%s", lesson->form);
        learn_one(w, learner, w->simulated ? NULL : source, lesson);
        learned += lesson->known;
        if (!lesson->known)
            *err = lesson->fault;
    }
    w->blockers = learner ? learner_blockers(learner) : 0;
    learner_free(learner);
    source_free(source);
    if (learner && job_cancelled(NULL))
        return err_set(err, ERR_INTERRUPTED, NULL, "learning was cancelled");
    return learner && learned > 0;
}

static bool learn_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT},       {.key = "usage", .kind = CELL_TEXT},
        {.key = "experiment", .kind = CELL_TEXT}, {.key = "measured", .kind = CELL_NUMBER},
        {.key = "without", .kind = CELL_NUMBER},  {.key = "predicted", .kind = CELL_NUMBER},
    };
    struct kernel_learning *w = state;
    struct machine *m = session_machine(s, w->id, err);
    size_t learned = 0;

    if (!m || !ports_equal(mapping_ports(m->mapping), mapping_ports(w->machine->mapping))) {
        result_line(result, "the ports of %s changed meanwhile: results discarded", w->id);
        return true;
    }
    struct result_table *evidence = RESULT_TABLE(result, "evidence", columns);
    evidence->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    m = session_change_machine(s, m, "kernel learn");
    for (size_t i = 0; i < w->lessons.count; i++) {
        struct lesson *lesson = &w->lessons.items[i];
        learned += lesson->known;
        if (lesson->known) {
            add_lesson(result, evidence, m, lesson);
            adopt(m, lesson->form, &lesson->learned);
        } else if (w->lessons.count > 1 && lesson->fault.code) {
            add_failure(result, m, lesson->form, &lesson->fault);
        }
    }
    if (learned)
        result_line(result,
                    "%zu of %zu form%s learned with %zu blocking form%s; added to %s for this "
                    "session (mapping save stores the machine)",
                    learned, w->lessons.count, plural(w->lessons.count), w->blockers,
                    plural(w->blockers), w->id);
    return true;
}

static void request_free(void *state)
{
    struct kernel_learning *w = state;
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

struct learn_values {
    struct word_list forms;
    const char *simulate;
};

static bool refuse_form(const struct forms *forms, const char *form, struct err *err)
{
    const struct similar similar = {.word = form, .best = forms_meant(forms, form)};
    char todo[SIMILAR_TODO];

    return err_set(err, ERR_DATA, similar_todo(&similar, "forms list shows the names", todo),
                   "unknown form %s", form);
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"learns", learn_run, learn_finish, request_free,
                                        .listed = TASK_LISTED};
    const struct learn_values *v = values;
    struct machine *m = session_current(s, err), *other = NULL;
    struct forms *forms = m ? session_forms(s, s->document.isa, err) : NULL;

    if (!forms || (v->simulate && !(other = session_machine(s, v->simulate, err))))
        return false;
    for (size_t i = 0; i < v->forms.count; i++)
        if (other ? !mapping_find(other->mapping, v->forms.items[i])
                  : !forms_find(forms, v->forms.items[i]))
            return other ? machine_refuse_form(other, v->forms.items[i],
                                               "mapping show lists the machine's forms", err)
                         : refuse_form(forms, v->forms.items[i], err);
    struct kernel_learning *w = mem_zero(1, sizeof *w);
    w->id = mem_strdup(m->id);
    for (size_t i = 0; i < v->forms.count; i++)
        want(w, v->forms.items[i]);
    bool ok = v->forms.count || want_unknown(s, m, w, err);
    if (!ok || !w->lessons.count) {
        if (ok) {
            result_confirm(s->result, "%s has usages for all forms of the kernel", m->id);
            result_text(s->result, "machine", m->id);
        }
        request_free(w);
        return ok;
    }
    w->machine = machine_copy(m);
    w->simulated = other ? mapping_copy(other->mapping) : NULL;
    w->forms = forms_hold(forms);
    task->measures = !other;
    return task_give(task, &ops, w);
}

const struct command command_kernel_learn = {
    .name = "kernel learn",
    .help = "learn port usage and latency of unknown forms by measurement",
    .description = "Each form runs alone and with forms that block known ports. The usage that "
                   "explains all times is added to the current machine for this session.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "FORM", struct learn_values, forms),
         .fallback = "the kernel's unknown forms", .complete = COMPLETE_FORM,
         .help = "form to learn"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--simulate", struct learn_values, simulate), .value = "ID",
         .fallback = "measure this CPU", .complete = COMPLETE_MACHINE,
         .help = "machine to simulate instead of measuring, as a trial"}),
    .examples = EXAMPLES("kernel learn", "kernel learn 'IMUL (R64, R64)'"),
    .values_size = sizeof(struct learn_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB | COMMAND_FORMS,
    .prepare = prepare,
};
