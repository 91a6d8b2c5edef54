/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/task.h"
#include "infer/generate.h"

struct settling_table {
    /* the session's table (counted reference), and the extended copy */
    struct experiments *base, *made;
    struct machine *evolved;           /* evolved machine (counted reference); NULL: none */
    struct measure_choice choice;
    char *simulate;
    size_t added;
};

static void settling_free(void *state)
{
    struct settling_table *w = state;
    experiments_free(w->base);
    experiments_free(w->made);
    machine_free(w->evolved);
    free(w->simulate);
    free(w);
}

static size_t add_hidden(struct settling_table *w)
{
    size_t n = w->base->forms.count;
    struct observable *list = mem_zero(n + 1, sizeof *list);

    observable_find(w->evolved->mapping, w->base, list);
    size_t added = generate_hidden(w->made, list);
    observable_done(list, n);
    free(list);
    return added;
}

static bool work(void *state, struct result *result, struct err *err)
{
    struct settling_table *w = state;
    struct congruence c;

    w->made = experiments_copy(w->base, NULL);
    congruence_find(w->base, CONGRUENCE_EPSILON, 0, true, &c);
    size_t pairs = generate_indistinct(w->made, &c), hidden = w->evolved ? add_hidden(w) : 0;
    congruence_done(&c);
    w->added = pairs + hidden;
    result_line(result,
                "%zu experiment%s added: %zu for forms compared only in isolation, %zu for forms "
                "whose ports are not observable",
                w->added, plural(w->added), pairs, hidden);
    result_count(result, "added", (int64_t)w->added);
    return watch_goes_on(err);
}

static bool publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct settling_table *w = state;

    return experiments_measure(s, &w->made, w->base, &w->choice, result, err);
}

bool settle_table(struct session *s, const struct measure_choice *choice, struct task *task,
                  struct err *err)
{
    static const struct task_ops ops = {"searches deciding experiments", work, publish,
                                        .free = settling_free};
    struct err none = {0};

    if (!experiments_required(s, err))
        return false;
    struct machine *evolved = session_machine(s, EVOLVED_MACHINE, &none);
    struct settling_table *w = mem_zero(1, sizeof *w);
    w->base = experiments_hold(s->document.experiments);
    w->evolved = evolved ? machine_hold(evolved) : NULL;
    w->simulate = mem_strdup(choice->simulate);
    w->choice = *choice;
    w->choice.simulate = w->simulate;
    return task_give(task, &ops, w);
}
