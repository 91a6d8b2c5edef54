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

    *s = (struct session){.input = stdin};
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

void session_done(struct session *s)
{
    job_shutdown();
    experiments_free(s->experiments);
    kernel_free(s->kernel);
    for (size_t i = 0; i < s->machine_count; i++)
        machine_free(s->machines[i]);
    free(s->machines);
    drop_selection(s);
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

void session_set_kernel(struct session *s, struct kernel *take_kernel)
{
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
