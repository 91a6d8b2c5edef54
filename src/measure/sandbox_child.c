/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sandbox_child.h"
#include "model/start.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/arch.h"
#include "measure/ticks.h"

/* The child runs between signals and foreign code: sanitizers' own bookkeeping has no place there. */
#define PLACE_STEP 13   /* lines from one place to the next: far from the last one, and all are visited when their number is a power of two */
#define BARE __attribute__((no_sanitize("address", "undefined", "thread"), noinline))

/* What the kernel's sigaction takes; libc's would put its own restorer in. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    const char *restorer;
    uint64_t mask;
};

static struct {
    struct sandbox_child given;
    struct sandbox_frame *frame;
    struct sandbox_item *item;        /* being run */
    volatile bool inside;             /* foreign code is running */
    uint64_t fault_address;
    uint64_t pages[SANDBOX_PAGES];    /* mapped for the item */
    unsigned page_count;
    int counter;                      /* perf event or -1 */
    bool plain;                       /* vector registers are to hold 0 */
    uint64_t runs;                    /* of items whose loads move */
} child;

static BARE long call(long number, long a, long b, long c, long d, long e, long f)
{
    return sandbox_syscall(number, a, b, c, d, e, f);
}

static BARE void leave(int status)
{
    for (;;)
        call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

/* True when the faulting page could be put there and the instruction may be tried again. */
static BARE bool map_on_demand(const siginfo_t *info, unsigned *fault)
{
    uint64_t size = child.given.page_size, address = (uint64_t)info->si_addr & ~(size - 1);

    if (info->si_code != SEGV_MAPERR || address < 65536 || address >> 47) {
        *fault = FAULT_ADDRESS;
        return false;
    }
    if (child.page_count == SANDBOX_PAGES) {
        *fault = FAULT_PAGES;
        return false;
    }
    long got = call(SYS_mmap, (long)address, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, child.given.page,
                    (long)(child.page_count % SANDBOX_REAL_PAGES * size));
    if (got != (long)address) {
        *fault = FAULT_ADDRESS;
        return false;
    }
    child.pages[child.page_count++] = address;
    return true;
}

static BARE void on_signal(int number, siginfo_t *info, void *context)
{
    unsigned fault;

    (void)context;
    if (!child.inside) {
        if (number == SIGALRM)
            return;
        leave(70);
    }
    switch (number) {
    case SIGILL: fault = FAULT_ILLEGAL; break;
    case SIGFPE: fault = FAULT_ARITHMETIC; break;
    case SIGBUS: fault = FAULT_BUS; break;
    case SIGTRAP: fault = FAULT_TRAP; break;
    case SIGALRM: fault = FAULT_ENDLESS; break;
    default: fault = FAULT_SEGMENT; break;
    }
    child.fault_address = number == SIGALRM ? 0 : (uint64_t)info->si_addr;
    if (number == SIGSEGV && child.item && child.item->kernel && map_on_demand(info, &fault))
        return;
    child.inside = false;
    sandbox_escape(fault);
}

static BARE uint64_t pulse_now(void *self)
{
    (void)self;
    return ticks_now();
}

static BARE void pulse_rest(void *self)
{
    struct timespec millisecond = {.tv_nsec = 1000000};
    (void)self;
    call(SYS_nanosleep, (long)&millisecond, 0, 0, 0, 0, 0);
    child.given.batch->heartbeat++;
}

/* Values near 1 as doubles and as floats, different in every register; or 0, for what takes them as indices. */
static BARE void values_fill(bool plain)
{
    if (child.plain == plain)
        return;
    child.plain = plain;
    for (unsigned i = 0; i < sizeof child.frame->values / sizeof *child.frame->values; i++)
        child.frame->values[i] = plain ? 0 : 0x3ff41f253f841f25 + (uint64_t)i * 0x0000010000000100;
}

static BARE void frame_fill(enum pulse_code code, uint64_t warm, uint64_t count)
{
    const struct sandbox_batch *batch = child.given.batch;
    const struct sandbox_item *item = child.item;
    struct sandbox_frame *f = child.frame;
    bool own = code == PULSE_ITEM && item->kernel;
    uint32_t offset = code == PULSE_CHAIN ? batch->chain : code == PULSE_SECOND_CHAIN ? batch->second : code == PULSE_PROBE ? batch->probe : item->offset;

    f->target = (uint64_t)(child.given.area + offset % AREA_CODE - ARCH_BEGIN_LENGTH);
    f->warm = warm;
    f->count = count;
    f->vectors = code == PULSE_ITEM ? item->vectors : arch_setup_plain(f);
    f->counter_register = own ? (item->counter >= COUNTER_REGISTER ? item->counter - COUNTER_REGISTER : 0) : ARCH_COUNTER;
    f->passes = own && item->passes ? item->passes : 1;
    values_fill(own && item->plain_values);
    if (!own) {
        bool moves = code == PULSE_ITEM && item->load_places;
        arch_frame_fill(f, child.given.area, moves ? 64 * (child.runs++ * PLACE_STEP % item->load_places) : 0);
        return;
    }
    arch_frame_kernel(f);
    for (unsigned i = 0; i < 32; i++)
        f->general[i] = item->general[i];
}

static BARE uint64_t pulse_run(void *self, enum pulse_code code, uint64_t warm, uint64_t count, unsigned *fault)
{
    struct sandbox_frame *f = child.frame;

    (void)self;
    frame_fill(code, warm, count);
    child.given.batch->heartbeat++;
    f->start = f->end = 0;
    child.inside = true;
    *fault = sandbox_enter(f);
    child.inside = false;
    if (*fault)
        return 0;
    return f->end > f->start ? f->end - f->start : 1;
}

static const struct pulse real_pulse = {pulse_run, pulse_now, pulse_rest, NULL};

static BARE uint64_t counter_read(void)
{
    uint64_t value = 0;
    call(SYS_read, child.counter, (long)&value, sizeof value, 0, 0, 0);
    return value;
}

/* Cycles per iteration by the hardware's counter, from two loop counts, so that the way in and out drops out. */
static BARE double by_counter(struct sandbox_item *item, double cycles)
{
    uint64_t count = item->count ? item->count : cycles > 0 && cycles < 30000 ? (uint64_t)(60000 / cycles) + 2 : 2;
    double best[2] = {INFINITY, INFINITY};
    unsigned fault;

    for (unsigned i = 0; i < 6; i++) {
        uint64_t before = counter_read();
        if (!pulse_run(NULL, PULSE_ITEM, 0, i % 2 ? count : count / 2, &fault))
            return NAN;
        double cost = (double)(counter_read() - before);
        best[i % 2] = cost < best[i % 2] ? cost : best[i % 2];
    }
    return (best[1] - best[0]) / (double)(count - count / 2) / (item->passes ? item->passes : 1);
}

/* What pointers loaded from memory point to can be mapped as well; as a number it is harmless. What the last kernel wrote is gone. */
static BARE void pages_fill(void)
{
    for (size_t i = 0; i < SANDBOX_REAL_PAGES * child.given.page_size / 8; i++)
        child.given.pages[i] = START_MEMORY;
}

/* Cycles per iteration that an order of an experiment has to come below to count. */
static BARE double to_beat(const struct sandbox_item *item)
{
    double least = INFINITY;

    for (unsigned i = 1; i <= item->rivals; i++) {
        const struct sandbox_item *rival = item - i;
        double each = rival->result.cycles / rival->executions;
        if (rival->result.state == WINDOW_SETTLED && each > 0 && each < least)
            least = each;
    }
    return least * item->executions;
}

static BARE void item_run(struct sandbox_item *item)
{
    if (item->kernel)
        pages_fill();
    child.item = item;
    child.fault_address = 0;
    if (item->mode == SANDBOX_RAW_TICKS) {
        for (unsigned i = 0; i < item->samples && i < SANDBOX_RAW && !item->fault; i++)
            item->ticks[i] = pulse_run(NULL, item->code, item->warm, item->count, &item->fault);
    } else {
        window_measure(&real_pulse, &child.given.batch->rules, item->difference, item->count, to_beat(item), &item->result);
        item->result.cycles /= item->passes ? item->passes : 1;
        for (unsigned i = 0; i < WINDOW_VALUES; i++)
            item->result.values[i] /= (float)(item->passes ? item->passes : 1);
        item->fault = item->result.state == WINDOW_FAULT ? item->result.fault : FAULT_NONE;
        if (child.counter >= 0 && !item->fault && item->result.state != WINDOW_BEATEN)
            item->counter_cycles = by_counter(item, item->result.cycles);
    }
    item->fault_address = child.fault_address;
    item->pages = child.page_count;
    for (unsigned i = 0; i < child.page_count; i++)
        call(SYS_munmap, (long)child.pages[i], (long)child.given.page_size, 0, 0, 0, 0);
    child.page_count = 0;
    child.item = NULL;
    item->done = true;
}

static BARE void batch_run(struct sandbox_batch *batch)
{
    arch_code_changed(child.given.area, batch->code_length);
    for (uint32_t i = batch->current; i < batch->count && i < SANDBOX_ITEMS && !batch->stop; i++) {
        batch->current = i;
        item_run(&batch->items[i]);
    }
    batch->current = batch->count;
}

static bool signals_take(void)
{
    static const int numbers[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP, SIGALRM};
    stack_t stack = {.ss_sp = child.given.signal_stack, .ss_size = child.given.signal_stack_size};
    struct kernel_action ignore = {.handler = (void (*)(int, siginfo_t *, void *))(uintptr_t)SIG_IGN};
    struct kernel_action take = {.handler = on_signal, .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000 /* SA_RESTORER */,
                                 .restorer = sandbox_sigreturn};
    uint64_t none = 0;

    if (syscall(SYS_sigaltstack, &stack, NULL) < 0)
        return false;
    for (int i = 1; i <= 31; i++)
        if (i != SIGKILL && i != SIGSTOP && i != SIGCHLD)
            syscall(SYS_rt_sigaction, i, &ignore, NULL, sizeof none);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (syscall(SYS_rt_sigaction, numbers[i], &take, NULL, sizeof none) < 0)
            return false;
    return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none) == 0;
}

static void limits_set(void)
{
    static const struct { int resource; rlim_t value; } limits[] = {{RLIMIT_CORE, 0}, {RLIMIT_FSIZE, 0}, {RLIMIT_NPROC, 0}, {RLIMIT_MEMLOCK, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {limits[i].value, limits[i].value};
        setrlimit((enum __rlimit_resource)limits[i].resource, &limit);
    }
}

/* Cycles in user mode of this process, where the system has such a counter. */
static int counter_open(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof attr, .config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1, .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Of all system calls only these, and only from one address; returning from a signal from anywhere. */
static bool seccomp_close(void)
{
    uint64_t site = (uint64_t)sandbox_syscall_site;
    const uint32_t kill = SECCOMP_RET_KILL_PROCESS;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TICKS_AUDIT_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, kill),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 11, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_nanosleep, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, kill),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)site, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(site >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, kill),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* Emulators of another processor's programs have no filters. What runs there is not the machine's own code, and the user has to ask for it. */
static bool unfiltered_allowed(void)
{
    const char *asked = getenv("PORTOLAN_EMULATED");
    return (errno == ENOSYS || errno == EINVAL) && asked && strcmp(asked, "1") == 0;
}

/* Keeps the link, the page and the counter; the parent's other files are none of ours. */
static bool files_close(void)
{
    int keep[] = {child.given.link, child.given.page, child.counter};
    for (int i = 0; i < 3; i++)
        if (keep[i] >= 0 && dup2(keep[i], 200 + i) < 0)
            return false;
    syscall(SYS_close_range, 0, 199, 0);
    syscall(SYS_close_range, 203, ~0u, 0);
    child.given.link = 200;
    child.given.page = 201;
    child.counter = child.counter >= 0 ? 202 : -1;
    return true;
}

/* No byte of the pattern is 0, so that it divides. */
static void memory_fill(void)
{
    child.plain = true;
    values_fill(false);
    for (unsigned area = 0; area < 2; area++) {
        uint64_t *words = (uint64_t *)(child.given.area + (area ? AREA_STORES : AREA_LOADS) + AREA_PAGES_AT);
        for (unsigned i = 0; i < AREA_PAGES / 8; i++)
            words[i] = 0x3ff41f253f841f25;
    }
    arch_frame_begin(child.frame);
}

void sandbox_child_main(const struct sandbox_child *given)
{
    cpu_set_t cpus;
    char byte = 0;

    child.given = *given;
    child.frame = (struct sandbox_frame *)(given->area + AREA_FRAME + AREA_PAGES_AT);
    CPU_ZERO(&cpus);
    CPU_SET((unsigned)given->cpu, &cpus);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != given->parent)
        _exit(71);
    setsid();
    sched_setaffinity(0, sizeof cpus, &cpus);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    child.counter = counter_open();
    memory_fill();
    given->batch->has_counter = child.counter >= 0;
    limits_set();
    if (!files_close() || !signals_take())
        _exit(72);
    if (!seccomp_close()) {
        if (!unfiltered_allowed())
            _exit(72);
        given->batch->unfiltered = 1;
    }
    child.given.batch->ready = 1;
    for (;;) {
        if (call(SYS_read, child.given.link, (long)&byte, 1, 0, 0, 0) != 1)
            leave(0);
        batch_run(child.given.batch);
        call(SYS_write, child.given.link, (long)&byte, 1, 0, 0, 0);
    }
}
