/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/task.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "io/recognise.h"
#include "work/job.h"

struct task {
    struct session *session;
    const struct task_ops *ops;
    void *state;
    struct result *result;    /* the worker's until it ended */
    char *title;              /* NULL: no screen waits for it */
    enum format format;       /* of the session when it began */
    bool color;
    struct result *discarded; /* by the session: freed here, where nobody waits */
};

static bool task_work(struct job *job, void *state, struct err *err)
{
    struct task *t = state;

    (void)job;
    result_free(t->discarded);
    t->discarded = NULL;
    bool ok = t->ops->work(t->state, t->result, err) && watch_goes_on(err);
    if (ok && t->title)
        result_prepare(t->result, t->format, &(struct result_style){.title = t->title, .color = t->color});
    if (ok && watch_goes_on(err))
        return true;
    result_free(t->result);   /* here, where nobody waits: it may be large */
    t->result = NULL;
    return false;
}

static bool task_publish(struct task *t, struct err *err)
{
    if (t->ops->publish && !t->ops->publish(t->session, t->state, t->result, err))
        return false;
    result_append(t->session->result, t->result);
    t->result = NULL;
    return true;
}

static void task_finish(void *state, const struct job_info *info)
{
    struct err err = {0};

    if (info->state == JOB_DONE && !task_publish(state, &err))
        job_refuse(info->number, &err);
}

static void task_free(void *state)
{
    struct task *t = state;
    t->ops->free(t->state);
    result_free(t->result);
    result_free(t->discarded);
    free(t->title);
    free(t);
}

static bool interrupted(void *state)
{
    (void)state;
    return job_interrupted();
}

/* Without a screen the work is done at once, and jobs are numbered as before. */
static bool run_here(struct task *take_t, const char *title, struct err *err)
{
    struct watch before = watch_begin(interrupted, NULL);
    bool ok = task_work(NULL, take_t, err);

    if (!ok)
        recognise(err, title);
    watch_restore(before);
    ok = ok && task_publish(take_t, err);
    task_free(take_t);
    return ok;
}

bool task_start(struct session *s, const char *title, const char *doing, const struct task_ops *ops, void *take_state, struct err *err)
{
    static const struct job_ops job_ops = {.run = task_work, .finish = task_finish, .free = task_free};
    struct task *t = mem_zero(1, sizeof *t);

    *t = (struct task){s, ops, take_state, result_new(), s->interactive ? mem_strdup(title) : NULL, s->settings.format, s->settings.color, s->discarded};
    result_set_command(t->result, result_command(s->result));
    s->discarded = NULL;
    return s->interactive ? session_job(s, title, doing, &job_ops, t, err) : run_here(t, title, err);
}

bool task_start_passing(struct session *s, const char *title, const char *doing, const struct task_ops *ops, void *take_state, struct err *err)
{
    bool ok = task_start(s, title, doing, ops, take_state, err);

    if (s->interactive && !s->waiting.now)
        waiting_forget(&s->waiting, job_withdraw());
    return ok;
}
