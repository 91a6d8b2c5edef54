/* Faults of the processor: those of the program itself end it in good order, those of a mapped file
 * that shrinks end only its reader. */
#ifndef PORTOLAN_BASE_FAULT_H
#define PORTOLAN_BASE_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Storage for handling a thread's faults, since its own stack may be exhausted; it lies in the
 * thread's first frame. */
struct fault_stack {
    _Alignas(64) char bytes[65536];
    bool taken;
};

/* From now on a fault that ends the program (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) restores the
 * terminal and saves the session first, as die() does. UI thread. */
void fault_watch(void);
/* For each further thread, at its begin and at its end, on itself. */
void fault_stack_take(struct fault_stack *stack);
void fault_stack_give(struct fault_stack *stack);
/* @help then does so instead of the thread at fault, whose stack, locks and allocator may be of no
 * use: it lets another thread call die_prepare() and waits for it. NULL: no more. */
void fault_set_helper(void (*help)(void));
/* The calling thread is that other one. */
void fault_this_helps(void);
/* fork(), for a child that saves; on the helper's thread it works whatever allocator lock the
 * thread at fault holds. */
pid_t fault_fork(void);
/* Removes these signals from the set that a new thread is to block: a fault of a blocked one ends
 * the program at once, despite handlers. */
void fault_unblock(sigset_t *blocked);

/* A file's bytes, to be read only. */
struct mapped {
    const char *bytes;   /* NULL: it is not mapped */
    size_t length;
    int place;           /* internal */
};

/* Maps @length bytes of a file; false with errno. If the file shrinks, its lost pages read as 0,
 * instead of ending the program. Any thread. */
bool mapped_open(struct mapped *m, int fd, size_t length);
/* Whether the file, open as @fd, is shorter now. The lost part of its last page reads as 0 without
 * a fault. */
void mapped_check(const struct mapped *m, int fd);
/* Whether the file was seen to be shorter, by that or by reading a lost page: then results may be
 * wrong. */
bool mapped_cut(const struct mapped *m);
void mapped_close(struct mapped *m);

#endif
