/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real code in a real child process. Tests only properties that hold on every machine, busy or
 * idle. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "analysis/kernel.h"
#include "measure/kernel_set.h"
#include "measure/sandbox.h"
#include "../support/support.h"

static struct sandbox *sandbox;

static void raw(unsigned at, const uint8_t *code, size_t length)
{
    uint32_t offset;
    assert_true(sandbox_add(sandbox, code, length, 1, COUNTER_BODY, &offset));
    sandbox_items(sandbox)[at] = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                                       .code = PULSE_ITEM,
                                                       .offset = offset,
                                                       .warm = 1,
                                                       .count = 3,
                                                       .samples = 4};
}

static void test_faults(void **state)
{
    static const struct { uint8_t code[16]; size_t length; unsigned fault; } cases[] = {
        {{0x90}, 1, FAULT_NONE},
        {{0x0f, 0x0b}, 2, FAULT_ILLEGAL},                                      /* ud2 */
        /* xor ecx, ecx; div ecx */
        {{0x31, 0xc9, 0xf7, 0xf1}, 4, FAULT_ARITHMETIC},
        {{0x31, 0xc0, 0x48, 0x8b, 0x00}, 5, FAULT_SEGMENT},                    /* mov rax, [0] */
        /* This is a non-canonical address. */
        {{0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x48, 0x8b, 0x00}, 13, FAULT_PROTECTION},
        {{0xcc}, 1, FAULT_TRAP},
        {{0xeb, 0xfe}, 2, FAULT_ENDLESS},
        {{0xfa}, 1, FAULT_PROTECTION},                                            /* cli */
        {{0xb8, 39, 0, 0, 0, 0x0f, 0x05}, 7, FAULT_SYSTEM_CALL},               /* getpid */
        /* This is mmap, which is permitted from another address only. */
        {{0xb8, 9, 0, 0, 0, 0x0f, 0x05}, 7, FAULT_SYSTEM_CALL},
        /* xor esp, esp; push rax */
        {{0x31, 0xe4, 0x50}, 3, FAULT_SEGMENT},
        /* This overwrites only rsp and rbp. */
        {{0x31, 0xe4, 0x48, 0xbd, 1, 2, 3, 4, 5, 6, 7, 8}, 12, FAULT_NONE},
        /* This sets the trap flag by popf. */
        {{0x9c, 0x81, 0x0c, 0x24, 0x00, 0x01, 0x00, 0x00, 0x9d}, 9, FAULT_TRAP},
        {{0xfd}, 1, FAULT_NONE},                                               /* std */
        {{0x90}, 1, FAULT_NONE},
    };
    const unsigned n = sizeof cases / sizeof *cases;
    struct err err = {0};
    sandbox_clear(sandbox);
    for (unsigned i = 0; i < n; i++)
        raw(i, cases[i].code, cases[i].length);
    assert_true(sandbox_run(sandbox, n, NULL, NULL, NULL, &err));
    for (unsigned i = 0; i < n; i++) {
        const struct sandbox_item *item = &sandbox_items(sandbox)[i];
        if (!item->done || item->fault != cases[i].fault)
            fail_msg("case %u: %s instead of %s", i, sandbox_fault_text(item->fault),
                     sandbox_fault_text(cases[i].fault));
        if (!item->fault)
            assert_true(item->ticks[0] > 0 && item->ticks[3] > 0);
    }
    /* Only the system calls each end a child. */
    assert_int_equal(sandbox_children(sandbox), 3);
}

/* Memory that one item of own code writes is reset for the next. The first item sets a divisor in
 * memory to 0, and the second can still divide by it. */
static void test_memory_is_new_for_each(void **state)
{
    /* xor eax, eax; mov [r13], rax; mov [r14], rax */
    static const uint8_t zero[] = {0x31, 0xc0, 0x49, 0x89, 0x45, 0x00, 0x49, 0x89, 0x06};
    /* xor edx, edx; mov eax, 5; div dword [r13] */
    static const uint8_t divide[] = {0x31, 0xd2, 0xb8, 5, 0, 0, 0, 0x41, 0xf7, 0x75, 0x00,
                                     /* This does the same by [r14]. */
                                     0x31, 0xd2, 0xb8, 5, 0, 0, 0, 0x41, 0xf7, 0x36};
    struct err err = {0};

    sandbox_clear(sandbox);
    raw(0, zero, sizeof zero);
    raw(1, divide, sizeof divide);
    assert_true(sandbox_run(sandbox, 2, NULL, NULL, NULL, &err));
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(sandbox_items(sandbox)[i].fault, FAULT_NONE);
}

/* Each experiment with a foreign body has a separate process, which its orders share and in which
 * own code never runs. */
static void test_foreign_bodies(void **state)
{
    /* mov rax, [0x10000000] */
    static const uint8_t nop[] = {0x90}, crash[] = {0x31, 0xe4, 0x50},
                         touch[] = {0x31, 0xc0, 0xc1, 0xe8, 0x01, 0x48, 0x8b, 0x80, 0, 0, 0, 0x10};
    struct err err = {0};
    pid_t before, own = sandbox_pid(sandbox, false), orders;

    sandbox_clear(sandbox);
    for (unsigned i = 0; i < 5; i++) {
        raw(i,
            i == 1   ? crash
            : i == 2 ? touch
                     : nop,
            i == 1   ? sizeof crash
            : i == 2 ? sizeof touch
                     : sizeof nop);
        sandbox_items(sandbox)[i].foreign = i < 4;
        sandbox_items(sandbox)[i].rivals = i == 3;
    }
    assert_true(sandbox_run(sandbox, 1, NULL, NULL, NULL, &err));
    before = sandbox_pid(sandbox, true);
    assert_true(before > 0 && before != own && sandbox_pid(sandbox, false) == own);
    assert_true(sandbox_run(sandbox, 3, NULL, NULL, NULL, &err));
    orders = sandbox_pid(sandbox, true);
    assert_true(orders > 0 && orders != before);
    /* Unlike for a kernel, addresses outside of a foreign body's memory are not mapped. */
    static const unsigned faults[] = {FAULT_NONE, FAULT_SEGMENT, FAULT_SEGMENT};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(sandbox_items(sandbox)[i].fault, faults[i]);
    assert_true(sandbox_run(sandbox, 5, NULL, NULL, NULL, &err));
    assert_true(sandbox_pid(sandbox, true) > 0 && sandbox_pid(sandbox, false) == own);
    for (unsigned i = 3; i < 5; i++)
        assert_int_equal(sandbox_items(sandbox)[i].fault, FAULT_NONE);
    assert_true(sandbox_items(sandbox)[3].ticks[0] > 0);
    sandbox_clear(sandbox);
    assert_int_equal(sandbox_pid(sandbox, true), 0);
}

/* An experiment that is only useful if another one is fast is skipped if the other one has no
 * time. */
static void test_not_worth_it(void **state)
{
    static const uint8_t nop[] = {0x90}, illegal[] = {0x0f, 0x0b};
    struct err err = {0};
    sandbox_clear(sandbox);
    raw(0, nop, sizeof nop);
    raw(1, illegal, sizeof illegal);
    struct sandbox_item *item = &sandbox_items(sandbox)[1];
    *item = (struct sandbox_item){.mode = SANDBOX_WINDOWS,
                                  .code = PULSE_ITEM,
                                  .offset = item->offset,
                                  .executions = 1,
                                  .rivals = 1,
                                  .worth = 1};
    assert_true(sandbox_run(sandbox, 2, NULL, NULL, NULL, &err));
    item = &sandbox_items(sandbox)[1];
    assert_true(item->done && item->fault == FAULT_NONE);
    assert_int_equal(item->result.state, WINDOW_BEATEN);
    assert_true(isnan(item->result.contended_cycles));
}

/* If an external signal kills a child, one item is lost, and the batch continues. */
static int kill_rounds;
static bool kill_now(void *state)
{
    if (kill_rounds-- > 0)
        kill(sandbox_pid(sandbox, false), SIGKILL);
    return false;
}

static void test_killed(void **state)
{
    static const uint8_t imul[] = {0x4c, 0x0f, 0xaf, 0xc6};
    struct err err = {0};
    uint32_t offset;
    unsigned killed = 0, before = sandbox_children(sandbox);
    sandbox_clear(sandbox);
    assert_true(sandbox_add(sandbox, imul, sizeof imul, 200, COUNTER_BODY, &offset));
    for (unsigned i = 0; i < SANDBOX_ITEMS; i++)
        sandbox_items(sandbox)[i] = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                                          .code = PULSE_ITEM,
                                                          .offset = offset,
                                                          .warm = 0,
                                                          .count = 1000,
                                                          .samples = 24};
    kill_rounds = 5;
    assert_true(sandbox_run(sandbox, SANDBOX_ITEMS, NULL, kill_now, NULL, &err));
    for (unsigned i = 0; i < SANDBOX_ITEMS; i++) {
        const struct sandbox_item *item = &sandbox_items(sandbox)[i];
        assert_true(item->done);
        killed += item->fault == FAULT_KILLED;
        if (!item->fault)
            assert_true(item->ticks[0] > 0);
    }
    /* A child that was killed before it began an item lost none. */
    assert_true(sandbox_children(sandbox) - before >= killed);
    assert_true(killed <= 5);
}

/* Returns the CPU time of children that ended and were reaped. */
static double children_seconds(void)
{
    struct rusage u;

    assert_int_equal(getrusage(RUSAGE_CHILDREN, &u), 0);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Returns the CPU time of @child so far, or NaN if it has ended. */
static double child_seconds(pid_t child)
{
    clockid_t clock;
    struct timespec t;

    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return NAN;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Busy processes share the CPU, and the child has a lower priority. A missing result is then
 * attributed to the busy processes, unless the code had enough CPU time to prove an endless
 * loop. */
static void test_starved(void **state)
{
    static const uint8_t loop[] = {0xeb, 0xfe}, nop[] = {0x90};
    enum { BUSY = 2 };
    const struct sched_param none = {0};
    pid_t busy[BUSY];
    struct err err = {0};
    uint32_t offset, endless;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((unsigned)sandbox_cpu(sandbox), &one);
    sandbox_clear(sandbox);
    assert_true(sandbox_add(sandbox, nop, sizeof nop, 1, COUNTER_MEMORY, &offset));
    assert_true(sandbox_add(sandbox, loop, sizeof loop, 1, COUNTER_MEMORY, &endless));
    struct sandbox_item item = {.mode = SANDBOX_RAW_TICKS,
                                .code = PULSE_ITEM,
                                .offset = offset,
                                .kernel = true,
                                .counter = COUNTER_MEMORY,
                                .warm = 1,
                                .count = 2,
                                .samples = 2};
    sandbox_items(sandbox)[0] = item;
    assert_true(sandbox_run(sandbox, 1, NULL, NULL, NULL, &err));
    pid_t child = sandbox_pid(sandbox, true);
    assert_true(child > 0);
    if (sched_setscheduler(child, SCHED_IDLE, &none) != 0)
        skip();
    for (unsigned i = 0; i < BUSY; i++)
        if ((busy[i] = fork()) == 0) {
            sched_setaffinity(0, sizeof one, &one);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                ;
        }
    sandbox_items(sandbox)[0] = item;
    sandbox_items(sandbox)[0].offset = endless;
    double ended = children_seconds(), before = child_seconds(child);
    bool ok = sandbox_run(sandbox, 1, NULL, NULL, NULL, &err);
    double had = child_seconds(child) - before;
    if (isnan(had))   /* The child was killed. */
        had = children_seconds() - ended - before;
    for (unsigned i = 0; i < BUSY; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    assert_true(ok);
    /* The time includes one or two ticks of the system clock before the endless run and during its
     * termination. */
    print_message("it had %.3f s of the processor\n", had);
    if (had < SANDBOX_ENDLESS)
        assert_int_equal(sandbox_items(sandbox)->fault, FAULT_STARVED);
    else if (had > SANDBOX_ENDLESS + 0.1)
        assert_int_equal(sandbox_items(sandbox)->fault, FAULT_ENDLESS);
    else
        assert_true(sandbox_items(sandbox)->fault == FAULT_STARVED ||
                    sandbox_items(sandbox)->fault == FAULT_ENDLESS);
    sandbox_clear(sandbox);
}

/* Processes find an address range for the vault although most addresses are in use, like by a
 * sanitizer's shadow. With six attempts, nearly a fifth of them found none. */
static void test_little_room(void **state)
{
    enum { PROCESSES = 24 };
    const uint64_t part = (uint64_t)1 << 40;
    int status;

    pid_t child = fork();
    if (child == 0) {
        struct err err;
        unsigned made = 0;
        for (uint64_t at = 64; at < 112; at++)
            mmap((void *)(at * part), part, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        for (unsigned i = 0; i < PROCESSES; i++) {
            struct sandbox *s = sandbox_new(-1, &err);
            made += s != NULL;
            sandbox_free(s);
        }
        _exit((int)made);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), PROCESSES);
}

static bool yes(void *state)
{
    return true;
}

/* Cancels during the wait for the child. */
static bool from_the_second_call(void *state)
{
    unsigned *calls = state;
    return (*calls)++ > 0;
}

static void test_cancel(void **state)
{
    static const uint8_t imul[] = {0x4c, 0x0f, 0xaf, 0xc6};
    struct err err = {0};
    uint32_t offset;
    sandbox_clear(sandbox);
    assert_true(sandbox_add(sandbox, imul, sizeof imul, 200, COUNTER_BODY, &offset));
    for (unsigned i = 0; i < SANDBOX_ITEMS; i++)
        sandbox_items(sandbox)[i] = (struct sandbox_item){.mode = SANDBOX_RAW_TICKS,
                                                          .code = PULSE_ITEM,
                                                          .offset = offset,
                                                          .count = 4000,
                                                          .samples = 64};
    unsigned calls = 0;
    assert_false(sandbox_run(sandbox, SANDBOX_ITEMS, NULL, from_the_second_call, &calls, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    for (unsigned i = 0; i < 4; i++)
        sandbox_items(sandbox)[i].samples = 1;
    /* a run that would end before the first poll of the child */
    err = (struct err){0};
    assert_false(sandbox_run(sandbox, 1, NULL, yes, NULL, &err));
    assert_int_equal(err.code, ERR_INTERRUPTED);
    assert_true(sandbox_run(sandbox, 4, NULL, NULL, NULL, &err));
}

static bool refused(const uint8_t *code, size_t length, const char *part)
{
    struct insn insns[8];
    size_t n = 0;
    for (size_t at = 0; at < length; at += insns[n - 1].length)
        assert_true(insn_decode(ISA_X86_64, code + at, length - at, at, false, &insns[n++], NULL));
    const char *reason = kernel_refused(insns, n, NULL);
    return reason && strstr(reason, part);
}

static void test_refused_kernels(void **state)
{
    assert_true(refused((const uint8_t[]){0xe8, 0, 0, 0, 0}, 5, "call"));
    assert_true(refused((const uint8_t[]){0xc3}, 1, "return"));
    assert_true(refused((const uint8_t[]){0xff, 0xe0}, 2, "indirect"));
    assert_true(refused((const uint8_t[]){0x74, 0x00, 0x90}, 3, "inside"));
    assert_true(refused((const uint8_t[]){0x0f, 0xa2}, 2, "system"));
    assert_true(refused((const uint8_t[]){0x0f, 0x31}, 2, "system"));
    assert_true(refused((const uint8_t[]){0xf3, 0x48, 0x0f, 0xae, 0xd0}, 5, "system"));
    assert_true(refused((const uint8_t[]){0x0f, 0x05}, 2, "system"));
    assert_true(
        refused((const uint8_t[]){0x64, 0x48, 0x89, 0x04, 0x25, 0, 0, 0, 0}, 9, "thread-local"));
    assert_false(refused((const uint8_t[]){0x90}, 1, ""));
}

/* Checks that the time of @code is within [@least, @most]. Tries several times, because this
 * machine may be busy. Without a time, nothing is checked. */
static void takes(const struct calibration *c, const uint8_t *code, size_t length, double least,
                  double most)
{
    struct insn insns[4];
    struct kernel_measured m;
    size_t n = 0;
    bool known = false;

    for (size_t at = 0; at < length; at += insns[n - 1].length)
        assert_true(insn_decode(ISA_X86_64, code + at, length - at, at, false, &insns[n++], NULL));
    for (unsigned i = 0; i < 6; i++) {
        struct err err = {0};
        if (!kernel_run(sandbox, c, insns, n, &m, &err)) {
            if (err.code != ERR_LIMIT && !strstr(err.what, "stable time"))
                fail_msg("%s", err.what);
            continue;
        }
        known = true;
        if (m.cycles > least && m.cycles < most)
            return;
    }
    if (known)
        fail_msg("%02x%02x%02x takes %.2f cycles instead of %.1f to %.1f", code[0], code[1],
                 code[2], m.cycles, least, most);
    print_message("this machine is too busy to measure on\n");
}

/* Properties of every x86-64 core, with or without neighbours. A dependent addition takes one
 * cycle, the unit of time. A dependent load or multiplication takes several. */
static void test_robust_facts(void **state)
{
    struct calibration c;
    struct err err = {0};
    if (!calibrate(sandbox, NULL, NULL, &c, &err)) {
        assert_int_equal(err.code, ERR_LIMIT);
        print_message("%s\n", err.what);
        return;
    }
    assert_true(c.tick_hz > 1e8 && c.clock_hz > 1e8);
    c.rules.probe_tolerance = 100;   /* A neighbour on the core also slows the unit of time. */
    takes(&c, (const uint8_t[]){0x48, 0x01, 0xd8}, 3, 0.97, 1.03);              /* add rax, rbx */
    takes(&c, (const uint8_t[]){0x48, 0x0f, 0xaf, 0xc3}, 4, 2.9, 5.1);          /* imul rax, rbx */
    takes(&c, (const uint8_t[]){0x48, 0x8b, 0x00}, 3, 2.9, 12);                 /* mov rax, [rax] */
}

/* Returns the plan of @hex, measured together with one at @hint (NULL for none). Its copies are 0
 * if no attempt succeeded, because the machine is busy. */
static struct kernel_plan plan_with(const struct calibration *c, const char *hex,
                                    const struct kernel_plan *hint)
{
    struct kernel_plan plan = {0};
    struct kernel_measured m;
    struct err err = {0};
    struct kernel *k = kernel_from_hex(ISA_X86_64, hex, &err);
    size_t count;
    assert_non_null(k);
    const struct insn *insns = kernel_insns(k, 0, &count);
    if (hint)
        kernel_visit_concurrent(sandbox, c, insns, count, 2, hint, &plan, &m, &err);
    else
        kernel_visit(sandbox, c, insns, count, 2, &plan, &m, &err);
    kernel_free(k);
    return plan.known ? plan : (struct kernel_plan){0};
}

static struct kernel_plan plan_of(const struct calibration *c, const char *hex)
{
    return plan_with(c, hex, NULL);
}

/* Checks that the plan of @hex has @copies copies, if it could be run. */
static void runs_as(const struct calibration *c, const char *hex, const struct kernel_plan *hint,
                    unsigned copies)
{
    struct kernel_plan plan = plan_with(c, hex, hint);
    if (plan.known)
        assert_int_equal(plan.copies, copies);
}

/* Blocks measured in turn with others have plans for their own number of instructions. They have
 * neither a thousand times more copies, nor a single copy, whose time would include the loop's
 * end. */
static void test_plans_of_others(void **state)
{
    struct calibration c;
    struct err err = {0};
    struct str hundred = {0}, thousand = {0};
    if (!calibrate(sandbox, NULL, NULL, &c, &err))
        return;
    c.rules.probe_tolerance = 100;
    for (unsigned i = 0; i < 1000; i++)
        str_add(i < 100 ? &hundred : &thousand, "4801d8");   /* add rax, rbx */
    str_add(&thousand, str_text(&hundred));
    struct kernel_plan two = plan_of(&c, "4801d84801d8"),
                       long_one = plan_of(&c, str_text(&thousand));
    if (two.known && long_one.known) {
        assert_int_equal(two.copies, 121);
        assert_int_equal(long_one.copies, 1);
        runs_as(&c, "4801d8", &two, 121);
        runs_as(&c, str_text(&hundred), &two, 3);
        runs_as(&c, "4801d8", &long_one, 241);
    }
    str_done(&hundred);
    str_done(&thousand);
}

/* Loops that leave their pages within a few iterations are unrolled into many copies, which run a
 * few times, so that no prefetcher tracks their loads. Other loops have some 240 instructions. */
static void test_walking(void **state)
{
    struct calibration c;
    struct err err = {0};
    /* An emulator fills the window before the pointers leave the pages. */
    if (!calibrate(sandbox, NULL, NULL, &c, &err) || c.unfiltered)
        return;
    c.rules.probe_tolerance = 100;
    struct kernel_plan walks = plan_of(&c, "5b5d415c415d415e415f4883c438"),
                       stays = plan_of(&c, "5b5d415c415d415e415f4883ec30"),
                       slowly = plan_of(&c, "488b074883c708");
    /* six of pop; add rsp, 56: advances by 104 bytes per iteration */
    if (walks.known) {
        assert_true(walks.copies * 6 > 256);
        assert_true(walks.pages < SANDBOX_REAL_PAGES);
        assert_true(walks.count <= 4);
    }
    /* six of pop; sub rsp, 48: stays at its address */
    if (stays.known) {
        assert_int_equal(stays.copies, 240 / 7 + 1);
        assert_true(stays.count > 64);
    }
    /* mov rax, [rdi]; add rdi, 8: as many copies as stay in the same range */
    if (slowly.known)
        assert_true(slowly.copies * slowly.count * 8 <= SANDBOX_REAL_PAGES * 4096 &&
                    slowly.copies > 256);
}

/* Checks the plan of the loop @hex, of which 240 instructions are @copies copies. A copy of @tried
 * copies or of separated branches may replace it. Its runs have as many iterations as those of the
 * first plan, a power of two times @copies, except for rounding to whole pairs of bodies. */
static void tries(const struct calibration *c, const char *hex, unsigned copies, unsigned tried)
{
    const struct kernel_plan plan = plan_of(c, hex);
    const uint64_t all = plan.count * plan.copies;
    uint64_t first = copies;

    if (!plan.known)
        return;
    assert_true(plan.copies == copies || plan.copies == tried ||
                (plan.apart && plan.copies == KERNEL_APART_COPIES));
    assert_true(!plan.apart || plan.copies <= KERNEL_APART_COPIES);
    assert_int_equal(plan.count % 2, 0);
    assert_true(plan.passes > 0 && plan.rough > 0);
    while (first + copies + tried < all)
        first *= 2;
    if (first > all + copies + tried)
        fail_msg("%s: %" PRIu64 " iterations", hex, all);
}

/* Loops that load and store are tried with as many copies as memory renaming finds loads (36), and
 * short loops with separated branches. Other loops keep their copies. */
static void test_tried_plans(void **state)
{
    struct calibration c;
    struct err err = {0};
    if (!calibrate(sandbox, NULL, NULL, &c, &err))
        return;
    c.rules.probe_tolerance = 100;
    /* mov rax, [rdi]; mov [rdi+64], rax; dec ecx; jnz */
    tries(&c, "488b07 48894740 ffc9 75f5", 240 / 4 + 1, 36);
    /* mov rax, [rdi]; add rax, 1; mov [rdi], rax; dec ecx; jnz */
    tries(&c, "488b07 4883c001 488907 ffc9 75f2", 240 / 5 + 1, 36);
    /* the first loop with two loads */
    tries(&c, "488b07 488b07 48894740 ffc9 75f2", 240 / 5 + 1, 36 / 2);
    /* mov rax, [rdi]; dec ecx; jnz */
    tries(&c, "488b07 ffc9 75f9", 240 / 3 + 1, 240 / 3 + 1);
    /* mov rax, [rdi]; mov [rdi+64], rax: without a branch */
    runs_as(&c, "488b07 48894740", NULL, 240 / 2 + 1);
}

static const struct insn *insns_at(const void *kernels, size_t i, size_t *count,
                                   enum kernel_copies *kind)
{
    return kernel_insns(((struct kernel *const *)kernels)[i], 0, count);
}

/* Measures several blocks in one call. Unsuitable blocks have no time. All others have one, unless
 * this machine is too busy. */
static void test_times(void **state)
{
    static const char *const hex[] = {"4801d8", "0fa2", "480fafc3", "4801d8"};
    enum { COUNT = sizeof hex / sizeof *hex };
    struct kernel *kernels[COUNT];
    double cycles[COUNT];
    struct calibration c;
    struct err err = {0};

    if (!calibrate(sandbox, NULL, NULL, &c, &err))
        return;
    c.rules.probe_tolerance = 100;
    for (size_t i = 0; i < COUNT; i++)
        assert_non_null(kernels[i] = kernel_from_hex(ISA_X86_64, hex[i], &err));
    assert_true(kernel_set_times(sandbox, &c, insns_at, kernels, COUNT, 3, cycles, &err));
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(i == 1 ? isnan(cycles[i]) : isnan(cycles[i]) || cycles[i] > 0.5);
        kernel_free(kernels[i]);
    }
    /* Equal code runs as one loop. */
    assert_true(cycles[3] == cycles[0] || isnan(cycles[0]));
}

/* Measures a set together. Each loop that this machine can measure has a time, all others have
 * none. */
static void test_set(void **state)
{
    static const struct { const char *hex; double least, most;
    } cases[] = {{"4801d8", 0.97, 1.03}, {"480fafc3", 2.9, 5.1}, {"4801d84801d8", 1.94, 2.06},
                 {"0fa2", NAN, NAN},     {"0f0b", NAN, NAN},     {"4801d890", 0.97, 1.06}};
    struct calibration c;
    struct err err = {0};
    size_t at[6];
    if (!calibrate(sandbox, NULL, NULL, &c, &err))
        return;
    c.rules.probe_tolerance = 100;
    struct kernel_set *set = kernel_set_new(sandbox, &c);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 6; i++) {
            struct kernel *k = kernel_from_hex(ISA_X86_64, cases[i].hex, &err);
            size_t count;
            assert_non_null(k);
            const struct insn *insns = kernel_insns(k, 0, &count);
            at[i] = kernel_set_add(set, insns, count);
            assert_int_equal(at[i], i);   /* Equal code runs as one loop. */
            kernel_free(k);
        }
    if (!kernel_set_measure(set, 3, &err))
        assert_int_equal(err.code, ERR_LIMIT);
    for (unsigned i = 0; i < 6; i++) {
        double cycles = NAN, spread = NAN;
        err = (struct err){0};
        if (isnan(cases[i].least)) {
            assert_false(kernel_set_result(set, at[i], &cycles, &spread, &err));
            continue;
        }
        for (unsigned again = 0; again < 4; again++) {
            if (again)
                kernel_set_again(set, at[i]);
            if (kernel_set_measure(set, 1, &err) &&
                kernel_set_result(set, at[i], &cycles, &spread, &err) && cycles > cases[i].least &&
                cycles < cases[i].most)
                break;
        }
        if (cycles > 0 && !(cycles > cases[i].least && cycles < cases[i].most))
            fail_msg("%s takes %.2f cycles instead of %.1f to %.1f", cases[i].hex, cycles,
                     cases[i].least, cases[i].most);
        print_message("%s: %.2f cycles\n", cases[i].hex, cycles);
    }
    kernel_set_free(set);
}

static int setup(void **state)
{
    struct err err;
    sandbox = sandbox_new(-1, &err);
    if (!sandbox)
        print_message("no sandbox here: %s\n", err.what);
    return sandbox ? 0 : -1;
}

static int teardown(void **state)
{
    sandbox_free(sandbox);
    /* No zombie process remains. */
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : -1;
}

static void test_elsewhere(void **state)
{
    print_message("x86-64 machine code is not tried on this processor\n");
}

int main(void)
{
    const struct CMUnitTest others[] = {cmocka_unit_test(test_elsewhere)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_memory_is_new_for_each),
                                       cmocka_unit_test(test_foreign_bodies),
                                       cmocka_unit_test(test_not_worth_it),
                                       cmocka_unit_test(test_killed),
                                       cmocka_unit_test(test_starved),
                                       cmocka_unit_test(test_little_room),
                                       cmocka_unit_test(test_cancel),
                                       cmocka_unit_test(test_refused_kernels),
                                       cmocka_unit_test(test_robust_facts),
                                       cmocka_unit_test(test_walking),
                                       cmocka_unit_test(test_plans_of_others),
                                       cmocka_unit_test(test_tried_plans),
                                       cmocka_unit_test(test_set),
                                       cmocka_unit_test(test_times)};
    if (isa_host() != ISA_X86_64)
        return cmocka_run_group_tests(others, NULL, NULL);
    return cmocka_run_group_tests_name("sandbox", tests, setup, teardown);
}
