/* Handles fatal signals such as SIGSEGV: restores the terminal and saves the session. If a mapped
 * file shrinks, reading its lost part does not end the program. */
#ifndef PORTOLAN_BASE_FAULT_H
#define PORTOLAN_BASE_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Alternate signal stack of a thread. It is necessary, because the thread's own stack may be
 * exhausted. The stack is a variable in the thread's first function. */
struct fault_stack {
    _Alignas(64) char bytes[65536];
    bool taken;
};

/* Installs handlers for fatal signals (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), which restore the
 * terminal and save the session like die(). UI thread. */
void fault_watch(void);
/* fault_stack_take gives the calling thread @stack for the handlers. fault_stack_give ends its use.
 * Each thread except that of fault_watch calls them at its start and end. */
void fault_stack_take(struct fault_stack *stack);
void fault_stack_give(struct fault_stack *stack);
/* Sets @help, a function that makes another thread call die_prepare() and waits until the call has
 * ended. The faulting thread's stack, locks and allocator may be unusable. NULL removes @help. */
void fault_set_helper(void (*help)(void));
/* Marks the calling thread as the thread that calls die_prepare() for others. */
void fault_this_helps(void);
/* Forks a child that saves the session. On the marked thread this works even if the faulting thread
 * has locked the allocator. */
pid_t fault_fork(void);
/* Removes the fatal signals from a new thread's signal mask, because a fault of a blocked signal
 * ends the program without a handler. */
void fault_unblock(sigset_t *blocked);

/* A file that is mapped read-only */
struct mapped {
    const char *bytes;   /* contents; NULL: not mapped */
    size_t length;
    int place;           /* index for internal use */
};

/* Maps @length bytes of a file. Returns false with errno. If the file shrinks, its lost pages read
 * as 0 and the program continues. Any thread. */
bool mapped_open(struct mapped *m, int fd, size_t length);
/* Checks whether the file, open as @fd, has become shorter. The check is necessary because the
 * lost part of the last page reads as 0 without a fault. */
void mapped_check(const struct mapped *m, int fd);
/* Returns whether mapped_check or a fault found that the file was shortened. Results may then be
 * wrong. */
bool mapped_cut(const struct mapped *m);
void mapped_close(struct mapped *m);

#endif
