/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/simulate_kernel.h"
#include "base/mem.h"
#include "cmd/options.h"
#include "io/machine_file.h"
#include "work/active_job.h"
#include "work/evolve_job.h"
#include "work/job.h"
#include "work/pool.h"

#define TIMELINE_ITERATIONS 40   /* kept of each simulation */
#define SIMULATED_AT_ONCE 400    /* instructions of the longest loop that views simulate */

void session_init(struct session *s)
{
    *s = (struct session){.input = stdin, .revision = 1, .patience = INFINITY, .kernel_measured = NAN, .seed = 1, .isa = isa_host(), .record = record_new()};
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        s->kept[isa] = (struct selection){mem_alloc(3 * sizeof(char *)), 3};
        for (size_t i = 0; i < 3; i++)
            s->kept[isa].ids[i] = mem_strdup(isa_ops((enum isa)isa)->default_machines[i]);
    }
    s->selected = s->kept[s->isa].ids;
    s->selected_count = s->kept[s->isa].count;
}

static void drop_selection(struct selection *selection)
{
    for (size_t i = 0; i < selection->count; i++)
        free(selection->ids[i]);
    free(selection->ids);
}

static void show_isa(struct session *s, enum isa isa)
{
    s->isa = isa;
    s->selected = s->kept[isa].ids;
    s->selected_count = s->kept[isa].count;
}

void sweep_done(struct sweep *sweep)
{
    free(sweep->values);
    free(sweep->bounds);
    free(sweep->simulated);
    *sweep = (struct sweep){0};
}

static void drop_analyses(struct session *s)
{
    for (size_t i = 0; i < s->analysis_count; i++) {
        analysis_free(s->analyses[i]);
        if (s->simulations[i])
            simulation_done(s->simulations[i]);
        free(s->simulations[i]);
    }
    free(s->analyses);
    free(s->simulations);
    s->simulations = NULL;
    s->analyses = NULL;
    s->analysis_count = 0;
}

struct analysis *const *session_analyses(struct session *s, size_t *count)
{
    struct err err = {0};

    if (!s->analyses || s->analyzed != s->revision) {
        drop_analyses(s);
        s->analyzed = s->revision;
        s->analyses = mem_zero(s->selected_count, sizeof *s->analyses);
        s->simulations = mem_zero(s->selected_count, sizeof *s->simulations);
        for (size_t i = 0; s->kernel && i < s->selected_count; i++) {
            struct machine *m = session_machine(s, s->selected[i], &err);
            if (m && session_fits(s, m, &err))
                s->analyses[s->analysis_count++] = analysis_new(s->kernel, m);
        }
    }
    *count = s->analysis_count;
    return s->analyses;
}

const struct simulation *session_simulation(struct session *s, size_t index)
{
    static const struct simulate_options options = {.timeline = TIMELINE_ITERATIONS};
    size_t count, insns;

    session_analyses(s, &count);
    if (!s->kernel || index >= count)
        return NULL;
    kernel_insns(s->kernel, &insns);
    if (!s->simulations[index] && insns && insns <= SIMULATED_AT_ONCE) {
        s->simulations[index] = mem_zero(1, sizeof **s->simulations);
        simulate_kernel(s->kernel, s->analyses[index]->machine, &options, s->simulations[index], NULL);
    }
    return s->simulations[index];
}

bool session_wait(struct session *s, unsigned number, struct err *err)
{
    struct job_info info;

    (void)s;
    if (!job_wait(number))
        return err_set(err, ERR_USAGE, "jobs lists them", "there is no job %u", number);
    for (size_t i = 0; job_get(i, &info); i++) {
        if (number && info.number != number)
            continue;
        if (info.state == JOB_CANCELLED && number)
            return err_set(err, ERR_LIMIT, NULL, "%s was cancelled", info.title);
        if (info.state == JOB_FAILED && number) {
            *err = info.err;
            return false;
        }
    }
    return true;
}

bool session_job(struct session *s, const char *title, const char *doing, const struct job_ops *ops, void *take_state, struct err *err)
{
    unsigned number = job_start(title, ops, take_state, err);

    if (!number)
        return false;
    if (!s->interactive || isinf(s->patience) || job_wait_for(number, s->patience))
        return session_wait(s, number, err);
    if (s->format == FORMAT_TEXT)
        str_addf(&s->output, "job %u %s; Esc ends it\n", number, doing);
    session_await(s, number, true);
    return true;
}

void session_forget_rests(struct session *s)
{
    for (size_t i = 0; i < s->rest_count; i++) {
        free(s->rests[i].script);
        free(s->rests[i].text);
    }
    free(s->rests);
    s->rests = NULL;
    s->rest_count = 0;
    s->awaited = 0;
}

void session_await(struct session *s, unsigned number, bool own)
{
    session_forget_rests(s);
    s->awaited = number;
    s->awaited_now = true;
    s->awaited_own = own;
}

bool session_awaited_ended(struct session *s, bool *ended, struct err *err)
{
    struct job_info info = {.settled = true, .state = JOB_DONE};

    *ended = s->awaited == AWAIT_ALL ? job_running() == 0 : !job_find(s->awaited, &info) || info.settled;
    if (!*ended)
        return true;
    bool ok = s->awaited == AWAIT_ALL || info.state == JOB_DONE || session_wait(s, s->awaited, err);
    if (!ok)
        session_forget_rests(s);
    s->awaited = 0;
    return ok;
}

void session_done(struct session *s)
{
    job_shutdown();
    session_release(s);
}

void session_release(struct session *s)
{
    session_forget_rests(s);
    drop_analyses(s);
    kernel_free(s->kernel);
    for (size_t i = 0; i < s->run_count; i++)
        evolve_run_free(s->runs[i]);
    free(s->runs);
    active_curve_free(s->active);
    experiments_free(s->experiments);
    record_free(s->record);
    for (size_t i = 0; i < s->machine_count; i++)
        machine_free(s->machines[i]);
    free(s->machines);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        drop_selection(&s->kept[isa]);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        forms_free(s->forms[isa]);
    session_select_forms(s, NULL, 0);
    free(s->last_line);
    str_done(&s->last_output);
    str_done(&s->output);
}

struct machine *session_machine(struct session *s, const char *id, struct err *err)
{
    for (size_t i = 0; i < s->machine_count; i++)
        if (strcmp(s->machines[i]->id, id) == 0)
            return s->machines[i];
    struct machine *m = machine_load(id, err);
    if (m)
        session_add_machine(s, m);
    return m;
}

void session_add_machine(struct session *s, struct machine *take_machine)
{
    for (size_t i = 0; i < s->machine_count; i++)
        if (strcmp(s->machines[i]->id, take_machine->id) == 0) {
            drop_analyses(s);
            machine_free(s->machines[i]);
            s->machines[i] = take_machine;
            return;
        }
    s->machines = mem_resize(s->machines, (s->machine_count + 1) * sizeof *s->machines);
    s->machines[s->machine_count++] = take_machine;
}

struct machine *session_current(struct session *s, struct err *err)
{
    return session_machine(s, s->selected[0], err);
}

bool session_select(struct session *s, char **ids, size_t count, struct err *err)
{
    enum isa isa = ISA_UNSAID, first = ISA_UNSAID;
    for (size_t i = 0; i < count; i++) {
        struct machine *m = session_machine(s, ids[i], err);
        if (!m)
            return false;
        if (!isa_parse(m->isa, &isa))
            return err_set(err, ERR_DATA, "the fact isa is x86-64 or aarch64", "%s is for \"%s\", which is not known here", ids[i], m->isa);
        first = i ? first : isa;
        if (isa != first)
            return err_set(err, ERR_USAGE, "name machines of one instruction set", "%s is %s and %s is %s", ids[0], isa_name(first), ids[i], m->isa);
    }
    char **fresh = mem_alloc(count * sizeof *fresh);
    for (size_t i = 0; i < count; i++)
        fresh[i] = mem_strdup(ids[i]);
    drop_selection(&s->kept[first]);
    s->kept[first] = (struct selection){fresh, count};
    show_isa(s, first);
    return true;
}

bool session_set_seed(struct session *s, const char *text, struct err *err)
{
    size_t seed;
    if (!options_count(text, &seed, err))
        return false;
    s->seed = seed;
    return true;
}

bool session_set_threads(struct session *s, const char *text, struct err *err)
{
    size_t threads = 0;
    if (strcmp(text, "auto") != 0 && (!options_count(text, &threads, err) || threads < 1 || threads > 1024))
        return err_set(err, ERR_USAGE, "give a number from 1 to 1024, or auto", "\"%s\" is no number of threads", text);
    s->threads = (unsigned)threads;
    return true;
}

unsigned session_threads(const struct session *s)
{
    return s->threads ? s->threads : pool_processors();
}

struct forms *session_forms(struct session *s, enum isa isa, struct err *err)
{
    if (!s->forms[isa])
        s->forms[isa] = forms_load(isa, NULL, err);
    return s->forms[isa];
}

void session_select_forms(struct session *s, char **patterns, size_t count)
{
    char **fresh = count ? mem_alloc(count * sizeof *fresh) : NULL;
    for (size_t i = 0; i < count; i++)
        fresh[i] = mem_strdup(patterns[i]);
    for (size_t i = 0; i < s->form_pattern_count; i++)
        free(s->form_patterns[i]);
    free(s->form_patterns);
    s->form_patterns = fresh;
    s->form_pattern_count = count;
}

bool session_form_selected(const struct session *s, const char *form)
{
    for (size_t i = 0; i < s->form_pattern_count; i++)
        if (str_match(s->form_patterns[i], form))
            return true;
    return s->form_pattern_count == 0;
}

bool session_fits(const struct session *s, const struct machine *m, struct err *err)
{
    const char *isa = s->kernel ? isa_name(s->kernel->isa) : m->isa;
    return strcmp(isa, m->isa) == 0 ||
           err_set(err, ERR_USAGE, "machine list shows the machines, set machine ID chooses one", "%s runs %s, and the kernel is %s", m->id, m->isa, isa);
}

void session_set_kernel(struct session *s, struct kernel *take_kernel)
{
    drop_analyses(s);   /* they point into the old one */
    kernel_free(s->kernel);
    s->kernel = take_kernel;
    s->kernel_measured = NAN;
    if (take_kernel && take_kernel->isa != s->isa)
        show_isa(s, take_kernel->isa);
}

void session_json(struct session *s, json_t *take_object)
{
    char *text = json_dumps(take_object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    str_add(&s->output, text ? text : "null");
    str_add_char(&s->output, '\n');
    free(text);
    json_decref(take_object);
}
