/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/duration.h"
#include "base/path.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "cmd/options.h"
#include "infer/confidence.h"
#include "io/population_file.h"
#include "work/evolve_job.h"
#include "work/job.h"
#include "work/pool.h"

#define SECONDS_DEFAULT 60
#define PMEVO_PORTS 8

/* Where checkpoints go unless told otherwise, its directory made: the caller frees; NULL when there is no home. */
static char *state_path(void)
{
    char *path = path_state("evolve.json");
    if (path)
        path_make_parents(path, 0700, NULL);   /* what cannot be made shows when the checkpoint is written */
    return path;
}

static struct evolve_run *current(const struct session *s, struct err *err)
{
    if (s->document.run_count)
        return s->document.runs[s->document.run_count - 1];
    err_set(err, ERR_USAGE, "evolve start", "nothing evolves");
    return NULL;
}

/* "8", "auto" or names as in "0,1,2,DV". */
static bool parse_ports(const char *text, struct evolve_options *o, struct ports *names, struct err *err)
{
    size_t count;

    *names = (struct ports){0};
    if (strcmp(text, "auto") == 0) {
        o->ports = 0;
        return true;
    }
    if (strspn(text, "0123456789") == strlen(text)) {
        if (!options_count(text, &count, err))
            return false;
        o->ports = count <= PORTS_MAX ? (unsigned)count : PORTS_MAX + 1;
        return count > 0 || err_set(err, ERR_USAGE, "use --ports 8, or --ports auto", "no port is too few");
    }
    bool ok = ports_parse(text, names, err);
    o->ports = names->count;
    return ok;
}

struct start_words {
    const char *ports, *algorithm, *from, *checkpoint, *width, *scale;
    size_t population, generations, seed, threads;
    double seconds;
    bool active, go_on;
    struct active_words asked;
};

static bool read_options(struct session *s, int argc, char **argv, struct start_words *w, struct evolve_options *o, struct ports *names, struct err *err)
{
    const struct legacy_option options[] = {
        {"--ports", OPTION_TEXT, &w->ports},           {"--algorithm", OPTION_TEXT, &w->algorithm},
        {"--population", OPTION_COUNT, &w->population}, {"--generations", OPTION_COUNT, &w->generations},
        {"--seconds", OPTION_DURATION, &w->seconds},   {"--seed", OPTION_COUNT, &w->seed},
        {"--threads", OPTION_COUNT, &w->threads},      {"--volume-weight", OPTION_NUMBER, &o->volume_weight},
        {"--uop-price", OPTION_NUMBER, &o->prices.uop}, {"--volume-price", OPTION_NUMBER, &o->prices.volume},
        {"--usage-price", OPTION_NUMBER, &o->prices.usage}, {"--price-scale", OPTION_TEXT, &w->scale},
        {"--issue-width", OPTION_TEXT, &w->width},
        {"--from", OPTION_TEXT, &w->from},             {"--checkpoint", OPTION_TEXT, &w->checkpoint},
        {"--continue", OPTION_FLAG, &w->go_on},        {"--tolerant", OPTION_FLAG, &o->tolerant},
        {"--active", OPTION_FLAG, &w->active},         {"--simulate", OPTION_TEXT, &w->asked.simulate},
        {"--most", OPTION_COUNT, &w->asked.most},      {"--size", OPTION_COUNT, &w->asked.size},
        {"--by-chance", OPTION_FLAG, &w->asked.random}, {NULL, OPTION_FLAG, NULL},
    };
    size_t words;

    (void)s;
    if (!options_parse(argc, argv, options, NULL, 0, &words, err) || (w->ports && !parse_ports(w->ports, o, names, err)))
        return false;
    if (w->algorithm && strcmp(w->algorithm, "memetic") != 0 && strcmp(w->algorithm, "pmevo") != 0)
        return err_set(err, ERR_USAGE, "use memetic or pmevo", "there is no algorithm \"%s\"", w->algorithm);
    o->algorithm = w->algorithm && w->algorithm[0] == 'p' ? EVOLVE_PMEVO : EVOLVE_MEMETIC;
    if (w->width && strcmp(w->width, "auto") != 0) {
        char *end;
        o->width = strtod(w->width, &end);
        if (end == w->width || *end || !(o->width >= 0 && o->width <= 64))
            return err_set(err, ERR_USAGE, "use --issue-width 4, 0 for none, or auto", "\"%s\" is no width", w->width);
    }
    if (w->scale && strcmp(w->scale, "auto") != 0) {
        char *end;
        o->price_scale = strtod(w->scale, &end);
        if (end == w->scale || *end || !(o->price_scale > 0 && o->price_scale <= 1000))
            return err_set(err, ERR_USAGE, "use --price-scale 1, or auto", "\"%s\" is no scale", w->scale);
    }
    if (o->algorithm == EVOLVE_PMEVO && !w->ports)
        o->ports = PMEVO_PORTS;
    o->population = w->population < 10000000 ? (unsigned)w->population : 10000000;
    o->generations = w->generations < 1000000000 ? (unsigned)w->generations : 1000000000;
    o->seed = w->seed;
    o->threads = w->threads && w->threads <= THREADS_MAX ? (unsigned)w->threads : session_threads(s);
    o->seconds = isnan(w->seconds) ? (o->generations ? 0 : SECONDS_DEFAULT) : w->seconds;
    return true;
}

void evolve_session_add(struct session *s, struct evolve_run *take_run)
{
    s->document.runs = mem_resize(s->document.runs, (s->document.run_count + 1) * sizeof *s->document.runs);
    s->document.runs[s->document.run_count++] = take_run;
}

void evolve_session_print(struct session *s, const struct evolve_run *run)
{
    if (s->settings.format == FORMAT_JSON) {
        json_t *object = json_pack("{s:i, s:i, s:I, s:I}", "run", (int)run->number, "job", (int)run->job, "forms", (json_int_t)run->problem->forms,
                                   "experiments", (json_int_t)run->problem->experiments);
        evolve_active_json(s, run->number, object);
        session_json(s, object);
    } else if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "run,job,forms,experiments\n%u,%u,%zu,%zu\n", run->number, run->job, run->problem->forms, run->problem->experiments);
    else
        str_addf(&s->output, "run %u: %zu forms, %zu experiments; evolve status shows how far it is\n", run->number, run->problem->forms,
                 run->problem->experiments);
}

/* Takes @take_run. */
static void add_run(struct session *s, struct evolve_run *take_run)
{
    evolve_session_add(s, take_run);
    evolve_session_print(s, take_run);
}

/* The population of the last run, by the mappings' names. */
static struct population last_population(const struct session *s)
{
    struct population p = {0};
    size_t count;

    if (!s->document.run_count)
        return p;
    struct evolve_run *run = s->document.runs[s->document.run_count - 1];
    struct genome **genomes = evolve_population(run->evolve, &count);
    p.mappings = mem_zero(count + 1, sizeof *p.mappings);
    for (size_t i = 0; i < count; i++) {
        struct ports names = {0};
        evolve_run_ports(run, genomes[i]->ports, &names);
        p.mappings[p.count++] = genome_mapping(genomes[i], run->problem, &names);
        genome_free(genomes[i]);
    }
    free(genomes);
    return p;
}

static bool need_experiments(const struct session *s, struct err *err)
{
    return s->document.experiments || err_set(err, ERR_USAGE, "experiments load FILE, or experiments generate and measure", "there are no experiments");
}

bool cmd_evolve_start(struct session *s, int argc, char **argv, struct err *err)
{
    struct start_words w = {.seed = s->settings.seed, .threads = s->settings.threads, .seconds = NAN};
    struct evolve_options o;
    struct ports names = {0};
    struct population before = {0};
    struct evolve_run *run = NULL;
    char *path = NULL;

    evolve_defaults(&o);
    if (!read_options(s, argc, argv, &w, &o, &names, err) || (!(w.active && w.go_on) && !need_experiments(s, err)))
        return false;
    if (!w.active && (w.asked.simulate || w.asked.most || w.asked.size || w.asked.random))
        return err_set(err, ERR_USAGE, "add --active", "--simulate, --most, --size and --by-chance say what is measured, and nothing is");
    if (w.active && (w.from || names.count || o.algorithm == EVOLVE_PMEVO))
        return err_set(err, ERR_USAGE, "evolve start --active, then evolve start --from", "--active begins from nothing, with numbered ports and our own algorithm");
    if (w.from) {
        struct machine *m = session_machine(s, w.from, err);
        if (!m)
            return false;
        before.mappings = mem_alloc(sizeof *before.mappings);
        before.mappings[before.count++] = mapping_copy(m->mapping);
    } else if (w.go_on && !w.active) {
        before = last_population(s);
    }
    path = w.checkpoint ? (strcmp(w.checkpoint, "none") == 0 ? NULL : mem_strdup(w.checkpoint)) : state_path();
    if (w.active) {
        w.asked.go_on = w.go_on;
        bool started = evolve_start_active(s, &w.asked, &o, path, err);
        free(path);
        return started;
    }
    struct problem *p = problem_new(s->document.experiments, NULL, err);
    if (p)
        run = evolve_run_start(p, &o, names.count ? &names : NULL, (const struct mapping *const *)before.mappings, before.count, path, 0, err);
    population_done(&before);
    free(path);
    if (run)
        add_run(s, run);
    return run != NULL;
}

/* "8 ports", or the numbers tried while they are sought. */
static void print_ports(struct session *s, struct evolve_run *run, const struct evolve_status *t)
{
    struct evolve_trial trials[PORTS_MAX];
    size_t n = t->ports ? 0 : evolve_get_trials(run->evolve, trials, PORTS_MAX);

    if (t->ports)
        str_addf(&s->output, "%u ports", t->ports);
    else
        str_add(&s->output, n ? "ports tried:" : "number of ports not known yet");
    for (size_t i = 0; i < n; i++)
        str_addf(&s->output, "%s %u (%.2f %%)", i ? "," : "", trials[i].ports, 100 * trials[i].d_avg);
}

static void print_status(struct session *s, struct evolve_run *run)
{
    struct evolve_status t;

    evolve_get_status(run->evolve, &t);
    if (s->settings.format == FORMAT_JSON) {
        struct evolve_point front[64];
        size_t n = evolve_get_front(run->evolve, front, 64);
        json_t *moves = json_object(), *points = json_array();
        for (int k = 0; k < MOVE_KINDS; k++)
            if (t.stats.tried[k])
                json_object_set_new(moves, anneal_move_names[k], json_real((double)t.stats.accepted[k] / (double)t.stats.tried[k]));
        for (size_t i = 0; i < n; i++)
            json_array_append_new(points, json_pack("{s:f, s:I, s:I}", "d_avg", front[i].d_avg, "distinct_uops", (json_int_t)front[i].distinct, "volume",
                                                    (json_int_t)front[i].volume));
        json_t *object = json_pack("{s:i, s:s, s:i, s:o, s:I, s:I, s:I, s:f, s:o, s:o, s:f, s:f, s:o, s:o, s:o}", "run", (int)run->number, "state",
                                  evolve_state_names[t.state], "generation", (int)t.generation, "d_avg", isnan(t.d_avg) ? json_null() : json_real(t.d_avg),
                                  "volume", (json_int_t)t.volume, "distinct_uops", (json_int_t)t.distinct, "evaluations", (json_int_t)t.evaluations,
                                  "seconds", t.seconds, "best_fitness", isnan(t.cost) ? json_null() : json_real(t.cost), "ports", t.ports ? json_integer(t.ports) : json_null(),
                                  "issue_width", t.width, "rate", t.rate, "price_scale", isnan(t.scale) ? json_null() : json_real(t.scale), "acceptance", moves, "front", points);
        evolve_active_json(s, run->number, object);
        session_json(s, object);
    } else if (s->settings.format == FORMAT_CSV) {
        str_addf(&s->output, "state,generation,d_avg,volume,distinct_uops,evaluations,seconds,best_fitness\n%s,%u,%.17g,%llu,%llu,%llu,%.3f,%.17g\n",
                 evolve_state_names[t.state], t.generation, t.d_avg, (unsigned long long)t.volume, (unsigned long long)t.distinct,
                 (unsigned long long)t.evaluations, t.seconds, t.cost);
    } else {
        str_addf(&s->output, "run %u: %s, %s, %.1f s; ", run->number, evolve_state_names[t.state], t.phase, t.seconds);
        print_ports(s, run, &t);
        str_addf(&s->output, ", issue width %g", t.width);
        if (!isnan(t.scale))
            str_addf(&s->output, ", price scale %.2f", t.scale);
        if (isnan(t.d_avg))
            str_addf(&s->output, "\nno mapping yet; %.1f million evaluations\n", (double)t.evaluations / 1e6);
        else
            str_addf(&s->output, "\nbest: D_avg %.2f %%, %llu distinct µops, volume %llu, cost %.2f; %.1f million evaluations, %.1f million a second\n", 100 * t.d_avg,
                 (unsigned long long)t.distinct, (unsigned long long)t.volume, t.cost, (double)t.evaluations / 1e6, t.rate / 1e6);
    }
}

static bool no_words(int argc, char **argv, struct err *err)
{
    return argc == 1 || err_set(err, ERR_USAGE, NULL, "%s takes no argument", argv[0]);
}

bool cmd_evolve_status(struct session *s, int argc, char **argv, struct err *err)
{
    if (!no_words(argc, argv, err) || (!evolve_active_choosing() && !current(s, err)))
        return false;
    if (evolve_active_choosing())
        evolve_active_print(s);
    for (size_t i = 0; i < s->document.run_count; i++)
        print_status(s, s->document.runs[i]);
    return true;
}

bool cmd_evolve_pause(struct session *s, int argc, char **argv, struct err *err)
{
    struct evolve_run *run = no_words(argc, argv, err) ? current(s, err) : NULL;
    if (run)
        evolve_pause(run->evolve, true);
    return run != NULL;
}

/* Without a run: goes on from the last checkpoint. */
static bool resume_checkpoint(struct session *s, const char *file, struct err *err)
{
    struct evolve_options o;
    struct population p;
    struct evolve_run *run = NULL;
    char *path = file ? mem_strdup(file) : state_path();

    if (!need_experiments(s, err) || !(path || err_set(err, ERR_USAGE, "name the checkpoint", "there is no state directory")) ||
        !population_load(path, &p, err)) {
        free(path);
        return false;
    }
    struct problem *problem = problem_new(s->document.experiments, NULL, err);
    if (problem && problem->fingerprint != p.fingerprint && s->settings.format == FORMAT_TEXT)
        str_add(&s->output, "the checkpoint was made from other experiments; its population goes on with these\n");
    evolve_defaults(&o);
    o.threads = session_threads(s);
    o.seed = s->settings.seed;
    o.population = p.count > 2 ? (unsigned)p.count : 2;
    o.seconds = fmax(SECONDS_DEFAULT - p.seconds, SECONDS_DEFAULT / 4.0);
    if (problem)
        run = evolve_run_start(problem, &o, NULL, (const struct mapping *const *)p.mappings, p.count, path, p.seconds, err);
    population_done(&p);
    free(path);
    if (run)
        add_run(s, run);
    return run != NULL;
}

bool cmd_evolve_resume(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc > 2)
        return err_set(err, ERR_USAGE, "evolve resume, or evolve resume CHECKPOINT", "one file at most was expected");
    if (argc == 2 || !s->document.run_count)
        return resume_checkpoint(s, argc == 2 ? argv[1] : NULL, err);
    evolve_pause(s->document.runs[s->document.run_count - 1]->evolve, false);
    return true;
}

bool cmd_evolve_stop(struct session *s, int argc, char **argv, struct err *err)
{
    struct evolve_run *run = no_words(argc, argv, err) ? current(s, err) : NULL;
    if (!run)
        return false;
    evolve_stop(run->evolve);
    evolve_run_wait(run);
    print_status(s, run);
    return true;
}

bool cmd_evolve_wait(struct session *s, int argc, char **argv, struct err *err)
{
    struct evolve_run *run = no_words(argc, argv, err) ? current(s, err) : NULL;
    if (!run)
        return false;
    struct job_info info;
    if (s->interactive && job_find(run->job, &info) && !info.settled) {
        session_await(s, run->job, false);
        str_addf(&s->output, "what follows waits for run %u; the screen does not, and Esc ends it\n", run->number);
        return true;
    }
    if (!session_wait(s, run->job, err))
        return false;
    print_status(s, run);
    return true;
}

bool cmd_evolve_set(struct session *s, int argc, char **argv, struct err *err)
{
    struct evolve_run *run = current(s, err);
    double value;
    char *end;

    if (!run)
        return false;
    if (argc != 3)
        return err_set(err, ERR_USAGE, "evolve set seconds 120", "a name and a value were expected");
    value = strtod(argv[2], &end);
    if (strcmp(argv[1], "seconds") == 0 ? !duration_parse(argv[2], &value, err)
                                         : (*end || end == argv[2]) && !err_set(err, ERR_USAGE, "give a number", "\"%s\" is none", argv[2]))
        return false;
    return evolve_set(run->evolve, argv[1], value, err);
}

/* Notes on each form how far the best mappings agree on it. */
static void note_confidence(struct evolve_run *run, struct mapping *m)
{
    size_t count;
    struct genome **genomes = evolve_population(run->evolve, &count);
    double *confidence = mem_alloc((run->problem->forms + 1) * sizeof *confidence);
    char text[64];

    confidence_of(genomes, count, confidence);
    for (size_t f = 0; count && f < run->problem->forms; f++) {
        struct mapping_entry entry = *mapping_find(m, run->problem->names[f]);
        struct usage usage = {0};
        if (isnan(confidence[f]))
            continue;
        snprintf(text, sizeof text, "inferred, confidence %.2f", confidence[f]);
        usage_copy(&usage, &entry.usage);
        entry.usage = usage;
        entry.source = text;
        mapping_set(m, &entry);
        usage_done(&usage);
    }
    for (size_t i = 0; i < count; i++)
        genome_free(genomes[i]);
    free(genomes);
    free(confidence);
}

bool cmd_evolve_adopt(struct session *s, int argc, char **argv, struct err *err)
{
    struct evolve_run *run = no_words(argc, argv, err) ? current(s, err) : NULL;
    char id[] = "evolved", width[32];
    char *ids[] = {id};

    if (!run)
        return false;
    struct mapping *best = evolve_run_best(run);
    if (!best)
        return err_set(err, ERR_USAGE, "wait a moment", "the run has no mapping yet");
    note_confidence(run, best);
    struct machine *m = machine_new(id, mapping_ports(best));
    mapping_free(m->mapping);
    m->mapping = best;
    free(m->title);
    m->title = mem_strdup("inferred from experiments");
    machine_set_fact(m, "title", m->title, "", "");
    if (mapping_issue_width(best) > 0) {
        snprintf(width, sizeof width, "%g", mapping_issue_width(best));
        machine_set_fact(m, "issue_width", width, "µops/cycle", "inferred from experiments");
        machine_set_fact(m, "issue_slots", "inferred", "", "the column micro_ops counts issue slots");
    }
    session_add_machine(s, m);
    if (!session_select(s, ids, 1, err))
        return false;
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:I, s:I, s:I}", "machine", id, "forms", (json_int_t)mapping_count(best), "distinct_uops",
                                  (json_int_t)mapping_distinct_uops(best), "volume", (json_int_t)mapping_volume(best)));
    else if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "machine,forms,distinct_uops,volume\n%s,%zu,%zu,%llu\n", id, mapping_count(best), mapping_distinct_uops(best),
                 (unsigned long long)mapping_volume(best));
    else
        str_addf(&s->output, "%s: %zu forms, %zu distinct µops, volume %llu; mapping save DIRECTORY keeps it\n", id, mapping_count(best),
                 mapping_distinct_uops(best), (unsigned long long)mapping_volume(best));
    return true;
}
