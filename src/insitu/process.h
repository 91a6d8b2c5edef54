/* A running program under ptrace with all threads of one process. New threads and processes are
 * handled at once. One thread, which becomes the tracer: when it ends, the system releases
 * everything. x86-64 Linux. */
#ifndef PORTOLAN_INSITU_PROCESS_H
#define PORTOLAN_INSITU_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/err.h"
#include "base/vec.h"

#define SLOT_NONE UINT32_MAX

struct traced {
    pid_t tid;
    uint32_t slot;             /* memory for its counters; SLOT_NONE: none yet */
    bool stopped;
    bool asked;                /* interrupted, but not stopped yet */
    bool exiting;              /* it executes no more instructions */
    /* stopped within a system call whose result is pending: it cannot execute anything else */
    bool within;
    bool replaced;             /* within exec: it has become another program */
    uint32_t considered;       /* the last process_stop that examined it */
    bool listening;            /* stopped by a stop signal; waits for SIGCONT */
    /* blocked by vfork: its child, which is not traced, may execute the same memory */
    bool suspended;
    int signal;                /* to deliver on resume */
    siginfo_t info;            /* of that signal */
};

enum process_news {
    PROCESS_QUIET, PROCESS_SIGNAL, PROCESS_STARTED, PROCESS_FORKED, PROCESS_EXEC, PROCESS_EXITING,
    PROCESS_ENDED
};

/* Event of one thread, which is stopped unless the process has ended. */
struct process_event {
    enum process_news news;
    pid_t tid;
    /* PROCESS_FORKED: the new process, traced and stopped or about to stop */
    pid_t child;
    bool shared;               /* it shares memory with its parent */
    /* vfork: its parent is blocked until it ends or executes another program */
    bool suspends;
};

struct process {
    pid_t pid;
    int memory;                /* /proc/PID/mem */
    VEC(struct traced) tracees;
    VEC(struct process_event) children;   /* new processes before their first stop */
    VEC(struct process_event) late;       /* events from stopping all threads */
    VEC(pid_t) unknown;        /* stopped before their parents reported them */
    /* address of a system call instruction for process_call; 0: none, one is written at the
     * thread's place */
    uint64_t call_at;
    pid_t born;                /* process made by the last process_call */
    uint32_t stops;            /* number of calls of process_stop */
    bool ended;
    int status;                /* as of waitpid, of a child of ours that ended */
};

/* Seizes all threads of @pid without stopping them; @ours: it dies with us. False with err and the
 * obstacle. */
bool process_seize(pid_t pid, bool ours, struct process *out, struct err *err);
/* Closes descriptors; detaches remaining threads. */
void process_done(struct process *p);
/* Waits at most @seconds for the next event. */
struct process_event process_wait(struct process *p, double seconds);
struct traced *process_tracee(struct process *p, pid_t tid);
/* Opens the memory of the program after PROCESS_EXEC. False with err. */
bool process_reopen(struct process *p, struct err *err);
/* Finds the entry point of the program that the process runs. */
bool process_entry(const struct process *p, uint64_t *entry);
/* Stops all threads, or with @running those that run. Threads in a system call are not stopped
 * within it, except one that has become another program. That and new processes are kept for
 * process_poll_stop and process_wait. False with err when a thread does not stop. */
bool process_stop(struct process *p, bool running, struct err *err);
/* Returns the next event from stopping all threads; false: none. */
bool process_poll_stop(struct process *p, struct process_event *out);
/* Resumes one stopped thread, or all, with its pending signal. */
void process_go(struct process *p, struct traced *t);
void process_go_all(struct process *p);
/* Detaches all threads, which are stopped. */
void process_detach(struct process *p);
/* Executes one instruction of a stopped thread. False: it has ended, and @t is another or NULL. */
bool process_step(struct process *p, struct traced *t);
/* Blocks signals of a stopped thread, except those of its own instructions, and restores the
 * mask. */
bool process_mask(struct traced *t, uint64_t *kept);
void process_unmask(struct traced *t, uint64_t kept);
bool process_registers(const struct traced *t, struct user_regs_struct *out);
bool process_set_registers(const struct traced *t, const struct user_regs_struct *regs);
bool process_read(const struct process *p, uint64_t address, void *out, size_t bytes);
bool process_write(const struct process *p, uint64_t address, const void *bytes, size_t count);
/* Returns a stopped thread that can make system calls; NULL: all are ending. */
struct traced *process_caller(struct process *p);
/* Makes stopped thread @t call the system; without call_at no other thread may run. Returns the
 * result, -errno on failure. If the thread ends, @t is another or NULL. */
int64_t process_call(struct process *p, struct traced *t, long number, const uint64_t arguments[6]);
/* Copies the process by clone through stopped thread @t: one thread, stopped at @t's place.
 * *@number: the copy's in the process's namespace. False: not possible. process_copy_end ends and
 * reaps it. */
bool process_copy(struct process *p, struct traced *t, struct process *out, int64_t *number);
void process_copy_end(struct process *p, struct traced *t, struct process *copy, int64_t number);
/* Runs the single thread of a copy until int3. False for another event, or a timeout. */
bool process_copy_run(struct process *copy, double seconds);
/* Runs stopped thread @t from @address until int3, if it was stopped in its own code and not in a
 * system call; restores its registers, and returns those at the int3 in *@out. False on failure: if
 * it has ended, @t is another or NULL. */
bool process_run(struct process *p, struct traced *t, uint64_t address,
                 struct user_regs_struct *out);

#endif
