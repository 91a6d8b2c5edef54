/* A running program under ptrace, with all threads of one process. Handles new threads and
 * processes immediately. The calling thread becomes the tracer. The system releases the program
 * when that thread ends. x86-64 Linux. */
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
    uint32_t slot;             /* slot of memory for counters; SLOT_NONE before the assignment */
    bool stopped;
    bool asked;                /* whether the thread was interrupted but has not stopped yet */
    bool exiting;              /* whether the thread is ending; it will not execute any more
                                * instructions */
    /* whether the thread is stopped within a system call whose result is pending; it cannot
     * execute other instructions */
    bool within;
    bool replaced;             /* whether the thread is within the exec that has replaced its
                                * program */
    uint32_t considered;       /* index of the last process_stop call that examined the thread */
    bool listening;            /* whether a stop signal has stopped the thread until SIGCONT */
    /* whether vfork blocks the thread; the untraced child may execute the same memory */
    bool suspended;
    /* @switches: numbers of involuntary and voluntary context switches when they were last read.
     * @waits: numbers since the last harvest, without the tracer's single steps. */
    uint64_t switches[2], waits[2];
    int signal;                /* signal to deliver when the thread resumes; 0 for none */
    siginfo_t info;            /* information about @signal */
};

enum process_news {
    PROCESS_QUIET, PROCESS_SIGNAL, PROCESS_STARTED, PROCESS_FORKED, PROCESS_EXEC, PROCESS_EXITING,
    PROCESS_ENDED
};

/* Event of a thread, which is stopped unless the process has ended */
struct process_event {
    enum process_news news;
    pid_t tid;
    /* PROCESS_FORKED: the new process, which is traced and has stopped or will stop soon */
    pid_t child;
    bool shared;               /* whether the new process shares the memory of its parent */
    /* for vfork, whether the parent is blocked until the child ends or executes another program */
    bool suspends;
};

struct process {
    pid_t pid;
    int memory;                /* file descriptor of /proc/PID/mem */
    VEC(struct traced) tracees;
    VEC(struct process_event) children;   /* new processes that have not stopped for the first
                                           * time */
    /* events that occurred while threads were being stopped */
    VEC(struct process_event) pending;
    VEC(pid_t) unknown;        /* threads that stopped before their parent's event arrived */
    /* address of a system call instruction for process_call; 0: process_call writes one at the
     * thread's position */
    uint64_t call_at;
    /* called in process_stop before a child of vfork is detached; may be NULL */
    void (*before_child)(void *state, const struct process_event *e);
    void *state;
    unsigned copies;           /* number of copies of the process (process_copy) so far */
    pid_t born;                /* process that the last process_call created */
    uint32_t stops;            /* number of calls of process_stop so far */
    /* CPU seconds of the process's copies that have ended (process_copy_end) */
    double copies_seconds;
    bool ended;
    /* status from waitpid, if the process was a child of this process and has ended */
    int status;
};

/* Seizes all threads of @pid without stopping them. @ours: whether the system shall kill the
 * process when this one ends. Returns false with err, which names the obstacle. */
bool process_seize(pid_t pid, bool ours, struct process *out, struct err *err);
/* Closes the file descriptor and frees the lists. Does not detach threads. */
void process_done(struct process *p);
/* Waits at most @seconds for the next event. Returns PROCESS_QUIET if there was none, or
 * PROCESS_ENDED if the process has ended. */
struct process_event process_wait(struct process *p, double seconds);
struct traced *process_tracee(struct process *p, pid_t tid);
/* Opens the memory of the new program after PROCESS_EXEC. Returns false with err. */
bool process_reopen(struct process *p, struct err *err);
/* Finds the entry point of the program that the process executes. Returns false if it cannot be
 * read. Stores the entry point in *@entry. */
bool process_entry(const struct process *p, uint64_t *entry);
/* Stops all threads, or only the running ones if @running. A thread in a system call stops after
 * the call, unless it becomes another program by exec. process_poll_stop and process_wait return
 * events for such an exec and for new processes. Returns false with err if a thread does not
 * stop. */
bool process_stop(struct process *p, bool running, struct err *err);
/* Gets the next event that occurred in process_stop. Returns false if there is none. */
bool process_poll_stop(struct process *p, struct process_event *out);
/* Resume a stopped thread, or all of them, with their pending signals. Do nothing for a running
 * thread. */
void process_go(struct process *p, struct traced *t);
void process_go_all(struct process *p);
/* Detaches all threads, which must be stopped. */
void process_detach(struct process *p);
/* Makes a stopped thread execute one instruction. Returns false on failure. If the thread has
 * ended, @t is then invalid. */
bool process_step(struct process *p, struct traced *t);
/* process_mask blocks the signals of a stopped thread, except those that its instructions cause,
 * and sets *@kept to the former mask. process_unmask restores it. */
bool process_mask(struct traced *t, uint64_t *kept);
void process_unmask(struct traced *t, uint64_t kept);
bool process_registers(const struct traced *t, struct user_regs_struct *out);
bool process_set_registers(const struct traced *t, const struct user_regs_struct *regs);
bool process_read(const struct process *p, uint64_t address, void *out, size_t bytes);
bool process_write(const struct process *p, uint64_t address, const void *bytes, size_t count);
/* Returns a stopped thread that can make system calls; NULL: none. */
struct traced *process_caller(struct process *p);
/* Makes stopped thread @t execute a system call. If call_at is 0, no other thread may run during
 * the call. Returns the result, or -errno. If the thread ends, @t is then invalid. */
int64_t process_call(struct process *p, struct traced *t, long number, const uint64_t arguments[6]);
/* Returns whether stopped thread @t may be in a restartable sequence (rseq), which the system would
 * end if the thread ran elsewhere. */
bool process_restartable(const struct process *p, const struct traced *t);
/* Copies the process by a clone in stopped thread @t. The copy has one thread, which is stopped at
 * the position of @t. Sets *@number to the copy's process id in the namespace of the process.
 * Returns false if this is impossible. process_copy_end ends and reaps the copy. */
bool process_copy(struct process *p, struct traced *t, struct process *out, int64_t *number);
void process_copy_end(struct process *p, struct traced *t, struct process *copy, int64_t number);
/* Runs the only thread of a copy until int3. Returns false after another event or a timeout. */
bool process_copy_run(struct process *copy, double seconds);
/* Runs stopped thread @t from @address until int3. The thread must have stopped in the program's
 * code, outside a system call. Sets *@out to the registers at the int3, and then restores them.
 * Returns false on failure. If the thread has ended, @t is then invalid. */
bool process_run(struct process *p, struct traced *t, uint64_t address,
                 struct user_regs_struct *out);

#endif
