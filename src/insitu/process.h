/* A running program under ptrace, with all threads of one process. Handles new threads and
 * processes at once. The calling thread becomes the tracer; when it exits, the system releases the
 * program. x86-64 Linux. */
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
    uint32_t slot;             /* memory slot for the thread's counters; SLOT_NONE: none yet */
    bool stopped;
    bool asked;                /* interrupted, but not stopped yet */
    bool exiting;              /* the thread executes no more instructions */
    /* stopped within a system call whose result is pending: it cannot execute other instructions */
    bool within;
    bool replaced;             /* within exec: it has become another program */
    uint32_t considered;       /* number of the last process_stop that examined it */
    bool listening;            /* stopped by a stop signal; waits for SIGCONT */
    /* blocked by vfork: its child, which is untraced, may execute the same memory */
    bool suspended;
    int signal;                /* delivered when the thread resumes; 0: none */
    siginfo_t info;            /* siginfo of @signal */
};

enum process_news {
    PROCESS_QUIET, PROCESS_SIGNAL, PROCESS_STARTED, PROCESS_FORKED, PROCESS_EXEC, PROCESS_EXITING,
    PROCESS_ENDED
};

/* Event of one thread. The thread is stopped unless the process has ended. */
struct process_event {
    enum process_news news;
    pid_t tid;
    /* PROCESS_FORKED: the new process, traced and stopped, or about to stop */
    pid_t child;
    bool shared;               /* the new process shares memory with its parent */
    /* vfork: the parent is blocked until the child ends or executes another program */
    bool suspends;
};

struct process {
    pid_t pid;
    int memory;                /* descriptor of /proc/PID/mem */
    VEC(struct traced) tracees;
    VEC(struct process_event) children;   /* new processes before their first stop */
    /* events that occurred while all threads were being stopped */
    VEC(struct process_event) late;
    VEC(pid_t) unknown;        /* threads that stopped before their parents reported them */
    /* address of a system call instruction for process_call; 0: none, and one is written at the
     * thread's position */
    uint64_t call_at;
    /* called by process_stop before it detaches a child of vfork; NULL: none */
    void (*before_child)(void *state, const struct process_event *e);
    void *state;
    pid_t born;                /* process created by the last process_call */
    uint32_t stops;            /* number of calls of process_stop */
    bool ended;
    int status;                /* status by waitpid of a child of ours that ended */
};

/* Seizes all threads of @pid without stopping them. @ours: the system kills the process when this
 * one ends. False with err, which names the obstacle. */
bool process_seize(pid_t pid, bool ours, struct process *out, struct err *err);
/* Closes the descriptors and detaches the remaining threads. */
void process_done(struct process *p);
/* Waits up to @seconds for the next event. */
struct process_event process_wait(struct process *p, double seconds);
struct traced *process_tracee(struct process *p, pid_t tid);
/* Opens the memory of the new program after PROCESS_EXEC. False with err. */
bool process_reopen(struct process *p, struct err *err);
/* Finds the entry point of the program that the process executes. */
bool process_entry(const struct process *p, uint64_t *entry);
/* Stops all threads, or with @running those that run. A thread in a system call is stopped after
 * it, except a thread that has become another program. Queues this event and new processes for
 * process_poll_stop and process_wait. False with err if a thread does not stop. */
bool process_stop(struct process *p, bool running, struct err *err);
/* Returns the next event from process_stop; false: none. */
bool process_poll_stop(struct process *p, struct process_event *out);
/* Resume one stopped thread, or all, with their pending signals. */
void process_go(struct process *p, struct traced *t);
void process_go_all(struct process *p);
/* Detaches all threads. They are stopped. */
void process_detach(struct process *p);
/* Executes one instruction of a stopped thread. Returns false if the thread has exited; @t is then
 * another thread or NULL. */
bool process_step(struct process *p, struct traced *t);
/* Block the signals of a stopped thread, except those of its own instructions; restore the mask. */
bool process_mask(struct traced *t, uint64_t *kept);
void process_unmask(struct traced *t, uint64_t kept);
bool process_registers(const struct traced *t, struct user_regs_struct *out);
bool process_set_registers(const struct traced *t, const struct user_regs_struct *regs);
bool process_read(const struct process *p, uint64_t address, void *out, size_t bytes);
bool process_write(const struct process *p, uint64_t address, const void *bytes, size_t count);
/* Returns a stopped thread that can make system calls; NULL: all are exiting. */
struct traced *process_caller(struct process *p);
/* Makes stopped thread @t execute a system call. Without call_at no other thread may run. Returns
 * the result, -errno on failure. If the thread exits, @t is another thread or NULL. */
int64_t process_call(struct process *p, struct traced *t, long number, const uint64_t arguments[6]);
/* Copies the process by clone in stopped thread @t. The copy has one thread, stopped at @t's
 * position. *@number is its number in the process's PID namespace. Returns false if impossible.
 * process_copy_end ends and reaps the copy. */
bool process_copy(struct process *p, struct traced *t, struct process *out, int64_t *number);
void process_copy_end(struct process *p, struct traced *t, struct process *copy, int64_t number);
/* Runs the only thread of a copy until int3. Returns false for another event, or a timeout. */
bool process_copy_run(struct process *copy, double seconds);
/* Runs stopped thread @t from @address until int3. The thread must have stopped in its own code,
 * not in a system call. Restores its registers; *@out gets those at the int3. Returns false on
 * failure. If the thread has exited, @t is another thread or NULL. */
bool process_run(struct process *p, struct traced *t, uint64_t address,
                 struct user_regs_struct *out);

#endif
