/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "profile/interrupt.h"
#include "profile/launch.h"
#include "profile/perf.h"
#include "work/pool.h"

#define STEP 0.02          /* seconds between polls */

struct watching {
    const struct sampling *options;
    struct sampled *out;
    struct spaces spaces;
    struct launched program;
    struct task_list tasks;
    struct perf *perf;
    struct interrupt *interrupt;
    struct rusage usage;
};

void sampled_done(struct sampled *s)
{
    samples_done(&s->samples);
    free(s->path);
    *s = (struct sampled){.seconds = 0};
}

/* Returns the number of bytes of anonymous and shared memory of @pid. */
static double memory_of_process(pid_t pid)
{
    char path[64], line[128];
    unsigned long long kib, all = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %llu", &kib) == 1 || sscanf(line, "RssShmem: %llu", &kib) == 1)
            all += kib;
    if (file)
        fclose(file);
    return 1024 * (double)all;
}

/* Waits for a poll interval. Returns true if the process has ended. The status is known only if the
 * process is a child. */
static bool step(struct watching *w, int pidfd)
{
    struct pollfd wait = {pidfd, POLLIN, 0};

    if (w->interrupt)
        return interrupt_watch(w->interrupt, STEP, &w->spaces, &w->out->status, &w->usage);
    poll(&wait, 1, (int)(STEP * 1000));
    perf_drain(w->perf, true, &w->spaces);
    if (!wait.revents)
        return false;
    if (w->program.pid > 0)
        while (wait4(w->program.pid, &w->out->status, 0, &w->usage) < 0 && errno == EINTR)
            ;
    return true;
}

/* Ends a launched program and waits for it, to leave no zombie. */
static void reap(struct watching *w)
{
    pid_t pid = w->program.pid;

    launch_end(&w->program);
    if (pid > 0 && w->interrupt)
        while (!interrupt_watch(w->interrupt, STEP, &w->spaces, &w->out->status, &w->usage))
            /* Continues, because traced threads end one by one, and the first thread ends last. */
            ;
    else if (pid > 0)
        while (wait4(pid, &w->out->status, __WALL, &w->usage) < 0 && errno == EINTR)
            ;
}

static bool watch(struct watching *w, struct err *err)
{
    const struct sampling *o = w->options;
    int pidfd = pidfd_open(o->argv ? w->program.pid : o->pid, 0);
    double begun = clock_wall();
    bool ok =
        w->out->ended || pidfd >= 0 ||
        err_set(err, ERR_IO, NULL, "cannot watch process %d: %s", (int)o->pid, strerror(errno));

    while (ok && !w->out->ended && clock_wall() - begun < o->seconds &&
           !(o->enough && o->enough(o->state))) {
        w->out->memory = fmax(w->out->memory, memory_of_process(o->argv ? w->program.pid : o->pid));
        w->out->ended = step(w, pidfd);
        w->out->seconds = clock_wall() - begun;
        ok = !o->goes_on || o->goes_on(o->state, w->out->seconds, w->out->samples.count) ||
             err_set(err, ERR_INTERRUPTED, NULL, "profiling was cancelled");
    }
    if (pidfd >= 0)
        close(pidfd);
    if (w->perf)
        perf_drain(w->perf, false, &w->spaces);
    return ok;
}

/* Selects the clock, unless the user requested interrupts. If the system refuses the clock, selects
 * interrupts, unless the user requested the clock. Returns false with err on failure. */
static bool choose(struct watching *w, struct err *err)
{
    const struct sampling *o = w->options;
    struct err *refused = &w->out->refused;

    if (o->method != SAMPLING_INTERRUPT)
        w->perf = perf_new(&w->tasks, o->argv != NULL, o->rate, refused);
    if (w->perf) {
        w->out->method = SAMPLING_CLOCK;
        return true;
    }
    if (o->method == SAMPLING_CLOCK) {
        *err = *refused;
        return false;
    }
    w->out->method = SAMPLING_INTERRUPT;
    w->interrupt = interrupt_new(&w->tasks, o->argv != NULL, o->rate, err);
    return w->interrupt != NULL;
}

/* Finds the threads, the executable and the mappings of a running process. Checks the executable
 * through /proc, because it may be deleted, or visible only to the process. Returns false with err
 * on failure. */
static bool find_process(struct watching *w, struct err *err)
{
    char link[64], path[4096];

    tasks_find(w->options->pid, &w->tasks);
    if (!task_program(w->options->pid, path, sizeof path, err))
        return false;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)w->options->pid);
    w->out->path = mem_strdup(path);
    if (!launch_check(link, path, err))
        return false;
    for (size_t i = 0; i < w->tasks.list.count; i++)
        if (!i || w->tasks.list.items[i].pid != w->tasks.list.items[i - 1].pid)
            spaces_read(&w->spaces, w->tasks.list.items[i].pid);
    return true;
}

/* Resumes a traced process that stops for a signal or a new thread before sampling has begun. */
static void go_on(void *state)
{
    struct watching *w = state;
    if (!w->out->ended)
        w->out->ended = interrupt_go_on(w->interrupt, &w->spaces, &w->out->status, &w->usage);
}

static bool begin(struct watching *w, struct err *err)
{
    const struct sampling *o = w->options;

    if (!o->argv)
        return find_process(w, err) && choose(w, err);
    if (!launch(o->argv, o->output, o->input, &w->program, err))
        return false;
    w->out->path = mem_strdup(w->program.path);
    vec_push(&w->tasks.list, ((struct thread_id){w->program.pid, w->program.pid}));
    return choose(w, err) && launch_go(&w->program, w->interrupt ? go_on : NULL, w, err);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* Stores totals. The CPU time of a child comes from the system. For other processes, it is measured
 * up to the last interrupts, or estimated from samples. */
static void tell(struct watching *w)
{
    struct sampled *out = w->out;
    out->lost = w->perf ? perf_lost(w->perf) : interrupt_lost(w->interrupt);
    for (int threads = 0; threads < 2; threads++)
        *(threads ? &out->threads : &out->processes) =
            w->perf ? perf_started(w->perf, threads) : interrupt_started(w->interrupt, threads);
    out->user = w->options->argv ? seconds_of(w->usage.ru_utime)
                : w->interrupt   ? interrupt_cpu(w->interrupt)
                                 : (double)(out->samples.count + out->lost) / w->options->rate;
    out->system = w->options->argv ? seconds_of(w->usage.ru_stime) : NAN;
}

static bool run(const struct sampling *o, struct sampled *out, struct err *err)
{
    struct watching w = {.options = o,
                         .out = out,
                         .spaces.samples = &out->samples,
                         .program = {.go = -1, .fault = -1}};

    bool ok = begin(&w, err) && watch(&w, err);
    if (out->ended)
        w.program.pid = 0;   /* Clears the id of the ended process, which the system may reuse. */
    reap(&w);
    if (ok)
        tell(&w);
    perf_free(w.perf);
    interrupt_free(w.interrupt);
    spaces_done(&w.spaces);
    vec_done(&w.tasks.list);
    return ok;
}

struct call {
    const struct sampling *options;
    struct sampled *out;
    struct err *err;
    bool ok;
};

static void run_call(void *state)
{
    struct call *call = state;
    call->ok = run(call->options, call->out, call->err);
}

/* Samples on a separate thread. The end of that thread detaches all threads that could not be
 * resumed in time. */
bool sampling_run(const struct sampling *o, struct sampled *out, struct err *err)
{
    struct call call = {o, out, err, false};

    *out = (struct sampled){.system = NAN};
    return thread_apart(run_call, &call, err) && call.ok;
}
