/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/evolve_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/watch.h"
#include "io/population_file.h"
#include "work/islands.h"
#include "work/job.h"
#include "work/pool.h"

#define CHECKPOINT_SECONDS 3

/* minimum interval of outlines, in seconds and as a multiple of the time to make an outline */
#define OUTLINE_SECONDS 0.5
#define OUTLINE_TIMES 20
/* number of individuals whose agreement shows the certainty of the best individual */
#define OUTLINE_OTHERS EVOLVE_POPULATION
/* minimum interval of joins, in seconds and as a multiple of the time of the last join */
#define JOIN_SECONDS 1
#define JOIN_TIMES 20
#define CATCH_UP_SECONDS 0.01    /* seconds between polls for the end of a join */

/* New measurements for a live run */
struct arriving {
    pthread_mutex_t lock;
    struct experiments *table;   /* counted reference; NULL: none */
    /* @taken: clock_seconds() at the last join. @cost: duration of that join in seconds. */
    double taken, cost;
    bool closed;                 /* whether further measurements are rejected */
};

void evolve_run_ports(const struct evolve_run *run, unsigned count, struct ports *out)
{
    if (run->names.count == count)
        *out = run->names;
    else
        ports_number(out, count);
}

struct mapping *evolve_run_mapping(const struct evolve_run *run, const struct genome *g,
                                   const struct problem *p)
{
    struct ports names;
    evolve_run_ports(run, g->ports, &names);
    return genome_mapping(g, p, &names);
}

/* Publishes an outline of the best mapping if there is one. Any thread. A lock serialises the
 * calls, so an older mapping is never published after a newer one. */
static void look(struct evolve_run *run)
{
    struct problem *p;
    size_t count;

    lock_take(&run->looking);
    struct genome **genomes = evolve_leaders(run->evolve, OUTLINE_OTHERS, &count, &p);

    if (count) {
        struct ports names;
        char id[24];
        lock_take(&run->lock);
        struct outline *before = run->made ? outline_hold(run->made) : NULL;
        run->requested = false;
        lock_give(&run->lock);
        evolve_run_ports(run, genomes[0]->ports, &names);
        snprintf(id, sizeof id, "run %u", run->number);
        struct machine *m = machine_new(id, &names);
        machine_set_fact(m, "isa", isa_name(run->isa), "", "");
        struct outline *next = outline_new(genomes, count, p, before, m);
        next->front = mem_alloc(OUTLINE_FRONT * sizeof *next->front);
        next->front_count = evolve_get_front(run->evolve, next->front, OUTLINE_FRONT);
        next->samples = mem_alloc(OUTLINE_SAMPLES * sizeof *next->samples);
        next->sample_count = evolve_spread_samples(run->evolve, next->samples, OUTLINE_SAMPLES);
        next->trial_count = evolve_get_trials(run->evolve, next->trials, OUTLINE_TRIALS);
        evolve_get_options(run->evolve, &next->options);
        outline_free(before);
        lock_take(&run->lock);
        struct outline *old = run->made;
        run->made = next;
        lock_give(&run->lock);
        outline_free(old);
    } else {
        problem_free(p);
    }
    for (size_t i = 0; i < count; i++)
        genome_free(genomes[i]);
    free(genomes);
    lock_give(&run->looking);
}

/* Publishes another outline if it was requested, and if it is due or the user has edited the best
 * mapping. Thread 0 of the run. */
static void look_again(struct evolve_run *run)
{
    const double begun = clock_seconds();

    lock_take(&run->lock);
    const bool due = run->requested && (begun >= run->due || run->edited);
    run->edited &= !due;
    lock_give(&run->lock);
    if (!due)
        return;
    look(run);
    run->due = begun + fmax(OUTLINE_SECONDS, OUTLINE_TIMES * (clock_seconds() - begun));
}

/* Publishes an edit if the run's job has ended, because then no thread of the run can publish it.
 * UI thread. */
static void look_at_edit(struct evolve_run *run)
{
    struct job_info info;

    lock_take(&run->lock);
    bool due = run->edited;
    lock_give(&run->lock);
    if (!due || (job_find(run->job, &info) && info.state == JOB_RUNNING))
        return;
    run->edited = false;
    look(run);
}

struct outline *evolve_run_outline(struct evolve_run *run)
{
    struct outline *before = NULL;

    look_at_edit(run);
    lock_take(&run->lock);
    run->requested = true;
    if (run->made != run->outline) {
        before = run->outline;
        run->outline = outline_hold(run->made);
    }
    lock_give(&run->lock);
    outline_free(before);
    return run->outline;
}

const struct evolve_status *evolve_run_status(struct evolve_run *run)
{
    if (!run->has_status)
        evolve_get_status(run->evolve, &run->status);
    else
        evolve_try_status(run->evolve, &run->status);
    run->has_status = true;
    return &run->status;
}

/* Edits the current best mapping, because the published outline may lack an earlier edit. Makes a
 * new outline of that mapping for the edit, because the user sees the ports in an outline's order.
 * Returns false with err without an outline, while the run chooses its ports, or if @form or @usage
 * is invalid. */
bool evolve_run_edit(struct evolve_run *run, const char *form, const char *usage, struct err *err)
{
    look(run);
    const struct outline *o = evolve_run_outline(run);
    struct mapping_entry entry = {.form = (char *)form, .latency = NAN, .source = (char *)""};
    struct ports names;

    if (!o || problem_form(o->problem, form) == SIZE_MAX)
        return err_set(
            err, ERR_USAGE,
            o ? "the matrix in LAB lists the forms" : "edit usages when the run has a mapping",
            o ? "run %u has no form \"%s\"" : "run %u has no mapping yet", run->number, form);
    evolve_run_ports(run, o->best->ports, &names);
    if (!usage_parse(usage, &names, &entry.usage, err))
        return false;
    struct mapping *m = genome_mapping(o->best, o->problem, &names);
    entry.micro_ops = mapping_find(m, form)->micro_ops;
    mapping_set(m, &entry);
    usage_done(&entry.usage);
    struct genome *g = genome_of_mapping(m, o->problem, err);
    mapping_free(m);
    if (!g)
        return false;
    genome_set_width(g, o->best->width);
    const bool taken = evolve_edit(run->evolve, g);
    genome_free(g);
    if (taken) {
        lock_take(&run->lock);
        run->edited = run->requested = true;
        lock_give(&run->lock);
        look_at_edit(run);
    }
    return taken || err_set(err, ERR_USAGE, "use evolve stop, or edit later",
                            "run %u is still choosing its number of ports", run->number);
}

/* Writes the population to the checkpoint. If there is no path or no individual, writes nothing
 * and returns true. Any thread. */
static bool evolve_run_checkpoint(struct evolve_run *run, struct err *err)
{
    struct evolve_status status;
    struct evolve_options o;
    struct population p = {0};
    struct problem *problem;
    size_t count;
    bool ok = true;

    if (!run->checkpoint)
        return true;
    evolve_get_status(run->evolve, &status);
    struct genome **genomes = evolve_population(run->evolve, &count, &problem);
    evolve_get_options(run->evolve, &o);
    p.fingerprint = problem->fingerprint;
    p.seconds = run->seconds_before + status.seconds;
    p.best_so_far = status.d_reached;
    p.best_so_far_of = status.reached_print;
    p.limit = o.seconds > 0 ? run->seconds_before + o.seconds : 0;
    p.live = run->arriving != NULL;
    p.ports_given = o.ports > 0;
    p.ports_no_time = status.ports_known == PORTS_NO_TIME;
    p.ports_unexplained = status.ports_known == PORTS_UNEXPLAINED;
    p.width_measured = o.width_measured;
    p.mappings = mem_zero(count + 1, sizeof *p.mappings);
    for (p.count = 0; p.count < count; p.count++) {
        p.mappings[p.count] = evolve_run_mapping(run, genomes[p.count], problem);
        genome_free(genomes[p.count]);
    }
    free(genomes);
    problem_free(problem);
    if (p.count)
        ok = population_save(&p, run->checkpoint, err);
    population_done(&p);
    return ok;
}

/* Joins new experiments to the run. Does nothing if none arrived, or if they make the same problem.
 * Logs failures. */
static void take_arrived(struct evolve_run *run)
{
    struct arriving *a = run->arriving;
    double begun = clock_seconds();
    struct err err = {0};

    lock_take(&a->lock);
    struct experiments *t = a->table;
    lock_give(&a->lock);
    if (!t)
        return;
    struct problem *before = evolve_problem(run->evolve), *p = problem_new(t, NULL, &err);
    if (p && p->fingerprint == before->fingerprint)
        problem_free(p);
    else if (p)
        evolve_join(run->evolve, p);
    else if (!watch_over())   /* A cancelled run ends without a message. */
        log_add(LOG_WARN, "run %u continues with its current experiments: %s", run->number,
                err.what);
    problem_free(before);
    lock_take(&a->lock);
    a->table = NULL;
    a->taken = clock_seconds();
    a->cost = a->taken - begun;
    lock_give(&a->lock);
    experiments_free(t);
}

/* Releases a table that was not joined, and rejects further tables. Measuring waits until no other
 * holder of the table exists. */
static void close_arriving(struct arriving *a)
{
    if (!a)
        return;
    lock_take(&a->lock);
    struct experiments *t = a->table;
    a->table = NULL;
    a->closed = true;
    lock_give(&a->lock);
    experiments_free(t);
}

static void poll_run(void *state)
{
    struct evolve_run *run = state;
    struct evolve_options o;
    struct evolve_status status;
    struct err err = {0};

    if (job_cancelled(NULL))
        evolve_stop(run->evolve);
    if (run->islands)
        islands_poll(run->islands, run->evolve);
    if (run->arriving)
        take_arrived(run);
    look_again(run);
    evolve_get_status(run->evolve, &status);
    evolve_get_options(run->evolve, &o);
    if (isnan(status.d_avg))
        job_progress(status.seconds, o.seconds, "%s", status.phase);
    else
        job_progress(status.seconds, o.seconds, "%s, %s %.2f %%, %llu distinct µops", status.phase,
                     status.ports ? "mean error" : "best trial", 100 * status.d_avg,
                     (unsigned long long)status.distinct);
    double now = clock_seconds();
    if (run->checkpoint && now - run->last_checkpoint >= CHECKPOINT_SECONDS) {
        run->last_checkpoint = now;
        if (!evolve_run_checkpoint(run, &err)) {
            char text[2048];
            log_add(LOG_WARN, "cannot write the checkpoint: %s", err_text(&err, text, sizeof text));
        }
    }
}

static void work(void *state, unsigned worker)
{
    struct evolve_run *run = state;
    thread_searches();
    evolve_worker(run->evolve, worker, poll_run, run);
    if (worker == 0)   /* Worker 0 polls for messages, and joins new experiments. */
        close_arriving(run->arriving);
}

static bool is_over(const void *state)
{
    return job_cancelled(NULL) || evolve_stop_requested(((const struct evolve_run *)state)->evolve);
}

/* Collects the results of the other ranks. The other ranks may take longer, but they end when this
 * run is stopped. */
static void gather(struct evolve_run *run)
{
    if (run->islands)
        islands_gather(run->islands, run->evolve, is_over, run);
    run->islands = NULL;
}

static bool run_job(void *state, struct err *err)
{
    struct evolve_run *run = state;
    struct evolve_options o;

    evolve_get_options(run->evolve, &o);
    bool worked = team_run(o.threads, work, run, err);
    if (!worked) {
        evolve_abandon(run->evolve);
        close_arriving(run->arriving);
    }
    gather(run);
    look(run); /* Publishes another outline, which includes the results of other ranks. */
    if (!worked)
        return false;
    struct evolve_status status;
    evolve_get_status(run->evolve, &status);
    if (status.state == EVOLVE_DONE && isnan(status.d_avg))
        return err_set(err, ERR_LIMIT, "use a longer time limit (--seconds), or fewer experiments",
                       "no mapping yet: the time limit of %g s was reached while the run was %s",
                       o.seconds, status.phase);
    return evolve_run_checkpoint(run, err);
}

static const struct job_ops ops = {.run = run_job, .counts = true};

/* Returns the genomes of mappings @from for a run with issue width @width; NaN: the mappings'
 * widths. Returns NULL with err. */
static struct genome **genomes_of(const struct problem *p, double width,
                                  const struct mapping *const *from, size_t count, struct err *err)
{
    struct genome **genomes = mem_zero(count + 1, sizeof *genomes);
    size_t n = 0;

    while (n < count && (genomes[n] = genome_of_mapping(from[n], p, err)))
        n++;
    for (size_t i = 0; i < n && !isnan(width); i++)
        genome_set_width(genomes[i], width);
    if (n == count)
        return genomes;
    while (n > 0)
        genome_free(genomes[--n]);
    free(genomes);
    return NULL;
}

/* Creates the search on this rank and, unless the run is live, on other ranks that are free.
 * Returns false with err. */
static bool make_evolve(struct evolve_run *run, const struct evolve_start *start,
                        const struct evolve_options *o, struct err *err)
{
    struct genome **genomes =
        genomes_of(start->take_problem, o->width, start->from, start->from_count, err);
    struct evolve_options own = *o;

    if (!genomes)
        return false;
    own.live = start->live;
    bool together = !start->live && islands_reserve(&own);
    run->evolve = evolve_new(start->take_problem, &own, genomes, start->from_count, err);
    run->ranks = together ? ranks_count() : 1;
    if (together && run->evolve)
        run->islands = islands_start(start->take_problem, &own, genomes, start->from_count);
    else if (together)
        ranks_release();
    for (size_t i = 0; i < start->from_count; i++)
        genome_free(genomes[i]);
    free(genomes);
    return run->evolve != NULL;
}

struct evolve_run *evolve_run_new(const struct evolve_start *start, const struct evolve_options *o,
                                  struct err *err)
{
    struct evolve_run *run = mem_zero(1, sizeof *run);

    run->names = start->names        ? *start->names
                 : start->from_count ? *mapping_ports(start->from[0])
                                     : (struct ports){0};
    run->isa = start->isa;
    pthread_mutex_init(&run->lock, NULL);
    pthread_mutex_init(&run->looking, NULL);
    run->checkpoint = mem_strdup(start->checkpoint);
    run->seconds_before = start->seconds_before;
    run->last_checkpoint = clock_seconds();
    if (start->live) {
        run->arriving = mem_zero(1, sizeof *run->arriving);
        pthread_mutex_init(&run->arriving->lock, NULL);
    }
    const bool made = make_evolve(run, start, o, err);
    /* Releases the reference, because the search has its own. */
    problem_free(start->take_problem);
    if (made)
        return run;
    evolve_run_free(run);
    return NULL;
}

bool evolve_run_begin(struct evolve_run *run, struct err *err)
{
    static unsigned numbers;
    struct problem *p = evolve_problem(run->evolve);
    char title[80];

    run->number = ++numbers;
    snprintf(title, sizeof title, "evolve %u: %zu form%s, %zu experiments%s", run->number, p->forms,
             plural(p->forms), p->experiments, run->arriving ? " and more" : "");
    problem_free(p);
    run->job = job_start(title, &ops, run, err);
    return run->job != 0;
}

struct evolve_run *evolve_run_start(const struct evolve_start *start,
                                    const struct evolve_options *o, struct err *err)
{
    struct evolve_run *run = evolve_run_new(start, o, err);

    if (run && !evolve_run_begin(run, err)) {
        evolve_run_free(run);
        run = NULL;
    }
    return run;
}

bool evolve_run_wants(const struct evolve_run *run)
{
    struct evolve_status status;
    struct arriving *a = run->arriving;

    if (!a || !evolve_try_status(run->evolve, &status))
        return false;
    lock_take(&a->lock);
    bool wants = status.state == EVOLVE_RUNNING && !a->closed && !a->table &&
                 clock_seconds() - a->taken >= fmax(JOIN_SECONDS, JOIN_TIMES * a->cost);
    lock_give(&a->lock);
    return wants;
}

void evolve_run_feed(struct evolve_run *run, struct experiments *t)
{
    struct arriving *a = run->arriving;

    lock_take(&a->lock);
    if (!a->closed && !a->table)
        a->table = experiments_hold(t);
    lock_give(&a->lock);
}

/* Waits until no measurements are waiting to join, the run has ended, or an interrupt arrives. */
static void await_arrived(struct evolve_run *run)
{
    struct arriving *a = run->arriving;
    struct evolve_status status;
    bool arrives = true;

    while (arrives && !job_interrupted()) {
        lock_take(&a->lock);
        const bool closed = a->closed, laid_out = !a->table;
        lock_give(&a->lock);
        /* Reads the status after a->table. NULL means that the table is joining or has joined. */
        evolve_get_status(run->evolve, &status);
        arrives = status.state == EVOLVE_RUNNING && !closed && (!laid_out || status.joining) &&
                  !job_wait_for(run->job, CATCH_UP_SECONDS);
    }
}

void evolve_run_catch_up(struct evolve_run *run, struct experiments *t)
{
    if (!run->arriving)
        return;
    await_arrived(run);
    if (t)
        evolve_run_feed(run, t);
    await_arrived(run);
}

void evolve_run_wait(struct evolve_run *run)
{
    if (run->job)
        job_wait(run->job);
}

void evolve_run_free(struct evolve_run *run)
{
    if (!run)
        return;
    if (run->evolve)
        evolve_stop(run->evolve);
    evolve_run_wait(run);
    /* Collects the islands here, because the job that collects them did not start. */
    if (run->islands)
        islands_gather(run->islands, run->evolve, NULL, NULL);
    evolve_free(run->evolve);
    if (run->arriving) {
        experiments_free(run->arriving->table);
        pthread_mutex_destroy(&run->arriving->lock);
        free(run->arriving);
    }
    outline_free(run->outline);
    outline_free(run->made);
    pthread_mutex_destroy(&run->lock);
    pthread_mutex_destroy(&run->looking);
    free(run->checkpoint);
    free(run);
}
