/* Background jobs. A job has its own state, posts messages, and polls its cancel flag. */
#ifndef PORTOLAN_WORK_JOB_H
#define PORTOLAN_WORK_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct job;

enum job_state { JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED };

struct job_info {
    unsigned number;        /* number from 1 */
    char title[80];
    enum job_state state;
    double done, total;     /* completed and total units of work; total 0: unknown */
    double seconds;
    char note[80];          /* "12.3 M instructions" */
    bool paused;            /* paused while running */
    bool settled;           /* its finish function has run */
    bool aside;             /* started by job_start_aside */
    bool measures, measures_alone;   /* measures time on this CPU; must be the only job that does
                                      * (see struct job_ops) */
    uint64_t steps;         /* steps of its thread (base/steps.h), known once run has returned */
    struct err err;         /* set if JOB_FAILED */
};

struct job_ops {
    /* Does the work. Worker thread. Returns false with @err. It polls job_cancelled often; loops
     * that call watch_steps (base/watch.h) poll it there, and watch_at sets the job's progress. */
    bool (*run)(struct job *job, void *state, struct err *err);
    /* Publishes the result. UI thread; called once after run, also if cancelled. */
    void (*finish)(void *state, const struct job_info *info);
    void (*free)(void *state);
    /* Returns whether the job measures time on this CPU. UI thread; called when the job starts.
     * NULL: it does not. */
    bool (*measures)(const void *state);
    /* The job must be the only measuring one. It does not start while another measuring job runs,
     * and prevents others from starting. */
    bool measures_alone;
    /* notes are cumulative counters, so the last one stays valid after the job has ended */
    bool counts;
};

/* Value for `measures` of jobs that always measure; returns true. */
bool job_measures_always(const void *state);

/* Returns whether a measuring job @title could start; @alone: it must be the only one. Returns
 * false with err. UI thread. */
bool job_may_measure(const char *title, bool alone, struct err *err);
/* Starts a job; @take_state is moved. Returns the job's number; 0 with @err if no thread can be
 * started or another measuring job conflicts with it. UI thread. */
unsigned job_start(const char *title, const struct job_ops *ops, void *take_state, struct err *err);
/* Same as job_start for automatic work, such as the content of a view, that reads only what it has
 * references to. Nothing waits for such a job (job_working), its end is reported as progress, and
 * it is then removed from the list. */
unsigned job_start_aside(const char *title, const struct job_ops *ops, void *take_state,
                         struct err *err);
/* Returns the job of this thread, or NULL. */
struct job *job_current(void);
/* Returns whether the job must end. For NULL: whether all work of this thread must end, after
 * job_interrupt or because memory ran out. Worker thread. */
bool job_cancelled(const struct job *job);
void job_progress(struct job *job, double done, double total, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Blocks while the job is paused. Returns the seconds waited. Pausable jobs call it between work
 * items. */
double job_wait_paused(struct job *job);

/* Rejects the result of run: the job fails with @err. Called in a finish function. UI thread. */
void job_refuse(unsigned number, const struct err *err);

/* Removes the newest job if it is settled, so that its number is reused. Returns the number; 0 if
 * there is no such job. UI thread. */
unsigned job_withdraw(void);

/* UI thread. Runs the finish functions of ended jobs, in the order in which they were started, and
 * @after (NULL: nothing) after each, with its number. */
enum job_news { JOB_NOTHING_NEW, JOB_PROGRESS, JOB_ENDED };
enum job_news job_drain(void (*after)(void *state, unsigned number), void *state);
/* Returns a number above those of all jobs that a user requested so far, and not above that of the
 * next one. */
unsigned job_next(void);
size_t job_count(void);                                   /* number of listed jobs */
bool job_get(size_t index, struct job_info *out);         /* in the order of their start */
bool job_find(unsigned number, struct job_info *out);
bool job_cancel(unsigned number);
/* Pauses or resumes job @number, which pauses in job_wait_paused. Returns false if the job is not
 * running. */
bool job_pause(unsigned number, bool on);
/* Requests the end of every job, and makes job_wait cancel the job that it waits for. May be called
 * in a signal handler. */
void job_interrupt(void);
bool job_interrupted(void);
/* Blocks until job @number (0: all) has ended and its finish function has run. Returns false if
 * there is no such job. */
bool job_wait(unsigned number);
/* Same as job_wait for at most @seconds. Returns false if the job is still running. */
bool job_wait_for(unsigned number, double seconds);
size_t job_running(void);
/* Returns whether a job is running that others must wait for. @out (may be NULL) gets the first
 * one. */
bool job_working(struct job_info *out);
/* Returns a descriptor for poll that is readable if job_drain has work. */
int job_wake_fd(void);
/* Cancels and joins all jobs. */
void job_shutdown(void);

#endif
