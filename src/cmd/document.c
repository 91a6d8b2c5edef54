/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stage_log.h"
#include "cmd/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/analyses.h"
#include "cmd/check.h"
#include "cmd/comparison.h"
#include "cmd/explained.h"
#include "cmd/forecast.h"
#include "cmd/function_list.h"
#include "io/cpus.h"
#include "io/machine_file.h"
#include "profile/profile.h"
#include "program/study.h"
#include "report/blame.h"
#include "work/active_job.h"
#include "work/evolve_job.h"
#include "work/job.h"

/* Finds this computer's machine. If the user has a measured machine of that name, it has
 * precedence. */
static void find_here(struct here *here)
{
    struct cpu_native native;
    struct str own = {0};

    if (!cpu_native_find(&native, &here->fault))
        return;
    here->isa = native.isa;
    here->base = mem_strdup(native.machine);
    here->title = mem_strdup(native.title);
    str_addf(&own, "%s" HERE_MEASURED, native.name);
    here->id = machine_user_has(str_text(&own)) ? str_take(&own) : mem_strdup(native.name);
    str_done(&own);
    cpu_native_done(&native);
}

/* Returns the initial selection: this computer's machine first, then default machines of the same
 * instruction set with other tables. */
static struct selection first_selection(const struct here *here, enum isa isa)
{
    bool native = here->id && here->isa == isa;
    struct selection s = {mem_alloc(4 * sizeof(char *)), 0};

    if (native)
        s.ids[s.count++] = mem_strdup(here->id);
    for (size_t i = 0; i < 3; i++) {
        const char *id = isa_ops(isa)->default_machines[i];
        if (!native || strcmp(id, here->base) != 0)
            s.ids[s.count++] = mem_strdup(id);
    }
    return s;
}

void document_init(struct document *d)
{
    *d = (struct document){.kernel_measured = NAN, .record = record_new()};
    find_here(&d->here);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        d->kept[isa] = first_selection(&d->here, (enum isa)isa);
    document_show_isa(d, isa_host());
}

void document_show_isa(struct document *d, enum isa isa)
{
    d->isa = isa;
    d->selected = d->kept[isa].ids;
    d->selected_count = d->kept[isa].count;
    if (d->in_view >= d->selected_count)
        d->in_view = 0;
}

void sweep_done(struct sweep *sweep)
{
    free(sweep->values);
    free(sweep->bounds);
    free(sweep->simulated);
    *sweep = (struct sweep){0};
}

static double *copy_values(const double *from, size_t count)
{
    double *to = mem_alloc(count * sizeof *to);

    memcpy(to, from, count * sizeof *to);
    return to;
}

void sweep_copy(const struct sweep *from, struct sweep *to)
{
    if (!from->count)
        return;
    *to = *from;
    to->values = copy_values(from->values, from->count);
    to->bounds = copy_values(from->bounds, from->count);
    to->simulated = copy_values(from->simulated, from->count);
}

void unfinished_run_done(struct unfinished_run *run)
{
    free(run->checkpoint);
    *run = (struct unfinished_run){0};
}

void program_state_done(struct program_state *p)
{
    program_free(p->program);
    program_runs_free(p->runs);
    program_model_free(p->model);
    study_free(p->study);
    vec_done(&p->measured.list);
    invocation_done(&p->how);
    *p = (struct program_state){0};
}

void document_drop_analyses(struct document *d)
{
    if (d->analyses)
        analyses_cancel(d->analyses);
    analyses_free(d->analyses);
    d->analyses = NULL;
}

void document_use_loop(struct document *d, size_t loop)
{
    document_drop_analyses(d);
    d->loop = loop;
    d->kernel_measured = NAN;
    blame_free(d->blame);
    d->blame = NULL;
    sweep_done(&d->sweep);
    d->pair = (struct whatif_pair){0};
}

/* Moves the results of runs and commands, except kernels and experiments, from @from to @to. */
static void keep_results(const struct document *from, struct document *to)
{
    to->runs = from->runs;
    to->run_count = from->run_count;
    to->active = from->active;
    to->active_run = from->active_run;
    to->record = from->record;
    to->check = from->check;
    to->chart = from->chart;
    to->chart_after = from->chart_after;
    to->explained = from->explained;
    to->functions = from->functions;
    to->program = from->program;
    to->profile = from->profile;
}

void document_exchange(struct document *d, struct document *saved)
{
    struct document before = *d;

    *d = *saved;
    *saved = before;
    keep_results(d, saved);
    keep_results(&before, d);
    d->measured = before.measured;
    d->measured_clock_hz = before.measured_clock_hz;
    d->measured_children = before.measured_children;
}

void document_retire(struct document *d, struct machine *take_machine)
{
    d->retired = mem_resize(d->retired, (d->retired_count + 1) * sizeof *d->retired);
    d->retired[d->retired_count++] = take_machine;
}

void document_let_go(struct document *d)
{
    for (size_t i = 0; i < d->retired_count; i++)
        machine_free(d->retired[i]);
    free(d->retired);
    d->retired = NULL;
    d->retired_count = 0;
}

struct evolve_run *document_newest_run(const struct document *d)
{
    return d->run_count ? d->runs[d->run_count - 1] : NULL;
}

struct machine *document_machine(const struct document *d, const char *id)
{
    for (size_t i = 0; i < d->machine_count; i++)
        if (strcmp(d->machines[i]->id, id) == 0)
            return d->machines[i];
    return NULL;
}

void document_done(struct document *d)
{
    free(d->analysed);
    free(d->here.id);
    free(d->here.base);
    free(d->here.title);
    document_drop_analyses(d);
    forecasts_free(d->forecasts);
    undo_done(&d->undo);
    shelf_done(&d->shelf);
    kernel_free(d->kernel);
    blame_free(d->blame);
    explained_free(d->explained);
    check_free(d->check);
    stage_log_free(d->chart);
    comparison_free(d->comparison);
    function_list_free(d->functions);
    sweep_done(&d->sweep);
    unfinished_run_done(&d->unfinished);
    for (size_t i = 0; i < d->run_count; i++)
        evolve_run_free(d->runs[i]);
    free(d->runs);
    active_curve_free(d->active);
    experiments_free(d->experiments);
    program_state_done(&d->program);
    profile_free(d->profile);
    record_free(d->record);
    document_let_go(d);
    for (size_t i = 0; i < d->machine_count; i++)
        machine_free(d->machines[i]);
    free(d->machines);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        mem_free_texts(d->kept[isa].ids, d->kept[isa].count);
        forms_free(d->forms[isa]);
    }
    mem_free_texts(d->form_patterns, d->form_pattern_count);
}
