/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/key_acts.h"

#include <math.h>
#include <string.h>

#include "analysis/recipe.h"
#include "cmd/analyses.h"
#include "cmd/check.h"
#include "cmd/function_list.h"
#include "cmd/lab_findings.h"
#include "profile/profile.h"
#include "program/study.h"
#include "toolchain/compilers.h"
#include "work/evolve_job.h"
#include "work/job.h"

bool keys_run_is_there(const struct session *s)
{
    return s->document.run_count > 0;
}

bool keys_runs_are_there(const struct session *s)
{
    return s->document.run_count > 1;
}

bool keys_rounds_are_there(const struct session *s)
{
    return s->document.active != NULL;
}

static bool inference_goes_on(const struct session *s)
{
    struct evolve_run *run = document_newest_run(&s->document);

    return run && evolve_run_status(run)->state <= EVOLVE_PAUSED;
}

bool keys_run_goes_on(const struct session *s)
{
    return !lab_log_is_newest(s) && inference_goes_on(s);
}

static bool job_runs(const char *title)
{
    struct job_info info;

    for (size_t i = 0; job_get(i, &info); i++)
        if (info.state == JOB_RUNNING && strcmp(info.title, title) == 0)
            return true;
    return false;
}

bool keys_lab_can_stop(const struct session *s)
{
    return lab_log_is_newest(s)
               ? job_runs("machine chart") || job_runs("machine check") || job_runs("machine hunt")
               : inference_goes_on(s);
}

bool keys_forms_can_be_measured(const struct session *s)
{
    const struct document *d = &s->document;

    return !inference_goes_on(s) &&
           (d->form_pattern_count || d->experiments || d->isa == isa_host());
}

bool keys_run_has_mapping(const struct session *s)
{
    struct evolve_run *run = document_newest_run(&s->document);

    return run && !lab_log_is_newest(s) && !isnan(evolve_run_status(run)->d_avg);
}

bool keys_mapping_is_inferred(const struct session *s)
{
    struct stage_mapping *charted =
        lab_log_is_newest(s) ? stage_log_mapped(s->document.chart) : NULL;
    const bool has = charted != NULL;

    stage_mapping_free(charted);
    return has || keys_run_has_mapping(s);
}

static bool experiments_are_there(const struct session *s)
{
    return s->document.experiments && s->document.experiments->rows.count;
}

/* Returns whether a measurement can start, because no other job needs an idle CPU. */
static bool cpu_is_free(void)
{
    struct err none = {0};

    return job_may_measure("", false, &none);
}

bool keys_experiments_wait(const struct session *s)
{
    const struct experiments *t = s->document.experiments;

    return t && t->measured + t->failed < t->rows.count && !s->measuring && cpu_is_free();
}

bool keys_run_can_start(const struct session *s)
{
    return experiments_are_there(s) && s->document.experiments->measured && !inference_goes_on(s);
}

static bool machines_are_there(const struct session *s)
{
    return s->document.selected_count > 1;
}

bool keys_experiments_are_measured(const struct session *s)
{
    return experiments_are_there(s) && s->document.experiments->measured;
}

bool keys_mappings_are_measured(const struct session *s)
{
    return keys_experiments_are_measured(s) && machines_are_there(s);
}

bool keys_kernel_is_there(const struct session *s)
{
    return s->document.kernel != NULL;
}

static bool loop_has_code(const struct session *s)
{
    size_t count = 0;

    if (s->document.kernel)
        kernel_insns(s->document.kernel, s->document.loop, &count);
    return count > 0;
}

bool keys_loop_runs_here(const struct session *s)
{
    return loop_has_code(s) && s->document.kernel->isa == isa_host() && cpu_is_free();
}

bool keys_loop_can_be_tuned(const struct session *s)
{
    return loop_has_code(s) && !job_runs("kernel tune") && cpu_is_free();
}

bool keys_loop_on_machines(const struct session *s)
{
    return keys_kernel_is_there(s) && machines_are_there(s);
}

bool keys_kernels_are_there(const struct session *s)
{
    return s->document.shelf.list.count > 1;
}

bool keys_loops_are_there(const struct session *s)
{
    return keys_kernels_are_there(s) ||
           (keys_kernel_is_there(s) && s->document.kernel->loop_count > 1);
}

bool keys_loop_can_be_compared(const struct session *s)
{
    return keys_kernels_are_there(s) || keys_loop_on_machines(s);
}

bool keys_kernel_has_text(const struct session *s)
{
    return s->document.kernel && s->document.kernel->source;
}

bool keys_kernel_has_a_source(const struct session *s)
{
    const struct kernel *k = s->document.kernel;

    return k && k->recipe && k->recipe->source;
}

bool keys_kernel_has_compilers(const struct session *s)
{
    const char *installed[2];

    if (!keys_kernel_has_a_source(s))
        return false;
    const struct recipe *r = s->document.kernel->recipe;
    return compilers_installed(compiler_language(r->path),
                               r->options.isa_given ? r->options.isa : isa_host(), installed,
                               2) > 1;
}

/* Returns the analysis on the machine in view; NULL: none yet. */
static const struct analysis *analysis_in_view(const struct session *s)
{
    const struct analyses *a = s->document.analyses;

    return a && a->made && s->document.in_view < a->count ? a->items[s->document.in_view] : NULL;
}

bool keys_machines_are_incomplete(const struct session *s)
{
    const struct analysis *a = analysis_in_view(s);

    return a && a->unknown && s->document.analyses->coverage.list.count;
}

bool keys_chain_is_drawn(const struct session *s)
{
    const struct analysis *a = analysis_in_view(s);
    const struct simulation *sim =
        a ? s->document.analyses->simulations[s->document.in_view].made : NULL;

    return sim && sim->step_iterations && a->limit.chain.count;
}

bool keys_values_are_swept(const struct session *s)
{
    return s->document.sweep.count > 1 && !s->document.pair.sides[0].bottleneck;
}

bool keys_place_has_panes(const struct session *s)
{
    return s->several_panes;
}

bool keys_table_is_shown(const struct session *s)
{
    return s->table_shown;
}

bool keys_check_has_rows(const struct session *s)
{
    return s->document.check && s->document.check->count;
}

bool keys_cpu_is_free(const struct session *s)
{
    return cpu_is_free();
}

bool keys_check_can_start(const struct session *s)
{
    return (s->document.here.id || s->document.isa == isa_host()) && !s->checking && cpu_is_free();
}

bool keys_functions_are_listed(const struct session *s)
{
    return s->document.functions && s->document.functions->rows.count;
}

bool keys_hot_loops_are_there(const struct session *s)
{
    return s->document.profile && s->document.profile->loops.count;
}

bool keys_blocks_are_there(const struct session *s)
{
    return s->document.program.study && s->document.program.study->blocks.count;
}

bool keys_program_has_rows(const struct session *s)
{
    return keys_hot_loops_are_there(s) || (keys_blocks_are_there(s) && s->document.program.model);
}

bool keys_program_has_both(const struct session *s)
{
    return s->document.profile && s->document.program.study;
}

bool keys_program_is_loaded(const struct session *s)
{
    return s->document.program.program != NULL;
}

bool keys_program_has_run(const struct session *s)
{
    return s->document.program.model != NULL;
}

bool keys_profile_runs(const struct session *s)
{
    return s->profiling != NULL;
}

bool keys_measuring_goes_on(const struct session *s)
{
    return s->measuring != NULL;
}
