/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cmd/command.h"
#include "work/job.h"

static const char *state_text(enum job_state state)
{
    static const char *const texts[] = {"running", "done", "failed", "cancelled"};
    return texts[state];
}

bool cmd_jobs(struct session *s, int argc, char **argv, struct err *err)
{
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;

    (void)argc;
    (void)argv;
    (void)err;
    job_drain();
    for (size_t i = 0; i < job_count(); i++) {
        struct job_info info;
        char message[2048];
        if (!job_get(i, &info))
            continue;
        const char *why = info.state == JOB_FAILED ? err_text(&info.err, message, sizeof message) : "";
        if (rows)
            json_array_append_new(rows, json_pack("{s:i, s:s, s:s, s:f, s:f, s:f, s:s, s:s}", "number", (int)info.number, "title", info.title, "state", state_text(info.state),
                                                  "done", info.done, "total", info.total, "seconds", info.seconds, "note", info.note, "error", why));
        else
            str_addf(&s->output, "%3u  %-10s %8.1f s  %.0f of %.0f  %s  %s%s%s\n", info.number, state_text(info.state), info.seconds, info.done, info.total, info.title,
                     info.note, *why ? ": " : "", why);
    }
    if (rows)
        session_json(s, json_pack("{s:o}", "jobs", rows));
    return true;
}

/* The job that the argument names, 0 when there is none. */
static bool job_number(int argc, char **argv, unsigned *number, struct err *err)
{
    char *end = NULL;
    unsigned long n = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
    *number = (unsigned)n;
    return argc == 1 || (end != argv[1] && !*end && n > 0 && n < 1u << 30) || err_set(err, ERR_USAGE, "jobs lists them", "\"%s\" is no job's number", argv[1]);
}

bool cmd_job_cancel(struct session *s, int argc, char **argv, struct err *err)
{
    unsigned number;
    (void)s;
    if (argc != 2)
        return err_set(err, ERR_USAGE, "job cancel N", "a job's number was expected");
    if (!job_number(argc, argv, &number, err))
        return false;
    return job_cancel(number) || err_set(err, ERR_USAGE, "jobs lists them", "job %u does not run", number);
}

bool cmd_job_wait(struct session *s, int argc, char **argv, struct err *err)
{
    unsigned number;
    struct job_info info;

    (void)s;
    if (!job_number(argc, argv, &number, err))
        return false;
    if (!job_wait(number))
        return err_set(err, ERR_USAGE, "jobs lists them", "there is no job %u", number);
    if (number && job_find(number, &info) && info.state == JOB_FAILED) {
        *err = info.err;
        return false;
    }
    return true;
}
