/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "cmd/saved_state.h"
#include "cmd/task.h"
#include "infer/select.h"
#include "io/population_file.h"
#include "ranks/ranks.h"
#include "work/evolve_job.h"

#define SECONDS_DEFAULT 60
#define PMEVO_PORTS 8

struct evolve_values {
    const char *algorithm, *from, *checkpoint, *simulate, *replay;
    struct port_list ports;
    size_t population, generations, seed, threads, most, size;
    const char *migration;
    double width, scale, seconds, migration_seconds, uop_price, volume_price, usage_price,
        volume_weight;
    bool active, live, go_on, tolerant, by_chance;
};

const struct parameter evolve_start_options[] = {
    {PARAMETER(PORTS, "--ports", struct evolve_values, ports), .value = "N|NAMES|auto", .least = 1,
     .most = PROBLEM_PORTS_MAX, .unset = "auto",
     .fallback = "auto, the fewest ports that explain the measurements, 12 if undecided; 8 for "
                  "pmevo",
     .help = "number of ports, or names such as 0,1,2,DV"},
    {PARAMETER(CHOICE, "--algorithm", struct evolve_values, algorithm), .choices = "memetic|pmevo",
     .initial = "memetic",
     .help = "inference method: Portolan's, or the evolutionary algorithm of the PMEvo paper"},
    {PARAMETER(DURATION, "--seconds", struct evolve_values, seconds), .value = "T",
     .fallback = "60s; no limit with --generations",
     .help = "time limit, such as 90s or 15m (0: no limit)"},
    {PARAMETER(COUNT, "--generations", struct evolve_values, generations), .value = "G",
     .most = 1e9, .initial = "0", .help = "number of generations (0: no limit)"},
    {PARAMETER(COUNT, "--seed", struct evolve_values, seed), .value = "S",
     .fallback = "the setting seed", .help = "random seed"},
    {PARAMETER(COUNT, "--population", struct evolve_values, population), .value = "P", .least = 2,
     .most = 1e6, .fallback = "4 to 8, depending on the time limit; 1000 for pmevo",
     .help = "population size (at most 1000 except for pmevo)"},
    {PARAMETER(COUNT, "--threads", struct evolve_values, threads), .value = "N", .least = 1,
     .most = THREADS_MAX, .fallback = "the setting threads", .help = "worker threads"},
    {PARAMETER(NUMBER, "--issue-width", struct evolve_values, width), .value = "W|auto", .most = 64,
     .unset = "auto", .fallback = "auto, the highest rate in the measurements",
     .help = "issue slots per cycle (0: no issue limit)"},
    {PARAMETER(NUMBER, "--price-scale", struct evolve_values, scale), .value = "X|auto",
     .least = 0.001, .most = 1000, .unset = "auto", .fallback = "auto, from a pilot run",
     .help = "factor for --uop-price, --volume-price and --usage-price"},
    {PARAMETER(NUMBER, "--uop-price", struct evolve_values, uop_price), .value = "X",
     .initial = INITIAL(EVOLVE_UOP_PRICE),
     .help = "price of a distinct µop; unit: an experiment with 100 % error"},
    {PARAMETER(NUMBER, "--volume-price", struct evolve_values, volume_price), .value = "X",
     .initial = INITIAL(EVOLVE_VOLUME_PRICE),
     .help = "price of each port that a µop of a form can use; unit: an experiment with 100 % "
             "error"},
    {PARAMETER(NUMBER, "--usage-price", struct evolve_values, usage_price), .value = "X",
     .initial = INITIAL(EVOLVE_USAGE_PRICE),
     .help = "price per nat of the code length of the usages, which is shorter for usages that "
             "many forms share; unit: an experiment with 100 % error"},
    {PARAMETER(NUMBER, "--volume-weight", struct evolve_values, volume_weight), .value = "W",
     .initial = INITIAL(EVOLVE_VOLUME_WEIGHT),
     .help = "pmevo: weight of the volume relative to the error"},
    {PARAMETER(TEXT, "--from", struct evolve_values, from), .value = "ID",
     .complete = COMPLETE_MACHINE, .fallback = "random mappings",
     .help = "machine from whose mapping the search starts"},
    {PARAMETER(FLAG, "--continue", struct evolve_values, go_on),
     .help = "start from the last run's population; with --active: from that run's experiments"},
    {PARAMETER(TEXT, "--checkpoint", struct evolve_values, checkpoint), .value = "FILE|none",
     .complete = COMPLETE_FILE, .fallback = "a separate file in the state directory",
     .help = "file to save the population in, for evolve resume"},
    {PARAMETER(CHOICE, "--migration", struct evolve_values, migration),
     .choices = "ring|random|none", .initial = "ring",
     .help = "migration topology between MPI ranks: ring, random or none"},
    {PARAMETER(DURATION, "--migrate-every", struct evolve_values, migration_seconds), .value = "T",
     .fallback = "a thirtieth of --seconds, 0.5 s to 30 s",
     .help = "with several ranks: time between migrations"},
    {PARAMETER(FLAG, "--tolerant", struct evolve_values, tolerant),
     .help = "pmevo: where the authors' program differs from the paper, follow the program"},
    {PARAMETER(FLAG, "--live", struct evolve_values, live),
     .help = "add experiments measured during the run to the search"},
    {PARAMETER(FLAG, "--active", struct evolve_values, active),
     .help = "first measure, in rounds, the experiments on which the best mappings disagree"},
    {PARAMETER(TEXT, "--simulate", struct evolve_values, simulate), .value = "ID",
     .complete = COMPLETE_MACHINE, .fallback = "measure this CPU",
     .help = "with --active: machine to simulate instead of measuring"},
    {PARAMETER(TEXT, "--replay", struct evolve_values, replay), .value = "FILE",
     .complete = COMPLETE_FILE, .fallback = "measure this CPU",
     .help = "with --active: choose from these measured experiments instead of measuring"},
    {PARAMETER(COUNT, "--most", struct evolve_values, most), .value = "N", .least = 1, .most = 1e9,
     .fallback = "a tenth of all pairs, at least the number of forms",
     .help = "with --active: number of experiments in addition to single forms"},
    {PARAMETER(COUNT, "--size", struct evolve_values, size), .value = "K", .least = 2,
     .most = SELECT_SIZE_MOST, .fallback = INITIAL(ACTIVE_SIZE),
     .help = "with --active: maximum number of forms per experiment"},
    {PARAMETER(FLAG, "--by-chance", struct evolve_values, by_chance),
     .help = "with --active: choose experiments at random (for comparison)"},
    {0},
};

static void fill_options(const struct session *s, const struct evolve_values *v,
                         struct evolve_options *o)
{
    evolve_defaults(o);
    o->algorithm = strcmp(v->algorithm, "pmevo") == 0 ? EVOLVE_PMEVO : EVOLVE_MEMETIC;
    if (o->algorithm == EVOLVE_PMEVO)
        o->ports = PMEVO_PORTS;
    if (v->ports.ports.count)
        o->ports = v->ports.ports.count;
    o->width = v->width;
    o->price_scale = v->scale;
    o->prices.uop = v->uop_price;
    o->prices.volume = v->volume_price;
    o->prices.usage = v->usage_price;
    o->volume_weight = v->volume_weight;
    o->tolerant = v->tolerant;
    o->migration = v->migration[0] == 'n'   ? MIGRATION_NONE
                   : v->migration[1] == 'i' ? MIGRATION_RING
                                            : MIGRATION_RANDOM;
    o->migration_seconds = isnan(v->migration_seconds) ? 0 : v->migration_seconds;
    o->population = v->population == NOT_GIVEN ? 0 : (unsigned)v->population;
    o->generations = (unsigned)v->generations;
    o->seed = v->seed == NOT_GIVEN ? s->settings.seed : v->seed;
    o->threads = v->threads == NOT_GIVEN ? session_threads(s) : (unsigned)v->threads;
    o->seconds = isnan(v->seconds) ? (o->generations ? 0 : SECONDS_DEFAULT) : v->seconds;
}

void evolve_session_add(struct session *s, struct evolve_run *take_run)
{
    unfinished_run_done(&s->document.unfinished);
    s->document.runs =
        mem_resize(s->document.runs, (s->document.run_count + 1) * sizeof *s->document.runs);
    s->document.runs[s->document.run_count++] = take_run;
}

void evolve_show_started(const struct evolve_run *run, struct result *result)
{
    struct evolve_status status;
    char ranks[32] = "";

    if (run->ranks > 1)
        snprintf(ranks, sizeof ranks, ", on %u ranks", run->ranks);
    evolve_get_status(run->evolve, &status);
    result_line(result,
                "run %u: %zu form%s, %zu experiment%s%s%s; evolve status shows its progress",
                run->number, status.forms, plural(status.forms), status.experiments,
                plural(status.experiments),
                run->arriving ? ", and experiments measured during the run" : "", ranks);
    result_count(result, "ranks", run->ranks);
    result_count(result, "run", run->number);
    result_count(result, "job", run->job);
    result_count(result, "forms", (int64_t)status.forms);
    result_count(result, "experiments", (int64_t)status.experiments);
}

/* Returns the population of the last run as mappings with the run's port names; empty without a
 * run. */
static struct population last_population(const struct session *s)
{
    struct population p = {0};
    struct problem *problem;
    size_t count;

    if (!s->document.run_count)
        return p;
    struct evolve_run *run = s->document.runs[s->document.run_count - 1];
    struct genome **genomes = evolve_population(run->evolve, &count, &problem);
    p.mappings = mem_zero(count + 1, sizeof *p.mappings);
    for (size_t i = 0; i < count; i++) {
        struct ports names = {0};
        evolve_run_ports(run, genomes[i]->ports, &names);
        p.mappings[p.count++] = genome_mapping(genomes[i], problem, &names);
        genome_free(genomes[i]);
    }
    free(genomes);
    problem_free(problem);
    return p;
}

static bool need_experiments(const struct session *s, struct err *err)
{
    return s->document.experiments ||
           err_set(err, ERR_USAGE,
                   "use experiments load FILE, or experiments generate and experiments measure",
                   "no experiments");
}

/* Returns whether the options agree. Returns false with err if two options exclude each other, or
 * if an option needs another option or a single rank. */
static bool agree(const struct evolve_values *v, const struct evolve_options *o, struct err *err)
{
    if (!v->active &&
        (v->simulate || v->replay || v->most != NOT_GIVEN || v->size != NOT_GIVEN || v->by_chance))
        return err_set(err, ERR_USAGE, "add --active",
                       "--simulate, --replay, --most, --size and --by-chance need --active");
    if (v->active && (v->from || v->ports.named || o->algorithm == EVOLVE_PMEVO))
        return err_set(err, ERR_USAGE, "run evolve start --active, then evolve start --from",
                       "--active cannot be combined with --from, port names or pmevo");
    if (v->replay && (v->simulate || v->go_on))
        return err_set(err, ERR_USAGE, "omit --replay, or --simulate and --continue",
                       "--replay cannot be combined with --simulate or --continue");
    if (v->live && (v->active || o->algorithm == EVOLVE_PMEVO))
        return err_set(err, ERR_USAGE, "omit --live",
                       "--live cannot be combined with --active or pmevo");
    if (v->live && ranks_count() > 1)
        return err_set(err, ERR_USAGE, "start one process, or omit --live",
                       "--live works in one process only, not with %u ranks", ranks_count());
    return true;
}

/* Input and result of the job that prepares a run, because many experiments take long. */
struct starting {
    struct evolve_options o;
    struct ports names;              /* names of the ports; empty: the ports are numbered */
    struct population before;        /* initial mappings of the population */
    char *checkpoint;                /* path of the checkpoint; NULL: none */
    bool resumed;                    /* whether @before was read from @checkpoint */
    bool live;
    enum isa isa;
    struct experiments *table;       /* counted reference */
    struct problem *problem;
    struct evolve_run *run;          /* run that is not started yet; NULL: not made yet */
    struct watch outer;              /* the job's watch, while problem_new polls time_over */
};

static void starting_free(void *state)
{
    struct starting *w = state;
    population_done(&w->before);
    experiments_free(w->table);
    problem_free(w->problem);
    evolve_run_free(w->run);
    free(w->checkpoint);
    free(w);
}

static bool time_over(void *state)
{
    const struct starting *w = state;
    return (w->outer.over && w->outer.over(w->outer.state)) ||
           (w->o.seconds > 0 && clock_seconds() - w->o.begun >= w->o.seconds);
}

static bool read_checkpoint(struct starting *w, struct err *err)
{
    struct population *p = &w->before;
    /* Reads only regular files, because another author's session may name a pipe, and reading it
     * would never end. */
    const bool pipes = file_only_files(true), ok = population_load(w->checkpoint, p, err);

    file_only_files(pipes);
    if (!ok)
        return false;
    if (p->count > 1) {   /* A single mapping initialises all individuals. */
        w->o.population = (unsigned)p->count;
        w->o.population_each = true;   /* Each rank then uses this population size instead of its
                                        * own option. */
    }
    w->live = p->live && ranks_count() == 1;
    w->o.ports = p->ports_given && p->count ? mapping_ports(p->mappings[0])->count : 0;
    w->o.ports_known = p->ports_no_time       ? PORTS_NO_TIME
                       : p->ports_unexplained ? PORTS_UNEXPLAINED
                                              : PORTS_FOUND;
    w->o.width_measured = p->width_measured;
    const double limit = p->limit > 0 ? p->limit : SECONDS_DEFAULT;
    w->o.seconds = fmax(limit - p->seconds, fmin(limit, SECONDS_DEFAULT) / 4.0);
    w->o.begun = clock_seconds();
    return true;
}

/* Makes the run for w->problem, and takes the reference to the problem. Returns false with err on
 * failure. */
static bool make_run(struct starting *w, struct err *err)
{
    const struct evolve_start start = {.take_problem = w->problem,
                                       .names = w->names.count ? &w->names : NULL,
                                       .from = (const struct mapping *const *)w->before.mappings,
                                       .from_count = w->before.count,
                                       .checkpoint = w->checkpoint,
                                       .seconds_before = w->before.seconds,
                                       .isa = w->isa,
                                       .live = w->live};

    w->problem = NULL;
    w->run = evolve_run_new(&start, &w->o, err);
    return w->run != NULL;
}

static bool lay_out(void *state, struct result *result, struct err *err)
{
    struct starting *w = state;

    if (w->resumed && !read_checkpoint(w, err))
        return false;
    w->outer = watch_begin(time_over, w);
    w->problem = problem_new(w->table, NULL, err);
    watch_restore(w->outer);
    if (w->problem && w->resumed && w->problem->fingerprint != w->before.fingerprint)
        result_line(
            result,
            "the checkpoint belongs to other experiments; the run continues with the current "
            "experiments");
    if (w->problem && w->resumed && w->problem->fingerprint == w->before.best_so_far_of)
        w->o.reached = w->before.best_so_far;
    else if (w->problem && w->resumed && !isnan(w->before.best_so_far))
        result_line(result,
                    "the smallest error now refers to the current %zu experiment%s, not to the "
                    "initial experiments",
                    w->problem->experiments, plural(w->problem->experiments));
    if (w->problem && w->resumed && w->before.live && !w->live)
        result_line(
            result,
            "--live does not apply to %u ranks: the run continues with its current experiments",
            ranks_count());
    /* The measured issue width may have changed since the checkpoint was written, because more
     * forms were measured. */
    if (w->problem && w->o.width_measured && w->before.count)
        w->o.width = evolve_measured_width(w->problem, mapping_issue_width(w->before.mappings[0]));
    /* With several ranks the UI thread makes the run. */
    return w->problem && (ranks_count() > 1 || make_run(w, err));
}

static bool go(struct session *s, void *state, struct result *result, struct err *err)
{
    struct starting *w = state;

    if ((!w->run && !make_run(w, err)) || !evolve_run_begin(w->run, err))
        return false;
    struct evolve_run *run = w->run;
    w->run = NULL;
    run->fed_serial = w->table->serial;
    run->fed_revision = w->table->revision;
    evolve_session_add(s, run);
    evolve_show_started(run, result);
    return true;
}

static bool start(struct session *s, struct starting *take_w, struct task *task)
{
    static const struct task_ops ops = {"prepares the experiments", lay_out, go,
                                        .free = starting_free};

    take_w->table = experiments_hold(s->document.experiments);
    take_w->isa = s->document.isa;
    return task_give(task, &ops, take_w);
}

/* Sets the initial population: none, a machine's mapping, or the population of the last run. Stores
 * the population in @before. Returns false with err on failure. */
static bool begin_with(struct session *s, const struct evolve_values *v, struct population *before,
                       struct err *err)
{
    *before = (struct population){0};
    if (v->from) {
        struct machine *m = session_machine(s, v->from, err);
        if (!m)
            return false;
        before->mappings = mem_alloc(sizeof *before->mappings);
        before->mappings[before->count++] = mapping_copy(m->mapping);
    } else if (v->go_on) {
        *before = last_population(s);
    }
    return true;
}

static bool prepare_start(struct session *s, const void *values, struct task *task, struct err *err)
{
    const struct evolve_values *v = values;
    struct starting *w = mem_zero(1, sizeof *w);

    fill_options(s, v, &w->o);
    w->names = v->ports.named ? v->ports.ports : w->names;
    w->live = v->live;
    bool ok = ((v->active && (v->go_on || v->replay)) || need_experiments(s, err)) &&
              agree(v, &w->o, err);

    w->checkpoint = !v->checkpoint                       ? saved_state_checkpoint_new()
                    : strcmp(v->checkpoint, "none") == 0 ? NULL
                                                         : mem_strdup(v->checkpoint);
    if (ok && v->active) {
        const struct active_choice choice = {v->simulate,
                                             v->replay,
                                             v->most == NOT_GIVEN ? 0 : v->most,
                                             v->size == NOT_GIVEN ? 0 : v->size,
                                             v->by_chance,
                                             v->go_on};
        ok = evolve_start_active(s, &choice, &w->o, w->checkpoint, task, err);
    } else if (ok && (ok = begin_with(s, v, &w->before, err))) {
        w->o.begun = clock_seconds();
        return start(s, w, task);
    }
    starting_free(w);
    return ok;
}

/* Returns the session's table if @run has not read its measurements, and marks them as read.
 * Otherwise returns NULL. */
static struct experiments *news_for(const struct session *s, struct evolve_run *run)
{
    struct experiments *t = s->document.experiments;

    if (!t || (run->fed_serial == t->serial && run->fed_revision == t->revision))
        return NULL;
    run->fed_serial = t->serial;
    run->fed_revision = t->revision;
    return t;
}

void evolve_feed(struct session *s)
{
    struct evolve_run *run = document_newest_run(&s->document);
    struct experiments *t = run && evolve_run_wants(run) ? news_for(s, run) : NULL;

    if (t)
        evolve_run_feed(run, t);
}

void evolve_catch_up(struct session *s)
{
    struct evolve_run *run = document_newest_run(&s->document);

    if (run && !s->interactive)
        evolve_run_catch_up(run, news_for(s, run));
}

const struct command command_evolve_start = {
    .name = "evolve start",
    .meant = "infer search",
    .help = "infer a port mapping from the experiments, in the background",
    .description =
        "evolve status and the view evolution show its progress; evolve adopt makes the best "
        "mapping the current machine. With --live, new results of experiments measure are added to "
        "the search at most once per second. In scripts the results are added during experiments "
        "measure and after each command. All results are added before evolve status, wait, stop "
        "and adopt.",
    .options = evolve_start_options,
    .examples = EXAMPLES("evolve start", "evolve start --live --seconds 5m",
                         "evolve start --ports 0,1,2,3,DV --seconds 10m --seed 7",
                         "evolve start --algorithm pmevo --ports 8 --population 1000 --generations "
                         "120", "evolve start --active --simulate skylake --seconds 8 --most 1000",
                         "evolve start --active --replay pairs.csv --most 300 --by-chance"),
    .values_size = sizeof(struct evolve_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_start,
};

struct resume_values {
    const char *file;
};

static bool resume_checkpoint(struct session *s, const char *file, struct task *task,
                              struct err *err)
{
    struct starting *w = mem_zero(1, sizeof *w);

    w->resumed = true;
    w->checkpoint = mem_strdup(file);
    evolve_defaults(&w->o);
    w->o.threads = session_threads(s);
    w->o.seed = s->settings.seed;
    if (need_experiments(s, err))
        return start(s, w, task);
    starting_free(w);
    return false;
}

static bool prepare_resume(struct session *s, const void *values, struct task *task,
                           struct err *err)
{
    const struct resume_values *v = values;

    if (v->file)
        return resume_checkpoint(s, v->file, task, err);
    if (s->document.unfinished.checkpoint)
        return resume_checkpoint(s, s->document.unfinished.checkpoint, task, err);
    if (!s->document.run_count) {
        char *last = saved_state_checkpoint_last();
        bool ok = last ? resume_checkpoint(s, last, task, err)
                       : err_set(err, ERR_USAGE, "give the name of the checkpoint file",
                                 "no checkpoint of a run found");
        free(last);
        return ok;
    }
    struct evolve_run *run = s->document.runs[s->document.run_count - 1];
    evolve_pause(run->evolve, false);
    result_note(s->result, "run %u continues", run->number);
    result_count(s->result, "run", run->number);
    return true;
}

const struct command command_evolve_resume = {
    .name = "evolve resume",
    .help = "continue a paused run, or a run from its checkpoint",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "CHECKPOINT", struct resume_values, file), .complete = COMPLETE_FILE,
         .fallback = "the paused run, else the run of the loaded session, else the newest "
                      "checkpoint in the state directory",
         .help = "checkpoint file of evolve start"}),
    .examples = EXAMPLES("evolve resume", "evolve resume evolve.json"),
    .values_size = sizeof(struct resume_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_resume,
};
