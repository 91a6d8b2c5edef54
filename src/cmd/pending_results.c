/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/pending_results.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/task.h"
#include "table/experiment_columns.h"

void pending_results_add(struct pending_results *a, size_t index, const struct measured *m)
{
    vec_push(&a->list, ((struct pending_result){index, *m}));
}

void pending_results_done(struct pending_results *a)
{
    vec_done(&a->list);
    a->put = 0;
}

static void put(struct experiments *t, const struct pending_result *a)
{
    if (a->index >= t->rows.count)
        return;
    experiments_set(t, a->index, a->measured.cycles, a->measured.spread, a->measured.repeats,
                    a->measured.state);
    if (a->measured.lengths[0])
        experiments_set_extra(t, a->index, EXPERIMENT_LENGTHS, a->measured.lengths);
}

static bool is_table(const struct session *s, uint64_t serial)
{
    return s->document.experiments && s->document.experiments->serial == serial;
}

void pending_results_put(struct session *s, uint64_t serial, struct pending_results *a, size_t most)
{
    bool same = is_table(s, serial);
    /* The table is copied if it has other references, so it is requested only if there are results
     * to add. */
    struct experiments *t = same && a->put < a->list.count ? session_change_experiments(s) : NULL;

    for (; t && a->put < a->list.count && most; a->put++, most--) {
        steps_add(1);
        put(t, &a->list.items[a->put]);
    }
    if (!same || a->put == a->list.count)
        a->list.count = a->put = 0;
}

struct merging {
    struct pending_results pending_results;
    struct experiments *base, *made;   /* counted references to the session's table and the new
                                        * table; @made: NULL until the job has ended */
    bool started;                      /* whether the job has received the results so far */
};

static bool merge(void *state, struct result *result, struct err *err)
{
    struct merging *m = state;

    m->made = experiments_copy(m->base, NULL);
    for (size_t i = m->pending_results.put; i < m->pending_results.list.count && !watch_steps(1);
         i++)
        put(m->made, &m->pending_results.list.items[i]);
    return watch_goes_on(err);
}

/* Adds the results on this thread if the job failed or was cancelled, because measurements must not
 * be lost. */
static void merge_here(struct session *s, void *state, struct result *result, const struct err *err)
{
    struct merging *m = state;
    uint64_t serial = m->base->serial;

    s->replacing = 0;
    experiments_free(m->base);   /* Drops this reference first, because a table with one reference
                                  * need not be copied. */
    m->base = NULL;
    pending_results_put(s, serial, &m->pending_results, SIZE_MAX);
}

static bool merged(struct session *s, void *state, struct result *result, struct err *err)
{
    struct merging *m = state;
    struct err none = {0};

    s->replacing = 0;
    if (!session_set_experiments(s, &m->made, m->base, &none))
        merge_here(s, m, result, &none);
    return true;
}

static void merging_free(void *state)
{
    struct merging *m = state;

    experiments_free(m->base);
    experiments_free(m->made);
    if (m->started)
        pending_results_done(&m->pending_results);
    free(m);
}

void pending_results_finish(struct session *s, uint64_t serial, struct pending_results *a)
{
    static const struct task_ops ops = {NULL, merge, merged, merging_free, .failed = merge_here};
    size_t left = a->list.count - a->put;
    struct err none = {0};
    struct experiments *t = s->document.experiments;

    if (s->interactive && !s->replacing && left && is_table(s, serial) &&
        (left > PENDING_RESULTS_AT_ONCE ||
         (experiments_held(t) && t->rows.count > PENDING_RESULTS_AT_ONCE))) {
        struct merging *m = mem_zero(1, sizeof *m);
        *m = (struct merging){.pending_results = *a, .base = experiments_hold(t)};
        if ((s->replacing = task_begin(s, "results", &(struct task){&ops, .state = m},
                                       &none)) != 0) {
            m->started = true;
            s->replacing_how = "is adding results to the experiments";
            *a = (struct pending_results){0};
            return;
        }
    }
    pending_results_put(s, serial, a, SIZE_MAX);
}
