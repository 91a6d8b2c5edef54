/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evolve start --active: chooses, measures and infers in turns, then infers once more from all that was measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "measure/journal.h"
#include "work/active_job.h"
#include "work/evolve_job.h"
#include "work/job.h"

#define ROUNDS 8                    /* of inference, when nothing else ends them */
#define SHARE 10                    /* one in so many pairs is measured at most, unless told otherwise */
#define NOISE 0.02                  /* disagreement that counts */
#define SIMULATED_NOISE 0.001

struct pending {
    struct session *session;
    struct experiments *target;     /* the session's table when it began */
    struct evolve_options evolve;
    char *checkpoint;
    VEC(struct active_round) rounds;
    struct evolve_run *run;         /* the last inference; NULL when it could not start */
    struct err err;
};

static struct pending *waiting;     /* one at a time, since two would disturb each other's measurements */

static void pending_free(struct pending *p)
{
    vec_done(&p->rounds);
    free(p->checkpoint);
    free(p);
}

static void take_result(void *state, struct active_result *result, bool ok)
{
    struct pending *p = state;
    struct session *s = p->session;

    for (size_t i = 0; i < result->rounds.count; i++)
        vec_push(&p->rounds, result->rounds.items[i]);
    if (s->experiments == p->target) {
        experiments_free(s->experiments);
        s->experiments = result->table;
        result->table = NULL;
        s->revision++;
    }
    struct problem *problem = ok && s->experiments ? problem_new(s->experiments, NULL, &p->err) : NULL;
    if (problem)
        p->run = evolve_run_start(problem, &p->evolve, NULL, NULL, 0, p->checkpoint, 0, &p->err);
    if (p->run)
        evolve_session_add(s, p->run);
    waiting = NULL;
    if (s->interactive)
        pending_free(p);
}

static void print_rounds(struct session *s, const struct pending *p)
{
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "measurements,seconds,error_on_the_next\n");
    else if (s->format == FORMAT_TEXT)
        str_add(&s->output, "measured  seconds  error on what was chosen next\n");
    for (size_t i = 0; i < p->rounds.count && s->format != FORMAT_JSON; i++) {
        const struct active_round *r = &p->rounds.items[i];
        if (s->format == FORMAT_CSV)
            str_addf(&s->output, isnan(r->error) ? "%zu,%.1f,\n" : "%zu,%.1f,%.4g\n", r->measurements, r->seconds, r->error);
        else if (isnan(r->error))
            str_addf(&s->output, "%8zu %8.1f  nothing more was asked\n", r->measurements, r->seconds);
        else
            str_addf(&s->output, "%8zu %8.1f  %.2f %%\n", r->measurements, r->seconds, 100 * r->error);
    }
}

static void set_up(struct active_options *o, const struct experiments *t, const struct evolve_options *evolve, size_t most, size_t size)
{
    size_t n = t->forms.count, pairs = n * (n - 1) / 2;

    o->select.size = size ? (unsigned)size : 2;
    o->select.most = most ? most : pairs / SHARE > n ? pairs / SHARE : n;
    o->select.batch = o->select.first = o->select.most / ROUNDS + 1;
    o->select.noise = NOISE;
    o->select.evolve = *evolve;
    o->select.evolve.threads = 1;
    o->select.evolve.seconds = evolve->seconds > 0 ? evolve->seconds / ROUNDS : 0;
}

bool evolve_start_active(struct session *s, const struct active_words *w, const struct evolve_options *evolve, const char *checkpoint, struct err *err)
{
    struct active_options o = {.noise = SIMULATED_NOISE, .cpu = -1};
    struct machine *m = NULL;

    if (waiting)
        return err_set(err, ERR_USAGE, "job wait, or job cancel", "experiments are being chosen and measured already");
    if (w->size > 8 || w->size == 1)
        return err_set(err, ERR_USAGE, "use --size 2", "experiments of %zu forms are not from 2 to 8", w->size);
    if (w->simulate && !(m = session_machine(s, w->simulate, err)))
        return false;
    o.simulated = m ? mapping_copy(m->mapping) : NULL;
    o.journal = m ? NULL : journal_default_path();
    set_up(&o, s->experiments, evolve, w->most, w->size);
    o.select.random = w->random;

    size_t n = s->experiments->rows.count;
    bool *keep = mem_zero(n + 1, sizeof *keep);
    for (size_t i = 0; i < n; i++)
        keep[i] = experiments_measured(s->experiments, i);
    struct pending *p = mem_zero(1, sizeof *p);
    *p = (struct pending){.session = s, .target = s->experiments, .evolve = *evolve, .checkpoint = checkpoint ? mem_strdup(checkpoint) : NULL};
    unsigned number = active_start(experiments_copy(s->experiments, keep), &o, take_result, p, err);
    free(keep);
    if (!number) {
        pending_free(p);
        return false;
    }
    waiting = p;
    if (s->interactive) {
        str_addf(&s->output, "job %u; the run follows when all is measured\n", number);
        return true;
    }
    struct job_info info;
    job_wait(number);
    bool ok = p->run != NULL;
    if (ok) {
        print_rounds(s, p);
        evolve_session_print(s, p->run);
    } else {
        *err = job_find(number, &info) && info.state != JOB_DONE ? info.err : p->err;
    }
    pending_free(p);
    return ok;
}
