/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses and simulations of the session's kernel, computed when a view requests them. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/analyses.h"
#include "cmd/task.h"
#include "simulate/simulate.h"

#define TIMELINE_ITERATIONS 40   /* iterations that each simulation records */
#define SIMULATED_AT_ONCE 400    /* most instructions of a loop that views simulate at once */
/* most instructions, summed over the machines, that are analysed while the screen waits: some ten
 * milliseconds */
#define ANALYZED_AT_ONCE 2000

static bool make_work(void *state, struct result *result, struct err *err)
{
    (void)result;
    return analyses_make(state) || watch_goes_on(err);
}

static bool make_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct analyses *a = state;

    (void)result;
    (void)err;
    a->made = true;
    a->job = 0;
    s->revision++; /* the views then request new ones */
    return true;
}

static void make_failed(struct session *s, void *state, struct result *result,
                        const struct err *err)
{
    (void)s;
    (void)result;
    (void)err;
    ((struct analyses *)state)->job = 0;
}

static void make_free(void *state)
{
    analyses_free(state);
}

/* Runs analyses_make in a background job. Success sets `made`; the end of the job sets `job` to
 * 0. */
static void analyses_start(struct session *s, struct analyses *a)
{
    static const struct task_ops ops = {
        .work = make_work, .publish = make_publish, .failed = make_failed, .free = make_free};
    struct err none = {0};

    atomic_fetch_add(&a->holders, 1);
    a->job = task_start_aside(s, "analysis", &ops, a, &none);
}

/* Returns the selected machines that have the kernel's instruction set. The caller frees the
 * array. */
static struct machine **machines_shown(struct session *s, size_t *count)
{
    struct machine **machines = mem_zero(s->document.selected_count + 1, sizeof *machines);
    struct err none = {0};

    *count = 0;
    for (size_t i = 0; s->document.kernel && i < s->document.selected_count; i++) {
        struct machine *m = session_machine(s, s->document.selected[i], &none);
        if (m && session_fits(s, m, &none))
            machines[(*count)++] = m;
    }
    return machines;
}

/* Returns whether to repeat failed analyses. They are repeated only after a change of the session,
 * because an immediate repetition would undo a cancellation. */
static bool try_again(const struct session *s, struct analyses *a)
{
    if (a->made || a->job)
        return false;
    if (!a->given_up)
        a->given_up = s->revision;
    return a->given_up != s->revision;
}

struct analysis *const *session_analyses(struct session *s, size_t *count)
{
    struct document *d = &s->document;
    size_t shown;
    struct machine **machines = machines_shown(s, &shown);

    if (!d->analyses || !analyses_are_of(d->analyses, d->kernel, d->loop, machines, shown) ||
        try_again(s, d->analyses)) {
        document_drop_analyses(d);
        d->analyses = analyses_new(d->kernel, d->loop, machines, shown);
        bool aside = s->interactive && analyses_work(d->analyses) > ANALYZED_AT_ONCE;
        if (aside)
            analyses_start(s, d->analyses);
        else
            d->analyses->made = analyses_make(d->analyses);
    }
    free(machines);
    *count = d->analyses->made ? d->analyses->count : 0;
    return d->analyses->items;
}

bool session_analysing(const struct session *s)
{
    return s->document.analyses && s->document.analyses->job;
}

const struct simulation *session_simulation(struct session *s, size_t index)
{
    static const struct simulate_options options = {.timeline = TIMELINE_ITERATIONS};
    size_t count, insns;

    session_analyses(s, &count);
    if (!s->document.kernel || index >= count)
        return NULL;
    struct analyses *a = s->document.analyses;
    kernel_insns(a->kernel, a->loop, &insns);
    if (!a->simulations[index] && insns && insns <= SIMULATED_AT_ONCE) {
        a->simulations[index] = mem_zero(1, sizeof **a->simulations);
        simulate_kernel(a->kernel, a->loop, a->machines[index], &options, a->simulations[index],
                        NULL);
    }
    return a->simulations[index];
}
