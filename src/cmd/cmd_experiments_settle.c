/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chart/charting.h"
#include "chart/settle.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "isa/cpu.h"
#include "measure/cpu_source.h"
#include "work/crew.h"
#include "work/job.h"

#define SHOWN 20             /* maximum number of forms listed in text */

/* State of the job of experiments settle. The worker measures, decides between usages, and writes
 * the machine's directory. */
struct experiments_settling {
    struct session *session;
    const char *name;
    char *directory, *journal_path, *ambiguities_path;
    struct ambiguities ambiguities;
    struct machine *machine;         /* the job's copy of the charted machine */
    struct machine *simulated;       /* copy of the simulated machine; NULL: this CPU */
    struct forms *forms;             /* the CPU's forms; NULL for a simulated CPU */
    struct runner_options options;
    uint64_t seed;
    int cpu;
    struct settled settled;
};

static void progress(void *state, const struct runner_summary *so_far, size_t total)
{
    job_progress((double)(so_far->done + so_far->failed), (double)total,
                 "experiments that decide between usages");
}

/* Saves the machine and its remaining ambiguities. Saves the machine first. If saving the
 * ambiguities then fails, the old list merely has ambiguities that are already decided. */
static bool save(const struct experiments_settling *w, struct err *err)
{
    return machine_save(w->machine, w->directory, err) &&
           ambiguities_save(&w->ambiguities, mapping_ports(w->machine->mapping),
                            w->ambiguities_path, err);
}

static bool settle_work(void *state, struct result *result, struct err *err)
{
    struct experiments_settling *w = state;
    const struct runner_hooks hooks = {
        .cancelled = job_cancelled, .progress = progress, .state = w};
    struct imitation *imitation =
        w->simulated ? imitation_new(w->simulated, CHART_SIMULATED_NOISE, w->seed) : NULL;

    job_progress(0, 0, "clock, noise and idle baseline");
    struct journal *journal = journal_open(w->journal_path, err);
    struct source *own = journal && !imitation ? source_cpu(w->forms, w->cpu, 0, &crew_threads,
                                                            job_cancelled, NULL, err)
                                               : NULL,
                  *source = imitation ? imitation_cpu(imitation)->source : own;
    bool ok = journal && source &&
              settle_ambiguities(source, journal, &w->options, &hooks, &w->ambiguities, w->machine,
                                 &w->settled, err) &&
              save(w, err);
    source_free(own);
    imitation_free(imitation);
    journal_close(journal);
    return ok;
}

static void add_forms(const struct settled *s, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT},         {.key = "verdict", .kind = CELL_TEXT},
        {.key = "before", .kind = CELL_TEXT},       {.key = "after", .kind = CELL_TEXT},
        {.key = "confidence", .kind = CELL_NUMBER}, {.key = "experiments", .kind = CELL_COUNT},
    };
    struct result_table *t = RESULT_TABLE(result, "forms", columns);

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < s->forms.count; i++) {
        const struct settled_form *f = &s->forms.items[i];
        cell_text(t, f->form);
        cell_text(t, settle_verdict_names[f->verdict]);
        cell_text(t, f->before);
        cell_text(t, f->after);
        cell_number(t, f->confidence);
        cell_count(t, f->experiments);
    }
}

static void show(const struct experiments_settling *w, struct result *result)
{
    size_t of[4] = {0}, shown = 0;

    for (size_t i = 0; i < w->settled.forms.count; i++)
        of[w->settled.forms.items[i].verdict]++;
    result_line(result, "%zu experiment%s for %zu form%s of %s; stable times: %zu",
                w->settled.experiments, plural(w->settled.experiments), w->settled.forms.count,
                plural(w->settled.forms.count), w->name, w->settled.measured);
    result_line(result,
                "forms: %zu confirmed, %zu changed, %zu explained by no usage, %zu left open",
                of[SETTLE_CONFIRMED], of[SETTLE_CHANGED], of[SETTLE_UNEXPLAINED], of[SETTLE_OPEN]);
    for (size_t i = 0; i < w->settled.forms.count && shown < SHOWN; i++) {
        const struct settled_form *f = &w->settled.forms.items[i];
        if (f->verdict != SETTLE_CHANGED)
            continue;
        result_line(result, "  %s: %s, was %s (confidence %.2f)", f->form,
                    *f->after ? f->after : "no port", *f->before ? f->before : "no port",
                    f->confidence);
        shown++;
    }
    if (of[SETTLE_OPEN])
        result_line(result, "the next run measures the open experiments; --patience waits longer "
                            "for an idle core");
    result_text(result, "machine", w->name);
    result_count(result, "experiments", (int64_t)w->settled.experiments);
    result_count(result, "measured", (int64_t)w->settled.measured);
    result_count(result, "confirmed", (int64_t)of[SETTLE_CONFIRMED]);
    result_count(result, "changed", (int64_t)of[SETTLE_CHANGED]);
    result_count(result, "unexplained", (int64_t)of[SETTLE_UNEXPLAINED]);
    result_count(result, "open", (int64_t)of[SETTLE_OPEN]);
    add_forms(&w->settled, result);
}

static bool settle_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct experiments_settling *w = state;

    show(w, result);
    chart_adopt(s, w->directory, w->name);
    return true;
}

static void settling_free(void *state)
{
    struct experiments_settling *w = state;
    free(w->directory);
    free(w->journal_path);
    free(w->ambiguities_path);
    ambiguities_done(&w->ambiguities);
    machine_free(w->machine);
    machine_free(w->simulated);
    if (w->forms)
        forms_free(w->forms);
    settled_done(&w->settled);
    free(w);
}

struct settle_values {
    const char *name, *simulate;
    double patience;
    size_t cpu;
};

/* Loads the machine and its ambiguities, and the simulated machine or this CPU's forms. Finds the
 * journal. Returns false with err on failure. */
static bool prepare(struct experiments_settling *w, struct err *err)
{
    struct session *s = w->session;

    if (!w->directory || !w->ambiguities_path || !machine_user_has(w->name) ||
        access(w->ambiguities_path, R_OK) != 0)
        return err_set(err, ERR_USAGE, "machine chart NAME charts this CPU",
                       "no charted machine \"%s\" on this host", w->name);
    w->machine = machine_load(w->directory, err);
    if (!w->machine || !ambiguities_load(w->ambiguities_path, mapping_ports(w->machine->mapping),
                                         &w->ambiguities, err))
        return false;
    const char *simulated = *w->ambiguities.simulated ? w->ambiguities.simulated : NULL;
    const struct machine *m = simulated ? session_machine(s, simulated, err) : NULL;
    struct forms *forms = simulated ? NULL : session_forms(s, isa_host(), err);
    if (simulated ? !m : !forms)
        return false;
    w->simulated = m ? machine_copy(m) : NULL;
    w->forms = forms ? forms_hold(forms) : NULL;
    w->journal_path = chart_journal_path(w->name, simulated, err);
    return w->journal_path != NULL;
}

static bool prepare_settle(struct session *s, const void *values, struct task *task,
                           struct err *err)
{
    static const struct task_ops ops = {"measures", settle_work, settle_finish, settling_free,
                                        .listed = TASK_LISTED, .measures_alone = true};
    const struct settle_values *v = values;

    if (!v->name)
        return settle_table(s, &(struct measure_choice){v->simulate, v->patience, v->cpu}, task,
                            err);
    if (v->simulate)
        return err_set(err, ERR_USAGE, "omit --simulate",
                       "--simulate applies to the session's experiments, not to the charted "
                       "machine %s",
                       v->name);
    struct experiments_settling *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->name = v->name;
    w->directory = machine_user_directory(v->name);
    w->ambiguities_path = chart_ambiguities_path(v->name);
    w->options = (struct runner_options){.one_length = true, .patience = v->patience};
    w->seed = s->settings.seed;
    const bool ok = task_give(task, &ops, w) && command_cpu(v->cpu, &w->cpu, err) && prepare(w, err);
    task->measures = !w->simulated;
    return ok;
}

const struct command command_experiments_settle = {
    .name = "experiments settle",
    .help = "measure experiments that decide between equally likely usages, or compare forms that "
            "were compared only in isolation",
    .description =
        "If two usages explain a form's measurements equally well, machine chart names an "
        "experiment that distinguishes them. With NAME these experiments are measured on the "
        "charted CPU, and the machine gets the usages that explain them. Experiments without a "
        "stable time are left to the next run. Without NAME, the pairs that congruence lacks are "
        "added to the session's experiments. Experiments for ports that evolve adopt reported as "
        "not observable are also added. Then all experiments without cycles are measured.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "NAME", struct settle_values, name), .complete = COMPLETE_MACHINE,
         .fallback = "the experiments of the session", .help = "machine made by machine chart"}),
    .options = PARAMETERS(
        {PARAMETER(DURATION, "--patience", struct settle_values, patience), .value = "T",
         .least = 0.01, .most = 8640000, .initial = "20s",
         .help = "time to wait for an idle core; the next run measures the remaining experiments"},
        {PARAMETER(TEXT, "--simulate", struct settle_values, simulate), .value = "ID",
         .complete = COMPLETE_MACHINE, .fallback = "measure this CPU",
         .help = "machine to simulate instead of measuring; not with NAME"},
        {PARAMETER(COUNT, "--cpu", struct settle_values, cpu), .value = "N", .most = 65535,
         .fallback = "all CPUs that do not disturb each other, at most 4",
         .help = "measure only on CPU N; numbers start at 0"}),
    .examples = EXAMPLES("experiments settle mine", "experiments settle --simulate skylake"),
    .values_size = sizeof(struct settle_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB | COMMAND_FORMS,
    .prepare = prepare_settle,
};
