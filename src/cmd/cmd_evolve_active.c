/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command evolve start --active: each round chooses and measures experiments, then infers a
 * mapping. A final inference uses all measurements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "cmd/task.h"
#include "io/experiments_file.h"
#include "measure/journal.h"
#include "work/active_job.h"
#include "work/job.h"

/* rounds over which the experiments and the time are divided; large tables need more rounds,
 * because the size of each is limited */
#define ROUNDS 8
/* by default, one pair in SHARE is measured, but at least as many experiments as forms */
#define SHARE 10
/* The number of experiments per round is at most the number of forms or this number, whichever is
 * larger. */
#define BATCH_LEAST 16
#define SIMULATED_NOISE 0.001
#define ROUNDS_SHOWN 1000

struct active_pending {
    struct session *session;
    uint64_t target;                /* serial number of the session's table at the start */
    struct evolve_options evolve;
    char *checkpoint;
    struct evolve_run *run;         /* run of the final inference; NULL: not started */
    struct err err;
};

static void pending_free(struct active_pending *p)
{
    free(p->checkpoint);
    free(p);
}

bool evolve_active_choosing(const struct session *s)
{
    return s->choosing != NULL;
}

static struct active_round *rounds_of(const struct session *s, size_t *count)
{
    struct active_round *rounds = mem_alloc(ROUNDS_SHOWN * sizeof *rounds);
    size_t n = s->document.active ? active_curve_get(s->document.active, rounds, ROUNDS_SHOWN) : 0;
    *count = n < ROUNDS_SHOWN ? n : ROUNDS_SHOWN;
    return rounds;
}

static json_t *rounds_json(const struct session *s)
{
    size_t n;
    struct active_round *rounds = rounds_of(s, &n);
    json_t *array = json_array();

    for (size_t i = 0; i < n; i++) {
        const struct select_round *r = &rounds[i].of;
        json_t *o = json_object();
        json_object_set_new(o, "measurements", json_integer((json_int_t)r->measurements));
        json_object_set_new(o, "seconds", json_number(rounds[i].seconds));
        json_object_set_new(o, "error", json_number(r->error));
        json_object_set_new(o, "noise", json_number(r->noise));
        json_object_set_new(o, "disagreement", json_number(r->disagreement));
        if (r->end)
            json_object_set_new(o, "end", json_text(select_end_names[r->end]));
        json_array_append_new(array, o);
    }
    free(rounds);
    return array;
}

json_t *evolve_active_json(const struct session *s, unsigned number)
{
    return s->document.active && s->document.active_run == number ? rounds_json(s) : NULL;
}

/* Defines two columns for a value: a fraction in CSV, and percent in text and documents. */
#define PERCENT(name, text)                                                                        \
    {.key = name,                                                                                  \
     .title = text,                                                                                \
     .unit = "%",                                                                                  \
     .kind = CELL_NUMBER,                                                                          \
     .decimals = 2,                                                                                \
     .hide = NOT_CSV},                                                                             \
    {                                                                                              \
        .key = name, .kind = CELL_NUMBER, .hide = NOT_TEXT | NOT_DOCUMENT                          \
    }

static void cell_percent(struct result_table *t, double fraction)
{
    cell_number(t, 100 * fraction);
    cell_number(t, fraction);
}

void evolve_active_show(const struct session *s, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "measurements", .kind = CELL_COUNT},
        {.key = "seconds", .kind = CELL_NUMBER, .decimals = 1},
        PERCENT("error", "error after the round"),
        PERCENT("noise", "noise"),
        PERCENT("disagreement", "disagreement"),
        {.key = "end", .kind = CELL_TEXT, .width = RAGGED},
    };
    size_t n;
    struct active_round *rounds = rounds_of(s, &n);
    struct result_table *t = RESULT_TABLE(result, "rounds", columns);

    t->hide = NOT_JSON;
    for (size_t i = 0; i < n; i++) {
        const struct select_round *r = &rounds[i].of;
        cell_count(t, (int64_t)r->measurements);
        cell_number(t, rounds[i].seconds);
        cell_percent(t, r->error);
        cell_percent(t, r->noise);
        cell_percent(t, r->disagreement);
        cell_text(t, r->end ? select_end_names[r->end] : "");
    }
    result_nested(result, "rounds", rounds_json(s));
    free(rounds);
}

/* Adds the started run. In CSV it is a second table, after the table of the rounds. */
static void add_run(const struct evolve_run *run, struct result *result)
{
    static const struct result_column columns[] = {{.key = "run", .kind = CELL_COUNT},
                                                   {.key = "job", .kind = CELL_COUNT},
                                                   {.key = "forms", .kind = CELL_COUNT},
                                                   {.key = "experiments", .kind = CELL_COUNT}};

    struct evolve_status status;

    evolve_get_status(run->evolve, &status);
    evolve_show_started(run, result);
    struct result_table *t = RESULT_TABLE(result, "run", columns);
    t->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    cell_count(t, run->number);
    cell_count(t, run->job);
    cell_count(t, (int64_t)status.forms);
    cell_count(t, (int64_t)status.experiments);
}

static void take_result(void *state, struct active_outcome *out, bool ok)
{
    struct active_pending *p = state;
    struct session *s = p->session;

    /* The inference uses the measured table, even if the session's table was replaced during the
     * measurement. */
    struct problem *problem = ok ? out->problem : NULL;
    if (problem)
        out->problem = NULL;
    if (s->document.experiments && s->document.experiments->serial == p->target) {
        experiments_free(s->document.experiments);
        s->document.experiments = out->table;
        out->table = NULL;
        s->revision++;
    }
    if (problem)
        p->run = evolve_run_start(
            &(struct evolve_start){.take_problem = problem, .checkpoint = p->checkpoint},
            &p->evolve, &p->err);
    if (p->run) {
        evolve_session_add(s, p->run);
        s->document.active_run = p->run->number;
        if (!s->interactive)   /* The workbench draws the rounds in the evolution view. */
            evolve_active_show(s, s->result);
        add_run(p->run, s->result);
    } else if (s->interactive && ok) {
        char text[1024];
        log_add(LOG_ERROR, "cannot start the run: %s", err_text(&p->err, text, sizeof text));
    }
    s->choosing = NULL;
    if (s->interactive)
        pending_free(p);
}

/* Returns the number of forms in the largest experiment of @t, at least 2. */
static unsigned most_forms(const struct experiments *t)
{
    unsigned most = 2;
    for (size_t i = 0; i < t->rows.count; i++)
        most = t->rows.items[i].count > most ? t->rows.items[i].count : most;
    return most;
}

static void set_up(struct active_options *o, const struct experiments *t,
                   const struct evolve_options *evolve, const struct active_choice *w)
{
    size_t n = t->forms.count, pairs = n * (n - 1) / 2;

    o->select.size = w->size ? (unsigned)w->size : ACTIVE_SIZE;
    if (o->record && o->select.size > most_forms(o->record))
        o->select.size = most_forms(o->record);
    o->select.most = w->most ? w->most : pairs / SHARE > n ? pairs / SHARE : n;
    o->select.batch = o->select.most / ROUNDS + 1;
    if (o->select.batch > n && o->select.batch > BATCH_LEAST)
        o->select.batch = n > BATCH_LEAST ? n : BATCH_LEAST;
    o->select.first = o->select.batch;
    o->select.random = w->random;
    o->select.evolve = *evolve;
    o->select.evolve.threads = 1;
    o->select.evolve.seconds = evolve->seconds > 0 ? evolve->seconds / ROUNDS : 0;
}

/* Returns the path of the table next to the checkpoint; NULL without a checkpoint. The caller frees
 * the result. */
static char *table_path(const char *checkpoint)
{
    struct str path = {0};
    size_t length = checkpoint ? strlen(checkpoint) : 0;

    if (!checkpoint)
        return NULL;
    if (length > 5 && strcmp(checkpoint + length - 5, ".json") == 0)
        length -= 5;
    str_addf(&path, "%.*s-active.csv", (int)length, checkpoint);
    return str_take(&path);
}

/* State of the first job, which makes the table of experiments to measure */
struct beginning {
    struct evolve_options evolve;
    struct active_options o;
    struct active_choice choice;
    /* experiments of the session (counted reference) to which forms and measurements are added;
     * NULL: @kept becomes the session's table */
    struct experiments *from;
    /* experiments of an earlier job, or only the forms of the recorded file @replay */
    struct experiments *kept;
    char *replay;                   /* path of the file with recorded measurements that replace the
                                     * CPU; NULL: none */
    struct experiments *table;
    char *checkpoint;
};

static void beginning_free(void *state)
{
    struct beginning *b = state;

    experiments_free(b->from);
    experiments_free(b->kept);
    experiments_free(b->table);
    active_options_done(&b->o);
    free(b->checkpoint);
    free(b->replay);
    free(b);
}

/* Loads the file of --replay as the record. Returns a table with its forms but no experiments; NULL
 * with err. */
static struct experiments *open_record(struct beginning *b, struct err *err)
{
    if (!(b->o.record = experiments_load(b->replay, err)))
        return NULL;
    bool *none = mem_try_alloc(b->o.record->rows.count + 1);
    if (!none) {
        err_memory_for(err, "the experiments", b->o.record->rows.count + 1);
        return NULL;
    }
    memset(none, 0, b->o.record->rows.count + 1);
    struct experiments *forms = experiments_copy(b->o.record, none);
    free(none);
    return forms;
}

static bool make_table(void *state, struct result *result, struct err *err)
{
    struct beginning *b = state;

    if (!b->from) {
        b->kept = b->replay ? open_record(b, err) : experiments_load(b->o.keep, err);
        b->table = b->kept ? experiments_copy(b->kept, NULL) : NULL;
        return b->table && watch_goes_on(err);
    }
    size_t n = b->from->rows.count;
    bool *keep = mem_try_alloc(n + 1);
    if (!keep)
        return err_memory_for(err, "the experiments", n + 1);
    for (size_t i = 0; i < n; i++)
        keep[i] = experiments_measured(b->from, i);
    b->table = experiments_copy(b->from, keep);
    free(keep);
    return watch_goes_on(err);
}

static bool refuse_second(struct err *err)
{
    return err_set(err, ERR_USAGE, "use job wait or job cancel",
                   "evolve start --active is already measuring experiments");
}

/* Starts the measuring job. A script waits for its end. Returns false with err on failure. */
static bool measure_table(struct session *s, void *state, struct result *result, struct err *err)
{
    struct beginning *b = state;

    if (s->choosing)
        return refuse_second(err);
    struct active_pending *p = mem_zero(1, sizeof *p);
    uint64_t target = b->from ? b->from->serial : b->kept->serial;
    if (b->kept)
        session_set_experiments(s, &b->kept, NULL, err);
    set_up(&b->o, b->table, &b->evolve, &b->choice);
    *p = (struct active_pending){
        .session = s, .target = target, .evolve = b->evolve, .checkpoint = b->checkpoint};
    b->checkpoint = NULL;
    active_curve_free(s->document.active);
    s->document.active = b->o.curve = active_curve_new();
    s->document.active_run = 0;
    unsigned number = active_start(b->table, &b->o, take_result, p, err);
    b->table = NULL;
    b->o = (struct active_options){0};
    if (!number) {
        pending_free(p);
        return false;
    }
    s->choosing = p;
    if (s->interactive) {
        result_confirm(result,
                       "job %u measures experiments; the run starts when the job ends",
                       number);
        return true;
    }
    struct job_info info;
    job_wait(number);   /* The function take_result reports the rounds and the run when the job has
                         * ended. */
    bool ok = p->run != NULL;
    if (!ok)
        *err = job_find(number, &info) && info.state != JOB_DONE ? info.err : p->err;
    pending_free(p);
    return ok;
}

bool evolve_start_active(struct session *s, const struct active_choice *w,
                         const struct evolve_options *evolve, const char *checkpoint,
                         struct task *task, struct err *err)
{
    static const struct task_ops ops = {"prepares the experiments", make_table, measure_table,
                                        .free = beginning_free};
    struct machine *m = NULL;

    if (s->choosing)
        return refuse_second(err);
    if (w->go_on && !checkpoint)
        return err_set(err, ERR_USAGE, "use evolve start --active --continue --checkpoint FILE",
                       "--active --continue needs the checkpoint file of the earlier run");
    if (w->simulate && !(m = session_machine(s, w->simulate, err)))
        return false;
    struct beginning *b = mem_zero(1, sizeof *b);
    *b = (struct beginning){
        .evolve = *evolve,
        .choice = *w,
        .from = w->go_on || w->replay ? NULL : experiments_hold(s->document.experiments),
        .replay = mem_strdup(w->replay),
        .checkpoint = mem_strdup(checkpoint)};
    /* Both options are strings of the command's values, which are freed before the job ends. */
    b->choice.simulate = b->choice.replay = NULL;
    b->o = (struct active_options){.noise = SIMULATED_NOISE,
                                   .cpu = -1,
                                   .keep = w->replay ? NULL : table_path(checkpoint),
                                   .simulated = m ? mapping_copy(m->mapping) : NULL,
                                   .journal = m || w->replay ? NULL : journal_default_path()};
    return task_give(task, &ops, b);
}
