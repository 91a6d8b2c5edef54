/* Background jobs. A job has its own state, posts messages, and polls its cancel flag. */
#ifndef PORTOLAN_WORK_JOB_H
#define PORTOLAN_WORK_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum job_state { JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED };

struct job_info {
    unsigned number;        /* number from 1 */
    char title[80];
    enum job_state state;
    double done, total;     /* completed and total units of work; total 0: unknown */
    double seconds;
    char note[80];          /* note such as "12.3 M instructions" */
    bool paused;            /* whether the job is paused while running */
    bool settled;           /* whether the job's finish function has run or is running */
    bool aside;             /* whether job_start_aside started the job */
    /* @measures: whether the job measures time on this CPU. @measures_alone: whether no other job
     * may measure at the same time (struct job_ops). */
    bool measures, measures_alone;
    uint64_t steps;         /* steps of its thread (base/steps.h), valid after run has returned */
    struct err err;         /* error of a failed or cancelled job */
};

struct job_ops {
    /* Does the work on the worker thread. Returns false with @err. It must poll job_cancelled
     * often; watch_steps (base/watch.h) does this. watch_at sets the job's progress. */
    bool (*run)(void *state, struct err *err);
    /* Publishes the result. Called once on the UI thread after run, also for a cancelled job. */
    void (*finish)(void *state, const struct job_info *info);
    void (*free)(void *state);
    bool measures;           /* whether the job measures time on this CPU */
    /* Whether the job must be the only measuring job. It does not start while another measuring job
     * runs, and prevents others from starting. */
    bool measures_alone;
    /* whether notes are cumulative counters; the last note then remains valid after the job has
     * ended */
    bool counts;
};

/* Returns whether a measuring job titled @title could start. @alone requires that no other
 * measuring job runs. Returns false with err. UI thread. */
bool job_may_measure(const char *title, bool alone, struct err *err);
/* Starts a job and moves @take_state. Returns the job's number, or 0 with @err if no thread can be
 * started, memory is short, or another measuring job conflicts with it. UI thread. */
unsigned job_start(const char *title, const struct job_ops *ops, void *take_state, struct err *err);
/* Starts a job like job_start for automatic work, such as the content of a view. The work may read
 * only data to which it has references. No other work waits for such a job (job_working). After its
 * end is reported as progress, the job is removed from the list. */
unsigned job_start_aside(const char *title, const struct job_ops *ops, void *take_state,
                         struct err *err);
/* The next three functions act on the job of the calling thread (thread_job, work/pool.h). @unused
 * is ignored, so that the functions can be hooks. */
/* Returns whether this thread's work must end: after job_cancel of its job, after job_interrupt, or
 * because memory is exhausted. */
bool job_cancelled(void *unused);
/* Sets the displayed progress and note. Without a job, does nothing. */
void job_progress(double done, double total, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Blocks while the job is paused. Returns the duration of the wait in seconds. Pausable jobs call
 * it between work items. */
double job_wait_paused(void *unused);

/* Rejects the result of job @number. The job then fails with @err. Call it in a finish function. UI
 * thread. Does nothing if there is no such job. */
void job_refuse(unsigned number, const struct err *err);

/* Removes the newest job if it is settled, and makes its number available again. Returns the
 * number; 0: there is no such job. UI thread. */
unsigned job_withdraw(void);

/* Runs the finish functions of ended jobs, in the order in which the jobs were started. Calls
 * @after (may be NULL) with the number of each job. UI thread. */
enum job_news { JOB_NOTHING_NEW, JOB_PROGRESS, JOB_ENDED };
enum job_news job_drain(void (*after)(void *state, unsigned number), void *state);
/* Returns a number above the numbers of all jobs that the user has requested, and at most the next
 * job's number. */
unsigned job_next(void);
size_t job_count(void);                                   /* Returns the number of listed jobs. */
/* Copies job @index, in the order of their start, to @out. Returns false if there is none. */
bool job_get(size_t index, struct job_info *out);
bool job_find(unsigned number, struct job_info *out);
bool job_cancel(unsigned number);
/* Pauses or resumes job @number. A paused job waits in job_wait_paused. Returns false if the job is
 * not running. */
bool job_pause(unsigned number, bool on);
/* Requests the end of every job, also of jobs that start later. May be called in a signal
 * handler. */
void job_interrupt(void);
bool job_interrupted(void);
/* Blocks until job @number (0: all) has ended and its finish function has run. Resumes a paused
 * job. Returns false if there is no such job. */
bool job_wait(unsigned number);
/* Waits like job_wait, for at most @seconds. Returns false if the job is still running, or if there
 * is no such job. */
bool job_wait_for(unsigned number, double seconds);
size_t job_running(void);
/* Returns whether a job is running for which commands must wait. Stores the first such job in @out
 * (may be NULL). */
bool job_working(struct job_info *out);
/* Returns a descriptor for poll that is readable if job_drain has work; -1 before the first job. */
int job_wake_fd(void);
/* Cancels, joins and frees all jobs without calling their finish functions. */
void job_shutdown(void);

#endif
