/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "insitu/trial.h"

#include <elf.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "insitu/process.h"

#define SECONDS 10.0 /* maximum seconds until the child reaches its int3 */
#define STATE_BYTES 16384u
#define PAGE 4096u
#define GROUPS 8u
#define GROUP_PAGES 16u
#define PAGE_SECONDS 25e-6 /* time of a first write to a page, if it cannot be measured */
#define VECTOR_AT (160 + 7 * 16) /* offset of xmm7 in the areas of FXSAVE and XSAVE */

/* Variables that the known loop reads and writes */
struct known {
    uint64_t go, vector, passes, words;
};
static volatile struct known known;

/* Code of the child with the known loop; rdi points to struct known. It waits for known.go, and
 * ends with int3. */
__asm__(".pushsection .text\n"
        ".hidden insitu_trial_wait, insitu_trial_begin, insitu_trial_end, insitu_trial_call\n"
        ".globl insitu_trial_wait, insitu_trial_begin, insitu_trial_end, insitu_trial_call\n"
        "insitu_trial_wait:\n"
        "    cmpq $0, (%rdi)\n"
        "    je insitu_trial_wait\n"
        "insitu_trial_begin:\n"
        "    movq 8(%rdi), %xmm7\n"
        "    movq 16(%rdi), %rcx\n"
        "1:  addq $3, 24(%rdi)\n"
        "    subq $1, %rcx\n"
        "    jne 1b\n"
        "insitu_trial_end:\n"
        "    int3\n"
        "    jmp insitu_trial_wait\n"
        "insitu_trial_call:\n"
        "    syscall\n"
        "    int3\n"
        ".popsection\n");
extern const uint8_t insitu_trial_wait[], insitu_trial_begin[], insitu_trial_end[],
    insitu_trial_call[];

struct system_trial trial_judge(const struct trial_seen *s)
{
    const uint64_t words = (uint64_t)TRIAL_EACH * TRIAL_PASSES;
    struct system_trial t = {NULL, NULL, NULL};

    t.tracing = !s->stopped         ? "an interrupted thread continued to run"
                : !s->stepped       ? "a single step does not execute exactly one instruction"
                : !s->written       ? "writes to a process's memory are lost"
                : !s->trapped       ? "int3 does not stop a thread"
                : s->words != words ? "a traced loop had a wrong number of iterations"
                                    : NULL;
    t.copies = !s->copied ? "a copy of a process (clone) does not run"
               : s->copy_words != words
                   ? "a loop in a copy of a process had a wrong number of iterations"
               : s->between != 0 ? "a copy of a process (clone) changes the memory of the original"
                                 : NULL;
    t.state = t.copies                    ? t.copies
              : !s->state                 ? "vector registers cannot be read (NT_X86_XSTATE)"
              : s->vector != TRIAL_VECTOR ? "vector registers are read incorrectly (NT_X86_XSTATE)"
                                          : NULL;
    return t;
}

static uint64_t address(const uint8_t *label)
{
    return (uint64_t)(uintptr_t)label;
}

static uint64_t words_of(const struct process *p)
{
    uint64_t words = UINT64_MAX;
    process_read(p, (uint64_t)(uintptr_t)&known.words, &words, sizeof words);
    return words;
}

/* Stops the waiting child, single-steps it, and writes its input. Returns false on failure. */
static bool prepare(struct process *p, struct trial_seen *out)
{
    const struct known expected = {1, TRIAL_VECTOR, TRIAL_PASSES, 0};
    const uint64_t at = (uint64_t)(uintptr_t)&known, wait = address(insitu_trial_wait);
    struct user_regs_struct before, after;
    struct known there;
    struct err ignored = {0};

    struct traced *t = NULL;
    for (double end = clock_wall() + SECONDS; !out->stopped && !p->ended && clock_wall() < end;) {
        t = process_stop(p, false, &ignored) ? process_caller(p) : NULL;
        out->stopped = t && process_registers(t, &before) && before.rdi == at &&
                       before.rip >= wait && before.rip < address(insitu_trial_begin);
        if (!out->stopped) { /* Continues the child, because the child does not wait yet. */
            process_go_all(p);
            process_wait(p, 0.001);
        }
    }
    if (!out->stopped)
        return false;
    out->stepped = process_step(p, t) && process_registers(t, &after) && after.rip != before.rip &&
                   after.rip >= wait && after.rip < address(insitu_trial_begin);
    out->written = process_write(p, at, &expected, sizeof expected) &&
                   process_read(p, at, &there, sizeof there) &&
                   memcmp(&expected, &there, sizeof there) == 0;
    return out->stepped && out->written;
}

static void try_copy(struct process *p, struct trial_seen *out)
{
    struct traced *t = process_caller(p);
    struct user_regs_struct regs;
    struct process copy;
    int64_t number = 0;

    p->call_at = address(insitu_trial_call);
    if (process_copy(p, t, &copy, &number)) {
        const struct traced *c = process_tracee(&copy, copy.pid);
        uint8_t *state = mem_zero(STATE_BYTES, 1);
        struct iovec all = {state, STATE_BYTES};
        out->copied = process_copy_run(&copy, SECONDS) && process_registers(c, &regs) &&
                      regs.rip == address(insitu_trial_end) + 1;
        out->copy_words = words_of(&copy);
        out->state = out->copied &&
                     ptrace((enum __ptrace_request)PTRACE_GETREGSET, copy.pid,
                            (void *)(uintptr_t)NT_X86_XSTATE, &all) == 0 &&
                     all.iov_len >= VECTOR_AT + 16;
        memcpy(&out->vector, state + VECTOR_AT, sizeof out->vector);
        free(state);
    }
    out->between = words_of(p);
    t = process_caller(p);
    if (t)
        process_copy_end(p, t, &copy, number);
}

static void try_trap(struct process *p, struct trial_seen *out)
{
    struct user_regs_struct regs;
    double end = clock_wall() + SECONDS;

    process_go_all(p);
    while (!p->ended && !out->trapped && clock_wall() < end) {
        struct process_event e = process_wait(p, 0.1);
        struct traced *t = process_tracee(p, e.tid);
        out->trapped = e.news == PROCESS_SIGNAL && t && t->signal == SIGTRAP &&
                       process_registers(t, &regs) && regs.rip == address(insitu_trial_end) + 1;
        if (!out->trapped && e.news != PROCESS_QUIET && t)
            process_go(p, t);
    }
    out->words = words_of(p);
}

/* Returns the least mean seconds per page of GROUPS groups of first writes to the pages of @all,
 * after a fork. */
static double page_seconds(volatile uint8_t *all)
{
    double least = INFINITY;

    for (unsigned g = 0; g < GROUPS; g++) {
        const double begun = clock_wall();
        for (unsigned i = 0; i < GROUP_PAGES; i++)
            all[(size_t)(g * GROUP_PAGES + i) * PAGE] = 2;
        least = fmin(least, (clock_wall() - begun) / GROUP_PAGES);
    }
    return least;
}

bool trial_run(struct trial_seen *out, struct err *err)
{
    const size_t bytes = (size_t)GROUPS * GROUP_PAGES * PAGE;
    struct process p;
    int status;

    *out = (struct trial_seen){.stopped = false, .page = PAGE_SECONDS};
    uint8_t *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
        madvise(pages, bytes, MADV_NOHUGEPAGE);
        memset(pages, 1, bytes);
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        __asm__ volatile("jmp insitu_trial_wait" : : "D"(&known) : "memory");
        __builtin_unreachable();
    }
    if (pid < 0 && pages != MAP_FAILED)
        munmap(pages, bytes);
    if (pid < 0)
        return err_set(err, ERR_IO,
                       "end other programs, or raise the limit on processes (ulimit -u)",
                       "cannot create a process to test ptrace: %s", strerror(errno));
    bool ok = process_seize(pid, true, &p, err);
    if (ok && prepare(&p, out)) {
        try_copy(&p, out);
        try_trap(&p, out);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, __WALL) < 0 ? errno == EINTR : WIFSTOPPED(status))
        ptrace(PTRACE_CONT, pid, NULL, NULL); /* Continues the child if it stops again when it
                                               * exits. */
    process_done(&p);
    if (pages != MAP_FAILED) {
        out->page = page_seconds(pages);
        munmap(pages, bytes);
    }
    return ok;
}
#endif
