/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decoder decides which foreign code may run, so the processor must decode it equally.
 * Single-steps random instructions of the list, with any prefixes. Each has exactly the decoder's
 * length and continues at its end. It makes no system call, raises no trap, and accesses nothing
 * through gs. x86-64. ATTACK_INSTRUCTIONS=N is their number (make torture: one million). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "isa/insn.h"
#include "isa/isa.h"
#include "../support/support.h"

#if defined(__x86_64__)
#include <sys/user.h>

/* A page of code and a page that is not executable; nothing else is within 4 GB. */
#define CODE ((uint8_t *)0x300000000000)
#define PAGE 4096
#define GS_BASE 0x200000000000u
#define FS_BASE 0x280000000000u            /* Neither base is in a sanitizer's shadow memory. */
/* largest sum of a displacement and a register, relative to a base */
#define NEAR ((uint64_t)1 << 33)

static uint8_t *code;                      /* the parent's writable mapping of the code page */
static pid_t tracee;

/* Outcome of one step. */
struct step {
    enum { STEPPED, FETCH, FAULT, ILLEGAL, OTHER } end;
    uint64_t rip, address, rax;
    int signal, reason;
};

/* Starts a process that only stops. Skips the tests where ptrace is not permitted. */
static int tracee_begin(void **state)
{
    int status;
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return -1;
    tracee = fork();
    if (tracee == 0) {
        uint8_t *got = mmap(CODE, 2 * PAGE, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != CODE || mremap(code, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, CODE) != CODE ||
            mprotect(CODE, PAGE, PROT_READ | PROT_EXEC) != 0)
            _exit(2);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(1);
        raise(SIGSTOP);
        _exit(0);
    }
    if (tracee < 0 || waitpid(tracee, &status, 0) != tracee || !WIFSTOPPED(status)) {
        print_message("no process can be traced here\n");
        tracee = 0;
        return 0;
    }
    return ptrace(PTRACE_SETOPTIONS, tracee, NULL, (void *)PTRACE_O_EXITKILL) == 0 ? 0 : -1;
}

static int tracee_end(void **state)
{
    if (tracee > 0) {
        kill(tracee, SIGKILL);
        waitpid(tracee, NULL, 0);
    }
    munmap(code, PAGE);
    return 0;
}

/* Single-steps @bytes, of which only the first @shown can be fetched. Registers contain invalid
 * addresses, and no system call number. */
static struct step step_of(const uint8_t bytes[16], unsigned shown)
{
    struct user_regs_struct r = {0};
    struct step s = {.end = OTHER};
    unsigned long long *const generals[] = {&r.rcx, &r.rdx, &r.rbx, &r.rsp, &r.rbp,
                                            &r.rsi, &r.rdi, &r.r8,  &r.r9,  &r.r10,
                                            &r.r11, &r.r12, &r.r13, &r.r14, &r.r15};
    siginfo_t info;
    int status;

    memcpy(code + PAGE - shown, bytes, shown);
    r.rax = 0x17000;
    for (size_t i = 0; i < sizeof generals / sizeof *generals; i++)
        *generals[i] = 0x18000 + 0x1040 * i;
    r.rip = (uint64_t)CODE + PAGE - shown;
    r.eflags = 0x202;
    r.cs = 0x33;
    r.ss = 0x2b;
    r.fs_base = FS_BASE;
    r.gs_base = GS_BASE;
    r.orig_rax = (unsigned long long)-1;
    if (ptrace(PTRACE_SETREGS, tracee, NULL, &r) != 0 ||
        ptrace(PTRACE_SINGLESTEP, tracee, NULL, NULL) != 0 ||
        waitpid(tracee, &status, 0) != tracee || !WIFSTOPPED(status) ||
        ptrace(PTRACE_GETSIGINFO, tracee, NULL, &info) != 0 ||
        ptrace(PTRACE_GETREGS, tracee, NULL, &r) != 0)
        return s;
    s = (struct step){.end = OTHER,
                      .rip = r.rip,
                      .address = (uint64_t)info.si_addr,
                      .rax = r.rax,
                      .signal = WSTOPSIG(status),
                      .reason = info.si_code};
    if (s.signal == SIGTRAP && s.reason == TRAP_TRACE)
        s.end = STEPPED;
    else if (s.signal == SIGILL)
        s.end = ILLEGAL;
    else if (s.signal == SIGSEGV && s.reason == SEGV_ACCERR && s.address == (uint64_t)CODE + PAGE)
        s.end = FETCH;
    else if (s.signal == SIGSEGV || s.signal == SIGFPE || s.signal == SIGBUS)
        s.end = FAULT;
    return s;
}

/* Writes random prefixes in random order, then an opcode of a random map. */
static size_t dress(struct rng *rng, uint8_t bytes[16])
{
    static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e,
                                       0x26, 0x64, 0x65, 0x40, 0x48, 0x4f, 0x41, 0x44};
    static const uint8_t maps[][2] = {{0},    {0},    {0x0f}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a},
                                      {0xc5}, {0xc4}, {0x62}, {0x8f}, {0x0f, 0x0f}};
    size_t n = rng_below(rng, 3) ? rng_below(rng, 5) : 0;

    for (unsigned i = 0; i < 2; i++) {
        uint64_t random = rng_next(rng);
        memcpy(bytes + 8 * i, &random, 8);
    }
    for (size_t i = 0; i < n; i++)
        bytes[i] = prefixes[rng_below(rng, sizeof prefixes)];
    const uint8_t *map = maps[rng_below(rng, sizeof maps / sizeof *maps)];
    for (unsigned i = 0; i < 2 && map[i]; i++)
        bytes[n++] = map[i];
    return 15;
}

static bool through_gs(const struct step *s)
{
    return s->signal == SIGSEGV && s->reason != SI_KERNEL && s->address + NEAR > GS_BASE &&
           s->address < GS_BASE + NEAR;
}

static void refute(const struct insn *in, const struct step *s, const char *what)
{
    for (unsigned i = 0; i < in->length; i++)
        print_message("%02x ", in->bytes[i]);
    fail_msg("%s: %s (signal %d, reason %d, rip %+lld, address 0x%llx)", in->mnemonic, what,
             s->signal, s->reason, (long long)(s->rip - (uint64_t)CODE - PAGE),
             (unsigned long long)s->address);
}

/* Returns whether the processor has the instruction. Fails if processor and decoder decode
 * different instructions. */
static bool agrees(const struct insn *in)
{
    uint8_t padded[16] = {0};
    memcpy(padded, in->bytes, in->length);
    struct step whole = step_of(padded, in->length);
    bool branch = in->traits & INSN_BRANCH;

    /* CPUs without AMD's XOP decode an XOP instruction as a longer one, which is illegal. */
    if (whole.end == ILLEGAL ||
        (whole.end == FETCH && step_of(padded, sizeof padded - 1).end == ILLEGAL))
        return false;
    if (whole.end == FETCH && !branch)
        refute(in, &whole, "longer than decoded");
    if (whole.end == OTHER)
        refute(in, &whole, "traps");
    if (whole.end == STEPPED && !branch && whole.rip != (uint64_t)CODE + PAGE)
        refute(in, &whole, "continues elsewhere");
    if (whole.end == STEPPED && whole.rax == (uint64_t)-ENOSYS)
        refute(in, &whole, "a system call");
    if (whole.end == FAULT && through_gs(&whole))
        refute(in, &whole, "goes through gs");
    struct step less = step_of(padded, in->length - 1u);
    if (less.end != FETCH)
        refute(in, &less, "shorter than decoded");
    return true;
}

static void test_decoded_as_run(void **state)
{
    const char *asked = getenv("ATTACK_INSTRUCTIONS");
    unsigned count = asked ? (unsigned)atoi(asked) : 10000, known = 0, unknown = 0;
    struct rng rng;

    if (!tracee)
        skip();   /* tracee_begin has printed the reason. */
    rng_seed(&rng, 14);
    while (known + unknown < count) {
        uint8_t bytes[16];
        struct insn in;
        size_t n = dress(&rng, bytes);
        if (!insn_decode(ISA_X86_64, bytes, n, 0, false, &in, NULL) || !(in.traits & INSN_RUNNABLE))
            continue;
        if (agrees(&in))
            known++;
        else
            unknown++;
    }
    print_message("%u instructions are what the decoder says; %u this processor does not know\n",
                  known, unknown);
    assert_true(known > unknown);
}

/* The method also detects instructions outside of the list. Otherwise the test would prove
 * nothing. */
static void test_the_others_are_found(void **state)
{
    static const struct { uint8_t bytes[16]; unsigned length; int end; bool gs;
    } cases[] = {
        {{0x0f, 0x05}, 2, OTHER, false},
        {{0xcc}, 1, OTHER, false},
        {{0xf1}, 1, OTHER, false},
        {{0x65, 0x8b, 0x00}, 3, FAULT, true},
        {{0x65, 0x64, 0x8b, 0x00}, 4, FAULT, false},
        {{0x64, 0x65, 0x8b, 0x00}, 4, FAULT, true},
        {{0x65, 0x2e, 0x8b, 0x00}, 4, FAULT, true},
        {{0xb8, 0x0f, 0x05}, 3, FETCH, false},
        {{0x90, 0x90}, 2, STEPPED, false},
    };
    if (!tracee)
        skip();   /* tracee_begin has printed the reason. */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct step s = step_of(cases[i].bytes, cases[i].length);
        assert_int_equal(s.end, cases[i].end);
        assert_int_equal(s.end == FAULT && through_gs(&s), cases[i].gs);
    }
    struct step shorter = step_of((const uint8_t[16]){0x90, 0x90}, 2);
    assert_int_not_equal(shorter.rip, (uint64_t)CODE + PAGE);
}
#endif

static void test_elsewhere(void **state)
{
    print_message("x86-64 machine code is not tried on this processor\n");
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(test_elsewhere)};
#if defined(__x86_64__)
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decoded_as_run),
                                       cmocka_unit_test(test_the_others_are_found)};
    if (isa_host() == ISA_X86_64)
        return cmocka_run_group_tests_name("attack_lengths", tests, tracee_begin, tracee_end);
#endif
    return cmocka_run_group_tests(others, NULL, NULL);
}
