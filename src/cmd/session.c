/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/machine_file.h"
#include "work/job.h"

void session_init(struct session *s)
{
    static const char *const shown[] = {"skylake", "sapphirerapids", "znver4"};

    *s = (struct session){.input = stdin, .revision = 1};
    s->selected_count = sizeof shown / sizeof *shown;
    s->selected = mem_alloc(sizeof shown);
    for (size_t i = 0; i < s->selected_count; i++)
        s->selected[i] = mem_strdup(shown[i]);
}

static void drop_selection(struct session *s)
{
    for (size_t i = 0; i < s->selected_count; i++)
        free(s->selected[i]);
    free(s->selected);
}

static void drop_analyses(struct session *s)
{
    for (size_t i = 0; i < s->analysis_count; i++)
        analysis_free(s->analyses[i]);
    free(s->analyses);
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
        for (size_t i = 0; s->kernel && i < s->selected_count; i++) {
            struct machine *m = session_machine(s, s->selected[i], &err);
            if (m)
                s->analyses[s->analysis_count++] = analysis_new(s->kernel, m);
        }
    }
    *count = s->analysis_count;
    return s->analyses;
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

void session_done(struct session *s)
{
    drop_analyses(s);
    kernel_free(s->kernel);
    experiments_free(s->experiments);
    for (size_t i = 0; i < s->machine_count; i++)
        machine_free(s->machines[i]);
    free(s->machines);
    drop_selection(s);
    forms_free(s->forms);
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
    for (size_t i = 0; i < count; i++)
        if (!session_machine(s, ids[i], err))
            return false;
    char **fresh = mem_alloc(count * sizeof *fresh);
    for (size_t i = 0; i < count; i++)
        fresh[i] = mem_strdup(ids[i]);
    drop_selection(s);
    s->selected = fresh;
    s->selected_count = count;
    return true;
}

struct forms *session_forms(struct session *s, struct err *err)
{
    if (!s->forms)
        s->forms = forms_load(NULL, err);
    return s->forms;
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

void session_set_kernel(struct session *s, struct kernel *take_kernel)
{
    drop_analyses(s);   /* they point into the old one */
    kernel_free(s->kernel);
    s->kernel = take_kernel;
}

void session_json(struct session *s, json_t *take_object)
{
    char *text = json_dumps(take_object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    str_add(&s->output, text ? text : "null");
    str_add_char(&s->output, '\n');
    free(text);
    json_decref(take_object);
}
