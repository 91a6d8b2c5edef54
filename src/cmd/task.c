/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/task.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "work/job.h"

struct task {
    struct session *session;
    const struct task_ops *ops;
    void *state;
    struct result *result;    /* the worker's until it ended */
};

static bool task_work(struct job *job, void *state, struct err *err)
{
    struct task *t = state;

    (void)job;
    return t->ops->work(t->state, t->result, err) && watch_goes_on(err);
}

static void task_finish(void *state, const struct job_info *info)
{
    struct task *t = state;
    struct err err = {0};

    if (info->state != JOB_DONE)
        return;
    if (t->ops->publish && !t->ops->publish(t->session, t->state, t->result, &err)) {
        job_refuse(info->number, &err);
        return;
    }
    result_append(t->session->result, t->result);
    t->result = NULL;
}

static void task_free(void *state)
{
    struct task *t = state;
    t->ops->free(t->state);
    result_free(t->result);
    free(t);
}

bool task_start(struct session *s, const char *title, const char *doing, const struct task_ops *ops, void *take_state, struct err *err)
{
    static const struct job_ops job_ops = {task_work, task_finish, task_free};
    struct task *t = mem_zero(1, sizeof *t);

    *t = (struct task){s, ops, take_state, result_new()};
    return session_job(s, title, doing, &job_ops, t, err);
}
