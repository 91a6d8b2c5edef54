/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/autosave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/saved_state.h"
#include "cmd/session_file.h"
#include "infer/evolve.h"
#include "work/background.h"
#include "work/evolve_job.h"

/* Shortest pause between two saves, in seconds. A crash loses at most the changes made during one
 * pause and one save. */
#define LEAST_SECONDS 0.4
/* smallest ratio of the pause after a save to the duration of that save */
#define SHARE 10
#define RUN_SECONDS 3        /* seconds between two checks of an inference run */

/* Fingerprint of a session that detects changes */
struct mark {
    unsigned long revision;
    const void *kernel;
    size_t loop, shelved, at;
    uint64_t serial, experiments;
    long run;                /* 1 + elapsed time of the last inference run, in units of RUN_SECONDS;
                              * -1: it has ended or is paused; 0: none */
};

struct autosave {
    struct session *session;
    struct background_writer *background_writer;
    struct mark saved, saving;
    double next, begun;      /* clock_seconds() at which the next save is due, and at which the
                              * current save began */
    /* @ready: the directory is locked. @failed: a failure has been reported. */
    bool ready, failed;
};

struct saving {
    struct session *snapshot;
    char *path;
};

static struct mark mark_of(const struct session *s)
{
    const struct document *d = &s->document;
    struct mark m;

    memset(&m, 0, sizeof m);   /* Also clears the padding, because same() compares the bytes with
                                * memcmp. */
    m.revision = s->revision;
    m.kernel = d->kernel;
    m.loop = d->loop;
    m.shelved = d->shelf.list.count;
    m.at = d->shelf.at;
    m.serial = d->experiments ? d->experiments->serial : 0;
    m.experiments = d->experiments ? d->experiments->revision : 0;
    if (d->run_count) {
        const struct evolve_status *status = evolve_run_status(d->runs[d->run_count - 1]);
        m.run = status->state == EVOLVE_RUNNING ? 1 + (long)(status->seconds / RUN_SECONDS) : -1;
    }
    return m;
}

static bool same(const struct mark *a, const struct mark *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Saves the session of @item. Runs on the saving thread. */
static bool write_session(void *item, struct err *err)
{
    struct saving *w = item;
    return session_save(w->snapshot, w->path, err);
}

static void saving_free(struct saving *w)
{
    session_forget(w->snapshot);
    free(w->path);
    free(w);
}

struct autosave *autosave_new(struct session *s, bool named)
{
    struct autosave *a = mem_zero(1, sizeof *a);

    a->session = s;
    a->background_writer = background_writer_new(write_session);
    if (!named)
        a->saved = mark_of(s);
    return a;
}

/* Reports only the first failed save, because later saves may fail for the same reason. */
static void tell(struct autosave *a, const struct err *err)
{
    char text[2048];

    if (!a->failed)
        log_add(LOG_WARN, "cannot save the session automatically: %s",
                err_text(err, text, sizeof text));
    a->failed = true;
}

/* Removes a finished save from the background writer. Waits for the end of the save if @wait is
 * true. */
static void take_back(struct autosave *a, bool wait)
{
    struct err err = {0};
    struct saving *w = background_writer_take(a->background_writer, wait, &err);

    if (!w)
        return;
    double now = clock_seconds();
    a->next = now + fmax(LEAST_SECONDS, SHARE * (now - a->begun));
    if (err.what[0])
        tell(a, &err);
    else
        a->failed = false;
    a->saved = a->saving;
    saving_free(w);
}

static void begin(struct autosave *a, const struct mark *now)
{
    struct err err = {0};
    struct saving *w = mem_zero(1, sizeof *w);

    if (!a->ready && (a->ready = saved_state_begin(&err)))
        saved_state_prune();
    a->begun = clock_seconds();
    a->saving = *now;
    w->snapshot = session_snapshot(a->session);
    w->path = saved_state_session();
    if (a->ready && background_writer_give(a->background_writer, w, &err))
        return;
    tell(a, &err);
    a->saved = *now;
    saving_free(w);
}

double autosave_tick(struct autosave *a, bool hold)
{
    take_back(a, false);
    if (!background_writer_idle(a->background_writer))
        return LEAST_SECONDS / 4;
    if (hold)
        return INFINITY;
    const struct mark now = mark_of(a->session);
    const double wait = a->next - clock_seconds();
    if (same(&now, &a->saved))
        return now.run > 0 ? RUN_SECONDS : INFINITY;
    if (wait > 0)
        return wait;
    begin(a, &now);
    return LEAST_SECONDS / 4;
}

void autosave_end(struct autosave *a)
{
    take_back(a, true);
    const struct mark now = mark_of(a->session);
    /* After a failure, saves again even without a change, because the cause of the failure may be
     * gone. */
    if (same(&now, &a->saved) && !a->failed)
        return;
    begin(a, &now);
    take_back(a, true);
}

void autosave_free(struct autosave *a)
{
    take_back(a, true);
    background_writer_free(a->background_writer);
    free(a);
}
