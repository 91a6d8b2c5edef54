/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Releases the child's resources before measured code runs: files, libc, stack and data. Also sets
 * limits and filters system calls. */
#include "measure/sandbox_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/arch.h"
#include "measure/bare.h"
#include "measure/ticks.h"

#define STACK_BYTES ((uint64_t)32 << 10)
/* size in bytes of the signal stack in addition to the frame, which contains all vector and tile
 * registers */
#define HANDLER_BYTES ((uint64_t)16 << 10)
/* size in bytes of the signal frame if the system does not report the size */
#define FRAME_BYTES ((uint64_t)64 << 10)
#define GUARD_BYTES ((uint64_t)64 << 10)
/* maximum number of ranges of addresses that remain mapped */
#define KEPT 5
#define RULES 8
/* limit of CPU seconds, which ends the child even if the parent hangs */
#define SECONDS_AT_MOST 120

/* Argument of the kernel's sigaction. libc's sigaction would set another restorer. */
struct kernel_action {
    void (*handler)(int, void *, void *);
    unsigned long flags;
    const char *restorer;
    uint64_t mask;
};

static BARE long call(long number, long a, long b, long c, long d, long e, long f)
{
    return sandbox_syscall(number, a, b, c, d, e, f);
}

static uint64_t pages_of(uint64_t bytes, uint64_t page)
{
    return (bytes + page - 1) / page * page;
}

/* Maps the vault, a guard, the signal stack, a guard, and the stack, at a secret random address.
 * Foreign code has no memory in the range of possible addresses, so each run can make only one
 * guess. Returns NULL with errno. */
static struct sandbox_vault *vault_new(const struct sandbox_child *given)
{
    /* Numbers of address bits and of attempts. AArch64 may have few address bits. Part of the range
     * may be in use: AddressSanitizer's shadow uses a quarter. */
    static const struct { unsigned bits, tries; } widths[] = {
/* ThreadSanitizer's shadow uses most of the addresses with this number of bits. */
#if !defined(__SANITIZE_THREAD__)
        {SANDBOX_VAULT_BITS, 200},
#endif
        {37, 20}, {36, 20}, {35, 20},
    };
    uint64_t page = given->page_size, own = pages_of(sizeof(struct sandbox_vault), page),
             frame = getauxval(AT_MINSIGSTKSZ);
    uint64_t signal = pages_of((frame ? frame : FRAME_BYTES) + HANDLER_BYTES, page),
             size = own + 2 * GUARD_BYTES + signal + STACK_BYTES;

    for (size_t i = 0, tries = 0; i < sizeof widths / sizeof *widths;
         tries = (tries + 1) % widths[i].tries, i += !tries) {
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != sizeof random)
            return NULL;
        const uint64_t begin = (uint64_t)1 << widths[i].bits;
        uint64_t at = begin + random % (begin - 2 * size) / page * page;
        uint8_t *got =
            mmap((void *)at, size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == MAP_FAILED)
            continue;
        if (got != (uint8_t *)at || mprotect(got, own, PROT_READ | PROT_WRITE) < 0 ||
            mprotect(got + own + GUARD_BYTES, signal, PROT_READ | PROT_WRITE) < 0 ||
            mprotect(got + size - STACK_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) < 0) {
            munmap(got, size);
            continue;
        }
        struct sandbox_vault *v = (struct sandbox_vault *)got;
        v->all = (struct sandbox_range){at, at + size};
        v->kept = (struct sandbox_range){begin, 2 * begin};
        v->signal_bytes = signal;
        return v;
    }
    return NULL;
}

void *sandbox_vault_stack(struct sandbox_vault *v)
{
    return (void *)v->all.end;
}

/* Opens a counter for this process's user-mode cycles. Returns -1 if there is none. */
static int counter_open(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static bool range_close(int first, int last)
{
    if (first > last || syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0) == 0)
        return true;
    /* Closes descriptors one by one, because Linux before 5.9 lacks close_range. Open descriptors
     * may exceed the current limit. */
    struct rlimit limit;
    int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < (1 << 20)
                  ? (int)limit.rlim_max
                  : 1 << 20;
    for (int fd = first; fd <= last && fd < end; fd++)
        if (close(fd) < 0 && errno != EBADF)
            return false;
    return true;
}

/* Closes all files of the parent except the link, the page file and the counter. Returns false on
 * failure. */
static bool files_close(const struct sandbox_vault *v)
{
    int keep[3] = {v->given.link, v->given.page, v->counter}, from = 0;

    for (int i = 0; i < 3; i++) {
        int next = INT32_MAX;
        for (int k = 0; k < 3; k++)
            if (keep[k] >= from && keep[k] < next)
                next = keep[k];
        if (next == INT32_MAX)
            break;
        if (!range_close(from, next - 1))
            return false;
        from = next + 1;
    }
    return range_close(from, INT32_MAX);
}

static bool limits_set(void)
{
    static const struct { int resource; rlim_t value;
    } limits[] = {
        {RLIMIT_CORE, 0},    {RLIMIT_FSIZE, 0},  {RLIMIT_NPROC, 0},
        {RLIMIT_MEMLOCK, 0}, {RLIMIT_NOFILE, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {limits[i].value, limits[i].value};
        if (setrlimit((enum __rlimit_resource)limits[i].resource, &limit) < 0)
            return false;
    }
    /* Sets only the soft limit, because the parent raises it while the child runs. */
    struct rlimit processor;
    if (getrlimit(RLIMIT_CPU, &processor) == 0 && processor.rlim_cur > SECONDS_AT_MOST) {
        processor.rlim_cur = SECONDS_AT_MOST;
        setrlimit(RLIMIT_CPU, &processor);
    }
    return true;
}

/* Unregisters libc's area for restartable sequences. The area will be unmapped, but the kernel
 * writes to it whenever the thread migrates or is preempted. Returns false on failure. */
static bool rseq_leave(void)
{
#ifdef SYS_rseq
    extern const ptrdiff_t __rseq_offset __attribute__((weak));
    extern const unsigned int __rseq_size __attribute__((weak));
    if (!&__rseq_offset || !&__rseq_size || !__rseq_size)
        return true;
    for (unsigned length = 32; length <= 1024; length += 4)
        if (syscall(SYS_rseq, (char *)arch_thread() + __rseq_offset, length, 1,
                    ARCH_RSEQ_SIGNATURE) == 0)
            return true;
    return false;
#else
    return true;
#endif
}

/* Returns whether the child may run without a system call filter. Emulators of other processors
 * have no filter. Code under an emulator is not native, but the user must still permit runs without
 * a filter. */
static bool unfiltered_allowed(void)
{
    uint32_t action = SECCOMP_RET_KILL_PROCESS;
    const char *asked = getenv("PORTOLAN_EMULATED");
    return asked && strcmp(asked, "1") == 0 &&
           syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0 &&
           (errno == ENOSYS || errno == EINVAL);
}

struct sandbox_vault *sandbox_close_begin(const struct sandbox_child *given,
                                          enum sandbox_stage *failed)
{
    cpu_set_t cpus;

    *failed = STAGE_ORPHAN;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != given->parent)
        return NULL;
    setsid();
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)given->cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    *failed = STAGE_MEMORY;
    struct sandbox_vault *v = vault_new(given);
    if (!v)
        return NULL;
    v->given = *given;
    v->counter = counter_open();
    v->hello.has_counter = v->counter >= 0;
    v->hello.unfiltered = unfiltered_allowed();
    *failed = STAGE_FILES;
    if (!files_close(v))
        return NULL;
    *failed = STAGE_LIMITS;
    if (!limits_set())
        return NULL;
    *failed = STAGE_MEMORY;
    return v->hello.unfiltered || rseq_leave() ? v : NULL;
}

/* Unmaps all memory except the ranges in @keep, up to the kernel's highest user address. Returns
 * false on failure. */
static BARE bool memory_empty(const struct sandbox_vault *v, struct sandbox_range *keep, unsigned n)
{
    static const uint64_t ends[] = {(uint64_t)1 << 48,           ((uint64_t)1 << 47) - 4096,
                                    ((uint64_t)1 << 47) - 65536, (uint64_t)1 << 42,
                                    (uint64_t)1 << 39,           (uint64_t)1 << 36};
    uint64_t from = 0, page = v->given.page_size;

    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k && keep[k].begin < keep[k - 1].begin; k--) {
            struct sandbox_range swap = keep[k];
            keep[k] = keep[k - 1];
            keep[k - 1] = swap;
        }
    for (unsigned i = 0; i < n; i++) {
        uint64_t begin = keep[i].begin / page * page;
        if (begin > from && call(SYS_munmap, (long)from, (long)(begin - from), 0, 0, 0, 0) != 0)
            return false;
        from = (keep[i].end + page - 1) / page * page;
    }
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] > from && call(SYS_munmap, (long)from, (long)(ends[i] - from), 0, 0, 0, 0) == 0)
            return true;
    return false;
}

/* Unmaps libc, the heap, the former stack, and all other memory that the sandbox does not need.
 * Then makes the program's variables read-only, and limits the address space. Returns false on
 * failure. */
static BARE bool memory_close(struct sandbox_vault *v)
{
    const struct sandbox_child *g = &v->given;
    struct sandbox_range keep[KEPT];
    unsigned n = 0;
    uint64_t bytes = 0, page = g->page_size;

    keep[n++] = (struct sandbox_range){(uint64_t)g->area, (uint64_t)g->area + AREA_SIZE};
    keep[n++] = v->all;
    keep[n++] = g->image;
    if (!g->foreign)
        keep[n++] =
            (struct sandbox_range){(uint64_t)g->batch, (uint64_t)g->batch + sizeof *g->batch};
    if (g->foreign && g->arena.end > g->arena.begin)
        keep[n++] = (struct sandbox_range){g->arena.begin - SANDBOX_ARENA_GUARD,
                                           g->arena.end + SANDBOX_ARENA_GUARD};
    for (unsigned i = 0; i < n; i++)
        bytes += keep[i].end - keep[i].begin + 2 * page;
    if (!memory_empty(v, keep, n))
        return false;
    for (unsigned i = 0; i < g->writable_count; i++)
        if (call(SYS_mprotect, (long)g->writable[i].begin,
                 (long)(g->writable[i].end - g->writable[i].begin), PROT_READ, 0, 0, 0) != 0)
            return false;
    bytes += g->foreign ? (SANDBOX_PAGES + 16) * page : 16 * page;
    const uint64_t limit[2] = {bytes, bytes};
    return call(SYS_prlimit64, 0, RLIMIT_AS, (long)limit, 0, 0, 0) == 0;
}

static BARE bool signals_take(struct sandbox_vault *v, void (*handler)(int, void *, void *))
{
    static const int numbers[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP, SIGALRM};
    stack_t stack = {.ss_sp = (void *)(v->all.end - STACK_BYTES - GUARD_BYTES - v->signal_bytes),
                     .ss_size = v->signal_bytes};
    struct kernel_action ignore = {.handler = (void (*)(int, void *, void *))(uintptr_t)SIG_IGN};
    struct kernel_action take = {.handler = handler,
                                 .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER |
                                          0x04000000 /* SA_RESTORER */,
                                 .restorer = sandbox_sigreturn};
    uint64_t none = 0;

    if (call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0) != 0)
        return false;
    for (int i = 1; i <= 31; i++)
        if (i != SIGKILL && i != SIGSTOP && i != SIGCHLD && i != SIGXCPU)
            call(SYS_rt_sigaction, i, (long)&ignore, 0, sizeof none, 0, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (call(SYS_rt_sigaction, numbers[i], (long)&take, 0, sizeof none, 0, 0) != 0)
            return false;
    return call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0, 0) == 0;
}

/* A permitted system call: number, address of its instruction, and required arguments */
struct call_rule {
    int number;
    const char *site;
    unsigned count;
    struct { unsigned argument; uint64_t value; } checks[4];
};

/* Appends a comparison of the 64 bits at @offset of the call's data with @value. If both are equal,
 * the filter continues with the next check. rule_put sets the target for unequal bits. */
static BARE unsigned check_put(struct sock_filter *f, unsigned at, size_t offset, uint64_t value)
{
    for (unsigned half = 0; half < 2; half++) {
        f[at++] =
            (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset + 4 * half));
        f[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                               (uint32_t)(value >> 32 * half), 0, 0);
    }
    return at;
}

static BARE unsigned rule_put(struct sock_filter *f, unsigned at, const struct call_rule *r)
{
    unsigned begin = at;

    f[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    f[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->number, 0, 0);
    at = check_put(f, at, offsetof(struct seccomp_data, instruction_pointer), (uint64_t)r->site);
    for (unsigned i = 0; i < r->count; i++)
        at = check_put(f, at, offsetof(struct seccomp_data, args) + 8 * r->checks[i].argument,
                       r->checks[i].value);
    f[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    for (unsigned i = begin + 1; i < at; i += 2)
        if (BPF_CLASS(f[i].code) == BPF_JMP)
            f[i].jf = (uint8_t)(at - i - 1);
    return at;
}

/* Permits these calls, each from one address only: reading and writing the link, reading the
 * counter if there is one, sleep, exit, and sigreturn. For foreign code also permits mapping a
 * writable page of the page file, and unmapping one page. Any other call kills the child. */
static BARE long filter_set(const struct sandbox_vault *v)
{
    const struct sandbox_child *g = &v->given;
    struct call_rule rules[RULES];
    struct sock_filter f[2 + 1 + RULES * 24 + 1];
    unsigned n = 0, at = 0;
    const char *site = sandbox_syscall_site;

    rules[n++] = (struct call_rule){SYS_read, site, 1, {{0, (uint64_t)g->link}}};
    rules[n++] = (struct call_rule){SYS_write, site, 1, {{0, (uint64_t)g->link}}};
    if (v->counter >= 0)
        rules[n++] = (struct call_rule){SYS_read, site, 1, {{0, (uint64_t)v->counter}}};
    if (g->foreign) {
        rules[n++] = (struct call_rule){SYS_mmap,
                                        site,
                                        4,
                                        {{1, g->page_size},
                                         {2, PROT_READ | PROT_WRITE},
                                         {3, MAP_SHARED | MAP_FIXED_NOREPLACE},
                                         {4, (uint64_t)g->page}}};
        rules[n++] = (struct call_rule){SYS_munmap, site, 1, {{1, g->page_size}}};
    }
    rules[n++] = (struct call_rule){SYS_nanosleep, site, 0, {{0, 0}}};
    rules[n++] = (struct call_rule){SYS_exit_group, site, 0, {{0, 0}}};
    rules[n++] = (struct call_rule){SYS_rt_sigreturn, sandbox_sigreturn_site, 0, {{0, 0}}};
    f[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    f[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TICKS_AUDIT_ARCH, 1, 0);
    f[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    for (unsigned i = 0; i < n; i++)
        at = rule_put(f, at, &rules[i]);
    f[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {.len = (unsigned short)at, .filter = f};
    long got = call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
    return got ? got : call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0, 0);
}

BARE enum sandbox_stage sandbox_close_finish(struct sandbox_vault *v,
                                             void (*handler)(int, void *, void *))
{
    v->frame.self = &v->frame;
    arch_thread_set(&v->frame, v->given.area + AREA_LOCAL + AREA_PAGES_AT + AREA_PAGES / 2);
    /* Unmaps nothing under an emulator, because the other memory includes that of the emulator. */
    if (!v->hello.unfiltered && !memory_close(v))
        return STAGE_MEMORY;
    if (!signals_take(v, handler))
        return STAGE_SIGNALS;
    if (v->hello.unfiltered)
        return STAGE_READY;
    long got = filter_set(v);
    v->hello.error = (int32_t)-got;
    return got ? STAGE_FILTER : STAGE_READY;
}
