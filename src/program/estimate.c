/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/facts.h"
#include "program/native.h"
#include "program/octaves.h"

#define RATE_ROUNDS 8
#define RATE_ERROR 0.02   /* largest relative difference of rates that are considered equal */
/* Time constant in seconds with which another process replaces the lines of the second-level cache.
 * The value applies to a compiler that reads 2 GB/s. */
#define FILLED 1e-3

struct estimator {
    const struct program_model *model;   /* counted reference to the model */
    /* code of the model's program, borrowed; NULL: the pipe model */
    const struct program_code *code;
    struct program_run run;
    struct turns_walks *walks;           /* walks of the program; NULL: the pipe model */
    struct call_costs calls;
    enum estimate_model kind;
    struct core_share share;
    double fault;                        /* CPU seconds per page fault */
    struct sharing sharing;
    struct ages ages;
};

struct estimator *estimator_new(const struct program_model *model, const double *inputs,
                                enum estimate_model kind, struct err *err)
{
    const struct program_code *code =
        kind == ESTIMATE_STEADY ? program_model_code(model, err) : NULL;
    struct estimator *e;

    if (kind == ESTIMATE_STEADY && !code)
        return NULL;
    e = mem_zero(1, sizeof *e);
    e->model = program_model_hold(model);
    e->code = code;
    e->kind = kind;
    e->share = (struct core_share){1, 1, 0, 0};
    program_model_at(model, inputs, &e->run);
    e->walks = code ? turns_walks_new(code, &e->run) : NULL;
    ages_of(model->runs->program, &e->run, &e->ages);
    return e;
}

void estimator_free(struct estimator *e)
{
    if (!e)
        return;
    program_run_done(e->model->runs->program, &e->run);
    ages_done(&e->ages);
    turns_walks_free(e->walks);
    program_model_free(e->model);
    free(e);
}

void estimator_meet_here(struct estimator *e, struct machine *m)
{
    double clock_hz;
    char text[40];

    native_core(m, &clock_hz, &e->share);
    snprintf(text, sizeof text, "%.12g", clock_hz * 1e-9);
    machine_set_fact(m, "clock", text, "GHz", NATIVE_SOURCE);
}

struct core_share estimator_share(const struct estimator *e)
{
    return e->share;
}

const struct program_run *estimator_run(const struct estimator *e)
{
    return &e->run;
}

void estimator_set_share(struct estimator *e, const struct core_share *share)
{
    e->share = *share;
}

void estimator_set_calls(struct estimator *e, const struct call_costs *costs)
{
    e->calls = *costs;
}

void estimator_set_threads(struct estimator *e, double threads, double common)
{
    e->sharing = run_sharing(e->model->runs->program, &e->run, threads, common);
}

/* Returns the share of the time of page faults that the system of @m counts as user time; 0:
 * unknown. */
static double fault_user(const struct machine *m)
{
    const double share = fact_number(m, "page_fault_user");
    return isnan(share) ? 0 : share;
}

bool estimator_meet_system(struct estimator *e, const struct machine *m, struct system_cost *out,
                           struct err *err)
{
    struct run_pages pages;

    pages_of(e->model->runs->program, &e->run, &pages);
    if (!system_cost_of(&pages, 1, out, err))
        return false;
    e->fault = pages.faults > 0 ? out->user / pages.faults : 0;
    out->system += (1 - fault_user(m)) * out->user;
    out->user *= fault_user(m);
    return true;
}

void estimator_set_fault(struct estimator *e, double seconds)
{
    e->fault = seconds;
}

double estimator_fault(const struct estimator *e)
{
    return e->fault;
}

/* Adds the user time of page faults, and divides the time among threads. */
static void complete(const struct estimator *e, const struct machine *m, struct program_time *out)
{
    struct run_pages pages;

    pages_of(e->model->runs->program, &e->run, &pages);
    out->faults = pages.faults > 0 ? fault_user(m) * e->fault * pages.faults : 0;
    out->faults /= fmax(1, e->sharing.threads);
    out->seconds = out->seconds / fmax(1, e->sharing.threads) + out->faults;
}

const struct program_code *estimator_code(const struct estimator *e)
{
    return e->code;
}

static void change_pipe(struct pipe_kind kinds[OP_CLASSES], const struct pipe_change *change)
{
    struct pipe_kind *kind = &kinds[change->class];
    if ((int)kind->count + change->more >= 1)
        kind->count = (unsigned)((int)kind->count + change->more);
    kind->latency *= change->latency > 0 ? change->latency : 1;
    kind->interval *= change->interval > 0 ? change->interval : 1;
}

/* Sets the rates at which other processes replace the lines of a program that takes @seconds.
 * Processes that share the second- or third-level cache evict lines continuously. Processes that
 * preempt the program fill the second-level cache each time they run. Returns whether a rate of
 * @memory changed by more than RATE_ERROR. */
static bool keep(const struct core_share *share, const struct machine *m, double seconds,
                 struct memory *memory)
{
    static const char *const facts[MEMORY_LEVELS] = {NULL, "l2_kept", "l3_kept"};
    /* seconds per preemption */
    double turn = share->taken_over > 0 ? share->away / share->taken_over : 0;
    bool changed = false;

    for (size_t l = 1; l < memory->count; l++) {
        double kept = fact_number(m, facts[l]) * 1e-3, before = memory->kept[l],
               left = memory->left[l];
        double lost = isnan(kept) ? 0 : 1 - exp(-turn / kept * turn / kept);
        if (l == 1)
            lost = fmax(lost, 1 - exp(-turn / FILLED));
        memory->kept[l] = isnan(kept) ? 0 : kept / seconds;
        memory->left[l] = seconds * share->taken_over * lost;
        changed |= !(fabs(memory->kept[l] - before) <= RATE_ERROR * before) ||
                   !(fabs(memory->left[l] - left) <= RATE_ERROR * left);
    }
    return changed;
}

/* Computes the time repeatedly until it converges. The number of replaced lines depends on the
 * time, and the misses of replaced lines change the time. */
static void steady_shared(struct estimator *e, const struct machine *m, struct memory *memory,
                          struct program_time *out)
{
    steady_time(e->code, &e->run, e->walks, m, memory, &e->calls, &e->share, out);
    for (int i = 0; i < RATE_ROUNDS && out->seconds > 0 && keep(&e->share, m, out->seconds, memory);
         i++) {
        program_time_done(out);
        steady_time(e->code, &e->run, e->walks, m, memory, &e->calls, &e->share, out);
    }
}

bool estimator_time(struct estimator *e, const struct machine *m, const struct pipe_change *change,
                    struct program_time *out, struct err *err)
{
    struct pipe_kind kinds[OP_CLASSES];
    struct memory memory;

    if (!memory_of(m, &memory, err))
        return false;
    memory.sharing = e->sharing;
    memory.ages = &e->ages;
    if (e->kind == ESTIMATE_STEADY) {
        steady_shared(e, m, &memory, out);
        complete(e, m, out);
        return true;
    }
    if (!ammp_pipes(m, kinds, err))
        return false;
    if (change)
        change_pipe(kinds, change);
    ammp_time(e->model->runs->program, &e->run, kinds, &memory, &e->calls, out);
    complete(e, m, out);
    return true;
}
