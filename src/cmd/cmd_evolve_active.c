/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evolve start --active: chooses, measures and infers in turns, then infers once more from all that was measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "io/experiments_file.h"
#include "measure/journal.h"
#include "work/active_job.h"
#include "work/job.h"

#define ROUNDS 8                    /* of inference, when nothing else ends them */
#define SHARE 10                    /* one in so many pairs is measured at most, unless told otherwise */
#define SIZE 4                      /* forms of the largest experiments, likewise */
#define BATCH_LEAST 16              /* experiments of a round, when many are allowed: as many as there are forms, and no fewer */
#define SIMULATED_NOISE 0.001
#define ROUNDS_SHOWN 1000

struct pending {
    struct session *session;
    uint64_t target;                /* serial of the session's table when it began */
    struct evolve_options evolve;
    char *checkpoint;
    struct evolve_run *run;         /* the last inference; NULL when it could not start */
    struct err err;
};

static struct pending *waiting;     /* one at a time, since two would disturb each other's measurements */

static void pending_free(struct pending *p)
{
    free(p->checkpoint);
    free(p);
}

bool evolve_active_choosing(void)
{
    return waiting != NULL;
}

static void take_result(void *state, struct experiments **table, bool ok)
{
    struct pending *p = state;
    struct session *s = p->session;

    /* What was measured is what is inferred from, also when the session has gone on to another table. */
    struct problem *problem = ok ? problem_new(*table, NULL, &p->err) : NULL;
    if (s->document.experiments && s->document.experiments->serial == p->target) {
        experiments_free(s->document.experiments);
        s->document.experiments = *table;
        *table = NULL;
        s->revision++;
    }
    if (problem)
        p->run = evolve_run_start(problem, &p->evolve, NULL, NULL, 0, p->checkpoint, 0, &p->err);
    if (p->run) {
        evolve_session_add(s, p->run);
        s->document.active_run = p->run->number;
    } else if (s->interactive && ok) {
        char text[1024];
        log_add(LOG_ERROR, "no run on what was measured: %s", err_text(&p->err, text, sizeof text));
    }
    waiting = NULL;
    if (s->interactive)
        pending_free(p);
}

static json_t *number_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
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
        json_t *o = json_pack("{s:I, s:f, s:o, s:f, s:o}", "measurements", (json_int_t)r->measurements, "seconds", rounds[i].seconds, "error",
                              number_or_null(r->error), "noise", r->noise, "disagreement", number_or_null(r->disagreement));
        if (r->end)
            json_object_set_new(o, "end", json_string(select_end_names[r->end]));
        json_array_append_new(array, o);
    }
    free(rounds);
    return array;
}

void evolve_active_json(const struct session *s, unsigned number, json_t *object)
{
    if (s->document.active && s->document.active_run == number)
        json_object_set_new(object, "rounds", rounds_json(s));
}

static void percent_or_dash(struct str *out, double fraction)
{
    if (isnan(fraction))
        str_addf(out, " %12s", "-");
    else
        str_addf(out, " %10.2f %%", 100 * fraction);
}

static void number_or_nothing(struct str *out, double value)
{
    if (isnan(value))
        str_add(out, ",");
    else
        str_addf(out, ",%.6g", value);
}

void evolve_active_print(struct session *s)
{
    size_t n;

    if (s->settings.format == FORMAT_JSON) {
        session_json(s, json_pack("{s:s, s:o}", "state", waiting ? "choosing" : "chosen", "rounds", rounds_json(s)));
        return;
    }
    struct active_round *rounds = rounds_of(s, &n);
    str_add(&s->output, s->settings.format == FORMAT_CSV ? "measurements,seconds,error,noise,disagreement,end\n"
                                                : "measurements  seconds   error then        noise  disagreement\n");
    for (size_t i = 0; i < n; i++) {
        const struct select_round *r = &rounds[i].of;
        const char *end = r->end ? select_end_names[r->end] : "";
        if (s->settings.format == FORMAT_CSV) {
            str_addf(&s->output, "%zu,%.1f", r->measurements, rounds[i].seconds);
            number_or_nothing(&s->output, r->error);
            number_or_nothing(&s->output, r->noise);
            number_or_nothing(&s->output, r->disagreement);
            str_addf(&s->output, ",%s\n", end);
        } else {
            str_addf(&s->output, "%12zu %8.1f", r->measurements, rounds[i].seconds);
            percent_or_dash(&s->output, r->error);
            percent_or_dash(&s->output, r->noise);
            percent_or_dash(&s->output, r->disagreement);
            str_addf(&s->output, "%s%s\n", *end ? "  " : "", end);
        }
    }
    free(rounds);
}

static void set_up(struct active_options *o, const struct experiments *t, const struct evolve_options *evolve, const struct active_words *w)
{
    size_t n = t->forms.count, pairs = n * (n - 1) / 2;

    o->select.size = w->size ? (unsigned)w->size : SIZE;
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

/* Where the table is kept: beside the checkpoint; NULL without one. */
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

/* The session's forms with what was measured of them; or all that an earlier job asked for, which becomes the session's table. */
static struct experiments *first_table(struct session *s, const struct active_words *w, const char *kept, struct err *err)
{
    if (w->go_on) {
        if (!kept) {
            err_set(err, ERR_USAGE, "evolve start --active --continue --checkpoint FILE", "without a checkpoint nothing was kept");
            return NULL;
        }
        struct experiments *t = experiments_load(kept, err);
        if (!t)
            return NULL;
        experiments_free(s->document.experiments);
        s->document.experiments = t;
        s->revision++;
        return experiments_copy(t, NULL);
    }
    size_t n = s->document.experiments->rows.count;
    bool *keep = mem_zero(n + 1, sizeof *keep);
    for (size_t i = 0; i < n; i++)
        keep[i] = experiments_measured(s->document.experiments, i);
    struct experiments *t = experiments_copy(s->document.experiments, keep);
    free(keep);
    return t;
}

static bool check_words(const struct active_words *w, struct err *err)
{
    if (waiting)
        return err_set(err, ERR_USAGE, "job wait, or job cancel", "experiments are being chosen and measured already");
    return w->size == 0 || (w->size >= 2 && w->size <= SELECT_SIZE_MOST) ||
           err_set(err, ERR_USAGE, "use --size 4", "experiments of %zu forms are not from 2 to %d", w->size, SELECT_SIZE_MOST);
}

/* Starts the job. Takes @take_o and @take_table. */
static unsigned start(struct session *s, struct pending *take_p, struct experiments *take_table, struct active_options *take_o, struct err *err)
{
    active_curve_free(s->document.active);
    s->document.active = take_o->curve = active_curve_new();
    s->document.active_run = 0;
    unsigned number = active_start(take_table, take_o, take_result, take_p, err);
    if (number)
        waiting = take_p;
    else
        pending_free(take_p);
    return number;
}

bool evolve_start_active(struct session *s, const struct active_words *w, const struct evolve_options *evolve, const char *checkpoint, struct err *err)
{
    struct active_options o = {.noise = SIMULATED_NOISE, .cpu = -1};
    struct machine *m = NULL;

    if (!check_words(w, err) || (w->simulate && !(m = session_machine(s, w->simulate, err))))
        return false;
    o.keep = table_path(checkpoint);
    struct experiments *t = first_table(s, w, o.keep, err);
    if (!t) {
        free(o.keep);
        return false;
    }
    o.simulated = m ? mapping_copy(m->mapping) : NULL;
    o.journal = m ? NULL : journal_default_path();
    set_up(&o, t, evolve, w);

    struct pending *p = mem_zero(1, sizeof *p);
    *p = (struct pending){.session = s, .target = s->document.experiments->serial, .evolve = *evolve, .checkpoint = checkpoint ? mem_strdup(checkpoint) : NULL};
    unsigned number = start(s, p, t, &o, err);
    if (!number)
        return false;
    if (s->interactive) {
        str_addf(&s->output, "job %u; the run follows when all is measured\n", number);
        return true;
    }
    struct job_info info;
    job_wait(number);
    bool ok = p->run != NULL;
    if (ok) {
        if (s->settings.format != FORMAT_JSON)
            evolve_active_print(s);
        evolve_session_print(s, p->run);
    } else {
        *err = job_find(number, &info) && info.state != JOB_DONE ? info.err : p->err;
    }
    pending_free(p);
    return ok;
}
