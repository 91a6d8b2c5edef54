/* Faults of the processor: those of the program itself end it in good order, those of a mapped file
 * that somebody makes shorter end only what reads it. */
#ifndef PORTOLAN_BASE_FAULT_H
#define PORTOLAN_BASE_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where a thread's faults are handled, since its own stack may be what has no room left; it lies in
 * the frame that a thread begins with. */
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
/* fork(), for a child that saves; on that thread whatever the thread at fault holds of the
 * allocator. */
pid_t fault_fork(void);
/* Takes these signals out of those that a new thread is to block: where one is blocked, its fault
 * ends the program at once, whoever handles it. */
void fault_unblock(sigset_t *blocked);

/* A file's bytes, to be read only. */
struct mapped {
    const char *bytes;   /* NULL: it is not mapped */
    size_t length;
    int place;           /* internal */
};

/* Maps @length bytes of a file; false with errno. From then on what is read of pages that the file
 * has lost meanwhile is 0, instead of the end of the program. Any thread. */
bool mapped_open(struct mapped *m, int fd, size_t length);
/* Looks whether the file, open as @fd, is shorter now: what is gone of a page that it still has a
 * part of reads as 0 without a fault. */
void mapped_check(const struct mapped *m, int fd);
/* Whether the file was seen to be shorter, by that or by reading a page that it no longer had: then
 * what follows from it may be wrong. */
bool mapped_cut(const struct mapped *m);
void mapped_close(struct mapped *m);

#endif
