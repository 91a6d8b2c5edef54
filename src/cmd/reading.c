/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/reading.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cmd/session_file.h"
#include "cmd/task.h"

struct reading {
    const struct command *command;
    char **words;             /* its own: values borrow from them */
    size_t count;
    void *values;
    struct session *read;     /* as the session was; what the handler loads goes in here */
};

static bool reading_work(void *state, struct result *result, struct err *err)
{
    struct reading *r = state;
    bool ok = r->command->run(r->read, r->values, result, err);

    result_append(result, r->read->result);   /* of a handler whose work is a task: it was done at once, for a session without a screen */
    r->read->result = result_new();
    return ok;
}

/* Machines that the handler loaded need not be loaded again. */
static bool reading_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct reading *r = state;

    (void)result;
    (void)err;
    for (size_t i = 0; i < r->read->document.machine_count; i++) {
        struct machine *m = r->read->document.machines[i];
        if (!session_has_machine(s, m->id))
            session_add_machine(s, machine_hold(m));
    }
    return true;
}

static void reading_free(void *state)
{
    struct reading *r = state;

    if (r->values)
        parameters_done(r->command->arguments, r->command->options, r->values);
    free(r->values);
    for (size_t i = 0; i < r->count; i++)
        free(r->words[i]);
    free(r->words);
    session_forget(r->read);
    free(r);
}

bool reading_start(struct session *s, const struct command *c, char **words, size_t count, struct err *err)
{
    static const struct task_ops ops = {.work = reading_work, .publish = reading_publish, .free = reading_free, .listed = TASK_LISTED_IF_LONG};
    struct reading *r = mem_zero(1, sizeof *r);

    r->command = c;
    r->words = mem_zero(count + 1, sizeof *r->words);
    for (r->count = 0; r->count < count; r->count++)
        r->words[r->count] = mem_strdup(words[r->count]);
    r->values = c->values_size ? mem_zero(1, c->values_size) : NULL;
    if (!parameters_read(c->name, c->arguments, c->options, r->words, count, r->values, err)) {
        reading_free(r);
        return false;
    }
    r->read = session_snapshot(s);
    return task_start(s, c->name, "runs", &ops, r, err);
}
