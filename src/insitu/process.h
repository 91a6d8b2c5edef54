/* A running program under ptrace: all threads of one process. What starts or forks is handled as it
 * happens. One thread, which becomes the tracer: when it ends, the system lets go of all that is
 * left. x86-64 Linux. */
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
    uint32_t slot;             /* of memory for its counters; SLOT_NONE: none yet */
    bool stopped;
    bool asked;                /* interrupted, and not stopped yet */
    bool exiting;              /* it executes no instruction any more */
    /* stopped within a system call whose result is to come: it can execute nothing else before */
    bool within;
    bool replaced;             /* within exec: it has become another program */
    uint32_t considered;       /* the last process_stop that looked at it */
    bool listening;            /* stopped by a stop signal; waits for SIGCONT */
    int signal;                /* to deliver when it resumes */
    siginfo_t info;            /* of that */
};

enum process_news {
    PROCESS_QUIET, PROCESS_SIGNAL, PROCESS_STARTED, PROCESS_FORKED, PROCESS_EXEC, PROCESS_EXITING,
    PROCESS_ENDED
};

/* Event of one thread, which is stopped except when the process has ended. */
struct process_event {
    enum process_news news;
    pid_t tid;
    /* of PROCESS_FORKED: the new process, traced and stopped or about to stop */
    pid_t child;
    bool shared;               /* it shares memory with its parent */
    /* vfork: its parent executes nothing until it has ended or become another program */
    bool suspends;
};

struct process {
    pid_t pid;
    int memory;                /* /proc/PID/mem */
    VEC(struct traced) tracees;
    VEC(struct process_event) children;   /* new processes whose first stop is to come */
    VEC(struct process_event) late;       /* what happened while all were being stopped */
    VEC(pid_t) unknown;        /* what stopped before its parent reported it */
    /* address of a system call instruction in it, for process_call; 0: none, and one is written at
     * the thread's place */
    uint64_t call_at;
    pid_t born;                /* what the last call of process_call made, if it made a process */
    uint32_t stops;            /* calls of process_stop */
    bool ended;
    int status;                /* as waitpid has it, of a child of ours that ended */
};

/* Takes hold of all threads of @pid without stopping them; @ours: it dies with us. False with err:
 * what forbids it. */
bool process_seize(pid_t pid, bool ours, struct process *out, struct err *err);
/* Closes open descriptors; detaches threads that are still traced. */
void process_done(struct process *p);
/* Waits at most @seconds for the next event. */
struct process_event process_wait(struct process *p, double seconds);
struct traced *process_tracee(struct process *p, pid_t tid);
/* Opens the memory of the program that the process has become (PROCESS_EXEC). False with err. */
bool process_reopen(struct process *p, struct err *err);
/* Finds the entry point of the program that the process runs. */
bool process_entry(const struct process *p, uint64_t *entry);
/* Stops all threads, or with @running those that run. None is stopped within a system call, but one
 * that has become another program. That and new processes are kept for process_poll_stop and
 * process_wait. False with err when some thread does not stop. */
bool process_stop(struct process *p, bool running, struct err *err);
/* Takes the next event that arrived while all were being stopped. False: there is none. */
bool process_poll_stop(struct process *p, struct process_event *out);
/* Resumes one stopped thread, or all, with the signal that waits for it. */
void process_go(struct process *p, struct traced *t);
void process_go_all(struct process *p);
/* Lets go of all threads, which are stopped. */
void process_detach(struct process *p);
/* Executes one instruction of a stopped thread. False: it has ended, and @t is another or none. */
bool process_step(struct process *p, struct traced *t);
/* Holds back signals for a stopped thread, but those of its own instructions, and restores what
 * was. */
bool process_mask(struct traced *t, uint64_t *kept);
void process_unmask(struct traced *t, uint64_t kept);
bool process_registers(const struct traced *t, struct user_regs_struct *out);
bool process_set_registers(const struct traced *t, const struct user_regs_struct *regs);
bool process_read(const struct process *p, uint64_t address, void *out, size_t bytes);
bool process_write(const struct process *p, uint64_t address, const void *bytes, size_t count);
/* A stopped thread that can make system calls; NULL: all are ending. */
struct traced *process_caller(struct process *p);
/* Has stopped thread @t make a system call; without call_at no other thread may run. Returns what
 * it returned, -errno on failure. When the thread ends, @t is another or none. */
int64_t process_call(struct process *p, struct traced *t, long number, const uint64_t arguments[6]);
/* Makes a copy of the process by clone through stopped thread @t: one thread, stopped where @t is.
 * *@number: the copy's in the process's own namespace. False: the system makes none.
 * process_copy_end ends it, and lets the process forget it. */
bool process_copy(struct process *p, struct traced *t, struct process *out, int64_t *number);
void process_copy_end(struct process *p, struct traced *t, struct process *copy, int64_t number);
/* Lets the one thread of a copy run on until int3. False when it came to something else, or not
 * within @seconds. */
bool process_copy_run(struct process *copy, double seconds);
/* Runs stopped thread @t from @address until int3, when it was stopped in its own code, not in a
 * system call; its registers are as before afterwards, and *@out as at the int3. False when it did
 * not come to it: when it has ended, @t is another or none. */
bool process_run(struct process *p, struct traced *t, uint64_t address,
                 struct user_regs_struct *out);

#endif
