/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "work/job.h"

static const char *const state_names[] = {[JOB_RUNNING] = "running",
                                          [JOB_DONE] = "done",
                                          [JOB_FAILED] = "failed",
                                          [JOB_CANCELLED] = "cancelled"};

static bool run_list(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "job", .kind = CELL_COUNT, .width = 3},
        {.key = "state", .kind = CELL_TEXT, .width = 9},
        {.key = "title", .kind = CELL_TEXT},
        {.key = "seconds", .unit = "s", .kind = CELL_NUMBER, .decimals = 1, .width = 8},
        {.key = "done", .kind = CELL_NUMBER, .decimals = SHORTEST, .hide = NOT_TEXT},
        {.key = "total", .kind = CELL_NUMBER, .decimals = SHORTEST, .hide = NOT_TEXT},
        {.key = "note", .kind = CELL_TEXT, .width = RAGGED},
    };
    struct result_table *t = RESULT_TABLE(result, "jobs", columns);
    struct job_info info;

    t->headless = true;
    for (size_t i = 0; job_get(i, &info); i++) {
        cell_count(t, info.number);
        cell_text(t, info.paused && info.state == JOB_RUNNING ? "paused" : state_names[info.state]);
        cell_text(t, info.title);
        cell_number(t, info.seconds);
        cell_number(t, info.done);
        cell_number(t, info.total);
        cell_text(t, info.state == JOB_FAILED ? info.err.what : info.note);
    }
    if (!job_count())
        result_line(result, "no jobs");
    return true;
}

const struct command command_jobs = {
    .name = "jobs",
    .help = "list background jobs and their progress",
    .examples = EXAMPLES("jobs"),
    .run = run_list,
};

struct job_values {
    size_t number;
};

static bool run_cancel(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    const struct job_values *v = values;
    unsigned number = (unsigned)v->number;

    if (!job_cancel(number))
        return err_set(err, ERR_USAGE, "jobs lists the jobs", "no job %u is running", number);
    result_confirm(result, "job %u is being cancelled", number);
    result_count(result, "job", number);
    return true;
}

const struct command command_job_cancel = {
    .name = "job cancel",
    .help = "cancel a background job",
    .arguments = PARAMETERS(
        {PARAMETER(COUNT, "N", struct job_values, number), .required = true, .least = 1,
         .most = 1e9, .help = "job number, see jobs"}),
    .examples = EXAMPLES("job cancel 1", "job cancel 2"),
    .values_size = sizeof(struct job_values),
    .run = run_cancel,
};

/* Makes the following commands of the workbench wait for job @number; 0: for all jobs. */
static bool await(struct session *s, unsigned number, struct result *result, struct err *err)
{
    struct job_info info;

    if (number && !job_find(number, &info))
        return err_set(err, ERR_USAGE, "jobs lists the jobs", "no job %u", number);
    if (number ? info.settled : !job_running()) {
        result_confirm(result, number ? "the job has ended" : "no job is running");
        return true;
    }
    queue_await(s, number ? number : AWAIT_ALL, false);
    result_confirm(result, "following commands wait for %s; Esc cancels the wait",
                   number ? "the job" : "all jobs");
    return true;
}

static bool run_wait(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct job_values *v = values;
    unsigned number = v->number == NOT_GIVEN ? 0 : (unsigned)v->number;

    return s->interactive ? await(s, number, result, err) : queue_wait(s, number, err);
}

const struct command command_job_wait = {
    .name = "job wait",
    .help = "wait for one background job, or for all jobs",
    .description = "Fails if a job failed and no command has reported the failure. In the "
                   "workbench only the following commands wait.",
    .arguments = PARAMETERS(
        {PARAMETER(COUNT, "N", struct job_values, number), .least = 1, .most = 1e9,
         .fallback = "all jobs", .help = "job number, see jobs"}),
    .examples = EXAMPLES("job wait", "job wait 2"),
    .values_size = sizeof(struct job_values),
    .run = run_wait,
};
