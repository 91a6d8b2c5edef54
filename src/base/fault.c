/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "base/fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/mem.h"

#define PLACES 64            /* maximum number of files that can be mapped at the same time */
/* maximum seconds for saving the session, which a lock of the faulting thread may block */
#define RESCUE_SECONDS 40

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define SIGNALS (sizeof signals / sizeof *signals)

/* Mapped files, for the signal handler. @end is set last and cleared first. */
static struct mapped_place {
    atomic_bool taken, cut;
    atomic_uintptr_t begin, end;
} places[PLACES];

static struct sigaction before_mapping;   /* previous SIGBUS action; used until fault_watch is
                                           * called */
static atomic_bool watching, ending;
/* Process that installed the handlers. Processes forked from it have nothing to save. */
static atomic_int program;
static _Atomic(pthread_t) ender;          /* the thread that faulted; valid if @ending is true */
static void (*_Atomic helper)(void);
static _Thread_local bool on_helper;
static struct fault_stack first_stack;    /* signal stack of the thread that calls fault_watch */
static _Atomic uintptr_t page_size;
static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

/* Replaces a mapped file with zeros from the page of @address to its end. Returns false if no
 * mapped file contains @address, or on failure. */
static bool make_zeros(uintptr_t address)
{
    for (size_t i = 0; i < PLACES; i++) {
        uintptr_t begin = atomic_load(&places[i].begin), end = atomic_load(&places[i].end);
        /* Tests again, because another thread may meanwhile have used the slot for another file. */
        if (address < begin || address >= end || begin != atomic_load(&places[i].begin))
            continue;
        address -= address % page_size;
        if (mmap((void *)address, end - address, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                 -1, 0) == MAP_FAILED)
            return false;
        atomic_store(&places[i].cut, true);
        return true;
    }
    return false;
}

/* Restores the terminal and saves the session, once per program. Other threads that fault wait
 * until the program ends. A second fault during saving, or one in a forked process, saves
 * nothing. */
static void end_in_order(void)
{
    void (*help)(void) = atomic_load(&helper);

    if (getpid() != atomic_load(&program))
        return;
    if (atomic_exchange(&ending, true)) {
        while (!on_helper && !pthread_equal(atomic_load(&ender), pthread_self()))
            pause();
        return;
    }
    atomic_store(&ender, pthread_self());
    signal(SIGALRM, SIG_DFL);
    alarm(RESCUE_SECONDS);
    if (help && !on_helper)
        help();
    else
        die_prepare();
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int error = errno;

    if (number == SIGBUS && info->si_code == BUS_ADRERR && make_zeros((uintptr_t)info->si_addr)) {
        errno = error;
        return;
    }
    if (atomic_load(&watching)) {
        end_in_order();
        signal(number, SIG_DFL);
    } else {
        sigaction(number, &before_mapping, NULL);
    }
    /* Raises the signal again, because a signal that a process sent does not recur. */
    if (info->si_code <= 0 || number == SIGABRT)
        raise(number);
}

static void handle(int number, struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigaction(number, &action, before);
}

/* Installs the SIGBUS handler in front of the handler of a sanitizer, even if that handler was
 * installed later. Until fault_watch is called, faults outside of mapped files are passed to the
 * sanitizer's handler. */
static void begin(void)
{
    struct sigaction now;

    lock_take(&beginning);
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (sigaction(SIGBUS, NULL, &now) == 0 &&
        !(now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault))
        handle(SIGBUS, &before_mapping);
    lock_give(&beginning);
}

void fault_watch(void)
{
    begin();
    fault_stack_take(&first_stack);
    atomic_store(&program, (int)getpid());
    atomic_store(&watching, true);
    for (size_t i = 0; i < SIGNALS; i++)
        handle(signals[i], NULL);
}

void fault_stack_take(struct fault_stack *stack)
{
    const stack_t mine = {.ss_sp = stack->bytes, .ss_size = sizeof stack->bytes};
    stack_t now;

    /* Uses the thread's signal stack if a sanitizer has installed one. */
    stack->taken =
        sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE && sigaltstack(&mine, NULL) == 0;
}

void fault_stack_give(struct fault_stack *stack)
{
    const stack_t none = {.ss_flags = SS_DISABLE};

    if (stack->taken)
        sigaltstack(&none, NULL);
    stack->taken = false;
}

void fault_set_helper(void (*help)(void))
{
    atomic_store(&helper, help);
}

void fault_this_helps(void)
{
    on_helper = true;
}

pid_t fault_fork(void)
{
#if defined(HAVE__FORK) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    /* fork() takes the allocator's locks, which the faulting thread may hold; _Fork() does not. The
     * child can allocate memory, because the helper thread has its own arena. */
    if (on_helper)
        return _Fork();
#endif
    return fork();
}

void fault_unblock(sigset_t *blocked)
{
    for (size_t i = 0; i < SIGNALS; i++)
        sigdelset(blocked, signals[i]);
}

bool mapped_open(struct mapped *m, int fd, size_t length)
{
    bool taken = true;

    *m = (struct mapped){.place = -1};
    begin();
    for (int i = 0; taken && i < PLACES; i++) {
        taken = atomic_exchange(&places[i].taken, true);
        m->place = taken ? -1 : i;
    }
    if (taken) {
        errno = ENOMEM;
        return false;
    }
    struct mapped_place *place = &places[m->place];
    void *at = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) {
        atomic_store(&place->taken, false);
        return false;
    }
    atomic_store(&place->cut, false);
    atomic_store(&place->begin, (uintptr_t)at);
    atomic_store(&place->end, (uintptr_t)at + (length + page_size - 1) / page_size * page_size);
    m->bytes = at;
    m->length = length;
    return true;
}

void mapped_check(const struct mapped *m, int fd)
{
    struct stat status;

    if (m->bytes && fstat(fd, &status) == 0 && (uint64_t)status.st_size < m->length)
        atomic_store(&places[m->place].cut, true);
}

bool mapped_cut(const struct mapped *m)
{
    return m->bytes && atomic_load(&places[m->place].cut);
}

void mapped_close(struct mapped *m)
{
    if (!m->bytes)
        return;
    atomic_store(&places[m->place].end, 0);
    atomic_store(&places[m->place].begin, 0);
    munmap((void *)(uintptr_t)m->bytes, m->length);
    atomic_store(&places[m->place].taken, false);
    m->bytes = NULL;
}
