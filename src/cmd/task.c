/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/task.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "io/recognise.h"

#define MOMENT 0.005   /* seconds of waiting after which the screen displays the name of the job */

struct task_run {
    struct session *session;
    const struct task_ops *ops;
    struct job_ops job_ops;
    void *state;
    struct given *given;
    const char *doing;        /* verb for messages */
    struct result *result;    /* the command's result; until the job ends, only the worker uses
                               * it */
    char *title;              /* title of the work in the workbench; NULL in scripts */
    enum format format;       /* session's format at the start */
    bool color;
};

static bool task_work(void *state, struct err *err)
{
    struct task_run *t = state;

    const bool keeps = t->ops->keeps;
    bool ok = t->ops->work(t->state, t->result, err) && (keeps || watch_goes_on(err));
    if (ok && t->title)
        result_prepare(t->result, t->format,
                       &(struct result_style){.title = t->title, .color = t->color});
    if (ok && (keeps || watch_goes_on(err)))
        return true;
    result_free(t->result);
    t->result = NULL;
    return false;
}

static bool task_publish(struct task_run *t, struct err *err)
{
    if (t->ops->publish && !t->ops->publish(t->session, t->state, t->result, err))
        return false;
    result_append(t->session->result, t->result);
    t->result = NULL;
    return true;
}

static void task_failed(struct task_run *t, const struct err *err)
{
    if (t->ops->failed)
        t->ops->failed(t->session, t->state, t->session->result, err);
}

static void task_finish(void *state, const struct job_info *info)
{
    struct err err = {0};

    if (info->state != JOB_DONE)
        task_failed(state, info->state == JOB_FAILED ? &info->err : NULL);
    else if (!task_publish(state, &err))
        job_refuse(info->number, &err);
}

static void task_free(void *state)
{
    struct task_run *t = state;
    t->ops->free(t->state);
    given_free(t->given);
    result_free(t->result);
    free(t->title);
    free(t);
}

static bool interrupted(void *state)
{
    return job_interrupted();
}

static bool run_here(struct task_run *take_t, const char *title, struct err *err)
{
    struct watch before = watch_begin(interrupted, NULL);
    bool ok = task_work(take_t, err);

    if (!ok)
        recognise(err, title);
    watch_restore(before);
    if (!ok)
        task_failed(take_t, err);
    ok = ok && task_publish(take_t, err);
    task_free(take_t);
    return ok;
}

/* Waits for job @number within the screen's patience. After MOMENT seconds the screen shows the
 * job's work. Returns false if the job still runs. */
static bool wait_visibly(struct session *s, unsigned number, const char *title, const char *doing)
{
    const double moment = s->waits ? fmin(s->patience, MOMENT) : s->patience;
    struct str what = {0};

    if (job_wait_for(number, moment))
        return true;
    if (s->waits) {
        str_addf(&what, "%s: %s", title, doing);
        s->waits(str_text(&what));
        str_done(&what);
    }
    return job_wait_for(number, s->patience - moment);
}

/* Runs the task as a job, for which the screen waits within its patience. Without a screen, or if
 * its patience is infinite, waits for the end of the job. Returns false with err on failure. */
static bool run_as_job(struct task_run *take_t, const char *title, struct err *err)
{
    struct session *s = take_t->session;
    const struct task_ops *ops = take_t->ops;
    const char *doing = take_t->doing;
    const unsigned number = job_start(title, &take_t->job_ops, take_t, err);
    bool ok = number != 0;

    if (ok && s->interactive && !isinf(s->patience) && !wait_visibly(s, number, title, doing)) {
        result_line(s->result, "job %u %s; Esc ends it", number, doing);
        queue_await(s, number, true);
        if (ops->goes_on)
            ops->goes_on(s, number);
    } else if (ok) {
        ok = queue_wait(s, number, err);
    }
    if (number && ops->listed == TASK_LISTED_IF_LONG && s->interactive && !s->queue.now)
        queue_forget(&s->queue, job_withdraw());
    return ok;
}

static struct task_run *task_run_new(struct session *s, const char *title,
                                     const struct task *take_task)
{
    const struct task_ops *ops = take_task->ops;
    struct task_run *t = mem_zero(1, sizeof *t);

    *t = (struct task_run){.session = s,
                           .ops = ops,
                           .state = take_task->state,
                           .given = take_task->given,
                           .doing = take_task->doing ? take_task->doing : ops->doing,
                           .result = result_new(),
                           .title = s->interactive ? mem_strdup(title) : NULL,
                           .format = s->settings.format,
                           .color = s->settings.color};
    t->job_ops = (struct job_ops){.run = task_work,
                                  .finish = task_finish,
                                  .free = task_free,
                                  .measures = ops->measures || take_task->measures,
                                  .measures_alone = ops->measures_alone,
                                  .counts = ops->counts};
    result_set_command(t->result, result_command(s->result));
    return t;
}

bool task_give(struct task *task, const struct task_ops *ops, void *take_state)
{
    task->ops = ops;
    task->state = take_state;
    return true;
}

void task_drop(const struct task *task)
{
    if (task->ops)
        task->ops->free(task->state);
    given_free(task->given);
}

unsigned task_begin(struct session *s, const char *title, const struct task *take_task,
                    struct err *err)
{
    struct task_run *t = task_run_new(s, title, take_task);
    return job_start(title, &t->job_ops, t, err);
}

unsigned task_start_aside(struct session *s, const char *title, const struct task *take_task,
                          struct err *err)
{
    struct task_run *t = task_run_new(s, title, take_task);
    return job_start_aside(title, &t->job_ops, t, err);
}

bool task_start(struct session *s, const char *name, const struct task *take_task, struct err *err)
{
    const struct task_ops *ops = take_task->ops;
    const char *title = take_task->title ? take_task->title : ops->title ? ops->title : name;
    struct task_run *t = task_run_new(s, title, take_task);

    return s->interactive || ops->listed == TASK_LISTED ? run_as_job(t, title, err)
                                                        : run_here(t, title, err);
}
