/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/machine.h"

void queue_drop(struct command_queue *q)
{
    for (size_t i = 0; i < q->count; i++) {
        free(q->commands[i].script);
        free(q->commands[i].text);
    }
    free(q->commands);
    q->commands = NULL;
    q->count = 0;
    q->job = 0;
    q->loaded = false;
}

void queue_done(struct command_queue *q)
{
    queue_drop(q);
    queue_drop_machines(q);
    vec_done(&q->reported);
}

void queue_forget(struct command_queue *q, unsigned number)
{
    for (size_t i = 0; i < q->reported.count; i++)
        if (q->reported.items[i] == number)
            q->reported.items[i--] = q->reported.items[--q->reported.count];
}

static const struct queued_machine *machine_find(const struct command_queue *q, const char *name)
{
    for (size_t i = 0; i < q->machines.count; i++)
        if (q->machines.items[i].machine && strcmp(q->machines.items[i].name, name) == 0)
            return &q->machines.items[i];
    return NULL;
}

bool queue_has_machine(const struct command_queue *q, const char *name)
{
    return machine_find(q, name) != NULL;
}

struct machine *queue_take_machine(struct command_queue *q, const char *name)
{
    const struct queued_machine *found = machine_find(q, name);
    struct machine *m = found ? found->machine : NULL;

    if (found)
        q->machines.items[found - q->machines.items].machine = NULL;
    return m;
}

void queue_drop_machines(struct command_queue *q)
{
    for (size_t i = 0; i < q->machines.count; i++) {
        free(q->machines.items[i].name);
        machine_free(q->machines.items[i].machine);
    }
    vec_done(&q->machines);
}
