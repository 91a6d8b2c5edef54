/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "insitu/refusal.h"
#include "profile/tasks.h"

#define STOP_SECONDS 5.0       /* maximum seconds to wait until a thread stops */
#define WAKE_SIGNAL (SIGRTMIN + 1)
/* Nanoseconds between two signals. If the first one arrives before the wait begins, the next one
 * ends the wait. */
#define WAKE_AGAIN 1000000L

static void wake(int number)
{
    (void)number;
}

static struct timespec span(double seconds)
{
    return (struct timespec){(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
}

/* Waits like waitpid, but returns 0 after at most @seconds, because the signals of a timer
 * interrupt the wait. */
static pid_t wait_for(pid_t pid, int *status, int options, double seconds)
{
    const struct sigaction action = {.sa_handler = wake};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE_SIGNAL};
    pid_t tid = waitpid(pid, status, options | WNOHANG);
    sigset_t set, before;
    timer_t timer;

    if (tid > 0 || seconds <= 0)
        return tid;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (tid < 0 || sigaction(WAKE_SIGNAL, &action, NULL) != 0 ||
        timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        struct timespec pause = span(fmin(seconds, 0.0005));
        nanosleep(&pause, NULL);
        return 0;
    }
    const struct itimerspec when = {{0, WAKE_AGAIN}, span(fmax(seconds, 1e-6))};
    sigemptyset(&set);
    sigaddset(&set, WAKE_SIGNAL);
    timer_settime(timer, 0, &when, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, &before);
    tid = waitpid(pid, status, options);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    timer_delete(timer);
    return tid > 0 ? tid : 0;
}

static long trace(int request, pid_t tid, uintptr_t address, uintptr_t data)
{
    return ptrace((enum __ptrace_request)request, tid, (void *)address, (void *)data);
}

struct traced *process_tracee(struct process *p, pid_t tid)
{
    for (size_t i = 0; i < p->tracees.count; i++)
        if (p->tracees.items[i].tid == tid)
            return &p->tracees.items[i];
    return NULL;
}

/* Returns whether the stopped thread can execute instructions for the tracer. Returns false within
 * a system call, because restoring the registers would lose the call's result. Also returns false
 * after a stop signal, because execution would cancel the stop. */
static bool can_run(const struct traced *t)
{
    return t->stopped && !t->exiting && !t->within && !t->listening;
}

struct traced *process_caller(struct process *p)
{
    for (size_t i = 0; i < p->tracees.count; i++)
        if (can_run(&p->tracees.items[i]))
            return &p->tracees.items[i];
    return NULL;
}

static struct traced *add(struct process *p, pid_t tid)
{
    struct traced *t = process_tracee(p, tid);

    if (t)
        return t;
    vec_push(&p->tracees, ((struct traced){.tid = tid, .slot = SLOT_NONE}));
    return &p->tracees.items[p->tracees.count - 1];
}

static void drop(struct process *p, pid_t tid)
{
    struct traced *t = process_tracee(p, tid);
    if (t)
        *t = p->tracees.items[--p->tracees.count];
}

/* Sets err to the reason why the system does not permit tracing @pid. Returns false. */
static bool refused(pid_t pid, int reason, bool ours, struct err *err)
{
    const struct refusal r = refusal_read(pid, reason, ours);
    return refusal_tell(&r, err);
}

bool process_seize(pid_t pid, bool ours, struct process *out, struct err *err)
{
    const uintptr_t options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                              PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT |
                              (ours ? PTRACE_O_EXITKILL : 0);
    size_t before;

    *out = (struct process){.pid = pid, .memory = -1};
    do {   /* Repeats until no new thread is found, because threads may start while others are
            * seized. */
        struct task_list tasks = {{0}};
        before = out->tracees.count;
        tasks_find(pid, &tasks);
        for (size_t i = 0; i < tasks.list.count; i++) {
            pid_t tid = tasks.list.items[i].tid;
            if (tasks.list.items[i].pid != pid || process_tracee(out, tid))
                continue;
            if (trace(PTRACE_SEIZE, tid, 0, options) == 0)
                add(out, tid);
            else if (errno != ESRCH) {
                const int reason = errno;
                vec_done(&tasks.list);
                return refused(pid, reason, ours, err);
            }
        }
        vec_done(&tasks.list);
    } while (out->tracees.count != before);
    if (!out->tracees.count)
        return err_set(err, ERR_MISSING, "ps lists processes", "process %d does not "
                                                               "exist", (int)pid);
    return process_reopen(out, err);
}

bool process_reopen(struct process *p, struct err *err)
{
    char path[64];

    if (p->memory >= 0)
        close(p->memory);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)p->pid);
    p->memory = open(path, O_RDWR | O_CLOEXEC);
    return p->memory >= 0 || refused(p->pid, errno, true, err);
}

bool process_entry(const struct process *p, uint64_t *entry)
{
    Elf64_auxv_t v[64];
    char path[64];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%d/auxv", (int)p->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, v, sizeof v) : 0;
    for (size_t i = 0; n > 0 && i < (size_t)n / sizeof *v; i++)
        if (v[i].a_type == AT_ENTRY) {
            *entry = v[i].a_un.a_val;
            found = true;
        }
    if (fd >= 0)
        close(fd);
    return found;
}

void process_done(struct process *p)
{
    if (p->memory >= 0)
        close(p->memory);
    vec_done(&p->tracees);
    vec_done(&p->children);
    vec_done(&p->pending);
    vec_done(&p->unknown);
}

bool process_read(const struct process *p, uint64_t address, void *out, size_t bytes)
{
    return pread(p->memory, out, bytes, (off_t)address) == (ssize_t)bytes;
}

bool process_write(const struct process *p, uint64_t address, const void *bytes, size_t count)
{
    return pwrite(p->memory, bytes, count, (off_t)address) == (ssize_t)count;
}

bool process_registers(const struct traced *t, struct user_regs_struct *out)
{
    return trace(PTRACE_GETREGS, t->tid, 0, (uintptr_t)out) == 0;
}

bool process_set_registers(const struct traced *t, const struct user_regs_struct *regs)
{
    return trace(PTRACE_SETREGS, t->tid, 0, (uintptr_t)regs) == 0;
}

/* Signals that instructions of a thread cause. If such a signal is blocked when it is raised, the
 * system resets its handler. */
#define OF_INSTRUCTIONS                                                                            \
    (SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) |         \
     SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGSYS))
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number) - 1))

bool process_mask(struct traced *t, uint64_t *kept)
{
    uint64_t all = ~OF_INSTRUCTIONS;
    return trace(PTRACE_GETSIGMASK, t->tid, sizeof *kept, (uintptr_t)kept) == 0 &&
           trace(PTRACE_SETSIGMASK, t->tid, sizeof all, (uintptr_t)&all) == 0;
}

void process_unmask(struct traced *t, uint64_t kept)
{
    trace(PTRACE_SETSIGMASK, t->tid, sizeof kept, (uintptr_t)&kept);
}

/* Records that a thread has ended. If it was the last thread, also records that the process has
 * ended. */
static void ended(struct process *p, pid_t tid, int status)
{
    drop(p, tid);
    if (tid != p->pid && p->tracees.count)
        return;
    p->ended = true;
    if (tid == p->pid)
        p->status = status;
}

/* Returns whether a signal raised by a faulting instruction is pending for @t. */
static bool has_fault(const struct traced *t)
{
    struct __ptrace_peeksiginfo_args from = {.off = 0, .nr = 1};
    siginfo_t info;

    for (; trace(PTRACE_PEEKSIGINFO, t->tid, (uintptr_t)&from, (uintptr_t)&info) == 1; from.off++)
        if (info.si_code > 0 && info.si_signo > 0 && info.si_signo <= 64 &&
            SIGNAL_BIT(info.si_signo) & OF_INSTRUCTIONS)
            return true;
    return false;
}

/* Stores the signal that stopped @t, for later delivery. */
static void take_signal(struct traced *t, int number)
{
    t->signal = number;
    if (trace(PTRACE_GETSIGINFO, t->tid, 0, (uintptr_t)&t->info) != 0)
        t->info = (siginfo_t){.si_signo = number};
}

/* Resumes @t with @request. Returns whether the thread then stopped with SIGTRAP. */
static bool trapped(struct process *p, struct traced *t, int request)
{
    int status;

    if (t->exiting || t->within || trace(request, t->tid, 0, 0) != 0)
        return false;

    for (;;) {
        pid_t tid = t->tid;
        if (waitpid(tid, &status, __WALL) < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        if (!WIFSTOPPED(status)) {
            ended(p, tid, status);
            return false;
        }
        if (status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP)
            return true;
        if (status >> 16 == 0) {
            bool first = !t->signal;
            if (first)
                take_signal(t, WSTOPSIG(status));
            if (!first || t->info.si_code > 0)   /* Fails if an instruction of the thread itself
                                                  * faulted. */
                return false;
        }
        t->exiting |= status >> 16 == PTRACE_EVENT_EXIT;
        if (t->exiting)
            return false;
        /* The tracer's system call created this process. */
        if (status >> 16 == PTRACE_EVENT_CLONE || status >> 16 == PTRACE_EVENT_FORK) {
            unsigned long born = 0;
            trace(PTRACE_GETEVENTMSG, tid, 0, (uintptr_t)&born);
            p->born = (pid_t)born;
        }
        t->asked = false;
        trace(request, tid, 0, 0);   /* Resumes the thread again, because its stop belongs to an
                                      * earlier interrupt. */
    }
}

bool process_step(struct process *p, struct traced *t)
{
    return trapped(p, t, PTRACE_SINGLESTEP);
}

int64_t process_call(struct process *p, struct traced *t, long number, const uint64_t arguments[6])
{
    static const uint8_t instruction[2] = {0x0f, 0x05};
    struct user_regs_struct before, call;
    uint8_t kept[2];
    pid_t tid = t->tid;
    uint64_t mask;
    int64_t result = -EFAULT;

    if (!can_run(t) || !process_registers(t, &before) ||
        !process_read(p, before.rip, kept, sizeof kept) || !process_mask(t, &mask))
        return -EFAULT;
    call = before;
    call.rax = (unsigned long long)number;
    call.orig_rax = ~0ull;   /* Prevents the restart of an interrupted system call. */
    call.rdi = arguments[0];
    call.rsi = arguments[1];
    call.rdx = arguments[2];
    call.r10 = arguments[3];
    call.r8 = arguments[4];
    call.r9 = arguments[5];
    call.rip = p->call_at ? p->call_at : before.rip;
    const uint64_t after = call.rip + sizeof instruction;
    if (p->call_at || process_write(p, before.rip, instruction, sizeof instruction)) {
        if (process_set_registers(t, &call) && process_step(p, t) && process_registers(t, &call) &&
            call.rip == after)
            result = (int64_t)call.rax;
        if (!p->call_at)
            process_write(p, before.rip, kept, sizeof kept);
    }
    t = process_tracee(p, tid);
    if (t) {
        process_set_registers(t, &before);
        process_unmask(t, mask);
    }
    return result;
}

bool process_copy(struct process *p, struct traced *t, struct process *out, int64_t *number)
{
    struct user_regs_struct regs;
    int status;

    *out = (struct process){.memory = -1};
    p->born = 0;
    if (!p->call_at || !process_registers(t, &regs))
        return false;
    /* Clones without an exit signal, so the end of the child sends no signal. */
    *number = process_call(p, t, SYS_clone, (const uint64_t[6]){0});
    out->pid = p->born;
    if (!p->born)
        return false;
    while (waitpid(out->pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    p->copies++;
    if (!WIFSTOPPED(status))
        return false;
    trace(PTRACE_SETOPTIONS, out->pid, 0, PTRACE_O_EXITKILL);
    struct traced *copy = add(out, out->pid);
    copy->stopped = true;
    regs.orig_rax = ~0ull;
    struct err ignored;
    return process_reopen(out, &ignored) && process_set_registers(copy, &regs);
}

void process_copy_end(struct process *p, struct traced *t, struct process *copy, int64_t number)
{
    struct timespec used;
    clockid_t clock;
    int status = 0;

    if (copy->pid) {
        if (clock_getcpuclockid(copy->pid, &clock) == 0 && clock_gettime(clock, &used) == 0)
            p->copies_seconds += (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
        kill(copy->pid, SIGKILL);
        while ((waitpid(copy->pid, &status, __WALL) < 0 && errno == EINTR) || WIFSTOPPED(status))
            status = 0;
    }
    if (number > 0)
        process_call(p, t, SYS_wait4,
                     (const uint64_t[]){(uint64_t)number, 0, __WALL | WNOHANG, 0, 0, 0});
    process_done(copy);
}

bool process_copy_run(struct process *copy, double seconds)
{
    struct traced *t = process_tracee(copy, copy->pid);
    double end = clock_wall() + seconds;
    int status;

    if (!t || trace(PTRACE_CONT, t->tid, 0, 0) != 0)
        return false;
    while (wait_for(t->tid, &status, __WALL, end - clock_wall()) == 0)
        if (clock_wall() > end)
            return false;
    return WIFSTOPPED(status) && status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP;
}

bool process_run(struct process *p, struct traced *t, uint64_t address,
                 struct user_regs_struct *out)
{
    struct user_regs_struct before, run;
    pid_t tid = t->tid;
    uint64_t mask;

    if (!can_run(t) || !process_registers(t, &before) || (int64_t)before.orig_rax >= 0 ||
        !process_mask(t, &mask))
        return false;
    run = before;
    run.rip = address;
    run.orig_rax = ~0ull;
    bool ok =
        process_set_registers(t, &run) && trapped(p, t, PTRACE_CONT) && process_registers(t, out);
    t = process_tracee(p, tid);
    if (t) {
        process_set_registers(t, &before);
        process_unmask(t, mask);
    }
    return ok && t;
}

/* Reply to PTRACE_GET_RSEQ_CONFIGURATION (Linux 5.13), which older headers do not define */
struct sequence_setting {
    uint64_t area;
    uint32_t bytes, signature, flags, unused;
};
#define GET_SEQUENCE_SETTING 0x420f
#define SEQUENCE_AT 8u /* offset of the current sequence's address in the area */

bool process_restartable(const struct process *p, const struct traced *t)
{
    struct sequence_setting setting = {0};
    uint64_t sequence;

    if (trace(GET_SEQUENCE_SETTING, t->tid, sizeof setting, (uintptr_t)&setting) <= 0)
        return true;
    return setting.area &&
           (!process_read(p, setting.area + SEQUENCE_AT, &sequence, sizeof sequence) || sequence);
}

void process_go(struct process *p, struct traced *t)
{
    (void)p;
    if (!t->stopped)
        return;
    if (t->signal)
        trace(PTRACE_SETSIGINFO, t->tid, 0, (uintptr_t)&t->info);
    if (!t->listening)
        trace(PTRACE_CONT, t->tid, 0, (uintptr_t)t->signal);
    /* A thread that was single-stepped after the stop must stop again before it can listen. */
    else if (trace(PTRACE_LISTEN, t->tid, 0, 0) != 0) {
        trace(PTRACE_INTERRUPT, t->tid, 0, 0);
        trace(PTRACE_CONT, t->tid, 0, 0);
    }
    t->stopped = t->within = t->replaced = false;
    t->signal = 0;
}

void process_go_all(struct process *p)
{
    for (size_t i = 0; i < p->tracees.count; i++)
        process_go(p, &p->tracees.items[i]);
}

void process_detach(struct process *p)
{
    for (size_t i = 0; i < p->tracees.count; i++) {
        struct traced *t = &p->tracees.items[i];
        if (t->signal)
            trace(PTRACE_SETSIGINFO, t->tid, 0, (uintptr_t)&t->info);
        trace(PTRACE_DETACH, t->tid, 0, (uintptr_t)t->signal);
    }
    p->tracees.count = 0;
}

/* Returns whether the child that @t creates shares its memory. The event does not show this,
 * because with or without CLONE_VM, a clone with the exit signal of fork is reported as a fork. A
 * clone without a signal is reported as a clone. If @t is in another system call, @event
 * decides. */
static bool shares_memory(const struct process *p, const struct traced *t, int event)
{
    struct user_regs_struct regs;
    uint64_t flags;   /* clone3 has the flags in the first member of its arguments. */

    if (process_registers(t, &regs) && regs.orig_rax == SYS_clone)
        return regs.rdi & CLONE_VM;
    if (process_registers(t, &regs) && regs.orig_rax == SYS_clone3 &&
        process_read(p, regs.rdi, &flags, sizeof flags))
        return flags & CLONE_VM;
    return event != PTRACE_EVENT_FORK;
}

/* Handles the event of @t with the new process or thread @child. Adds a thread to the program.
 * Reports a process in @out, and returns true. */
static bool take_child(struct process *p, const struct traced *t, pid_t child, int event,
                       struct process_event *out)
{
    if (task_process(child) == p->pid) {
        add(p, child);
        return false;
    }
    *out = (struct process_event){.news = PROCESS_FORKED,
                                  .child = child,
                                  .shared = shares_memory(p, t, event),
                                  .suspends = event == PTRACE_EVENT_VFORK};
    return true;
}

static bool is_stop_signal(int number)
{
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static struct process_event take_unknown(struct process *p, pid_t tid)
{
    struct process_event e = {.news = PROCESS_QUIET};

    for (size_t i = 0; i < p->children.count; i++)
        if (p->children.items[i].child == tid) {
            e = p->children.items[i];
            p->children.items[i] = p->children.items[--p->children.count];
            return e;
        }
    if (task_process(tid) == p->pid) {
        add(p, tid)->stopped = true;
        return (struct process_event){.news = PROCESS_STARTED, .tid = tid};
    }
    vec_push(&p->unknown, tid);
    return e;
}

static struct process_event take_event(struct process *p, struct traced *t, int event, int number)
{
    struct process_event e = {.news = PROCESS_QUIET, .tid = t->tid}, child;
    unsigned long message = 0;
    pid_t tid = t->tid;

    switch (event) {
    case PTRACE_EVENT_STOP:
        if (has_fault(t)) {   /* The pending fault is delivered first. Otherwise it would occur
                               * while the thread executes the tracer's instructions. */
            trace(PTRACE_CONT, tid, 0, 0);
            t->stopped = false;
            t->asked = true;
            break;
        }
        t->listening = is_stop_signal(number);
        if (t->slot == SLOT_NONE && !t->listening)
            e.news = PROCESS_STARTED;
        break;
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        t->within = true;
        trace(PTRACE_GETEVENTMSG, tid, 0, (uintptr_t)&message);
        if (!take_child(p, t, (pid_t)message, event, &child))
            break;
        t->suspended = child.suspends;
        for (size_t i = 0; i < p->unknown.count; i++)
            if (p->unknown.items[i] == child.child) {
                p->unknown.items[i] = p->unknown.items[--p->unknown.count];
                child.tid = tid;
                return child;
            }
        vec_push(&p->children, child);
        break;
    case PTRACE_EVENT_VFORK_DONE:
        t->within = true;
        break;
    case PTRACE_EVENT_EXEC:
        for (size_t i = p->tracees.count; i-- > 0;)
            if (p->tracees.items[i].tid != tid)
                p->tracees.items[i] = p->tracees.items[--p->tracees.count];
        if ((t = process_tracee(p, tid)))
            t->within = t->replaced = true;
        e.news = PROCESS_EXEC;
        break;
    case PTRACE_EVENT_EXIT:
        t->exiting = true;
        e.news = PROCESS_EXITING;
        break;
    default:
        break;
    }
    return e;
}

/* Waits at most @seconds for an event. Returns PROCESS_QUIET with tid 0 if there was none. */
static struct process_event look(struct process *p, double seconds)
{
    int status;
    pid_t tid = wait_for(-1, &status, __WALL | __WNOTHREAD, seconds);

    if (tid <= 0)
        return (struct process_event){.news = PROCESS_QUIET};
    struct traced *t = process_tracee(p, tid);
    if (!WIFSTOPPED(status)) {
        ended(p, tid, status);
        return (struct process_event){.news = p->ended ? PROCESS_ENDED : PROCESS_QUIET, .tid = tid};
    }
    if (!t) {
        struct process_event e = take_unknown(p, tid);
        e.tid = e.tid ? e.tid : tid;
        return e;
    }
    t->stopped = true;
    t->suspended = false;   /* A parent that stops has completed its vfork. */
    /* Any stop answers a pending interrupt. The interrupt's own stop later becomes a quiet
     * event. */
    t->asked = false;
    if (status >> 16)
        return take_event(p, t, status >> 16, WSTOPSIG(status));
    take_signal(t, WSTOPSIG(status));
    return (struct process_event){.news = PROCESS_SIGNAL, .tid = tid};
}

struct process_event process_wait(struct process *p, double seconds)
{
    double end = clock_wall() + seconds;

    if (p->pending.count)
        return p->pending.items[--p->pending.count];
    while (!p->ended) {
        struct process_event e = look(p, end - clock_wall());
        if (e.news != PROCESS_QUIET)
            return e;
        if (e.tid) {   /* A quiet event is not reported to callers. Its thread continues. */
            struct traced *t = process_tracee(p, e.tid);
            if (t && t->stopped)
                process_go(p, t);
        } else if (clock_wall() >= end)
            return e;
    }
    return (struct process_event){.news = PROCESS_ENDED};
}

/* Interrupts the threads that must stop and were not interrupted yet; if @running is true, only
 * running threads. Returns the number of interrupted threads that have not stopped. */
static size_t interrupt(struct process *p, bool running)
{
    size_t waits = 0;

    for (size_t i = 0; i < p->tracees.count; i++) {
        struct traced *t = &p->tracees.items[i];
        bool known = t->considered == p->stops;
        t->considered = p->stops;
        if (t->stopped && t->within && !t->replaced) {
            /* A thread in a system call stops after the call. */
            t->asked = trace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0;
            process_go(p, t);
        } else if (!t->stopped && !t->asked && !known &&
                   (!running || task_runs(&(struct thread_id){p->pid, t->tid})))
            t->asked = trace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0;
        waits += t->asked;
    }
    return waits;
}

bool process_stop(struct process *p, bool running, struct err *err)
{
    double end = clock_wall() + STOP_SECONDS;

    p->stops++;
    while (interrupt(p, running) && !p->ended) {
        struct process_event e = look(p, end - clock_wall());
        /* The child is released, because its parent stops only after the end of the child. */
        if (e.news == PROCESS_FORKED && e.suspends) {
            if (p->before_child)
                p->before_child(p->state, &e);
            trace(PTRACE_DETACH, e.child, 0, 0);
        } else if (e.news == PROCESS_FORKED || e.news == PROCESS_EXEC)
            vec_push(&p->pending, e);
        if (clock_wall() > end)
            return err_set(err, ERR_LIMIT, "repeat the command when the process does not wait for "
                                           "a device",
                           "a thread of process %d did not stop within %.0f s", (int)p->pid,
                           STOP_SECONDS);
    }
    return true;
}

bool process_poll_stop(struct process *p, struct process_event *out)
{
    if (!p->pending.count)
        return false;
    *out = p->pending.items[--p->pending.count];
    return true;
}
#endif
