/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/call_code.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "program/calls.h"

#define ARGUMENT 0.37
#define STEPS_MOST 20000           /* maximum number of single steps in the child process */
#define INSN_BYTES 16

/* Runs in the child process: stops, makes the calls, and exits. It executes little other code,
 * because the parent single-steps all of it. */
static void make_calls(const struct call_function *const *functions, size_t count)
{
    static volatile double sink;

    /* The child requests a signal at its parent's death, because the parent may die before it sets
     * PTRACE_O_EXITKILL. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 ||
        raise(SIGSTOP) != 0)
        _exit(1);
    for (size_t i = 0; i < count; i++) {
        if (functions[i])
            sink = functions[i]->call(ARGUMENT);
        (void)sink;
    }
    _exit(0);
}

/* Waits until process *@pid stops, and sets *@signal to the signal. If the process ended, sets
 * *@pid to 0 and returns false. */
static bool stopped(pid_t *pid, int *signal)
{
    int status = 0;

    while (waitpid(*pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFSTOPPED(status))
        *pid = 0;
    *signal = WSTOPSIG(status);
    return *pid != 0;
}

/* Executes one instruction of the process, and sets *@place to the next instruction's address.
 * Returns false if the process ended or cannot be traced. */
static bool step(pid_t *pid, uintptr_t *place)
{
    struct __ptrace_syscall_info info;
    int signal;

    do {   /* Repeats the step if a signal from the terminal stopped the process before the
            * instruction. */
        if (ptrace(PTRACE_SINGLESTEP, *pid, NULL, NULL) != 0 || !stopped(pid, &signal))
            return false;
    } while (signal != SIGTRAP);
    if (ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, *pid, (void *)sizeof info, &info) <=
        0)
        return false;
    *place = (uintptr_t)info.instruction_pointer;
    return true;
}

/* The current call: its code, its first address, and the number of nested calls that have not
 * returned */
struct following {
    struct call_code *code;
    uintptr_t start;
    unsigned depth;
};

/* Appends the instruction at @place. Decodes the instruction from this process, because the child
 * is a copy of it. Returns false if the call ends. If the call is too long or cannot be decoded,
 * frees the instructions and returns false. */
static bool follow(struct following *f, uintptr_t place)
{
    struct insn insn;
    struct err err = {0};

    if (f->code->insns.count == CALL_CODE_MOST ||
        !insn_decode(isa_host(), (const uint8_t *)place, INSN_BYTES, place - f->start, false, &insn,
                     &err)) {
        err_clear(&err);
        call_code_done(f->code);
        return false;
    }
    vec_push(&f->code->insns, insn);
    f->depth += (insn.traits & INSN_CALL) != 0;
    if (insn.traits & INSN_RETURN)
        return f->depth-- > 0;
    return true;
}

/* Single-steps process @pid and stores the code of each call in @out. */
static void follow_all(pid_t *pid, const struct call_function *const *functions, size_t count,
                       struct call_code *out)
{
    struct following f = {.code = NULL};
    uintptr_t place;

    for (size_t next = 0, steps = 0;
         steps < STEPS_MOST && (next < count || f.code) && step(pid, &place); steps++) {
        for (size_t i = next; i < count && !f.code; i++)
            if (functions[i] && place == (uintptr_t)functions[i]->address) {
                f = (struct following){&out[i], place, 0};
                next = i + 1;
            }
        if (f.code && !follow(&f, place))
            f.code = NULL;
    }
    /* Drops the code of a call that did not return before the end of the process or of STEPS_MOST
     * steps. */
    if (f.code)
        call_code_done(f.code);
}

void call_codes_find(const char *const *names, size_t count, struct call_code *out)
{
    const struct call_function **functions = mem_zero(count + 1, sizeof *functions);

    for (size_t i = 0; i < count; i++) {
        out[i] = (struct call_code){.name = names[i]};
        functions[i] = call_function_find(names[i]);
    }
    int signal;
    pid_t pid = fork();
    if (pid == 0)
        make_calls(functions, count);
    if (pid > 0 && stopped(&pid, &signal)) {
        ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL);
        follow_all(&pid, functions, count, out);
        if (pid > 0) {
            kill(pid, SIGKILL);
            while (stopped(&pid, &signal))
                continue;
        }
    }
    free(functions);
}

void call_code_done(struct call_code *code)
{
    for (size_t i = 0; i < code->insns.count; i++)
        insn_done(&code->insns.items[i]);
    vec_done(&code->insns);
}
