/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/analyses.h"
#include "cmd/task.h"
#include "simulate/simulate.h"

#define TIMELINE_ITERATIONS 40   /* iterations that each simulation records */
/* SIMULATED_AT_ONCE: maximum number of instructions of a loop that is simulated while the screen
 * waits. SIMULATED_MOST: maximum number for any simulation for views. */
#define SIMULATED_AT_ONCE 40
#define SIMULATED_MOST 400
/* maximum number of instructions, summed over the machines, that are analysed while the screen
 * waits */
#define ANALYZED_AT_ONCE 400

static bool make_work(void *state, struct result *result, struct err *err)
{
    return analyses_make(state) || watch_goes_on(err);
}

static bool make_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct analyses *a = state;

    a->made = true;
    a->job = 0;
    s->revision++;
    return true;
}

static void make_failed(struct session *s, void *state, struct result *result,
                        const struct err *err)
{
    ((struct analyses *)state)->job = 0;
}

static void make_free(void *state)
{
    analyses_free(state);
}

/* Runs analyses_make in a job. Success sets `made`; the end of the job sets `job` to 0. */
static void analyses_start(struct session *s, struct analyses *a)
{
    static const struct task_ops ops = {NULL, make_work, make_publish, make_free,
                                        .failed = make_failed};
    struct err none = {0};

    atomic_fetch_add(&a->holders, 1);
    a->job = task_start_aside(s, "analysis", &(struct task){&ops, .state = a}, &none);
}

/* Returns the selected machines that have the kernel's instruction set. The caller frees the array.
 * Sets *@count to the number of machines. */
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

/* Returns whether to repeat failed analyses. The session must have changed, because an immediate
 * repetition would undo a cancellation. */
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

struct simulating {
    struct analyses *of;   /* counted reference */
    size_t index;
    struct simulation *made;
};

static struct simulation *simulate_on(const struct analyses *a, size_t index)
{
    static const struct simulate_options options = {.timeline = TIMELINE_ITERATIONS};
    struct simulation *made = mem_zero(1, sizeof *made);

    simulate_kernel(a->kernel, a->loop, a->machines[index], &options, made, NULL);
    return made;
}

static bool simulating_work(void *state, struct result *result, struct err *err)
{
    struct simulating *w = state;

    w->made = simulate_on(w->of, w->index);
    return watch_goes_on(err);
}

static bool simulating_publish(struct session *s, void *state, struct result *result,
                               struct err *err)
{
    struct simulating *w = state;
    struct loop_simulation *to = &w->of->simulations[w->index];

    to->job = 0;
    to->made = w->made;
    w->made = NULL;
    s->revision++;
    return true;
}

static void simulating_failed(struct session *s, void *state, struct result *result,
                              const struct err *err)
{
    struct simulating *w = state;
    struct loop_simulation *to = &w->of->simulations[w->index];

    to->job = 0;
    to->given_up = s->revision;
}

static void simulating_free(void *state)
{
    struct simulating *w = state;

    if (w->made)
        simulation_done(w->made);
    free(w->made);
    analyses_free(w->of);
    free(w);
}

/* Returns the simulation on machine @index of @a. Simulates a short loop at once, a longer loop in
 * a job. Returns NULL while the job runs, and for very long loops. Also returns NULL after a
 * failure until the session changes. */
static const struct simulation *simulation_of(struct session *s, struct analyses *a, size_t index)
{
    static const struct task_ops ops = {NULL, simulating_work, simulating_publish, simulating_free,
                                        .failed = simulating_failed};
    struct loop_simulation *to = &a->simulations[index];
    struct err none = {0};
    size_t insns;

    kernel_insns(a->kernel, a->loop, &insns);
    if (to->made || to->job || !insns || insns > SIMULATED_MOST || to->given_up == s->revision)
        return to->made;
    if (!s->interactive || insns <= SIMULATED_AT_ONCE)
        return to->made = simulate_on(a, index);
    struct simulating *w = mem_zero(1, sizeof *w);
    *w = (struct simulating){.of = a, .index = index};
    atomic_fetch_add(&a->holders, 1);
    to->job = task_start_aside(s, "simulation", &(struct task){&ops, .state = w}, &none);
    return NULL;
}

const struct simulation *session_simulation(struct session *s, size_t index)
{
    size_t count;

    session_analyses(s, &count);
    return s->document.kernel && index < count ? simulation_of(s, s->document.analyses, index)
                                               : NULL;
}
