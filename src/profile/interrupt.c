/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/interrupt.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"

#define REST 0.0002        /* maximum sleep in seconds; it is short, because forks and signals wait
                            * for the tracer */
/* seconds to wait for threads to stop; threads that do not stop remain attached until the tracing
 * thread ends */
#define GO_SECONDS 1.0

struct tracee {
    struct thread_id task;
    bool asked;            /* whether an interrupt was requested, although the thread has not
                            * stopped yet */
};

/* CPU time of a process at its last sample. With this time, samples count only the program's time,
 * even on a busy machine. */
struct progress {
    pid_t pid;
    double begun, cpu;     /* CPU seconds at the first and the last sample */
};

struct interrupt {
    VEC(struct tracee) tracees;
    VEC(struct progress) processes_seen;
    pid_t main;
    /* Seconds. @interval: time between samples. @next: time of the next sample, on the monotonic
     * clock. */
    double interval, next;
    struct rng rng;
    size_t lost, processes, threads;
    bool leaving;          /* whether threads that stop are detached */
};

static long trace(int request, pid_t tid, uintptr_t address, uintptr_t data)
{
    return ptrace((enum __ptrace_request)request, tid, (void *)address, (void *)data);
}

static struct tracee *find(struct interrupt *p, pid_t tid)
{
    for (size_t i = 0; i < p->tracees.count; i++)
        if (p->tracees.items[i].task.tid == tid)
            return &p->tracees.items[i];
    return NULL;
}

static struct tracee *add(struct interrupt *p, pid_t pid, pid_t tid)
{
    struct tracee *t = find(p, tid);

    if (t)
        return t;
    vec_push(&p->tracees, ((struct tracee){.task = {pid, tid}}));
    return &p->tracees.items[p->tracees.count - 1];
}

static void drop(struct interrupt *p, pid_t tid)
{
    struct tracee *t = find(p, tid);
    if (t)
        *t = p->tracees.items[--p->tracees.count];
}

/* Returns whether a thread no longer exists or is a zombie, because neither can stop. A main thread
 * is a zombie until the last thread ends. */
static bool ended(const struct thread_id *task)
{
    const char state = task_state(task);
    return state == 0 || state == 'Z';
}

static void drop_ended(struct interrupt *p)
{
    for (size_t i = p->tracees.count; i-- > 0;)
        if (ended(&p->tracees.items[i].task))
            p->tracees.items[i] = p->tracees.items[--p->tracees.count];
}

static const char *refusal(int reason)
{
    return reason == EPERM || reason == EACCES
               ? "end any debugger of the program; if sysctl kernel.yama.ptrace_scope forbids "
                 "ptrace, start the program with program profile, or run as root"
               : NULL;
}

struct interrupt *interrupt_new(const struct task_list *tasks, bool ours, double rate,
                                struct err *err)
{
    const uintptr_t options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                              PTRACE_O_TRACEEXEC | (ours ? PTRACE_O_EXITKILL : 0);
    struct interrupt *p = mem_zero(1, sizeof *p);
    int reason = ESRCH;

    p->interval = 1 / rate;
    rng_seed(&p->rng, 1);
    for (size_t i = 0; i < tasks->list.count; i++)
        if (trace(PTRACE_SEIZE, tasks->list.items[i].tid, 0, options) == 0)
            add(p, tasks->list.items[i].pid, tasks->list.items[i].tid);
        else
            reason = errno;
    if (p->tracees.count) {
        p->main = tasks->list.items[0].pid;
        p->next = clock_wall();
        return p;
    }
    free(p);
    err_set(err, ERR_IO, refusal(reason), "cannot interrupt the program for samples (ptrace): %s",
            strerror(reason));
    return NULL;
}

static void sample(struct interrupt *p, const struct tracee *t, struct spaces *spaces)
{
    struct __ptrace_syscall_info info;

    if (trace(PTRACE_GET_SYSCALL_INFO, t->task.tid, sizeof info, (uintptr_t)&info) <= 0)
        return;
    if (!spaces_sample(spaces, t->task.pid, info.instruction_pointer) &&
        !(spaces_read(spaces, t->task.pid) &&
          spaces_sample(spaces, t->task.pid, info.instruction_pointer)))
        p->lost++;
}

static void go_on(const struct interrupt *p, pid_t tid, int signal)
{
    trace(p->leaving ? PTRACE_DETACH : PTRACE_CONT, tid, 0, (uintptr_t)signal);
}

/* Adds a new thread or process, which is traced automatically. Its first stop may be before or
 * after this event. */
static void take_start(struct interrupt *p, const struct tracee *t)
{
    unsigned long started = 0;

    if (trace(PTRACE_GETEVENTMSG, t->task.tid, 0, (uintptr_t)&started) != 0)
        return;
    /* Reads the process of the thread, because the event of clone does not distinguish threads from
     * processes. */
    const struct thread_id task = {task_process((pid_t)started), (pid_t)started};
    p->threads++;
    p->processes += task.pid != t->task.pid;
    if (!ended(&task))     /* Adds the thread only if it exists, because its end may be reported
                            * before this event. */
        add(p, task.pid, task.tid);
}

/* After exec, only the calling thread remains, with the process's id. Earlier interrupt requests
 * have no effect. */
static void take_exec(struct interrupt *p, pid_t tid, struct spaces *spaces)
{
    spaces_clear(spaces, tid);
    for (size_t i = p->tracees.count; i-- > 0;)
        if (p->tracees.items[i].task.pid == tid && p->tracees.items[i].task.tid != tid)
            p->tracees.items[i] = p->tracees.items[--p->tracees.count];
    struct tracee *left = find(p, tid);
    if (left)
        left->asked = false;
}

static void take_stop(struct interrupt *p, pid_t tid, int status, struct spaces *spaces)
{
    int event = status >> 16, signal = WSTOPSIG(status);
    struct tracee *t = find(p, tid);

    if (!t)
        t = add(p, task_process(tid), tid);
    switch (event) {
    case 0:
        go_on(p, tid, signal);
        if (p->leaving)
            drop(p, tid);
        return;
    case PTRACE_EVENT_STOP:
        if (t->asked && !p->leaving)
            sample(p, t, spaces);
        t->asked = false;
        if (signal != SIGTRAP && !p->leaving) {
            /* Listens, because a stop by a signal lasts until another signal continues the
             * process. */
            trace(PTRACE_LISTEN, tid, 0, 0);
            return;
        }
        break;
    case PTRACE_EVENT_EXEC:
        take_exec(p, tid, spaces);
        break;
    case PTRACE_EVENT_CLONE: case PTRACE_EVENT_FORK: case PTRACE_EVENT_VFORK:
        take_start(p, t);
        break;
    default:
        break;
    }
    go_on(p, tid, 0);
    if (p->leaving)
        drop(p, tid);
}

bool interrupt_go_on(struct interrupt *p, struct spaces *spaces, int *status, struct rusage *usage)
{
    struct rusage used;
    int how;

    for (pid_t tid; (tid = wait4(-1, &how, __WALL | __WNOTHREAD | WNOHANG, &used)) > 0;) {
        if (WIFSTOPPED(how)) {
            take_stop(p, tid, how, spaces);
            continue;
        }
        drop(p, tid);
        if (tid == p->main) {
            *status = how;
            *usage = used;
            return true;
        }
    }
    return false;
}

/* Returns the CPU seconds of process @pid so far, or NaN if unknown. */
static double cpu_of(pid_t pid)
{
    struct timespec t;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return NAN;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct progress *progress_of(struct interrupt *p, pid_t pid)
{
    for (size_t i = p->processes_seen.count; i-- > 0;)
        if (p->processes_seen.items[i].pid == pid)
            return &p->processes_seen.items[i];
    double cpu = cpu_of(pid);
    vec_push(&p->processes_seen,
             ((struct progress){pid, isnan(cpu) ? 0 : cpu, isnan(cpu) ? 0 : cpu}));
    return &p->processes_seen.items[p->processes_seen.count - 1];
}

/* Interrupts the running threads of @pid if it has used at least half an interval of CPU time since
 * its last sample. */
static void ask(struct interrupt *p, pid_t pid)
{
    struct progress *progress = progress_of(p, pid);
    double cpu = cpu_of(pid);

    /* Also returns if the process has ended, because its CPU time is then NaN. */
    if (!(cpu - progress->cpu >= p->interval / 2))
        return;
    progress->cpu = cpu;
    for (size_t i = 0; i < p->tracees.count; i++) {
        struct tracee *t = &p->tracees.items[i];
        if (t->task.pid == pid && !t->asked && task_runs(&t->task))
            t->asked = trace(PTRACE_INTERRUPT, t->task.tid, 0, 0) == 0;
    }
}

static void ask_all(struct interrupt *p)
{
    for (size_t i = 0; i < p->tracees.count; i++) {
        pid_t pid = p->tracees.items[i].task.pid;
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = p->tracees.items[k].task.pid != pid;
        if (first)
            ask(p, pid);
    }
}

static void rest(double seconds)
{
    struct timespec t = {0, (long)(seconds * 1e9)};
    if (seconds > 0)
        nanosleep(&t, NULL);
}

bool interrupt_watch(struct interrupt *p, double seconds, struct spaces *spaces, int *status,
                     struct rusage *usage)
{
    double until = clock_wall() + seconds;

    for (double at = clock_wall(); at < until; at = clock_wall()) {
        if (interrupt_go_on(p, spaces, status, usage))
            return true;
        if (at >= p->next) {
            ask_all(p);
            /* The interval is random, to sample a periodic loop at all places. */
            p->next = at + p->interval * (0.75 + 0.5 * rng_unit(&p->rng));
        }
        double left = p->next - clock_wall();
        rest(left < REST ? left : REST);
    }
    return false;
}

size_t interrupt_free(struct interrupt *p)
{
    struct spaces none = {.samples = NULL};
    struct rusage usage;
    int status;

    if (!p)
        return 0;
    p->leaving = true;
    for (size_t i = 0; i < p->tracees.count; i++)
        trace(PTRACE_INTERRUPT, p->tracees.items[i].task.tid, 0, 0);
    for (double until = clock_wall() + GO_SECONDS; p->tracees.count && clock_wall() < until;
         rest(REST)) {
        interrupt_go_on(p, &none, &status, &usage);
        drop_ended(p);
    }
    const size_t left = p->tracees.count;
    vec_done(&p->tracees);
    vec_done(&p->processes_seen);
    free(p);
    return left;
}

size_t interrupt_lost(const struct interrupt *p)
{
    return p->lost;
}

size_t interrupt_started(const struct interrupt *p, bool threads)
{
    return threads ? p->threads : p->processes;
}

double interrupt_cpu(const struct interrupt *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->processes_seen.count; i++)
        sum += p->processes_seen.items[i].cpu - p->processes_seen.items[i].begun;
    return sum;
}
