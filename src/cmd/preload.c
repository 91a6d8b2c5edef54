/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/preload.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/task.h"
#include "io/machine_file.h"

struct preloading {
    char **names;
    struct machine **machines;   /* of the names; NULL: could not be loaded */
    size_t count;
};

static void preloading_free(void *state)
{
    struct preloading *p = state;

    for (size_t i = 0; i < p->count; i++) {
        free(p->names[i]);
        machine_free(p->machines[i]);
    }
    free(p->names);
    free(p->machines);
    free(p);
}

static bool preload_work(void *state, struct result *result, struct err *err)
{
    struct preloading *p = state;
    struct err none = {0};

    (void)result;
    for (size_t i = 0; i < p->count && !watch_over(); i++)
        p->machines[i] = machine_load(p->names[i], &none);
    return watch_goes_on(err);
}

static bool preload_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct preloading *p = state;

    (void)result;
    (void)err;
    for (size_t i = 0; i < p->count; i++)
        if (p->machines[i]) {
            document_preload(&s->document, p->names[i], p->machines[i]);
            p->machines[i] = NULL;
        }
    return true;
}

static void add(struct preloading *p, const struct session *s, const char *name)
{
    struct err none = {0};
    const char *id = name ? session_machine_id(s, name, &none) : NULL;

    if (!id || session_has_machine(s, id) || document_preloaded(&s->document, id))
        return;
    p->names = mem_resize(p->names, (p->count + 1) * sizeof *p->names);
    p->names[p->count++] = mem_strdup(id);
}

static void add_named(struct preloading *p, const struct session *s, const struct parameter *table, const void *values)
{
    for (; table && table->name; table++) {
        const void *at = (const char *)values + table->at;
        if (table->complete != COMPLETE_MACHINE)
            continue;
        if (table->kind == PARAMETER_TEXT)
            add(p, s, *(const char *const *)at);
        for (size_t i = 0; table->kind == PARAMETER_WORDS && i < ((const struct word_list *)at)->count; i++)
            add(p, s, ((const struct word_list *)at)->items[i]);
    }
}

bool preload_machines(struct session *s, const struct command *c, char **words, size_t count, bool *later, struct err *err)
{
    static const struct task_ops ops = {.work = preload_work, .publish = preload_publish, .free = preloading_free, .listed = TASK_LISTED_IF_LONG};
    struct preloading *p = mem_zero(1, sizeof *p);
    void *values = mem_zero(1, c->values_size + 1);
    struct err none = {0};

    *later = false;
    if (parameters_read(c->name, c->arguments, c->options, words, count, values, &none)) {
        add_named(p, s, c->arguments, values);
        add_named(p, s, c->options, values);
    }
    parameters_done(c->arguments, c->options, values);
    free(values);
    if (!p->count) {
        preloading_free(p);
        return true;
    }
    p->machines = mem_zero(p->count, sizeof *p->machines);
    bool ok = task_start(s, c->name, "loads a machine", &ops, p, err);
    *later = ok && s->waiting.now;
    return ok;
}
