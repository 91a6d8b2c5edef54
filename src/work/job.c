/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/job.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "base/steps.h"
#include "base/watch.h"
#include "work/pool.h"
#include "io/recognise.h"

#define TELL_SECONDS 0.1   /* seconds between progress updates from watched loops */
#define SAID_SECONDS 2.0    /* seconds for which a job's own progress report is shown */
/* maximum number of jobs in the list; beyond this number, the oldest ended jobs are dropped */
#define JOBS_KEPT 64

struct job {
    pthread_t thread;
    struct job_ops ops;
    void *state;             /* used by the worker until it ends, then by the list; NULL: freed */
    atomic_bool cancel;
    struct shortage shortage;
    double started;
    bool joined;             /* whether the finish function has run or is running; used only on the
                              * UI thread */
    pthread_mutex_t lock;    /* protects info, ended and said */
    pthread_cond_t changed;  /* signalled when info.paused, cancel or ended changes */
    struct job_info info;
    bool ended;              /* whether run() has returned */
    const char *unit;        /* unit of the watched loops; NULL: none. Only the worker uses this
                              * member and the next two. */
    double unit_begun, reported;
    double said;             /* clock_seconds() of the last report by the job itself */
};

static struct job **jobs;
static size_t count;
static unsigned last_number;
/* Depth of nested calls of settle. The callers iterate over the jobs, so none may be removed
 * meanwhile. */
static unsigned settling;
static int wake[2] = {-1, -1};
static atomic_bool interrupted;

static bool open_wake_pipe(struct err *err)
{
    if (wake[0] >= 0)
        return true;
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) == 0)
        return true;
    return err_set(err, ERR_IO, NULL, "cannot create a pipe for background jobs: %s",
                   strerror(errno));
}

static void ring(void)
{
    if (write(wake[1], "", 1) < 0 && errno != EAGAIN)
        BUG("the pipe for background jobs failed: %s", strerror(errno));
}

static void set_progress(struct job *job, double done, double total, const char *format,
                         va_list args)
{
    lock_take(&job->lock);
    job->info.done = done;
    job->info.total = total;
    job->info.seconds = clock_seconds() - job->started;
    vsnprintf(job->info.note, sizeof job->info.note, format, args);
    lock_give(&job->lock);
    ring();
}

void job_progress(double done, double total, const char *format, ...)
{
    struct job *job = thread_job;
    va_list args;

    if (!job)
        return;
    lock_take(&job->lock);
    job->said = clock_seconds();
    lock_give(&job->lock);
    va_start(args, format);
    set_progress(job, done, total, format, args);
    va_end(args);
}

__attribute__((format(printf, 2, 3))) static void tell_rate(struct job *job, const char *format,
                                                            ...)
{
    va_list args;

    va_start(args, format);
    set_progress(job, watch.done, watch.total, format, args);
    va_end(args);
}

/* Reports rate and progress of watched loops ("1.2 M rows/s") unless the job itself has reported
 * recently. */
static void tell_progress(struct job *job)
{
    double now = clock_seconds();

    if (!watch.unit || now - job->reported < TELL_SECONDS)
        return;
    lock_take(&job->lock);
    const bool speaks = now - job->said < SAID_SECONDS;
    lock_give(&job->lock);
    if (speaks)
        return;
    if (job->unit != watch.unit) {
        job->unit = watch.unit;
        job->unit_begun = now;
    }
    job->reported = now;
    double rate = now > job->unit_begun ? watch.done / (now - job->unit_begun) : 0;
    if (rate >= 1e5)
        tell_rate(job, "%.1f M %s/s", rate / 1e6, watch.unit);
    else if (rate > 0)
        tell_rate(job, "%.0f %s/s", rate, watch.unit);
    else
        tell_rate(job, "%s", watch.unit);
}

/* Watched loops poll this function on the worker's thread. Returns whether the job is cancelled. */
static bool over(void *job)
{
    tell_progress(job);
    return job_cancelled(NULL);
}

static void *work(void *argument)
{
    struct job *job = argument;
    struct err err = {0};
    struct watch before = watch_begin(over, job);
    struct fault_stack stack;

    fault_stack_take(&stack);
    shortage_begin(&job->shortage);
    thread_job = job;
    bool ok = job->ops.run(job->state, &err);
    if (!ok)
        recognise(&err, job->info.title);
    watch_restore(before);
    ok = shortage_end(&job->shortage, ok, job->info.title, &err);
    lock_take(&job->lock);
    job->info.seconds = clock_seconds() - job->started;
    job->info.state = ok                                              ? JOB_DONE
                      : err.code != ERR_MEMORY && job_cancelled(NULL) ? JOB_CANCELLED
                                                                      : JOB_FAILED;
    /* Keeps a counter that the job wrote as its note. */
    if (ok && (!job->ops.counts || job->reported > job->said))
        job->info.note[0] = '\0';
    job->info.err = err;
    job->info.steps = steps_taken;
    job->ended = true;
    pthread_cond_broadcast(&job->changed);
    lock_give(&job->lock);
    ring();
    fault_stack_give(&stack);
    return NULL;
}

static void job_free(struct job *job)
{
    if (job->state && job->ops.free)
        job->ops.free(job->state);
    pthread_mutex_destroy(&job->lock);
    pthread_cond_destroy(&job->changed);
    free(job);
}

/* Removes old ended jobs. Removes ended automatic jobs at once, because nobody queries them. If an
 * automatic job was the last, its number is reused. Removes nothing while a job settles. */
static void forget_old(void)
{
    for (size_t i = 0; !settling && i < count; i++)
        if (jobs[i]->joined && (count > JOBS_KEPT || jobs[i]->info.aside)) {
            last_number -= jobs[i]->info.aside && jobs[i]->info.number == last_number;
            job_free(jobs[i]);
            memmove(jobs + i, jobs + i + 1, (--count - i) * sizeof *jobs);
            i--;
        }
}

bool job_may_measure(const char *title, bool alone, struct err *err)
{
    struct job_info info;
    char hint[60];

    for (size_t i = 0; job_get(i, &info); i++)
        if (info.state == JOB_RUNNING && info.measures && (alone || info.measures_alone)) {
            snprintf(hint, sizeof hint, "use job wait %u, or job cancel %u", info.number,
                     info.number);
            return err_set(err, ERR_LIMIT, hint, "%s would disturb job %u (%s), which is measuring",
                           title, info.number, info.title);
        }
    return true;
}

unsigned job_start(const char *title, const struct job_ops *ops, void *take_state, struct err *err)
{
    struct job *job = mem_zero(1, sizeof *job);

    job->ops = *ops;
    job->state = take_state;
    job->started = clock_seconds();
    job->said = -INFINITY;
    job->info.number = ++last_number;
    job->info.state = JOB_RUNNING;
    snprintf(job->info.title, sizeof job->info.title, "%s", title);
    job->info.measures = ops->measures;
    job->info.measures_alone = ops->measures && ops->measures_alone;
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->changed, NULL);
    if (job->info.measures && !job_may_measure(title, job->info.measures_alone, err)) {
        job_free(job);
        return 0;
    }
    bool memory = shortage_keep();
    if (!memory)
        err_memory_for(err, title, SHORTAGE_KEPT);
    int fault = memory && open_wake_pipe(err) ? thread_begin(&job->thread, work, job) : -1;
    if (fault) {
        if (fault > 0)
            err_set(err, ERR_LIMIT, "cancel other jobs first",
                    "cannot start a thread for the job: %s", strerror(fault));
        job_free(job);
        return 0;
    }
    forget_old();
    jobs = mem_resize(jobs, (count + 1) * sizeof *jobs);
    jobs[count++] = job;
    return job->info.number;
}

unsigned job_start_aside(const char *title, const struct job_ops *ops, void *take_state,
                         struct err *err)
{
    unsigned number = job_start(title, ops, take_state, err);

    if (number) {
        struct job *job = jobs[count - 1];
        lock_take(&job->lock);
        job->info.aside = true;
        lock_give(&job->lock);
    }
    return number;
}

unsigned job_withdraw(void)
{
    struct job *job = count ? jobs[count - 1] : NULL;

    if (!job || !job->joined || settling || job->info.number != last_number)
        return 0;
    last_number--;
    count--;
    unsigned number = job->info.number;
    job_free(job);
    return number;
}

bool job_cancelled(void *unused)
{
    return (thread_job && atomic_load(&thread_job->cancel)) || atomic_load(&interrupted) ||
           shortage_met();
}

void job_interrupt(void)
{
    atomic_store(&interrupted, true);
}

bool job_interrupted(void)
{
    return atomic_load(&interrupted);
}

static struct timespec time_in(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    double nanoseconds = (double)t.tv_nsec + 1e9 * fmod(seconds, 1);
    t.tv_sec += (time_t)seconds + (nanoseconds >= 1e9);
    t.tv_nsec = (long)(nanoseconds >= 1e9 ? nanoseconds - 1e9 : nanoseconds);
    return t;
}

double job_wait_paused(void *unused)
{
    struct job *job = thread_job;
    double begun = clock_seconds();
    bool waited = false;

    if (!job)
        return 0;
    lock_take(&job->lock);
    while (job->info.paused && !job_cancelled(NULL)) {
        /* Waits in short steps, because the signal handler that sets the interrupt cannot signal a
         * condition. */
        struct timespec until = time_in(0.1);
        pthread_cond_timedwait(&job->changed, &job->lock, &until);
        waited = true;
    }
    lock_give(&job->lock);
    return waited ? clock_seconds() - begun : 0;
}

static void snapshot(struct job *job, struct job_info *out, bool *ended)
{
    lock_take(&job->lock);
    *out = job->info;
    if (!job->ended)
        out->seconds = clock_seconds() - job->started;
    *ended = job->ended;
    lock_give(&job->lock);
}

/* Waits for the job's thread and publishes its result. Does nothing if this was already done. */
static void settle(struct job *job)
{
    struct job_info info;
    bool ended;

    if (job->joined)
        return;
    job_pause(job->info.number, false);
    pthread_join(job->thread, NULL);
    snapshot(job, &info, &ended);
    job->joined = true;
    lock_take(&job->lock);
    job->info.settled = true;
    lock_give(&job->lock);
    if (info.aside && info.state == JOB_FAILED)
        log_add(LOG_WARN, "%s: %s", info.title, info.err.what);
    /* If the finish function starts a job, this call must not remove other jobs from the list. */
    settling++;
    if (job->ops.finish)
        job->ops.finish(job->state, &info);
    if (job->ops.free)
        job->ops.free(job->state);
    job->state = NULL;
    settling--;
    shortage_keep();
}

/* Handles a shortage of memory outside of jobs, for example while drawing. If the shortage lasts,
 * cancels all jobs, because only their end frees memory. */
static void relieve(void)
{
    if (!shortage_unclaimed() || shortage_keep())
        return;
    for (size_t i = 0; i < count; i++) {
        size_t none = 0;
        if (!jobs[i]->joined)
            atomic_compare_exchange_strong(&jobs[i]->shortage.needed, &none, SHORTAGE_KEPT);
    }
}

unsigned job_next(void)
{
    unsigned newest = 0;

    for (size_t i = 0; i < count; i++)
        newest = jobs[i]->info.aside ? newest : jobs[i]->info.number;
    return newest + 1;
}

enum job_news job_drain(void (*after)(void *state, unsigned number), void *state)
{
    char bytes[256];
    enum job_news news = JOB_NOTHING_NEW;

    relieve();
    while (wake[0] >= 0 && read(wake[0], bytes, sizeof bytes) > 0)
        news = JOB_PROGRESS;
    for (size_t i = 0; i < count; i++) {
        struct job_info info;
        bool ended;
        if (jobs[i]->joined)
            continue;
        snapshot(jobs[i], &info, &ended);
        if (ended) {
            settle(jobs[i]);
            if (after)
                after(state, info.number);
            news = info.aside && news != JOB_ENDED ? JOB_PROGRESS : JOB_ENDED;
        }
    }
    forget_old();
    return news;
}

size_t job_count(void)
{
    return count;
}

bool job_get(size_t index, struct job_info *out)
{
    bool ended;
    if (index >= count)
        return false;
    snapshot(jobs[index], out, &ended);
    return true;
}

static struct job *find(unsigned number)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i]->info.number == number)
            return jobs[i];
    return NULL;
}

bool job_find(unsigned number, struct job_info *out)
{
    struct job *job = find(number);
    bool ended;
    if (job)
        snapshot(job, out, &ended);
    return job != NULL;
}

static void cancel(struct job *job)
{
    atomic_store(&job->cancel, true);
    lock_take(&job->lock);
    pthread_cond_broadcast(&job->changed);
    lock_give(&job->lock);
}

bool job_cancel(unsigned number)
{
    struct job *job = find(number);
    if (!job || job->joined)
        return false;
    cancel(job);
    return true;
}

bool job_pause(unsigned number, bool on)
{
    struct job *job = find(number);
    if (!job || job->joined)
        return false;
    lock_take(&job->lock);
    bool changed = job->info.paused != on;
    job->info.paused = on;
    pthread_cond_broadcast(&job->changed);
    lock_give(&job->lock);
    if (changed)
        ring();
    return true;
}

void job_refuse(unsigned number, const struct err *err)
{
    struct job *job = find(number);

    if (!job)
        return;
    lock_take(&job->lock);
    job->info.state = JOB_FAILED;
    job->info.err = *err;
    lock_give(&job->lock);
}

bool job_wait(unsigned number)
{
    struct job *job = number ? find(number) : NULL;

    if (number && !job)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!number || jobs[i] == job)
            settle(jobs[i]);
    return true;
}

bool job_wait_for(unsigned number, double seconds)
{
    struct job *job = find(number);

    if (!job)
        return false;
    if (!job->joined) {
        struct timespec until = time_in(seconds);
        lock_take(&job->lock);
        for (int timed_out = 0; !job->ended && !timed_out;)
            timed_out = pthread_cond_timedwait(&job->changed, &job->lock, &until);
        bool ended = job->ended;
        lock_give(&job->lock);
        if (!ended)
            return false;
    }
    settle(job);
    return true;
}

size_t job_running(void)
{
    size_t running = 0;
    for (size_t i = 0; i < count; i++)
        running += !jobs[i]->joined;
    return running;
}

bool job_working(struct job_info *out)
{
    struct job_info info;

    for (size_t i = 0; job_get(i, &info); i++)
        if (info.state == JOB_RUNNING && !info.aside) {
            if (out)
                *out = info;
            return true;
        }
    return false;
}

int job_wake_fd(void)
{
    return wake[0];
}

void job_shutdown(void)
{
    for (size_t i = 0; i < count; i++) {
        cancel(jobs[i]);
        if (!jobs[i]->joined)
            pthread_join(jobs[i]->thread, NULL);
        job_free(jobs[i]);
    }
    free(jobs);
    jobs = NULL;
    count = 0;
    for (int i = 0; i < 2; i++) {
        if (wake[i] >= 0)
            close(wake[i]);
        wake[i] = -1;
    }
}
