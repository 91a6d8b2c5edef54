/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/analyses.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "work/job.h"

struct analyses *analyses_new(const struct kernel *k, size_t loop, struct machine *const *machines,
                              size_t count)
{
    struct analyses *a = mem_zero(1, sizeof *a);

    a->kernel = k ? kernel_hold(k) : NULL;
    a->loop = loop;
    a->count = k ? count : 0;
    a->machines = mem_zero(count + 1, sizeof *a->machines);
    a->items = mem_zero(count + 1, sizeof(struct analysis *));
    a->simulations = mem_zero(count + 1, sizeof *a->simulations);
    for (size_t i = 0; i < a->count; i++)
        a->machines[i] = machine_hold(machines[i]);
    return a;
}

void analyses_free(struct analyses *a)
{
    if (!a || atomic_fetch_sub(&a->holders, 1) > 0)
        return;
    for (size_t i = 0; i < a->count; i++) {
        analysis_free(a->items[i]);
        machine_free(a->machines[i]);
        if (a->simulations[i].made)
            simulation_done(a->simulations[i].made);
        free(a->simulations[i].made);
    }
    free(a->items);
    free(a->machines);
    free(a->simulations);
    vec_free_texts(&a->coverage.list);
    kernel_free(a->kernel);
    free(a);
}

bool analyses_are_of(const struct analyses *a, const struct kernel *k, size_t loop,
                     struct machine *const *machines, size_t count)
{
    if (a->kernel != k || (k && (a->loop != loop || a->count != count)))
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->machines[i] != machines[i])
            return false;
    return true;
}

size_t analyses_work(const struct analyses *a)
{
    size_t insns = 0;
    if (a->kernel)
        kernel_insns(a->kernel, a->loop, &insns);
    return insns * a->count;
}

bool analyses_make(struct analyses *a)
{
    for (size_t i = 0; i < a->count && !watch_over(); i++)
        a->items[i] = analysis_new(a->kernel, a->loop, a->machines[i]);
    bool unknown = false;
    for (size_t i = 0; i < a->count && !watch_over(); i++)
        unknown |= a->items[i] && a->items[i]->unknown;
    if (unknown)
        coverage_find(a->kernel, a->loop, &a->coverage);
    return !watch_over();
}

void analyses_cancel(struct analyses *a)
{
    if (a->job)
        job_cancel(a->job);
    for (size_t i = 0; i < a->count; i++)
        if (a->simulations[i].job)
            job_cancel(a->simulations[i].job);
}
