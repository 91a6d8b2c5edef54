/* Handles fatal signals (SIGSEGV and the like): restores the terminal and saves the session. A
 * fault in a mapped file that shrank only ends its reader. */
#ifndef PORTOLAN_BASE_FAULT_H
#define PORTOLAN_BASE_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Alternate signal stack of a thread, since its own may be exhausted. It lies in the thread's first
 * frame. */
struct fault_stack {
    _Alignas(64) char bytes[65536];
    bool taken;
};

/* Installs the handlers: a fatal signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) restores the
 * terminal and saves the session first, as die() does. UI thread. */
void fault_watch(void);
/* Called by each further thread for itself, at its start and end. */
void fault_stack_take(struct fault_stack *stack);
void fault_stack_give(struct fault_stack *stack);
/* Sets @help, which lets another thread call die_prepare() and waits for it. The faulting thread
 * cannot rely on its own stack, locks and allocator. NULL removes it. */
void fault_set_helper(void (*help)(void));
/* Marks the calling thread as the one that calls die_prepare(). */
void fault_this_helps(void);
/* fork() for a child that saves. On the marked thread it works even if the faulting thread holds an
 * allocator lock. */
pid_t fault_fork(void);
/* Removes the fatal signals from a new thread's signal mask: a blocked fault ends the program
 * despite handlers. */
void fault_unblock(sigset_t *blocked);

/* A read-only mapped file. */
struct mapped {
    const char *bytes;   /* NULL: not mapped */
    size_t length;
    int place;           /* internal */
};

/* Maps @length bytes of a file; false with errno. If the file shrinks, its lost pages read as 0 and
 * the program continues. Any thread. */
bool mapped_open(struct mapped *m, int fd, size_t length);
/* Returns whether the file, open as @fd, is shorter now. The lost part of its last page reads as 0
 * without a fault. */
void mapped_check(const struct mapped *m, int fd);
/* Returns whether mapped_check or a fault found the file shorter: then results may be wrong. */
bool mapped_cut(const struct mapped *m);
void mapped_close(struct mapped *m);

#endif
