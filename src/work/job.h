/* Background jobs. A job owns its state, posts messages, and polls its cancel flag. */
#ifndef PORTOLAN_WORK_JOB_H
#define PORTOLAN_WORK_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct job;

enum job_state { JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED };

struct job_info {
    unsigned number;        /* 1.. */
    char title[80];
    enum job_state state;
    double done, total;     /* units of work; total 0: unknown */
    double seconds;
    char note[80];          /* "12.3 M instructions" */
    bool paused;            /* while running */
    bool settled;           /* its finish function has run */
    bool aside;             /* started by job_start_aside */
    bool measures, measures_alone;   /* from its ops */
    struct err err;         /* after JOB_FAILED */
};

struct job_ops {
    /* Worker thread. Returns false with @err on failure. Polls job_cancelled often; loops that call
     * watch_steps (base/watch.h) poll it there, and watch_at sets the job's progress. */
    bool (*run)(struct job *job, void *state, struct err *err);
    /* UI thread, once, after run (also when cancelled): publishes the result. */
    void (*finish)(void *state, const struct job_info *info);
    void (*free)(void *state);
    /* UI thread, at its start: returns whether it measures time on this CPU. NULL: it does not. */
    bool (*measures)(const void *state);
    /* A long measuring job that must be the only one: it does not start while another measuring job
     * runs, nor another while it runs. */
    bool measures_alone;
    /* notes are cumulative counters, so the last one stays valid after the job ends */
    bool counts;
};

/* For kinds of jobs that always measure. */
bool job_measures_always(const void *state);

/* UI thread. Returns whether a measuring job @title could start now, @alone or with others. False
 * with err. */
bool job_may_measure(const char *title, bool alone, struct err *err);
/* UI thread. Takes @take_state. Returns the job's number, 0 with @err when it could not start: no
 * thread, or it conflicts with another measuring job. */
unsigned job_start(const char *title, const struct job_ops *ops, void *take_state, struct err *err);
/* The same for work that no user requested and that only reads what it holds, such as the content
 * of a view: nothing has to wait for it (job_working), its end is no news but of progress, and it
 * leaves the list then. */
unsigned job_start_aside(const char *title, const struct job_ops *ops, void *take_state,
                         struct err *err);
/* Returns the job of this thread, or NULL. */
struct job *job_current(void);
/* Worker thread. NULL: no job. */
bool job_cancelled(const struct job *job);
void job_progress(struct job *job, double done, double total, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Blocks while the job is paused; returns the seconds waited. Call it between work items of a
 * pausable job. */
double job_wait_paused(struct job *job);

/* UI thread, in a finish function: rejects the result of run; the job fails with @err. */
void job_refuse(unsigned number, const struct err *err);

/* UI thread. Removes the newest job, if settled, and reuses its number. Returns the number, 0 when
 * there is no such job. */
unsigned job_withdraw(void);

/* UI thread. Runs the finish functions of ended jobs. */
enum job_news { JOB_NOTHING_NEW, JOB_PROGRESS, JOB_ENDED };
enum job_news job_drain(void);
size_t job_count(void);                                   /* number of listed jobs */
bool job_get(size_t index, struct job_info *out);         /* newest last */
bool job_find(unsigned number, struct job_info *out);
bool job_cancel(unsigned number);
/* Pauses or resumes job @number; false when it does not run. It pauses in job_wait_paused. */
bool job_pause(unsigned number, bool on);
/* Asks every job to end, and makes job_wait cancel what it waits for. Safe in a signal handler. */
void job_interrupt(void);
bool job_interrupted(void);
/* Blocks until it ended and its finish ran; false when there is no such job. number 0: all jobs. */
bool job_wait(unsigned number);
/* The same for at most @seconds; false when the job still runs then. */
bool job_wait_for(unsigned number, double seconds);
size_t job_running(void);
/* Returns whether a job runs that others must wait for; @out (may be NULL) gets the first. */
bool job_working(struct job_info *out);
/* Descriptor that is readable when job_drain has work: poll it. */
int job_wake_fd(void);
/* Cancels and joins all jobs. */
void job_shutdown(void);

#endif
