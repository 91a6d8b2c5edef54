/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "base/csv.h"
#include "work/job.h"

static const char *const state_names[] = {[JOB_RUNNING] = "running", [JOB_DONE] = "done", [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled"};

bool cmd_jobs(struct session *s, int argc, char **argv, struct err *err)
{
    struct job_info info;
    json_t *rows = json_array();

    (void)argc;
    (void)argv;
    (void)err;
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "job,state,title,seconds,done,total,note\n");
    for (size_t i = 0; job_get(i, &info); i++) {
        const char *state = info.paused && info.state == JOB_RUNNING ? "paused" : state_names[info.state], *note = info.state == JOB_FAILED ? info.err.what : info.note;
        if (s->format == FORMAT_JSON)
            json_array_append_new(rows, json_pack("{s:i, s:s, s:s, s:f, s:f, s:f, s:s}", "job", (int)info.number, "state", state, "title", info.title, "seconds", info.seconds,
                                                  "done", info.done, "total", info.total, "note", note));
        else if (s->format == FORMAT_CSV) {
            str_addf(&s->output, "%u,%s,", info.number, state);
            csv_add_field(&s->output, info.title, false);
            str_addf(&s->output, "%.3f,%g,%g,", info.seconds, info.done, info.total);
            csv_add_field(&s->output, note, true);
        } else
            str_addf(&s->output, "%3u  %-9s %8.1f s  %s  %s\n", info.number, state, info.seconds, info.title, note);
    }
    if (s->format == FORMAT_JSON)
        session_json(s, json_pack("{s:O}", "jobs", rows));
    else if (s->format == FORMAT_TEXT && !job_count())
        str_add(&s->output, "no jobs\n");
    json_decref(rows);
    return true;
}

static bool parse_number(const char *text, unsigned *out, struct err *err)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *out = (unsigned)number;
    return (*end == '\0' && end != text && number > 0 && number < 1000000000) || err_set(err, ERR_USAGE, "jobs lists them", "\"%s\" is no job", text);
}

bool cmd_job_cancel(struct session *s, int argc, char **argv, struct err *err)
{
    unsigned number;

    if (argc != 2)
        return err_set(err, ERR_USAGE, "job cancel 1", "the number of a job was expected");
    if (!parse_number(argv[1], &number, err))
        return false;
    if (!job_cancel(number))
        return err_set(err, ERR_USAGE, "jobs lists them", "no job %u is running", number);
    if (s->format == FORMAT_TEXT)
        str_addf(&s->output, "job %u is asked to end\n", number);
    return true;
}

bool cmd_job_wait(struct session *s, int argc, char **argv, struct err *err)
{
    unsigned number = 0;

    if (argc > 2)
        return err_set(err, ERR_USAGE, "job wait 1", "one job at most was expected");
    if (argc == 2 && !parse_number(argv[1], &number, err))
        return false;
    struct job_info info;
    if (!s->interactive)
        return session_wait(s, number, err);
    if (number && !job_find(number, &info))
        return err_set(err, ERR_USAGE, "jobs lists them", "there is no job %u", number);
    if (number ? info.settled : !job_running()) {
        str_add(&s->output, number ? "that job has ended\n" : "no job is running\n");
        return true;
    }
    session_await(s, number ? number : AWAIT_ALL, false);
    str_addf(&s->output, "what follows waits for %s; the screen does not, and Esc ends it\n", number ? "the job" : "all jobs");
    return true;
}

bool cmd_view(struct session *s, int argc, char **argv, struct err *err)
{
    if (!s->view_command)
        return err_set(err, ERR_USAGE, NULL, "nothing shows views here");
    if (argc < 2 && strcmp(argv[0], "view") == 0)
        return err_set(err, ERR_USAGE, "help view lists them", "no view is named");
    return s->view_command(s, argv[0], argc > 1 ? argv[1] : "", err);
}
